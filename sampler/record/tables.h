/* SPDX-License-Identifier: Apache-2.0
 *
 * The record's tables: a thing is written when it is first referred to.
 */
#ifndef SAMPLER_TABLES_H
#define SAMPLER_TABLES_H

#include "inference/pictures.h"
#include "inference/told.h"
#include "record/words.h"
#include "record/writer.h"
#include "threads/thread.h"

enum frame_kind {
	FRAME_USER,
	FRAME_CONSTRUCT,
	FRAME_WAIT,
	FRAME_RUNTIME,
	FRAME_SYSTEM,
	FRAME_UNKNOWN
};

/* Interned: no padding. image NONE, offset 0: in no image. */
struct place {
	uint64_t offset;
	uint32_t image;
	uint32_t reserved;
};

/* Of code: all places of one line of a function are one frame, and all of a system function. */
struct frame {
	struct place function;
	uint32_t kind, line;
	uint32_t region;    /* of a construct frame; NONE: a task's */
	uint32_t construct; /* of a wait */
	uint32_t state;     /* of a wait */
	uint32_t reserved;
};

struct record_stack {
	uint32_t parent; /* NONE: the outermost */
	uint32_t frame;
};

struct construct {
	struct place place; /* of the call, or of the region's code */
	uint32_t wait, kind;
	uint32_t region;
	uint32_t reserved;
};

struct activity {
	uint32_t state;
	uint32_t on; /* 1, 0, or NONE: not known */
	uint32_t stack, region, team, construct, holder;
	int32_t level, thread_num;
	uint32_t doubt;
};

/* Beside what is interned: */
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
uint32_t table_image(struct tables *tables, const struct image *image);
uint32_t table_region(struct tables *tables, uint64_t function); /* 0: none */
uint32_t table_construct(struct tables *tables, const struct told *told, uint32_t region);
uint32_t table_frame(struct tables *tables, enum frame_kind kind, uint32_t code);
uint32_t table_construct_frame(struct tables *tables, uint32_t region, uint32_t code);
uint32_t table_wait_frame(struct tables *tables, uint32_t state, uint32_t construct);
uint32_t table_stack(struct tables *tables, uint32_t parent, uint32_t frame);
uint32_t table_activity(struct tables *tables, const struct activity *activity);

void table_thread(struct tables *tables, struct thread *thread);
void table_runtime(struct tables *tables, const struct runtime *runtime, uint64_t at);

/* What is learnt of a region: by whom it was begun, at which place, whether by a teams construct, and what the compiler
 * recorded of it. */
void learn_region(struct tables *tables, uint32_t region, uint32_t forker, bool league,
		  const char *source);
void learn_fork(struct tables *tables, uint32_t code, uint32_t region);
uint32_t region_of_fork(struct tables *tables, uint32_t code);

#endif /* SAMPLER_TABLES_H */
