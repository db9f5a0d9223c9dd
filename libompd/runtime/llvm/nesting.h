/* SPDX-License-Identifier: Apache-2.0
 *
 * How libomp's teams stand for OpenMP's regions. A team is not a region:
 *  - Serialized regions nested in each other share one team: it stands for t_level - t_parent->t_level of
 *    them. (Their lightweight records exist only when an OMPT tool is there.)
 *  - The league of a teams construct is a team that adds no level; each of its threads is the initial
 *    thread of a team of the league. Between parallel regions that initial thread is in another team that
 *    adds no level, its contention group, whose other threads wait to be used.
 *  - A league of one team that has one thread is merged with the serialized regions inside it: then
 *    t_serialized counts one more than the levels.
 * Regions are named by entities: the team's address, and which of its regions in `part`: the region's level or,
 * for a league, which of its teams.
 */
#ifndef RUNTIME_LLVM_NESTING_H
#define RUNTIME_LLVM_NESTING_H

#include "runtime/llvm/llvm.h"

enum nesting_kind {
	NESTING_INITIAL,          /* the team of an initial region */
	NESTING_REGIONS,          /* one parallel region, or several serialized ones */
	NESTING_LEAGUE,           /* a league */
	NESTING_CONTENTION_GROUP, /* the initial thread of a league's team, and those it may use */
};

struct nesting {
	enum nesting_kind kind;
	uint32_t serialized_regions; /* how many serialized regions; 0: one, not serialized */
	bool merged_league;          /* outside of those, a league of one */
};

/* Classifies a team by its surroundings: parent NULL for a team without one, grandparent NULL for a parent
 * without one. error: they contradict each other. */
ompd_rc_t nesting_classify(const struct team *team, const struct team *parent,
			   const struct team *grandparent, struct nesting *ret);

/* A region's `part`. */
uint64_t part_of_level(int32_t level);
uint64_t part_of_league(uint32_t team_num);
bool part_is_league(uint64_t part);
uint32_t part_number(uint64_t part);

/* The innermost of the team's regions, for thread `tid` of the team. unavailable: the thread is in no
 * region of it (a contention group's other threads). */
ompd_rc_t nesting_innermost(const struct team *team, const struct team *parent,
			    const struct nesting *nesting, int32_t tid, struct entity *ret);

/* The outlined function of a team that stands for one region, which is not serialized; 0: not known. */
ompd_rc_t nesting_function(struct address_space *space, const struct team *team, target_addr *ret);

/* A team together with its parent and grandparent, and what it stands for. */
struct family {
	struct team team;
	struct team parent;
	struct team grandparent;
	bool has_parent;
	bool has_grandparent;
	struct nesting nesting;
};

ompd_rc_t family_read(struct address_space *space, const struct llvm *llvm, target_addr team,
		      struct family *ret);
/* The same when ret->team has been read. */
ompd_rc_t family_complete(struct address_space *space, const struct llvm *llvm, struct family *ret);

/* A region as the standard routines need it. */
struct region {
	struct team team;
	struct team
		parent; /* of the team, if has_parent: it is not read where it does not matter */
	bool has_parent;
	bool of_league;     /* one team's region of a league */
	bool merged_league; /* the league shares its team with serialized regions */
	ompd_team_generator_t generator;
	int32_t level;
	int32_t active_level;
	int32_t team_size;
	int32_t first_thread; /* index of thread 0 in t_threads */
};

ompd_rc_t region_read(struct address_space *space, const struct llvm *llvm, struct entity entity,
		      struct region *ret);

/* The region around one that has been read. unavailable: it is an initial region. */
ompd_rc_t region_enclosing(struct address_space *space, const struct llvm *llvm,
			   struct region *region, struct entity *enclosing);

#endif /* RUNTIME_LLVM_NESTING_H */
