/* SPDX-License-Identifier: Apache-2.0
 *
 * Which region is a thread in, which team is alive, and who is in it?
 */
#ifndef RUNTIME_GOMP_NESTING_H
#define RUNTIME_GOMP_NESTING_H

#include "runtime/gomp/thread.h"

enum { REGION_TEAM = 0, REGION_INITIAL = 1, REGION_LEAGUE = 2, REGION_MARK = 3 };

/* Whether it is in a team of a league; false: also where that is not recorded, or cannot be. */
bool gomp_in_league(const struct gomp_thread *thread);

/* What a region without a team is called. */
target_addr gomp_initial_region(target_addr thread);
/* The same for the region that a thread outside of all parallel regions is in: perhaps a team of a league. */
target_addr gomp_outer_region(const struct gomp_thread *thread);
unsigned gomp_region_kind(target_addr region);
/* Of a region without a team: whose it is. */
target_addr gomp_region_thread(target_addr region);

/* Whether this is a state inside a parallel region. */
bool gomp_in_region(const struct gomp_team_state *ts);

/* Reads the team of a state inside a region and proves it. error: unreadable, or contradictory; noted. */
ompd_rc_t gomp_team_of_state(struct address_space *space, const struct gomp *gomp,
			     const struct gomp_team_state *ts, struct gomp_team *ret);

/* The same of a region's team, of which the level is not known. */
ompd_rc_t gomp_team_at(struct address_space *space, const struct gomp *gomp, target_addr address,
		       struct gomp_team *ret);

/* Where thread `number` of a team stands in it. unavailable: it is not known who that is, or in it any more. */
ompd_rc_t gomp_member(struct address_space *space, struct gomp *gomp, const struct gomp_team *team,
		      int32_t number, struct gomp_native *ret);

/* Whether a worker of a pool is not in the region that its ts tells of: at the dock for certain. */
bool gomp_docked(const struct gomp_thread *thread, const struct gomp_thread_pool *pool);

/* The thread that all regions around this team began with. */
ompd_rc_t gomp_root(struct address_space *space, struct gomp *gomp, const struct gomp_team *team,
		    struct gomp_native *ret);

/* The region that the thread is in now. unavailable: in none. */
ompd_rc_t gomp_region_of(struct address_space *space, struct gomp *gomp,
			 const struct gomp_thread *thread, target_addr *ret);

/* The same of a handle's thread. *thread is written also when it is in no region. */
ompd_rc_t gomp_region_of_entity(struct address_space *space, struct entity entity,
				struct gomp **gomp, struct gomp_thread *thread, target_addr *ret);

#endif /* RUNTIME_GOMP_NESTING_H */
