/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char sentence[256];
static const char *failed_call = "";

__attribute__((format(printf, 1, 2))) static const char *differs(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	return sentence;
}

/* ---- The standard routines ---- */

/* One comparison: which process, which address space, the first rc that ended it. */
struct check {
	const struct fake_libomp *omp;
	struct fake_target *target;
	ompd_address_space_handle_t *handle;
	ompd_rc_t rc;
	const char *difference;
	ompd_icv_id_t team_size, thread_num, levels, active_levels;
	ompd_scope_t region_scope, thread_scope;
};

/* Whether the check goes on. */
#define ok(check, rc) succeeded(check, rc, #rc)

static bool succeeded(struct check *check, ompd_rc_t rc, const char *call)
{
	/* A routine has returned: its thread contexts are not valid any more. */
	fake_expire_thread_contexts();
	if (check->rc == ompd_rc_ok && rc != ompd_rc_ok) {
		check->rc = rc;
		failed_call = call;
	}
	return check->rc == ompd_rc_ok && !check->difference;
}

const char *check_failed_call(void)
{
	return failed_call;
}

static bool same(struct check *check, const char *what, int64_t here, int64_t truth)
{
	if (here != truth && !check->difference)
		check->difference =
			differs("%s: %lld, in truth %lld", what, (long long)here, (long long)truth);
	return check->difference == NULL;
}

/* Expects a certain failure: not an answer. Any other failure ends the check. */
static bool refused(struct check *check, const char *what, ompd_rc_t rc, ompd_rc_t expected)
{
	fake_expire_thread_contexts();
	if (rc == expected)
		return true;
	if (rc != ompd_rc_ok)
		return ok(check, rc);
	check->difference = differs("%s: answered instead of code %d", what, (int)expected);
	return false;
}

ompd_icv_id_t check_icv_id(ompd_address_space_handle_t *handle, const char *name,
			   ompd_scope_t *scope, ompd_rc_t *rc)
{
	ompd_icv_id_t id = ompd_icv_undefined, found = ompd_icv_undefined;
	int more = 1;

	for (unsigned i = 0; more && !found && i < 200; i++) {
		const char *next_name;
		ompd_scope_t next_scope;

		*rc = ompd_enumerate_icvs(handle, id, &id, &next_name, &next_scope, &more);
		if (*rc != ompd_rc_ok)
			return ompd_icv_undefined;
		if (strcmp(next_name, name) == 0) {
			found = id;
			*scope = next_scope;
		}
		/* The allocator's free takes what its alloc gave, whatever the type says. */
		fake_callbacks()->free_memory((void *)(uintptr_t)next_name);
	}
	return found;
}

ompd_rc_t check_thread_handle(ompd_address_space_handle_t *handle, struct fake_target *target,
			      uint64_t pthread_id, ompd_thread_handle_t **ret)
{
	const struct fake_machine machine = fake_machine_of(target);
	uint8_t id[8];

	fake_encode(machine, pthread_id, machine.pointer_size, id);
	return ompd_get_thread_handle(handle, OMPD_THREAD_ID_PTHREAD, machine.pointer_size, id,
				      ret);
}

static void check_is_thread(struct check *check, ompd_thread_handle_t *handle,
			    const struct fake_thread *truth)
{
	const struct fake_machine machine = fake_machine_of(check->target);
	uint8_t id[8], expected[8];

	memset(id, 0, sizeof(id));
	fake_encode(machine, truth->pthread_id, machine.pointer_size, expected);
	if (ok(check,
	       ompd_get_thread_id(handle, OMPD_THREAD_ID_PTHREAD, machine.pointer_size, id)) &&
	    memcmp(id, expected, machine.pointer_size) != 0)
		check->difference = differs("pthread id of gtid %d", truth->gtid);
}

static void check_icv(struct check *check, void *handle, ompd_scope_t scope, ompd_icv_id_t id,
		      const char *what, int truth)
{
	ompd_word_t value = -77;

	if (ok(check, ompd_get_icv_from_scope(handle, scope, id, &value)))
		same(check, what, value, truth);
}

static void check_members(struct check *check, ompd_parallel_handle_t *handle,
			  const struct fake_region *truth)
{
	ompd_thread_handle_t *thread = NULL;
	ompd_task_handle_t *task = NULL;

	for (int i = 0; i < truth->team_size; i++) {
		if (!ok(check, ompd_get_thread_in_parallel(handle, i, &thread)))
			return;
		check_is_thread(check, thread, truth->members[i]);
		ok(check, ompd_rel_thread_handle(thread));
		if (!ok(check, ompd_get_task_in_parallel(handle, i, &task)))
			return;
		ok(check, ompd_rel_task_handle(task));
	}
	refused(check, "thread -1", ompd_get_thread_in_parallel(handle, -1, &thread),
		ompd_rc_bad_input);
	refused(check, "thread team_size",
		ompd_get_thread_in_parallel(handle, truth->team_size, &thread), ompd_rc_bad_input);
	refused(check, "task team_size", ompd_get_task_in_parallel(handle, truth->team_size, &task),
		ompd_rc_bad_input);
}

/* Compares a region and all that enclose it; releases the handle. */
static void check_regions(struct check *check, ompd_parallel_handle_t *handle,
			  const struct fake_region *truth)
{
	while (truth) {
		ompd_parallel_handle_t *enclosing = NULL;
		ompd_rc_t rc;

		check_icv(check, handle, check->region_scope, check->levels, "levels-var",
			  truth->level);
		check_icv(check, handle, check->region_scope, check->active_levels,
			  "active-levels-var", truth->active_level);
		check_icv(check, handle, check->region_scope, check->team_size, "team-size-var",
			  truth->team_size);
		if (ok(check, ompd_rc_ok))
			check_members(check, handle, truth);
		if (!ok(check, ompd_rc_ok))
			break;
		rc = ompd_get_enclosing_parallel_handle(handle, &enclosing);
		truth = truth->parent;
		if (truth ? !ok(check, rc)
			  : !refused(check, "around the initial region", rc, ompd_rc_unavailable))
			break;
		if (!truth)
			break;
		ok(check, ompd_rel_parallel_handle(handle));
		handle = enclosing;
	}
	(void)ompd_rel_parallel_handle(handle);
}

/* The current task belongs to the current region. */
static void check_task(struct check *check, ompd_thread_handle_t *thread,
		       ompd_parallel_handle_t *region)
{
	ompd_parallel_handle_t *of_task = NULL;
	ompd_task_handle_t *task = NULL;
	int order = -77;

	if (!ok(check, ompd_get_curr_task_handle(thread, &task)))
		return;
	if (ok(check, ompd_get_task_parallel_handle(task, &of_task))) {
		if (ok(check, ompd_parallel_handle_compare(of_task, region, &order)))
			same(check, "current region and the current task's", order, 0);
		(void)ompd_rel_parallel_handle(of_task);
	}
	(void)ompd_rel_task_handle(task);
}

static void check_thread(struct check *check, const struct fake_thread *truth)
{
	ompd_parallel_handle_t *region = NULL;
	ompd_thread_handle_t *thread = NULL;
	ompd_task_handle_t *task = NULL;

	if (!ok(check,
		check_thread_handle(check->handle, check->target, truth->pthread_id, &thread)))
		return;
	check_is_thread(check, thread, truth);
	if (!truth->region) {
		refused(check, "region of an idle thread",
			ompd_get_curr_parallel_handle(thread, &region), ompd_rc_unavailable);
		refused(check, "task of an idle thread", ompd_get_curr_task_handle(thread, &task),
			ompd_rc_unavailable);
	} else if (ok(check, ompd_get_curr_parallel_handle(thread, &region))) {
		check_icv(check, thread, check->thread_scope, check->thread_num, "thread-num-var",
			  truth->thread_num);
		check_task(check, thread, region);
		check_regions(check, region, truth->region);
	}
	(void)ompd_rel_thread_handle(thread);
}

static bool is_openmp(const struct fake_libomp *omp, uint64_t pthread_id)
{
	for (size_t i = 0; i < fake_omp_thread_count(omp); i++) {
		if (fake_omp_thread(omp, i)->pthread_id == pthread_id)
			return true;
	}
	return false;
}

const char *check_standard(const struct fake_libomp *omp, ompd_address_space_handle_t *handle,
			   ompd_rc_t *rc)
{
	struct check check = {.omp = omp, .target = fake_libomp_target(omp), .handle = handle};
	ompd_rc_t icv_rc = ompd_rc_ok;

	check.levels = check_icv_id(handle, "levels-var", &check.region_scope, &icv_rc);
	if (ok(&check, icv_rc))
		check.active_levels =
			check_icv_id(handle, "active-levels-var", &check.region_scope, &icv_rc);
	if (ok(&check, icv_rc))
		check.team_size =
			check_icv_id(handle, "team-size-var", &check.region_scope, &icv_rc);
	if (ok(&check, icv_rc))
		check.thread_num =
			check_icv_id(handle, "thread-num-var", &check.thread_scope, &icv_rc);
	for (size_t i = 0; ok(&check, icv_rc) && i < fake_omp_thread_count(omp); i++)
		check_thread(&check, fake_omp_thread(omp, i));
	for (size_t i = 0; ok(&check, ompd_rc_ok) && i < fake_thread_count(check.target); i++) {
		const uint64_t pthread_id = fake_pthread_of(check.target, i);
		ompd_thread_handle_t *thread = NULL;

		if (!is_openmp(omp, pthread_id))
			refused(&check, "a thread without OpenMP",
				check_thread_handle(handle, check.target, pthread_id, &thread),
				ompd_rc_unavailable);
	}
	*rc = check.rc;
	return check.difference;
}

/* ---- The view ---- */

ompdx_native_thread_t *check_natives(struct fake_target *target, size_t *count)
{
	ompdx_native_thread_t *natives;

	*count = fake_thread_count(target);
	natives = calloc(*count + 1, sizeof(*natives));
	if (!natives)
		abort();
	for (size_t i = 0; i < *count; i++) {
		natives[i].size = sizeof(natives[i]);
		natives[i].known = OMPDX_NATIVE_PTHREAD | OMPDX_NATIVE_LWP;
		natives[i].pthread_id = fake_pthread_of(target, i);
		natives[i].lwp = fake_lwp_of(target, i);
	}
	return natives;
}

ompd_rc_t check_snapshot(ompd_address_space_handle_t *handle, const ompdx_native_thread_t *natives,
			 ompd_size_t count, ompdx_snapshot_handle_t **snapshot,
			 const ompdx_view_t **view)
{
	ompdx_snapshot_handle_t *made;
	ompd_rc_t rc = ompdx_snapshot_create(handle, natives, count, &made);

	if (rc != ompd_rc_ok)
		return rc;
	rc = ompdx_snapshot_view(made, view);
	if (rc == ompd_rc_ok)
		*snapshot = made;
	else
		(void)ompdx_snapshot_destroy(made);
	return rc;
}

static const ompdx_view_thread_t *thread_at(const ompdx_view_t *view, size_t index)
{
	return (const void *)((const char *)view->threads + index * view->threads->size);
}

static const ompdx_view_region_t *region_at(const ompdx_view_t *view, size_t index)
{
	return (const void *)((const char *)view->regions + index * view->regions->size);
}

const char *check_shape(const ompdx_view_t *view)
{
	for (uint32_t i = 0; i < view->thread_count; i++) {
		const ompdx_view_thread_t *thread = thread_at(view, i);

		if (thread->level_count > view->level_count ||
		    thread->level_first > view->level_count - thread->level_count)
			return differs("levels of thread %u lie outside", i);
		for (uint32_t k = 0; k < thread->level_count; k++) {
			if (view->levels[thread->level_first + k].region >= view->region_count)
				return differs("a region of thread %u lies outside", i);
		}
	}
	for (uint32_t i = 0; i < view->region_count; i++) {
		const ompdx_view_region_t *region = region_at(view, i);

		if (region->parent != UINT32_MAX && region->parent >= i)
			return differs("the parent of region %u does not stand before it", i);
		if (region->member_count > view->member_count ||
		    region->member_first > view->member_count - region->member_count)
			return differs("members of region %u lie outside", i);
		for (uint32_t k = 0; k < region->member_count; k++) {
			const uint32_t member = view->members[region->member_first + k];

			if (member != UINT32_MAX && member >= view->thread_count)
				return differs("a member of region %u lies outside", i);
		}
	}
	return NULL;
}

static const ompdx_view_thread_t *view_of_thread(const ompdx_view_t *view,
						 const struct fake_thread *truth)
{
	for (uint32_t i = 0; i < view->thread_count; i++) {
		if (thread_at(view, i)->runtime_id == truth->gtid)
			return thread_at(view, i);
	}
	return NULL;
}

/* libomp keeps one record for all serialized regions of a team: then the library cannot tell whose it
 * is. */
static bool shares_its_team(const struct fake_libomp *omp, const struct fake_region *truth)
{
	unsigned sharing = 0;

	for (const struct fake_region *region = fake_regions(omp); region; region = region->next)
		sharing += !region->ended && region->team == truth->team;
	return sharing > 1;
}

/* tolerant: other parts of the view are marked, so a member may be unknown. */
static const char *check_view_region(const ompdx_view_t *view, const ompdx_view_region_t *region,
				     const struct fake_libomp *omp, const struct fake_region *truth,
				     bool tolerant)
{
	const bool teams = truth->generator == ompd_generator_teams;
	const bool construct_known = fake_has_record(omp) && !shares_its_team(omp, truth) &&
				     truth->generator == ompd_generator_parallel;

	if (region->address != truth->team)
		return differs("address of a region's team");
	if (region->generator != (uint32_t)truth->generator)
		return differs("generator %u, in truth %u", region->generator, truth->generator);
	if (region->level != truth->level || region->active_level != truth->active_level)
		return differs("level %d/%d, in truth %d/%d", region->level, region->active_level,
			       truth->level, truth->active_level);
	if (region->team_size != truth->team_size ||
	    region->member_count != (uint32_t)truth->team_size)
		return differs("team of %d, in truth %d", region->team_size, truth->team_size);
	if (region->league_size != truth->league_size || region->team_num != truth->team_num)
		return differs("team %d of %d, in truth %d of %d", region->team_num,
			       region->league_size, truth->team_num, truth->league_size);
	if (truth->generator == ompd_generator_parallel &&
	    region->serialized != (truth->serialized ? 1 : 0))
		return differs("serialized: %d", region->serialized);
	if (!teams && region->source && (!truth->source || strcmp(region->source, truth->source)))
		return differs("source '%s', in truth '%s'", region->source,
			       truth->source ? truth->source : "none");
	if (construct_known && !region->source && !tolerant)
		return differs("no source, in truth '%s'", truth->source);
	if (region->function && region->function != truth->function)
		return differs("another function");
	for (int i = 0; i < truth->team_size; i++) {
		const uint32_t member = view->members[region->member_first + (uint32_t)i];

		if (member == UINT32_MAX
			    ? !tolerant
			    : thread_at(view, member)->runtime_id != truth->members[i]->gtid)
			return differs("member %d of a region", i);
	}
	return NULL;
}

static bool marked(const ompdx_view_t *view, const ompdx_view_thread_t *thread)
{
	bool found = thread->problem != ompdx_problem_none;

	for (uint32_t i = 0; i < thread->level_count; i++) {
		const uint32_t region = view->levels[thread->level_first + i].region;

		found = found || region_at(view, region)->problem != ompdx_problem_none;
	}
	return found;
}

static const char *check_view_thread(const struct fake_libomp *omp, const ompdx_view_t *view,
				     const ompdx_view_thread_t *thread,
				     const struct fake_thread *truth, bool tolerant)
{
	const struct fake_region *region = truth->region;
	int number = truth->thread_num;
	const char *difference;
	uint32_t parent = 0;

	if (thread->address != truth->address || thread->pthread_id != truth->pthread_id)
		return differs("address or pthread id of gtid %d", truth->gtid);
	if (thread->kind != truth->kind)
		return differs("gtid %d: kind %d, in truth %d", truth->gtid, thread->kind,
			       truth->kind);
	for (uint32_t i = 0; i < thread->level_count; i++) {
		const ompdx_view_level_t *level = &view->levels[thread->level_first + i];

		if (!region)
			return differs("gtid %d: %u levels too many", truth->gtid,
				       thread->level_count - i);
		if (level->thread_num != number)
			return differs("gtid %d: thread number %d, in truth %d", truth->gtid,
				       level->thread_num, number);
		if (i > 0 && level->region != parent)
			return differs("gtid %d: its levels are no chain of parents", truth->gtid);
		difference = check_view_region(view, region_at(view, level->region), omp, region,
					       tolerant);
		if (difference)
			return difference;
		parent = region_at(view, level->region)->parent;
		number = region->primary_num;
		region = region->parent;
	}
	if (region)
		return differs("gtid %d: levels are missing", truth->gtid);
	if (tolerant && thread->task_kind == ompdx_task_none)
		return NULL;
	if (truth->region &&
	    (thread->task_kind != truth->task_kind || thread->task != truth->task ||
	     (thread->task_final != -1 && thread->task_final != truth->task_final)))
		return differs("gtid %d: task of kind %d, in truth %d", truth->gtid,
			       thread->task_kind, truth->task_kind);
	return NULL;
}

static unsigned living_regions(const struct fake_libomp *omp)
{
	unsigned count = 0;

	for (const struct fake_region *region = fake_regions(omp); region; region = region->next)
		count += !region->ended;
	return count;
}

const char *check_view(const struct fake_libomp *omp, const ompdx_view_t *view, unsigned how,
		       unsigned *problems)
{
	struct fake_target *target = fake_libomp_target(omp);
	const char *difference = check_shape(view);

	*problems = 0;
	if (difference)
		return difference;
	for (uint32_t i = 0; i < view->region_count; i++)
		*problems += region_at(view, i)->problem != ompdx_problem_none;
	for (uint32_t i = 0; i < view->thread_count; i++)
		*problems += thread_at(view, i)->problem != ompdx_problem_none;
	for (size_t i = 0; i < fake_omp_thread_count(omp); i++) {
		const struct fake_thread *truth = fake_omp_thread(omp, i);
		const ompdx_view_thread_t *thread = view_of_thread(view, truth);

		if (!thread && *problems == 0)
			return differs("gtid %d is missing", truth->gtid);
		if (!thread || marked(view, thread))
			continue;
		difference = check_view_thread(omp, view, thread, truth,
					       (how & CHECK_DAMAGED) || *problems > 0);
		if (difference)
			return difference;
	}
	if (*problems == 0 && view->region_count != living_regions(omp))
		return differs("%u regions, in truth %u", view->region_count, living_regions(omp));
	for (size_t i = 0; (how & CHECK_NATIVES) && i < fake_thread_count(target); i++) {
		const ompdx_view_thread_t *thread = thread_at(view, i);
		const bool openmp = is_openmp(omp, fake_pthread_of(target, i));

		if (thread->native != i)
			return differs("thread %zu does not stand in the tool's order", i);
		if ((thread->kind != ompdx_thread_none) != openmp &&
		    thread->problem == ompdx_problem_none)
			return differs("thread %zu: %s", i,
				       openmp ? "not taken for OpenMP's" : "taken for OpenMP's");
	}
	return NULL;
}

static const ompdx_task_t *task_of_thread(const ompdx_tasks_t *tasks,
					  const struct fake_thread *truth)
{
	for (uint32_t i = 0; i < tasks->task_count; i++) {
		if (tasks->tasks[i].address == truth->task)
			return &tasks->tasks[i];
	}
	return NULL;
}

static bool is_thread(const ompdx_view_t *view, uint32_t index, const struct fake_thread *truth)
{
	return index < view->thread_count && thread_at(view, index)->runtime_id == truth->gtid;
}

const char *check_tasks(const struct fake_libomp *omp, const ompdx_view_t *view,
			const ompdx_tasks_t *tasks, bool damaged)
{
	for (uint32_t i = 0; i < tasks->task_count; i++) {
		const uint32_t parent = tasks->tasks[i].parent;

		if (parent != UINT32_MAX && parent >= tasks->task_count)
			return differs("parent %u of %u tasks", parent, tasks->task_count);
	}
	for (uint32_t i = 0; i < tasks->dependence_count; i++) {
		if (tasks->dependences[i].task >= tasks->task_count ||
		    tasks->dependences[i].predecessor >= tasks->task_count)
			return differs("a dependence of no task");
	}
	for (size_t i = 0; i < fake_omp_thread_count(omp); i++) {
		const struct fake_thread *truth = fake_omp_thread(omp, i);
		const ompdx_task_t *task = truth->region ? task_of_thread(tasks, truth) : NULL;

		if (!truth->region || truth->task_kind == ompdx_task_none)
			continue;
		if (!task && !damaged && tasks->problem == ompdx_problem_none)
			return differs("the task of gtid %d is missing", truth->gtid);
		if (!task || task->state == ompdx_task_state_unknown)
			continue;
		if ((task->kind == ompdx_task_explicit) !=
		    (truth->task_kind == ompdx_task_explicit))
			return differs("kind %d of a task", task->kind);
		if (task->kind == ompdx_task_explicit && !task->final != !truth->task_final)
			return differs("final %d of a task", task->final);
		if (task->state == ompdx_task_state_executing &&
		    task->kind == ompdx_task_explicit && !is_thread(view, task->thread, truth))
			return differs("thread %u of a task", task->thread);
	}
	return NULL;
}
