/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of a thread beside its stack, whole structs of this version.
 */
#ifndef INFERENCE_FACTS_H
#define INFERENCE_FACTS_H

#include <stdbool.h>

#include "ompd-ext.h"

struct known {
	const ompdx_facts_t *facts; /* NULL: nothing */
	bool thread;                /* thread_kind and has_team are known */
	bool regions;               /* the regions around it are known */
	bool in_region;
	ompdx_view_region_t region; /* the innermost */
	int32_t thread_num;         /* in it */
};

void facts_read(const ompdx_facts_t *facts, struct known *ret);

/* Those of the regions around the thread that have a place on its own stack: up to the one that another thread
 * began. */
struct own_regions {
	uint32_t begun;       /* by the thread itself */
	uint32_t of_function; /* with the innermost one's function */
	bool all_called; /* for each a routine of the runtime's was called, and is left at its end */
};

/* directly: such a routine calls the region's code itself. */
struct own_regions facts_own_regions(const struct known *known, bool directly);

/* Whether the threads that wait at the barriers of the innermost region's team are all at its end: 1, or at another one:
 * 0; -1: nobody waits, some wait at each, or it is not known. */
int facts_at_end(const struct known *known);

void facts_of_view(const ompdx_view_t *view, uint32_t thread, ompdx_runtime_kind_t runtime_kind,
		   ompdx_facts_t *ret);

#endif /* INFERENCE_FACTS_H */
