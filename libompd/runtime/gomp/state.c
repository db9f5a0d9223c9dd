/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a thread do? libgomp records no states: memory tells who is idle, and who waits for tasks. Of all other waits
 * it knows only the thread's registers.
 */
#include "runtime/gomp/answers.h"
#include "runtime/gomp/gomp.h"
#include "runtime/gomp/nesting.h"

#define OF(gomp, type, member) ((gomp)->record->members[MEMBER_##type##__##member])

enum {
	STATE_WAIT_TASKWAIT = 0x020,
	STATE_WAIT_TASKGROUP = 0x021,
};

/* Whether the flag is set that says: somebody waits at the semaphore. A null address: nobody. */
static ompd_rc_t waits(struct address_space *space, target_addr address, struct span flag,
		       struct span semaphore, ompd_wait_id_t *wait_id, bool *ret)
{
	uint64_t set = 0;
	const ompd_rc_t rc = address ? target_read_unsigned(&space->target, address + flag.offset,
							    flag.size, &set)
				     : ompd_rc_ok;

	*ret = rc == ompd_rc_ok && set != 0;
	if (*ret)
		*wait_id = address + semaphore.offset;
	return rc;
}

/* A task that is generated in a taskgroup has the taskgroup of its parent: its own is one that the parent does not
 * have. Of a parent that has ended that cannot be told. */
static ompd_rc_t began_taskgroup(struct address_space *space, const struct gomp *gomp,
				 const struct gomp_task *task, bool *ret)
{
	struct gomp_task parent;
	ompd_rc_t rc = ompd_rc_ok;

	*ret = task->kind == GOMP_TASK_IMPLICIT;
	if (*ret || task->parent == 0)
		return ompd_rc_ok;
	rc = gomp_task_read(&space->target, gomp->record, task->parent, &parent);
	*ret = rc == ompd_rc_ok && parent.taskgroup != task->taskgroup;
	return rc;
}

/* A thread sets the flag before it sleeps, and whoever wakes it takes the flag back. */
static ompd_rc_t waits_for_tasks(struct address_space *space, const struct gomp *gomp,
				 target_addr address, ompd_word_t *state, ompd_wait_id_t *wait_id)
{
	struct gomp_task task;
	bool began = false, set = false;
	ompd_rc_t rc = gomp_task_read(&space->target, gomp->record, address, &task);

	if (rc == ompd_rc_ok)
		rc = waits(space, task.taskwait, OF(gomp, gomp_taskwait, in_taskwait),
			   OF(gomp, gomp_taskwait, taskwait_sem), wait_id, &set);
	if (rc != ompd_rc_ok || set) {
		*state = set ? STATE_WAIT_TASKWAIT : *state;
		return rc;
	}
	rc = began_taskgroup(space, gomp, &task, &began);
	if (rc == ompd_rc_ok && began)
		rc = waits(space, task.taskgroup, OF(gomp, gomp_taskgroup, in_taskgroup_wait),
			   OF(gomp, gomp_taskgroup, taskgroup_sem), wait_id, &set);
	if (rc == ompd_rc_ok && set)
		*state = STATE_WAIT_TASKGROUP;
	return rc;
}

ompd_rc_t gomp_state_of_thread(struct address_space *space, struct entity entity,
			       ompd_word_t *state, ompd_wait_id_t *wait_id)
{
	struct gomp_thread thread = {0};
	struct gomp *gomp;
	target_addr region;
	ompd_rc_t rc = gomp_region_of_entity(space, entity, &gomp, &thread, &region);

	*wait_id = 0;
	*state = OMPDX_STATE_UNDEFINED;
	if (rc == ompd_rc_unavailable && thread.thread_pool)
		*state = OMPDX_STATE_IDLE;
	if (rc == ompd_rc_ok && thread.task)
		rc = waits_for_tasks(space, gomp, thread.task, state, wait_id);
	return rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
}
