/* SPDX-License-Identifier: Apache-2.0
 *
 * All threads and regions of a libgomp as they were read at one stop; what a tool gets is made of it.
 *
 *   picture_whole.c     the whole: which threads there are, and where they stand in the view
 *   picture.c           what all of them use
 *   picture_teams.c     the teams that are alive, and the regions
 *   picture_threads.c   what each thread is, and in which region
 *   view.c              the view that the tool gets
 */
#ifndef RUNTIME_GOMP_PICTURE_H
#define RUNTIME_GOMP_PICTURE_H

#include "runtime/gomp/gomp.h"
#include "runtime/gomp/thread.h"
#include "target/address_map.h"

#define PICTURE_NONE UINT32_MAX

struct seen_thread {
	struct gomp_native native;
	struct gomp_task task;
	bool has_task;
	bool has_team;
	bool chain_read;
	ompdx_thread_kind_t kind;
	uint32_t region; /* innermost, an index into regions; PICTURE_NONE: in none */
	uint32_t
		outer; /* if it is one with which regions begin: the region outside of all parallel ones */
	ompdx_problem_t problem;
	uint32_t
		place; /* in the view's list of threads; PICTURE_NONE: not OpenMP's, nor the tool's */
};

/* A team that is alive. */
struct seen_team {
	struct gomp_team team;
	int32_t level, active_level;
	uint32_t parent; /* an index into teams; PICTURE_NONE: at level 1, or its chain is broken */
	uint32_t primary; /* an index into threads; PICTURE_NONE */
	uint32_t root; /* the thread that the regions around began with; PICTURE_NONE: not known */
	uint32_t region;
	target_addr *releases; /* ordered_release, nthreads of them; NULL: unreadable */
	ompdx_problem_t problem;
};

struct seen_region {
	ompd_team_generator_t generator;
	uint32_t team;   /* an index into teams; PICTURE_NONE: it has none */
	uint32_t thread; /* of a region without a team: whose */
	uint32_t parent; /* an index into regions; PICTURE_NONE */
	int32_t parent_number;
	uint32_t depth;  /* how many regions a chain from here outwards has */
	bool no_members; /* there is no more room for them in a view */
	ompdx_problem_t problem;
};

struct picture {
	struct address_space *space;
	struct gomp *gomp;
	struct vector threads; /* struct seen_thread */
	struct vector teams;   /* struct seen_team, parents before their children */
	struct vector regions; /* struct seen_region, the same */
	struct vector pools;   /* struct seen_pool */
	struct vector
		natives; /* uint32_t: for each of the tool's threads, which of ours; PICTURE_NONE */
	uint64_t initial;     /* pthread of the program's first thread; 0: not known */
	bool incomplete;      /* there may be threads that are not in the picture */
	size_t release_count; /* of all teams */
	size_t view_threads, view_levels, view_members;
	ompdx_problem_t problem; /* why there may be more regions */
	struct address_map thread_of_address, thread_of_pthread, team_of_address, pool_of_address;
};

struct seen_pool {
	struct gomp_thread_pool pool;
	bool readable;
	uint32_t owner; /* an index into threads; PICTURE_NONE: not known */
};

static inline struct seen_thread *picture_thread(const struct picture *picture, size_t index)
{
	return vector_at(&picture->threads, index);
}

static inline struct seen_team *picture_team(const struct picture *picture, size_t index)
{
	return vector_at(&picture->teams, index);
}

static inline struct seen_region *picture_region(const struct picture *picture, size_t index)
{
	return vector_at(&picture->regions, index);
}

/* Adds the thread unless it is there. *index: PICTURE_NONE when there is no such thread. */
ompd_rc_t gomp_picture_add(struct picture *picture, uint64_t pthread, uint32_t *index);

/* The pool at an address, which a thread has named; NULL: unreadable. */
const struct seen_pool *gomp_picture_pool(const struct picture *picture, target_addr address);

/* Reads the teams that are alive, and finds by them threads that are not known yet. */
ompd_rc_t gomp_picture_teams(struct picture *picture);
ompd_rc_t gomp_picture_regions(struct picture *picture);

/* The thread that has the number in a team; PICTURE_NONE: none that is known. */
uint32_t gomp_picture_member(const struct picture *picture, const struct seen_team *seen,
			     int32_t number);

/* What a member of a team keeps of it, also while it is in regions inside. false: nothing. thread: PICTURE_NONE, or
 * an index into threads. */
bool gomp_picture_state(const struct picture *picture, const struct seen_team *seen,
			uint32_t thread, struct gomp_team_state *ret);

/* Tells what the threads are, and puts them into their regions. */
ompd_rc_t gomp_picture_threads(struct picture *picture);

#endif /* RUNTIME_GOMP_PICTURE_H */
