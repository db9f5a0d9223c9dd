/* SPDX-License-Identifier: Apache-2.0
 *
 * Who is in which region now? Each region has a gomp_team of its own, serialized ones too, and a thread's ts leads from
 * team to team outwards: thread 0 of a team finds in prev_ts where it was before. What memory alone tells of it:
 *
 *  - A thread that is number 0 of its team is in it: when the region ends, its ts becomes prev_ts. So this team is
 *    alive, and all that enclose it.
 *  - A worker's ts stays when its region has ended. A worker of the pool waits then at the pool's threads_dock, and
 *    its team may be freed, or serve another region; one of a nested region ends. It is in a region only if the team
 *    is alive and has it by its ordered_release.
 *  - The primary thread sets its own ts, then its workers', then lets them go from the dock, which counts the
 *    waiting ones down in awaited. A worker that is let go takes fn, and sets it to 0: who still has one has not begun.
 *  - At the region's end all wait at the team's barrier, and then the workers go to the dock while the primary takes
 *    its prev_ts back. Until it has, they count as in the region. Which of them are at the dock already is not
 *    recorded, but whether all are.
 *  - pool->last_team keeps the last team for the next region: at the same address, a stale ts looks like a fresh one.
 *    That is why the primary decides.
 *  - The threads of a nested region are made for it, and end with it.
 */
#include "runtime/gomp/nesting.h"

#include "runtime/gomp/gomp.h"
#include "runtime/gomp/ready.h"
#include "runtime/gomp/thread.h"
#include "target/limits.h"

#define OF(gomp, type, member) ((gomp)->record->members[MEMBER_##type##__##member])

target_addr gomp_initial_region(target_addr thread)
{
	return thread | REGION_INITIAL;
}

bool gomp_in_league(const struct gomp_thread *thread)
{
	return thread->num_teams && thread->num_teams < INT32_MAX &&
	       thread->team_num <= thread->num_teams;
}

target_addr gomp_outer_region(const struct gomp_thread *thread)
{
	return thread->address | (gomp_in_league(thread) ? REGION_LEAGUE : REGION_INITIAL);
}

unsigned gomp_region_kind(target_addr region)
{
	return (unsigned)(region & REGION_MARK);
}

target_addr gomp_region_thread(target_addr region)
{
	return region & ~(target_addr)REGION_MARK;
}

bool gomp_in_region(const struct gomp_team_state *ts)
{
	/* A thread outside of all regions may have a team for its tasks, at level 0. */
	return ts->team != 0 && ts->level != 0;
}

static ompd_rc_t contradiction(struct address_space *space, target_addr team)
{
	diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_team_inconsistent, team);
	return ompd_rc_error;
}

ompd_rc_t gomp_team_at(struct address_space *space, const struct gomp *gomp, target_addr address,
		       struct gomp_team *ret)
{
	const ompd_rc_t rc = gomp_team_read(&space->target, gomp->record, address, ret);

	if (rc == ompd_rc_error)
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_team_unreadable, address);
	if (rc != ompd_rc_ok)
		return rc;
	return gomp_team_proven(gomp->record, ret) ? rc : contradiction(space, address);
}

ompd_rc_t gomp_team_of_state(struct address_space *space, const struct gomp *gomp,
			     const struct gomp_team_state *ts, struct gomp_team *ret)
{
	const ompd_rc_t rc = gomp_team_at(space, gomp, ts->team, ret);

	if (rc != ompd_rc_ok)
		return rc;
	if (ts->team_id < 0 || ts->team_id >= ret->nthreads || ts->level < 1 ||
	    ts->level > TEAM_DEPTH_MAX || ret->prev_ts.level != ts->level - 1 ||
	    ts->active_level < 0 || ts->active_level > ts->level)
		return contradiction(space, ts->team);
	return ompd_rc_ok;
}

/* Whether the thread is in the team under this number: by its ts, or as thread 0 of those inside. Levels fall from
 * team to team, so that this ends. */
static ompd_rc_t is_member(struct address_space *space, const struct gomp *gomp,
			   const struct gomp_thread *thread, target_addr team, int32_t number,
			   bool *ret)
{
	struct gomp_team_state ts = thread->ts;
	ompd_rc_t rc = ompd_rc_ok;

	*ret = false;
	while (rc == ompd_rc_ok && gomp_in_region(&ts)) {
		struct gomp_team at;

		if (ts.team == team) {
			*ret = ts.team_id == number;
			return ompd_rc_ok;
		}
		if (ts.team_id != 0)
			return ompd_rc_ok;
		rc = gomp_team_of_state(space, gomp, &ts, &at);
		ts = at.prev_ts;
	}
	return rc;
}

bool gomp_docked(const struct gomp_thread *thread, const struct gomp_thread_pool *pool)
{
	/* All but one are there, and that is the primary, which lets them go. */
	const bool all = pool->threads_dock.total > 1 && pool->threads_dock.awaited <= 1;

	return thread->ts.level == 1 && thread->ts.team_id != 0 && (all || thread->fn != 0);
}

/* The thread whose pool this is. unavailable: it is not recorded. */
static ompd_rc_t owner_of_pool(struct address_space *space, struct gomp *gomp, target_addr address,
			       const struct gomp_thread_pool *pool, struct gomp_native *ret)
{
	target_addr first;
	ompd_rc_t rc;

	/* Where only nested regions have workers, the pool has none. */
	if (!gomp->record->pool_names_owner || pool->threads == 0 || pool->threads_size == 0)
		return ompd_rc_unavailable;
	rc = target_read_pointer(&space->target, pool->threads, &first);
	if (rc == ompd_rc_ok)
		rc = gomp_native_read(space, gomp, first - gomp->tls_offset, ret);
	if (rc == ompd_rc_ok && ret->thread.thread_pool != address)
		return ompd_rc_unavailable;
	return rc;
}

/* The worker with this number, as the team names it. unavailable: that is no thread of the team. */
static ompd_rc_t worker(struct address_space *space, struct gomp *gomp,
			const struct gomp_team *team, int32_t number, struct gomp_native *ret)
{
	target_addr release;
	bool member = false;
	ompd_rc_t rc = target_read_pointer(
		&space->target, team->ordered_release + (target_addr)number * 8, &release);

	/* A team that is being formed names nobody yet. */
	if (rc == ompd_rc_ok)
		rc = gomp_native_read(
			space, gomp,
			release - OF(gomp, gomp_thread, release).offset - gomp->tls_offset, ret);
	if (rc == ompd_rc_ok)
		rc = is_member(space, gomp, &ret->thread, team->address, number, &member);
	return rc == ompd_rc_ok && !member ? ompd_rc_unavailable : rc;
}

/* Looks among all threads for number 0 of a team whose own chain of teams does not name it. */
static ompd_rc_t search_primary(struct address_space *space, struct gomp *gomp, target_addr team,
				struct gomp_native *ret)
{
	struct vector pthreads = {.item_size = sizeof(uint64_t)};
	uint64_t initial;
	bool found = false, incomplete;
	ompd_rc_t rc = gomp_pthreads(space, gomp, &pthreads, &initial);

	incomplete = rc == ompd_rc_incomplete;
	if (incomplete)
		rc = ompd_rc_ok;
	for (size_t i = 0; rc == ompd_rc_ok && !found && i < pthreads.count; i++) {
		rc = gomp_native_read(space, gomp, *(uint64_t *)vector_at(&pthreads, i), ret);
		if (rc == ompd_rc_ok && ret->thread.ts.team_id == 0)
			rc = is_member(space, gomp, &ret->thread, team, 0, &found);
		incomplete = incomplete || rc == ompd_rc_error;
		if (rc == ompd_rc_error || rc == ompd_rc_unavailable)
			rc = ompd_rc_ok;
	}
	vector_deinit(&pthreads);
	if (rc != ompd_rc_ok || found)
		return rc;
	return incomplete ? ompd_rc_error : ompd_rc_unavailable;
}

/* Of a team at level 1. */
static ompd_rc_t primary_of_outermost(struct address_space *space, struct gomp *gomp,
				      const struct gomp_team *team, struct gomp_native *ret)
{
	struct gomp_thread_pool pool;
	struct gomp_native member;
	bool found = false;
	ompd_rc_t rc = ompd_rc_unavailable;

	if (team->nthreads > 1)
		rc = worker(space, gomp, team, 1, &member);
	if (rc == ompd_rc_ok)
		rc = gomp_thread_pool_read(&space->target, gomp->record, member.thread.thread_pool,
					   &pool);
	if (rc == ompd_rc_ok)
		rc = owner_of_pool(space, gomp, member.thread.thread_pool, &pool, ret);
	if (rc == ompd_rc_ok)
		rc = is_member(space, gomp, &ret->thread, team->address, 0, &found);
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable && rc != ompd_rc_error)
		return rc;
	return found ? ompd_rc_ok : search_primary(space, gomp, team->address, ret);
}

/* The team around, where this one's thread 0 was. */
static ompd_rc_t enclosing_team(struct address_space *space, const struct gomp *gomp,
				const struct gomp_team *team, struct gomp_team *ret)
{
	const struct gomp_team_state ts = team->prev_ts;

	return gomp_team_of_state(space, gomp, &ts, ret);
}

static ompd_rc_t primary(struct address_space *space, struct gomp *gomp,
			 const struct gomp_team *team, struct gomp_native *ret)
{
	struct gomp_team at = *team;
	bool member = false;
	ompd_rc_t rc = ompd_rc_ok;

	/* Thread 0 of teams in teams is one thread. */
	for (;;) {
		const int32_t number = at.prev_ts.team_id;

		if (!gomp_in_region(&at.prev_ts)) {
			rc = primary_of_outermost(space, gomp, &at, ret);
			break;
		}
		rc = enclosing_team(space, gomp, &at, &at);
		if (rc == ompd_rc_ok && number > 0)
			rc = worker(space, gomp, &at, number, ret);
		if (rc != ompd_rc_ok || number > 0)
			break;
	}
	if (rc == ompd_rc_ok)
		rc = is_member(space, gomp, &ret->thread, team->address, 0, &member);
	return rc == ompd_rc_ok && !member ? ompd_rc_unavailable : rc;
}

ompd_rc_t gomp_member(struct address_space *space, struct gomp *gomp, const struct gomp_team *team,
		      int32_t number, struct gomp_native *ret)
{
	return number == 0 ? primary(space, gomp, team, ret)
			   : worker(space, gomp, team, number, ret);
}

ompd_rc_t gomp_root(struct address_space *space, struct gomp *gomp, const struct gomp_team *team,
		    struct gomp_native *ret)
{
	struct gomp_team at = *team;
	ompd_rc_t rc = ompd_rc_ok;

	while (rc == ompd_rc_ok && gomp_in_region(&at.prev_ts))
		rc = enclosing_team(space, gomp, &at, &at);
	return rc == ompd_rc_ok ? primary_of_outermost(space, gomp, &at, ret) : rc;
}

/* A worker's region, if it is in one. */
static ompd_rc_t region_of_worker(struct address_space *space, struct gomp *gomp,
				  const struct gomp_thread *thread, target_addr *ret)
{
	struct gomp_thread_pool pool;
	struct gomp_native other;
	struct gomp_team team;
	bool alive = false;
	ompd_rc_t rc = ompd_rc_unavailable;

	/* A docked worker's team may be gone, so its pool and the pool's owner are asked first. */
	if (thread->ts.level == 1) {
		rc = gomp_thread_pool_read(&space->target, gomp->record, thread->thread_pool,
					   &pool);
		if (rc == ompd_rc_ok && gomp_docked(thread, &pool))
			return ompd_rc_unavailable;
		if (rc == ompd_rc_ok)
			rc = owner_of_pool(space, gomp, thread->thread_pool, &pool, &other);
	}
	if (rc == ompd_rc_ok)
		rc = is_member(space, gomp, &other.thread, thread->ts.team, 0, &alive);
	if (rc == ompd_rc_ok && !alive)
		return ompd_rc_unavailable;
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	rc = gomp_team_of_state(space, gomp, &thread->ts, &team);
	if (rc == ompd_rc_ok && !alive)
		rc = primary(space, gomp, &team, &other);
	/* Another thread may have its number by now. */
	if (rc == ompd_rc_ok)
		rc = worker(space, gomp, &team, thread->ts.team_id, &other);
	if (rc == ompd_rc_ok && other.thread.address != thread->address)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		*ret = team.address;
	return rc;
}

ompd_rc_t gomp_region_of(struct address_space *space, struct gomp *gomp,
			 const struct gomp_thread *thread, target_addr *ret)
{
	struct gomp_team team;
	ompd_rc_t rc;

	if (!gomp_in_region(&thread->ts)) {
		*ret = gomp_outer_region(thread);
		return ompd_rc_ok;
	}
	if (thread->ts.team_id == 0) {
		rc = gomp_team_of_state(space, gomp, &thread->ts, &team);
		if (rc == ompd_rc_ok)
			*ret = team.address;
		return rc;
	}
	/* A worker that ends takes its pool and its task away first. */
	if (thread->thread_pool == 0)
		return ompd_rc_unavailable;
	return region_of_worker(space, gomp, thread, ret);
}

ompd_rc_t gomp_region_of_entity(struct address_space *space, struct entity entity,
				struct gomp **gomp, struct gomp_thread *thread, target_addr *ret)
{
	ompd_rc_t rc = gomp_ready(space, gomp);

	if (rc == ompd_rc_ok)
		rc = gomp_thread_of_entity(space, *gomp, entity, thread);
	return rc == ompd_rc_ok ? gomp_region_of(space, *gomp, thread, ret) : rc;
}
