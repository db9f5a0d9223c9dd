/* SPDX-License-Identifier: Apache-2.0
 *
 * The single questions about tasks. An initial task is named by its region: as a rule it has no gomp_task.
 */
#include "runtime/gomp/answers.h"
#include "runtime/gomp/gomp.h"
#include "runtime/gomp/nesting.h"
#include "runtime/gomp/ready.h"

static struct entity initial_task_of(target_addr region)
{
	const struct entity entity = {region, region};

	return entity;
}

static bool is_initial_task(struct entity task)
{
	return gomp_region_kind(task.address) != REGION_TEAM;
}

static ompd_rc_t read_task(struct address_space *space, const struct gomp *gomp,
			   target_addr address, struct gomp_task *ret)
{
	ompd_rc_t rc = gomp_task_read(&space->target, gomp->record, address, ret);

	if (rc == ompd_rc_error)
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_task_unreadable, address);
	if (rc == ompd_rc_ok && ret->kind > GOMP_TASK_DETACHED) {
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_task_inconsistent,
					 address);
		rc = ompd_rc_error;
	}
	return rc;
}

ompd_rc_t gomp_task_of_thread(struct address_space *space, struct entity entity,
			      struct entity *task)
{
	struct gomp_thread thread;
	struct gomp_task data;
	struct gomp *gomp;
	target_addr region;
	ompd_rc_t rc = gomp_region_of_entity(space, entity, &gomp, &thread, &region);

	if (rc == ompd_rc_ok && thread.task)
		rc = read_task(space, gomp, thread.task, &data);
	if (rc != ompd_rc_ok)
		return rc;
	task->address = thread.task;
	task->part = region;
	if (gomp_region_kind(region) == REGION_TEAM)
		return thread.task ? ompd_rc_ok : ompd_rc_unavailable;
	if (thread.task == 0 || data.kind == GOMP_TASK_IMPLICIT)
		*task = initial_task_of(region);
	return ompd_rc_ok;
}

ompd_rc_t gomp_task_in_region(struct address_space *space, struct entity region, int thread_num,
			      struct entity *task)
{
	struct gomp_team team;
	struct gomp *gomp;
	ompd_rc_t rc = gomp_ready(space, &gomp);

	if (rc != ompd_rc_ok)
		return rc;
	if (gomp_region_kind(region.address) != REGION_TEAM) {
		if (thread_num != 0)
			return ompd_rc_bad_input;
		*task = initial_task_of(region.address);
		return ompd_rc_ok;
	}
	rc = gomp_team_at(space, gomp, region.address, &team);
	if (rc != ompd_rc_ok)
		return rc;
	if (thread_num < 0 || thread_num >= team.nthreads)
		return ompd_rc_bad_input;
	task->address = gomp_implicit_task(gomp->record, region.address, thread_num);
	task->part = region.address;
	return ompd_rc_ok;
}

ompd_rc_t gomp_initial_task(struct address_space *space, struct entity *task)
{
	struct entity thread;
	const ompd_rc_t rc = gomp_initial_thread(space, &thread);

	if (rc == ompd_rc_ok)
		*task = initial_task_of(gomp_initial_region(thread.address));
	return rc;
}

ompd_rc_t gomp_generating_task(struct address_space *space, struct entity task,
			       struct entity *generating)
{
	struct entity region = {task.part, 0};
	struct gomp_task data, parent;
	struct gomp *gomp;
	ompd_rc_t rc = gomp_ready(space, &gomp);

	if (rc != ompd_rc_ok)
		return rc;
	if (is_initial_task(task)) {
		/* That of a league's team came from the initial task around it. */
		rc = gomp_enclosing_region(space, region, &region);
		if (rc == ompd_rc_ok)
			*generating = initial_task_of(region.address);
		return rc;
	}
	rc = read_task(space, gomp, task.address, &data);
	if (rc == ompd_rc_ok && data.kind == GOMP_TASK_IMPLICIT)
		rc = gomp_enclosing_region(space, region, &region);
	else if (rc == ompd_rc_ok && data.parent == 0)
		/* It has ended. */
		rc = gomp_region_kind(task.part) == REGION_TEAM ? ompd_rc_unavailable : rc;
	if (rc == ompd_rc_ok && data.parent)
		rc = read_task(space, gomp, data.parent, &parent);
	if (rc != ompd_rc_ok)
		return rc;
	generating->address = data.parent;
	generating->part = region.address;
	if (gomp_region_kind(region.address) != REGION_TEAM &&
	    (data.parent == 0 || parent.kind == GOMP_TASK_IMPLICIT))
		*generating = initial_task_of(region.address);
	else if (data.parent == 0)
		rc = ompd_rc_unavailable;
	return rc;
}

/* Those of implicit tasks and of undeferred ones are in registers and on stacks only. */
ompd_rc_t gomp_function_of_task(struct address_space *space, struct entity task, target_addr *ret)
{
	struct gomp_task data;
	struct gomp *gomp;
	ompd_rc_t rc = gomp_ready(space, &gomp);

	if (rc != ompd_rc_ok)
		return rc;
	if (is_initial_task(task))
		return ompd_rc_unavailable;
	rc = read_task(space, gomp, task.address, &data);
	if (rc != ompd_rc_ok)
		return rc;
	if (data.kind == GOMP_TASK_IMPLICIT || data.kind == GOMP_TASK_UNDEFERRED || data.fn == 0)
		return ompd_rc_unavailable;
	*ret = data.fn;
	return ompd_rc_ok;
}
