/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/structures.h"

#include "target/limits.h"

#define OF(type, member) (record->members[MEMBER_##type##__##member])

static ompd_rc_t read_structure(const struct target *target, target_addr address, uint32_t size,
				struct bytes *ret)
{
	const struct extent extent = {0, size};

	return bytes_read(ret, target, &extent, address);
}

static struct gomp_team_state team_state(const struct record *record, const struct bytes *bytes,
					 struct span at)
{
#define INSIDE(member) (member_nested(at, OF(gomp_team_state, member)))
	const struct gomp_team_state ts = {
		.team = bytes_get(bytes, INSIDE(team)),
		.work_share = bytes_get(bytes, INSIDE(work_share)),
		.last_work_share = bytes_get(bytes, INSIDE(last_work_share)),
		.team_id = bytes_get_int(bytes, INSIDE(team_id)),
		.level = bytes_get_int(bytes, INSIDE(level)),
		.active_level = bytes_get_int(bytes, INSIDE(active_level)),
		.place_partition_off = (uint32_t)bytes_get(bytes, INSIDE(place_partition_off)),
		.place_partition_len = (uint32_t)bytes_get(bytes, INSIDE(place_partition_len)),
		.def_allocator = bytes_get(bytes, INSIDE(def_allocator)),
		.static_trip = (int64_t)bytes_get(bytes, INSIDE(static_trip)),
	};
#undef INSIDE
	return ts;
}

static struct gomp_barrier barrier(const struct record *record, const struct bytes *bytes,
				   struct span at)
{
#define INSIDE(member) ((uint32_t)bytes_get(bytes, member_nested(at, OF(gomp_barrier_t, member))))
	const struct gomp_barrier barrier = {
		.total = INSIDE(total),
		.generation = INSIDE(generation),
		.awaited = INSIDE(awaited),
		.awaited_final = INSIDE(awaited_final),
	};
#undef INSIDE
	return barrier;
}

static bool all_zero(const struct bytes *bytes)
{
	for (uint32_t i = 0; i < bytes->extent.end; i++) {
		if (bytes->data[i])
			return false;
	}
	return true;
}

ompd_rc_t gomp_thread_read(const struct target *target, const struct record *record,
			   target_addr address, struct gomp_thread *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc =
		read_structure(target, address, record->sizes[STRUCTURE_gomp_thread], &bytes);

	if (rc != ompd_rc_ok)
		return rc;
	ret->address = address;
	ret->blank = all_zero(&bytes);
	ret->fn = bytes_get(&bytes, OF(gomp_thread, fn));
	ret->ts = team_state(record, &bytes, OF(gomp_thread, ts));
	ret->task = bytes_get(&bytes, OF(gomp_thread, task));
	ret->place = (uint32_t)bytes_get(&bytes, OF(gomp_thread, place));
	ret->thread_pool = bytes_get(&bytes, OF(gomp_thread, thread_pool));
	ret->num_teams = (uint32_t)bytes_get(&bytes, OF(gomp_thread, num_teams));
	ret->team_num = (uint32_t)bytes_get(&bytes, OF(gomp_thread, team_num));
	return ompd_rc_ok;
}

ompd_rc_t gomp_team_read(const struct target *target, const struct record *record,
			 target_addr address, struct gomp_team *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc =
		read_structure(target, address, OF(gomp_team, implicit_task).offset, &bytes);

	if (rc != ompd_rc_ok)
		return rc;
	ret->address = address;
	ret->nthreads = bytes_get_int(&bytes, OF(gomp_team, nthreads));
	ret->prev_ts = team_state(record, &bytes, OF(gomp_team, prev_ts));
	ret->ordered_release = bytes_get(&bytes, OF(gomp_team, ordered_release));
	ret->barrier = barrier(record, &bytes, OF(gomp_team, barrier));
	ret->task_count = (uint32_t)bytes_get(&bytes, OF(gomp_team, task_count));
	ret->task_queued_count = (uint32_t)bytes_get(&bytes, OF(gomp_team, task_queued_count));
	ret->work_share_cancelled = bytes_get(&bytes, OF(gomp_team, work_share_cancelled)) != 0;
	ret->team_cancelled = bytes_get(&bytes, OF(gomp_team, team_cancelled)) != 0;
	return ompd_rc_ok;
}

ompd_rc_t gomp_work_share_read(const struct target *target, const struct record *record,
			       target_addr address, struct gomp_work_share *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc =
		read_structure(target, address, record->sizes[STRUCTURE_gomp_work_share], &bytes);

	if (rc != ompd_rc_ok)
		return rc;
	ret->sched = (uint32_t)bytes_get(&bytes, OF(gomp_work_share, sched));
	ret->chunk_size = (int64_t)bytes_get(&bytes, OF(gomp_work_share, chunk_size));
	ret->end = (int64_t)bytes_get(&bytes, OF(gomp_work_share, end));
	ret->incr = (int64_t)bytes_get(&bytes, OF(gomp_work_share, incr));
	ret->next = (int64_t)bytes_get(&bytes, OF(gomp_work_share, next));
	ret->ordered_team_ids = bytes_get(&bytes, OF(gomp_work_share, ordered_team_ids));
	ret->doacross = bytes_get(&bytes, OF(gomp_work_share, doacross));
	ret->ordered_num_used = (uint32_t)bytes_get(&bytes, OF(gomp_work_share, ordered_num_used));
	ret->ordered_cur = (uint32_t)bytes_get(&bytes, OF(gomp_work_share, ordered_cur));
	ret->threads_completed =
		(uint32_t)bytes_get(&bytes, OF(gomp_work_share, threads_completed));
	return ompd_rc_ok;
}

ompd_rc_t gomp_doacross_read(const struct target *target, const struct record *record,
			     target_addr address, struct gomp_doacross_work_share *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = read_structure(
		target, address, record->sizes[STRUCTURE_gomp_doacross_work_share], &bytes);

	if (rc != ompd_rc_ok)
		return rc;
	ret->address = address;
	ret->chunk_size = bytes_get(&bytes, OF(gomp_doacross_work_share, chunk_size));
	ret->elt_sz = bytes_get(&bytes, OF(gomp_doacross_work_share, elt_sz));
	ret->ncounts = (uint32_t)bytes_get(&bytes, OF(gomp_doacross_work_share, ncounts));
	ret->flattened = bytes_get(&bytes, OF(gomp_doacross_work_share, flattened)) != 0;
	ret->array = bytes_get(&bytes, OF(gomp_doacross_work_share, array));
	ret->t = bytes_get(&bytes, OF(gomp_doacross_work_share, t));
	ret->boundary = bytes_get(&bytes, OF(gomp_doacross_work_share, boundary));
	return ompd_rc_ok;
}

ompd_rc_t gomp_task_read(const struct target *target, const struct record *record,
			 target_addr address, struct gomp_task *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc =
		read_structure(target, address, record->sizes[STRUCTURE_gomp_task], &bytes);

	if (rc != ompd_rc_ok)
		return rc;
	ret->address = address;
	ret->parent = bytes_get(&bytes, OF(gomp_task, parent));
	ret->taskgroup = bytes_get(&bytes, OF(gomp_task, taskgroup));
	ret->dependers = bytes_get(&bytes, OF(gomp_task, dependers));
	ret->taskwait = bytes_get(&bytes, OF(gomp_task, taskwait));
	/* Until GCC 4.9 a task has the members of its gomp_taskwait itself. */
	if (OF(gomp_task, taskwait).size == 0 && bytes_get(&bytes, OF(gomp_taskwait, in_taskwait)))
		ret->taskwait = address;
	/* libgomp sets it only where there are depend clauses. */
	ret->num_dependees = 0;
	if (bytes_get(&bytes, OF(gomp_task, depend_count)))
		ret->num_dependees = bytes_get(&bytes, OF(gomp_task, num_dependees));
	ret->priority = bytes_get_int(&bytes, OF(gomp_task, priority));
	ret->fn = bytes_get(&bytes, OF(gomp_task, fn));
	ret->kind = (uint32_t)bytes_get(&bytes, OF(gomp_task, kind));
	ret->in_tied_task = bytes_get(&bytes, OF(gomp_task, in_tied_task)) != 0;
	ret->final_task = bytes_get(&bytes, OF(gomp_task, final_task)) != 0;
	return ompd_rc_ok;
}

ompd_rc_t gomp_thread_pool_read(const struct target *target, const struct record *record,
				target_addr address, struct gomp_thread_pool *ret)
{
	const struct span dock = OF(gomp_thread_pool, threads_dock);
	struct bytes bytes;
	const ompd_rc_t rc = read_structure(target, address, dock.offset + dock.size, &bytes);

	if (rc != ompd_rc_ok)
		return rc;
	ret->threads = bytes_get(&bytes, OF(gomp_thread_pool, threads));
	ret->threads_size = (uint32_t)bytes_get(&bytes, OF(gomp_thread_pool, threads_size));
	ret->threads_used = (uint32_t)bytes_get(&bytes, OF(gomp_thread_pool, threads_used));
	ret->threads_dock = barrier(record, &bytes, dock);
	return ompd_rc_ok;
}

bool gomp_team_proven(const struct record *record, const struct gomp_team *team)
{
	return team->nthreads > 0 && team->nthreads <= THREADS_MAX &&
	       team->barrier.total == (uint32_t)team->nthreads &&
	       team->ordered_release == gomp_implicit_task(record, team->address, team->nthreads);
}

target_addr gomp_implicit_task(const struct record *record, target_addr team, int32_t number)
{
	return team + OF(gomp_team, implicit_task).offset +
	       (target_addr)number * record->sizes[STRUCTURE_gomp_task];
}
