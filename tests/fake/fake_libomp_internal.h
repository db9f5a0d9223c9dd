/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the fake libomp share: fake_layout.c (where members lie), fake_libomp.c (the image
 * and the process), fake_program.c (threads, teams and tasks).
 */
#ifndef FAKE_LIBOMP_INTERNAL_H
#define FAKE_LIBOMP_INTERNAL_H

#include "fake_libomp.h"

/* Members that libomp does not publish and that lie where they do in all releases from 13 to 22. */
#define FAKE_T_SERIALIZED 904
#define FAKE_T_IDENT 392
#define FAKE_TH_IN_POOL 96
#define FAKE_TH_TEAMS_MICROTASK 120
#define FAKE_IDENT_PSOURCE 16

struct fake_libomp {
	struct fake_target *target;
	struct fake_machine machine;
	struct fake_libomp_options options;
	struct fake_image image;
	uint64_t words[FAKE_TABLE_WORDS];

	/* Variables of the runtime. */
	uint64_t thread_pool; /* the exported __kmp_thread_pool */
	uint64_t threads;     /* __kmp_threads */
	uint64_t table;       /* the lowest word */
	uint64_t state;       /* ompd_state */

	bool started;
	uint64_t heap_next;
	uint64_t heap_end;
	uint64_t array;               /* what __kmp_threads points to */
	struct fake_thread **members; /* by gtid */
	size_t member_count;
	struct fake_region *regions;
	unsigned constructs;
};

/* Writes the words as libomp computes them. */
void fake_layout_words(enum fake_layout layout, struct fake_machine machine,
		       uint64_t words[FAKE_TABLE_WORDS]);

/* What libomp does at the program's first OpenMP call. */
void fake_libomp_start(struct fake_libomp *omp);

/* From the runtime's allocator, with its descriptor in front. */
uint64_t fake_allocate(struct fake_libomp *omp, uint64_t size);

#endif /* FAKE_LIBOMP_INTERNAL_H */
