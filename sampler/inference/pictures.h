/* SPDX-License-Identifier: Apache-2.0
 *
 * What the runtimes themselves know, by libompd, while the program runs: who is in which region. A picture may be of
 * more than one moment; what contradicts itself is left out.
 */
#ifndef SAMPLER_PICTURES_H
#define SAMPLER_PICTURES_H

#include <ompd-ext.h>

#include "inference/code.h"
#include "inference/lock_holders.h"
#include "target/debugger.h"
#include "threads/thread.h"

#define RUNTIMES_MAX 8
#define SYMBOLS_MAX 256

struct found_symbol {
	char name[64];
	uint64_t address; /* 0: nowhere */
};

struct runtime {
	uint32_t number;                     /* of all that were ever there */
	ompd_address_space_handle_t *handle; /* NULL: closed */
	ompdx_runtime_kind_t kind;
	struct image *image; /* NULL: not known */
	char version[64];
	char build_id[65];
	bool told;                         /* in the record */
	ompdx_snapshot_handle_t *snapshot; /* the last picture; NULL: none */
	const ompdx_view_t *view;
	const ompdx_arrivals_t *arrivals;
};

struct pictures {
	struct debugger debugger;
	struct images *images;
	struct threads *threads;
	struct runtime runtimes[RUNTIMES_MAX];
	uint32_t count, numbers;
	struct runtime_code code[RUNTIMES_MAX]; /* for struct codes */
	size_t code_count;
	ompdx_native_thread_t *natives;
	size_t native_capacity;
	bool *at_end; /* of each, whether it has come to the end of its region */
	size_t at_end_capacity;
	uint32_t *native_threads; /* their numbers, as they were at the last picture */
	size_t native_thread_capacity;
	uint32_t native_count;
	struct found_symbol symbols[SYMBOLS_MAX];
	size_t symbol_count;
	/* What a compiler recorded of a region's construct. */
	void (*region_seen)(void *context, uint64_t function, bool league, const char *source);
	void *context;
	struct lock_holders locks;
	uint64_t taken_at;
	uint64_t taken, failed;
};

void pictures_init(struct pictures *pictures, const struct process *process, struct memory *memory,
		   struct images *images, struct threads *threads);
void pictures_deinit(struct pictures *pictures);

/* Which runtimes are there now? true: others than before. */
bool pictures_find(struct pictures *pictures);

/* Of another program in the process nothing of before holds. */
void pictures_forget(struct pictures *pictures);

/* false: there is nothing to take one of. */
bool pictures_take(struct pictures *pictures);

/* What the last picture tells of a thread; false: it is in none. Valid until the next one. */
bool pictures_facts(const struct pictures *pictures, const struct thread *thread,
		    ompdx_facts_t *facts);

#endif /* SAMPLER_PICTURES_H */
