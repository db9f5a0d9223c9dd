/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/task_structures.h"

#include <string.h>

#define FIELD(type, member) member_recorded(record, RECORD_FIELD_##type##__##member)
#define MASK(member) ((uint32_t)table[TABLE_MASKS + BITFIELD_kmp_tasking_flags_t__##member])
#define RECORDED_MASK(member) record->masks[RECORD_BITFIELD_kmp_tasking_flags_t__##member]

static bool lay_out_task(struct task_structures *ret, const uint64_t *table,
			 const struct record *record)
{
	struct span *const wanted[] = {&ret->taskdata.td_taskgroup, &ret->taskdata.td_depnode,
				       &ret->taskdata.event_task};
	const struct span ompt = member_published(table, ACCESS_kmp_taskdata_t__ompt_task_info);
	const struct span *const needed[] = {
		&ret->taskdata.td_flags,           &ret->taskdata.td_team,
		&ret->taskdata.td_parent,          &ret->taskdata.td_alloc_thread,
		&ret->taskdata.td_ident,           &ret->taskdata.td_taskwait_ident,
		&ret->taskdata.td_taskwait_thread, &ret->taskdata.td_incomplete_child_tasks};
	const struct span *const needed_of_task[] = {&ret->task.routine, &ret->task.data2};

	ret->taskdata.td_flags = member_published(table, ACCESS_kmp_taskdata_t__td_flags);
	ret->taskdata.td_team = member_published(table, ACCESS_kmp_taskdata_t__td_team);
	ret->taskdata.td_parent = member_published(table, ACCESS_kmp_taskdata_t__td_parent);
	ret->taskdata.td_alloc_thread = FIELD(kmp_taskdata_t, td_alloc_thread);
	ret->taskdata.td_ident = FIELD(kmp_taskdata_t, td_ident);
	ret->taskdata.td_taskwait_ident = FIELD(kmp_taskdata_t, td_taskwait_ident);
	ret->taskdata.td_taskwait_thread = FIELD(kmp_taskdata_t, td_taskwait_thread);
	ret->taskdata.td_incomplete_child_tasks = FIELD(kmp_taskdata_t, td_incomplete_child_tasks);
	ret->taskdata.td_taskgroup = FIELD(kmp_taskdata_t, td_taskgroup);
	ret->taskdata.td_depnode = FIELD(kmp_taskdata_t, td_depnode);
	/* td_allow_completion_event is the member before, and ed.task its last one. */
	if (ompt.size && ompt.offset >= 8)
		ret->taskdata.event_task = (struct span){ompt.offset - 8, 8};
	ret->taskdata.size = (uint32_t)table[TABLE_SIZES + SIZEOF_kmp_taskdata_t];
	ret->taskdata.tiedness = MASK(tiedness);
	ret->taskdata.final = MASK(final);
	ret->taskdata.tasktype = MASK(tasktype);
	ret->taskdata.task_serial = MASK(task_serial);
	ret->taskdata.tasking_ser = MASK(tasking_ser);
	ret->taskdata.team_serial = MASK(team_serial);
	ret->taskdata.started = MASK(started);
	ret->taskdata.complete = MASK(complete);
	ret->taskdata.freed = MASK(freed);
	ret->taskdata.proxy = RECORDED_MASK(proxy);
	ret->taskdata.priority_specified = RECORDED_MASK(priority_specified);
	ret->taskdata.detachable = RECORDED_MASK(detachable);
	ret->task.routine = member_published(table, ACCESS_kmp_task_t__routine);
	ret->task.data2 = FIELD(kmp_task_t, data2);
	return extent_cover(&ret->taskdata.extent, needed, COUNT(needed), wanted, COUNT(wanted)) &&
	       extent_cover(&ret->task.extent, needed_of_task, COUNT(needed_of_task), NULL, 0);
}

static bool lay_out_queues(struct task_structures *ret, const struct record *record)
{
	struct span *const wanted[] = {&ret->task_team.tt_task_pri_list};
	const struct span *const needed[] = {&ret->task_team.tt_threads_data,
					     &ret->task_team.tt_max_threads};
	const struct span *const needed_of_deque[] = {
		&ret->deque.td_deque, &ret->deque.td_deque_size, &ret->deque.td_deque_head,
		&ret->deque.td_deque_ntasks};

	ret->team_task_teams = FIELD(kmp_base_team_t, t_task_team);
	ret->task_team.tt_threads_data = FIELD(kmp_base_task_team_t, tt_threads_data);
	ret->task_team.tt_max_threads = FIELD(kmp_base_task_team_t, tt_max_threads);
	ret->task_team.tt_task_pri_list = FIELD(kmp_base_task_team_t, tt_task_pri_list);
	ret->deque.td_deque = FIELD(kmp_base_thread_data_t, td_deque);
	ret->deque.td_deque_size = FIELD(kmp_base_thread_data_t, td_deque_size);
	ret->deque.td_deque_head = FIELD(kmp_base_thread_data_t, td_deque_head);
	ret->deque.td_deque_ntasks = FIELD(kmp_base_thread_data_t, td_deque_ntasks);
	ret->deque.size = FIELD(kmp_thread_data_t, td_pad).size;
	ret->priority_next = FIELD(kmp_task_pri_t, next);
	ret->task_team_list.task_team = FIELD(kmp_task_team_list_t, task_team);
	ret->task_team_list.next = FIELD(kmp_task_team_list_t, next);
	return ret->team_task_teams.size > 0 && ret->deque.size > 0 &&
	       extent_cover(&ret->task_team.extent, needed, COUNT(needed), wanted, COUNT(wanted)) &&
	       extent_cover(&ret->deque.extent, needed_of_deque, COUNT(needed_of_deque), NULL, 0);
}

static bool lay_out_dependences(struct task_structures *ret, const struct record *record)
{
	const struct span *const needed[] = {&ret->depnode.successors, &ret->depnode.task,
					     &ret->depnode.npredecessors};
	const struct span *const needed_of_list[] = {&ret->depnode_list.node,
						     &ret->depnode_list.next};

	ret->depnode.successors = FIELD(kmp_base_depnode_t, successors);
	ret->depnode.task = FIELD(kmp_base_depnode_t, task);
	ret->depnode.npredecessors = FIELD(kmp_base_depnode_t, npredecessors);
	ret->depnode_list.node = FIELD(kmp_depnode_list_t, node);
	ret->depnode_list.next = FIELD(kmp_depnode_list_t, next);
	ret->taskgroup_count = FIELD(kmp_taskgroup_t, count);
	ret->taskgroup_cancelled = FIELD(kmp_taskgroup_t, cancel_request);
	return extent_cover(&ret->depnode.extent, needed, COUNT(needed), NULL, 0) &&
	       extent_cover(&ret->depnode_list.extent, needed_of_list, COUNT(needed_of_list), NULL,
			    0);
}

ompd_rc_t task_structures_init(struct task_structures *ret, const uint64_t table[TABLE_WORDS],
			       const struct record *record)
{
	memset(ret, 0, sizeof(*ret));
	if (!record || !lay_out_task(ret, table, record) || !lay_out_queues(ret, record) ||
	    !lay_out_dependences(ret, record))
		return ompd_rc_incompatible;
	return ompd_rc_ok;
}

static void take_flags(const struct task_structures *structures, uint32_t flags,
		       struct task_data *ret)
{
	const uint32_t serial = structures->taskdata.task_serial |
				structures->taskdata.tasking_ser | structures->taskdata.team_serial;

	ret->tied = (flags & structures->taskdata.tiedness) != 0;
	ret->final = (flags & structures->taskdata.final) != 0;
	ret->explicit_task = (flags & structures->taskdata.tasktype) != 0;
	ret->undeferred = (flags & serial) != 0;
	ret->started = (flags & structures->taskdata.started) != 0;
	ret->complete = (flags & structures->taskdata.complete) != 0;
	ret->freed = (flags & structures->taskdata.freed) != 0;
	/* The body of a task with a detach clause is done; the event has not been fulfilled. */
	ret->detached =
		(flags & structures->taskdata.detachable) && (flags & structures->taskdata.proxy);
}

/* kmp_task_t */
static ompd_rc_t read_explicit(const struct target *target,
			       const struct task_structures *structures, bool has_priority,
			       struct task_data *ret)
{
	struct span priority = structures->task.data2;
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->task.extent,
					ret->address + structures->taskdata.size);

	if (rc != ompd_rc_ok)
		return rc;
	ret->routine = bytes_get(&bytes, structures->task.routine);
	/* A union of a pointer and a kmp_int32. */
	priority.size = 4;
	if (has_priority)
		ret->priority = bytes_get_int(&bytes, priority);
	return ompd_rc_ok;
}

ompd_rc_t task_data_read(const struct target *target, const struct task_structures *structures,
			 target_addr address, struct task_data *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->taskdata.extent, address);
	uint32_t flags;

	if (rc != ompd_rc_ok)
		return rc;
	memset(ret, 0, sizeof(*ret));
	flags = (uint32_t)bytes_get(&bytes, structures->taskdata.td_flags);
	take_flags(structures, flags, ret);
	ret->address = address;
	ret->td_team = bytes_get(&bytes, structures->taskdata.td_team);
	ret->td_parent = bytes_get(&bytes, structures->taskdata.td_parent);
	ret->td_alloc_thread = bytes_get(&bytes, structures->taskdata.td_alloc_thread);
	ret->td_ident = bytes_get(&bytes, structures->taskdata.td_ident);
	ret->td_taskwait_ident = bytes_get(&bytes, structures->taskdata.td_taskwait_ident);
	ret->td_taskwait_thread = bytes_get_int(&bytes, structures->taskdata.td_taskwait_thread);
	ret->td_incomplete_child_tasks =
		bytes_get_int(&bytes, structures->taskdata.td_incomplete_child_tasks);
	ret->td_taskgroup = bytes_get(&bytes, structures->taskdata.td_taskgroup);
	ret->td_depnode = bytes_get(&bytes, structures->taskdata.td_depnode);
	/* Else nobody has got the event's handle. */
	ret->has_event = ret->address + structures->taskdata.size ==
			 bytes_get(&bytes, structures->taskdata.event_task);
	ret->priority = -1;
	if (!ret->explicit_task)
		return ompd_rc_ok;
	return read_explicit(target, structures,
			     (flags & structures->taskdata.priority_specified) != 0, ret);
}

ompd_rc_t task_team_read(const struct target *target, const struct task_structures *structures,
			 target_addr address, struct task_team *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->task_team.extent, address);

	if (rc != ompd_rc_ok)
		return rc;
	ret->tt_threads_data = bytes_get(&bytes, structures->task_team.tt_threads_data);
	ret->tt_max_threads = bytes_get_int(&bytes, structures->task_team.tt_max_threads);
	ret->tt_task_pri_list = bytes_get(&bytes, structures->task_team.tt_task_pri_list);
	return ompd_rc_ok;
}

ompd_rc_t deque_read(const struct target *target, const struct task_structures *structures,
		     target_addr address, struct deque *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->deque.extent, address);

	if (rc != ompd_rc_ok)
		return rc;
	ret->td_deque = bytes_get(&bytes, structures->deque.td_deque);
	ret->td_deque_size = bytes_get_int(&bytes, structures->deque.td_deque_size);
	ret->td_deque_head = (uint32_t)bytes_get(&bytes, structures->deque.td_deque_head);
	ret->td_deque_ntasks = bytes_get_int(&bytes, structures->deque.td_deque_ntasks);
	return ompd_rc_ok;
}

ompd_rc_t depnode_read(const struct target *target, const struct task_structures *structures,
		       target_addr address, struct depnode *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->depnode.extent, address);

	if (rc != ompd_rc_ok)
		return rc;
	ret->successors = bytes_get(&bytes, structures->depnode.successors);
	ret->task = bytes_get(&bytes, structures->depnode.task);
	ret->npredecessors = bytes_get_int(&bytes, structures->depnode.npredecessors);
	return ompd_rc_ok;
}

ompd_rc_t depnode_list_read(const struct target *target, const struct task_structures *structures,
			    target_addr address, target_addr *node, target_addr *next)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->depnode_list.extent, address);

	if (rc != ompd_rc_ok)
		return rc;
	*node = bytes_get(&bytes, structures->depnode_list.node);
	*next = bytes_get(&bytes, structures->depnode_list.next);
	return ompd_rc_ok;
}
