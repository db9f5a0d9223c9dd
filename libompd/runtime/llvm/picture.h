/* SPDX-License-Identifier: Apache-2.0
 *
 * All threads and teams of a libomp as they were read at one stop; what a tool gets is made of it.
 *
 *   picture_whole.c     the whole: which of the tool's threads is which, where each stands in the view
 *   picture.c           what the others look up in it
 *   picture_threads.c   the thread array, the current tasks
 *   picture_teams.c     the teams that are alive, and the regions that they stand for
 *   picture_idle.c      whether a thread in no region is idle
 *   picture_making.c    threads that libomp is just making, or giving to a team
 *   picture_text.c      what the compiler recorded of a construct
 *   view.c              the view that the tool gets
 */
#ifndef RUNTIME_LLVM_PICTURE_H
#define RUNTIME_LLVM_PICTURE_H

#include "runtime/llvm/llvm.h"
#include "runtime/llvm/nesting.h"
#include "target/address_map.h"
#include "target/vector.h"

#define PICTURE_NONE UINT32_MAX

struct seen_thread {
	struct info info;
	struct task task;
	bool has_task;
	uint32_t region; /* innermost, an index into regions; PICTURE_NONE: idle */
	ompdx_problem_t problem;
	uint32_t place;        /* in the view's list of threads */
	bool is_matched;       /* one of the tool's has its pthread id */
	int32_t ident_flags;   /* of info.th_ident; -1: not known */
	uint32_t ident_source; /* offset in text, + 1; 0: none */
};

struct seen_team {
	struct team team;
	struct nesting nesting;
	uint32_t parent; /* an index into teams; PICTURE_NONE */
	bool alive;      /* some thread is in it, or in a team that it encloses */
	bool cut;        /* not all of its regions are in the picture */
	bool forming;    /* its region has not begun: thread 0 is where it was before */
	ompdx_problem_t problem;
	target_addr *threads; /* t_threads, t_nproc of them; NULL: unreadable */
	uint32_t
		first_region; /* a league has one for each of its teams, any other as many as it nests */
	uint32_t region_count; /* 0: none of its own (a contention group) */
};

struct seen_region {
	uint32_t team;
	uint32_t parent;       /* an index into regions; PICTURE_NONE */
	int32_t parent_number; /* thread 0's number there */
	uint32_t
		number; /* of a league's team; of serialized regions that share a team, from outside */
	ompd_team_generator_t generator;
	bool serialized;
	bool helpers; /* the team of the hidden helper threads */
	int32_t level;
	int32_t team_size;
	int32_t first_thread; /* index of thread 0 in t_threads */
	uint32_t depth;       /* how many regions a chain from here outwards has */
	bool no_members;      /* there is no more room for them in a view */
	target_addr function; /* the outlined code; 0: not known */
	uint32_t source;      /* offset in text, + 1; 0: none */
	ompdx_cancelled_t cancelled;
};

struct picture {
	struct address_space *space;
	struct llvm *llvm;
	int tracks_states;
	struct vector threads; /* struct seen_thread, by gtid */
	struct vector teams;   /* struct seen_team, parents before their children */
	struct vector regions; /* struct seen_region, parents before their children */
	struct vector text;    /* char */
	size_t member_count;   /* of all teams */
	struct vector
		natives; /* uint32_t: for each of the tool's threads, which of ours; PICTURE_NONE */
	size_t view_threads, view_levels, view_members; /* as many has the view */
	ompdx_problem_t problem;                        /* why there may be more regions */
	struct address_map thread_of_address;
	struct address_map thread_of_pthread;
	struct address_map team_of_address;
	struct address_map text_of_ident;
	struct address_map flags_of_ident;
};

/* Reads the threads and their regions. */
ompd_rc_t picture_read_threads(struct picture *picture);

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

/* Where the thread with this structure, or with this gtid, stands in the view; PICTURE_NONE: there is none. */
uint32_t picture_place_of(const struct picture *picture, target_addr info);
uint32_t picture_place_of_gtid(const struct picture *picture, int32_t gtid);

/* The thread with this gtid; NULL: none. */
const struct seen_thread *picture_thread_of_gtid(const struct picture *picture, int32_t gtid);

/* Fills the map from kernel ids to indexes of threads that are not matched; empty when the C library does not tell. */
ompd_rc_t picture_map_lwps(struct picture *picture, struct address_map *thread_of_lwp);

/* What the compiler recorded of the construct that an ident_t stands for: an offset into the picture's
 * text, + 1; 0: nothing. */
ompd_rc_t picture_source(struct picture *picture, target_addr ident, uint32_t *ret);

/* Its flags; -1: not known. */
ompd_rc_t picture_ident_flags(struct picture *picture, target_addr ident, int32_t *ret);

/* A team's t_threads; if it is unreadable the team keeps NULL and is marked. */
ompd_rc_t picture_read_team_threads(struct picture *picture, struct seen_team *seen);

/* Reads the teams that threads are in now, and makes their regions. */
ompd_rc_t picture_read_teams(struct picture *picture);

/* Proves that a thread in no region is idle, or marks it: what its team says has to fit, and the team's
 * primary thread has to be readable, or else nobody knows whether the team is still at work. */
ompd_rc_t picture_prove_idle(struct picture *picture, struct seen_thread *thread);

/* Whether libomp is about to put a thread into this team, which it has told the thread. listed: whom the team
 * lists under the thread's number. */
bool picture_is_joining(const struct picture *picture, const struct seen_team *seen,
			const struct info *info, target_addr listed);

/* Marks threads without a pthread that libomp cannot be making now. */
void picture_check_making(struct picture *picture);

/* Looks among those of the tool's threads that are nobody's for the one that libomp is just creating. */
ompd_rc_t picture_match_made(struct picture *picture, const ompdx_native_thread_t *natives,
			     size_t count, uint32_t *matched);

/* The region that a thread with this team and number is in; PICTURE_NONE: in none. */
uint32_t picture_innermost(const struct picture *picture, const struct info *info);

#endif /* RUNTIME_LLVM_PICTURE_H */
