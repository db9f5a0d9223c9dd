/* SPDX-License-Identifier: Apache-2.0
 *
 * The record's tables: a thing is written when it is first referred to.
 */
#ifndef SAMPLER_TABLES_H
#define SAMPLER_TABLES_H

#include "inference/pictures.h"
#include "inference/tellings.h"
#include "record/places.h"
#include "record/writer.h"
#include "threads/thread.h"

struct record_stack {
	uint32_t parent; /* NONE: the outermost */
	uint32_t frame;
};

struct activity {
	uint32_t state;
	uint32_t on; /* 1, 0, or NONE: not known */
	uint32_t stack, region, team, construct, holder;
	int32_t level, thread_num;
	uint32_t doubt;
};

/* record/frames.c */
struct frame {
	struct code_place function;
	uint32_t kind, line;
	uint32_t region;    /* of a construct frame; NONE: a task's */
	uint32_t construct; /* of a wait */
	uint32_t state;     /* of a wait */
	uint32_t reserved;
};

/* record/constructs.c */
struct construct {
	struct code_place place; /* of the call, or of the region's code */
	uint32_t wait, kind;
	uint32_t region;
	uint32_t reserved;
};

/* record/regions.c; beside the place of its code, which is interned: */
struct region {
	char *source;    /* ";file;function;line;column;;" or NULL */
	uint32_t forker; /* the thread that began it last; NONE */
	bool league;     /* of a teams construct */
	bool told;
};

struct tables {
	struct writer *writer;
	struct codes *codes;
	struct tellings *tellings;
	uint64_t start;          /* the record's moment 0 */
	uint32_t *frame_of_code; /* number + 1; 0: not looked at */
	size_t frame_of_code_capacity;
	bool *image_told;
	size_t image_capacity;
	struct interner frames, stacks, regions, constructs, activities;
	struct region *region_more;
	size_t region_capacity;
	struct interner fork_places; /* where regions were begun: which region it was, by place */
	uint32_t *fork_regions;
	size_t fork_capacity;
	uint32_t *fork_codes; /* by the code's number: which place it is, + 1 */
	size_t fork_code_capacity;
	bool full;
};

void tables_init(struct tables *tables, struct writer *writer, struct codes *codes,
		 struct tellings *tellings, uint64_t start);
void tables_deinit(struct tables *tables);

/* All return NONE for none, or if a table is full. */
uint32_t table_number(struct tables *tables, struct interner *of, const void *key, bool *is_new);
uint32_t table_image(struct tables *tables, const struct image *image);
uint32_t table_stack(struct tables *tables, uint32_t parent, uint32_t frame);
uint32_t table_activity(struct tables *tables, const struct activity *activity);

void table_thread(struct tables *tables, struct thread *thread);
void table_runtime(struct tables *tables, const struct runtime *runtime, uint64_t at);

#endif /* SAMPLER_TABLES_H */
