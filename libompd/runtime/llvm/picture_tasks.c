/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/picture_tasks.h"

#include <string.h>

#include "target/callbacks.h"
#include "target/limits.h"

struct seen_task *picture_task(const struct picture_tasks *tasks, size_t index)
{
	return vector_at(&tasks->tasks, index);
}

static const struct task_structures *layout(const struct picture_tasks *tasks)
{
	return &tasks->picture->llvm->task_structures;
}

static const struct target *memory(const struct picture_tasks *tasks)
{
	return &tasks->picture->space->target;
}

/* Adds a task unless it is there. *ret: PICTURE_NONE when it is none: unreadable, or freed. */
static ompd_rc_t add_task(struct picture_tasks *tasks, target_addr address, uint32_t *ret)
{
	struct task_data data;
	struct seen_task *seen;
	void *item;
	ompd_rc_t rc;

	*ret = address_map_get(&tasks->task_of_address, address);
	if (*ret != ADDRESS_MAP_NONE)
		return ompd_rc_ok;
	*ret = PICTURE_NONE;
	if (tasks->tasks.count == TASKS_MAX) {
		task_walk_note(&tasks->walk, DIAGNOSTIC_tasks_cut, address, ompdx_problem_limit);
		return ompd_rc_ok;
	}
	rc = task_data_read(memory(tasks), layout(tasks), address, &data);
	if (rc == ompd_rc_error) {
		task_walk_note(&tasks->walk, DIAGNOSTIC_task_unreadable, address,
			       ompdx_problem_unreadable);
		return ompd_rc_ok;
	}
	if (rc != ompd_rc_ok)
		return rc;
	if (data.explicit_task && data.freed) {
		task_walk_note(&tasks->walk, DIAGNOSTIC_task_inconsistent, address,
			       ompdx_problem_inconsistent);
		return ompd_rc_ok;
	}
	rc = vector_add(&tasks->tasks, 1, TASKS_MAX, &item);
	if (rc != ompd_rc_ok)
		return rc;
	seen = item;
	seen->data = data;
	seen->thread = PICTURE_NONE;
	seen->parent = PICTURE_NONE;
	seen->predecessors = -1;
	seen->taskgroup_count = -1;
	*ret = (uint32_t)tasks->tasks.count - 1;
	return address_map_put(&tasks->task_of_address, address, *ret);
}

static ompd_rc_t add_current_tasks(struct picture_tasks *tasks)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < tasks->picture->threads.count; i++) {
		const struct seen_thread *thread = picture_thread(tasks->picture, i);
		uint32_t index;

		if (!thread->has_task)
			continue;
		rc = add_task(tasks, thread->task.address, &index);
		if (rc == ompd_rc_ok && index != PICTURE_NONE) {
			picture_task(tasks, index)->state = ompdx_task_state_executing;
			picture_task(tasks, index)->thread = thread->place;
		}
	}
	return rc;
}

static ompd_rc_t add_queued(struct picture_tasks *tasks, target_addr address, uint32_t thread)
{
	struct seen_task *seen;
	uint32_t index;
	const ompd_rc_t rc = add_task(tasks, address, &index);

	if (rc != ompd_rc_ok || index == PICTURE_NONE)
		return rc;
	seen = picture_task(tasks, index);
	/* A thread that takes a task out of a queue makes it current a moment later. */
	if (!seen->data.explicit_task || seen->state != ompdx_task_state_unknown)
		return ompd_rc_ok;
	seen->state = ompdx_task_state_ready;
	seen->thread = thread;
	return ompd_rc_ok;
}

/* Whatever is at that address now: the task may have ended long ago. */
static ompd_rc_t add_if_detached(struct picture_tasks *tasks, target_addr address)
{
	struct task_data data;
	uint32_t ignored;
	ompd_rc_t rc;

	if (address == 0 || address_map_get(&tasks->task_of_address, address) != ADDRESS_MAP_NONE)
		return ompd_rc_ok;
	rc = task_data_read(memory(tasks), layout(tasks), address, &data);
	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error ? ompd_rc_ok : rc;
	if (!data.explicit_task || !data.detached || data.complete || data.freed ||
	    !data.has_event ||
	    address_map_get(&tasks->task_of_address, data.td_parent) == ADDRESS_MAP_NONE)
		return ompd_rc_ok;
	return add_task(tasks, address, &ignored);
}

/* thread: whose queue it is; PICTURE_NONE: nobody's. */
static ompd_rc_t add_deque(struct picture_tasks *tasks, target_addr address, uint32_t thread)
{
	const size_t pointer = memory(tasks)->sizes.sizeof_pointer;
	struct deque deque;
	int32_t first, end;
	ompd_rc_t rc;

	if (!task_walk_step(&tasks->walk, address))
		return ompd_rc_ok;
	rc = deque_read(memory(tasks), layout(tasks), address, &deque);
	if (rc == ompd_rc_ok && deque.td_deque_ntasks == 0 &&
	    (!tasks->looks_at_taken || deque.td_deque == 0))
		return ompd_rc_ok;
	if (rc == ompd_rc_ok &&
	    (deque.td_deque_ntasks < 0 || deque.td_deque_ntasks > deque.td_deque_size ||
	     deque.td_deque_size > TASKS_MAX ||
	     deque.td_deque_head >= (uint32_t)deque.td_deque_size))
		rc = ompd_rc_error;
	first = tasks->looks_at_taken ? deque.td_deque_ntasks : 0;
	end = tasks->looks_at_taken ? deque.td_deque_size : deque.td_deque_ntasks;
	for (int32_t i = first; rc == ompd_rc_ok && i < end; i++) {
		const uint32_t place =
			(deque.td_deque_head + (uint32_t)i) % (uint32_t)deque.td_deque_size;
		target_addr task;

		if (!task_walk_step(&tasks->walk, address))
			return ompd_rc_ok;
		rc = target_read_pointer(memory(tasks), deque.td_deque + place * pointer, &task);
		if (rc == ompd_rc_ok)
			rc = tasks->looks_at_taken ? add_if_detached(tasks, task)
						   : add_queued(tasks, task, thread);
	}
	if (rc != ompd_rc_error)
		return rc;
	task_walk_note(&tasks->walk, DIAGNOSTIC_queue_unreadable, address,
		       ompdx_problem_unreadable);
	return ompd_rc_ok;
}

static ompd_rc_t add_priority_queues(struct picture_tasks *tasks, target_addr list)
{
	const struct span next = layout(tasks)->priority_next;
	ompd_rc_t rc = ompd_rc_ok;
	uint32_t count = 0;

	for (; rc == ompd_rc_ok && list && next.size; count++) {
		if (count == PRIORITIES_MAX || tasks->walk.steps == TASK_STEPS_MAX) {
			task_walk_note(&tasks->walk, DIAGNOSTIC_tasks_cut, list,
				       ompdx_problem_limit);
			return ompd_rc_ok;
		}
		rc = add_deque(tasks, list, PICTURE_NONE);
		if (rc == ompd_rc_ok)
			rc = target_read_pointer(memory(tasks), list + next.offset, &list);
	}
	if (rc != ompd_rc_error)
		return rc;
	task_walk_note(&tasks->walk, DIAGNOSTIC_queue_unreadable, list, ompdx_problem_unreadable);
	return ompd_rc_ok;
}

static ompd_rc_t add_task_team(struct picture_tasks *tasks, const struct seen_team *team,
			       target_addr address)
{
	const uint32_t size = layout(tasks)->deque.size;
	struct task_team task_team;
	ompd_rc_t rc;

	if (address == 0)
		return ompd_rc_ok;
	rc = task_team_read(memory(tasks), layout(tasks), address, &task_team);
	if (rc == ompd_rc_error) {
		task_walk_note(&tasks->walk, DIAGNOSTIC_queue_unreadable, address,
			       ompdx_problem_unreadable);
		return ompd_rc_ok;
	}
	if (rc != ompd_rc_ok)
		return rc;
	/* No task was queued yet. The array of a team that shrank is longer than the team. */
	for (int32_t i = 0; rc == ompd_rc_ok && task_team.tt_threads_data && team->threads &&
			    i < team->team.t_nproc && i < task_team.tt_max_threads;
	     i++)
		rc = add_deque(tasks, task_team.tt_threads_data + (target_addr)i * size,
			       picture_place_of(tasks->picture, team->threads[i]));
	if (rc == ompd_rc_ok)
		rc = add_priority_queues(tasks, task_team.tt_task_pri_list);
	return rc;
}

/* A team has two task teams, for one barrier and the next. */
static ompd_rc_t add_two_task_teams(struct picture_tasks *tasks, const struct seen_team *team)
{
	const struct span teams = layout(tasks)->team_task_teams;
	const size_t pointer = memory(tasks)->sizes.sizeof_pointer;
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t k = 0; rc == ompd_rc_ok && k * pointer < teams.size; k++) {
		target_addr address;

		rc = target_read_pointer(memory(tasks),
					 team->team.address + teams.offset + k * pointer, &address);
		if (rc == ompd_rc_ok)
			rc = add_task_team(tasks, team, address);
	}
	return rc;
}

/* A team of one thread has a list of them: one for each region that is serialized in the one around. */
static ompd_rc_t add_listed_task_teams(struct picture_tasks *tasks, const struct seen_team *team)
{
	const struct span task_team = layout(tasks)->task_team_list.task_team;
	const struct span next = layout(tasks)->task_team_list.next;
	target_addr node = team->team.address + layout(tasks)->team_task_teams.offset;
	ompd_rc_t rc = ompd_rc_ok;

	while (rc == ompd_rc_ok && node && task_walk_step(&tasks->walk, node)) {
		target_addr address;

		rc = target_read_pointer(memory(tasks), node + task_team.offset, &address);
		if (rc == ompd_rc_ok)
			rc = add_task_team(tasks, team, address);
		if (rc == ompd_rc_ok)
			rc = target_read_pointer(memory(tasks), node + next.offset, &node);
	}
	return rc;
}

static ompd_rc_t add_queued_tasks(struct picture_tasks *tasks)
{
	const bool lists = layout(tasks)->task_team_list.next.size > 0;
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < tasks->picture->teams.count; i++) {
		const struct seen_team *team = picture_team(tasks->picture, i);

		if (!team->alive)
			continue;
		rc = lists && team->team.t_nproc == 1 ? add_listed_task_teams(tasks, team)
						      : add_two_task_teams(tasks, team);
		if (rc == ompd_rc_error) {
			task_walk_note(&tasks->walk, DIAGNOSTIC_queue_unreadable,
				       team->team.address, ompdx_problem_unreadable);
			rc = ompd_rc_ok;
		}
	}
	return rc;
}

static ompd_rc_t add_dependence(struct picture_tasks *tasks, uint32_t predecessor,
				target_addr successor)
{
	ompdx_dependence_t *dependence;
	struct depnode depnode;
	struct seen_task *seen;
	uint32_t index;
	void *item;
	ompd_rc_t rc = depnode_read(memory(tasks), layout(tasks), successor, &depnode);

	/* Without a task: a taskwait with dependences, or it is complete. */
	if (rc != ompd_rc_ok || depnode.task == 0)
		return rc;
	rc = add_task(tasks, depnode.task - layout(tasks)->taskdata.size, &index);
	if (rc != ompd_rc_ok || index == PICTURE_NONE)
		return rc;
	seen = picture_task(tasks, index);
	seen->predecessors = depnode.npredecessors;
	if (seen->state == ompdx_task_state_unknown && depnode.npredecessors > 0 &&
	    !seen->data.started)
		seen->state = ompdx_task_state_blocked;
	rc = vector_add(&tasks->dependences, 1, TASK_STEPS_MAX, &item);
	if (rc != ompd_rc_ok)
		return rc;
	dependence = item;
	dependence->task = index;
	dependence->predecessor = predecessor;
	return ompd_rc_ok;
}

static ompd_rc_t add_successors(struct picture_tasks *tasks, uint32_t index)
{
	const target_addr address = picture_task(tasks, index)->data.td_depnode;
	struct depnode depnode;
	target_addr list;
	target_addr node;
	target_addr milestone = 0;
	ompd_rc_t rc;

	if (address == 0 || !picture_task(tasks, index)->data.explicit_task)
		return ompd_rc_ok;
	rc = depnode_read(memory(tasks), layout(tasks), address, &depnode);
	list = rc == ompd_rc_ok ? depnode.successors : 0;
	for (uint32_t count = 1; rc == ompd_rc_ok && list; count++) {
		if (!task_walk_step(&tasks->walk, address))
			return ompd_rc_ok;
		/* Of a ring, some milestone comes again. */
		if ((count & (count - 1)) == 0)
			milestone = list;
		rc = depnode_list_read(memory(tasks), layout(tasks), list, &node, &list);
		if (rc == ompd_rc_ok)
			rc = add_dependence(tasks, index, node);
		if (rc == ompd_rc_ok && list == milestone)
			rc = ompd_rc_error;
	}
	if (rc != ompd_rc_error)
		return rc;
	task_walk_note(&tasks->walk, DIAGNOSTIC_task_inconsistent, address,
		       ompdx_problem_unreadable);
	return ompd_rc_ok;
}

static ompd_rc_t add_parent(struct picture_tasks *tasks, uint32_t index)
{
	const target_addr address = picture_task(tasks, index)->data.td_parent;
	uint32_t parent;
	ompd_rc_t rc;

	if (address == 0)
		return ompd_rc_ok;
	rc = add_task(tasks, address, &parent);
	if (rc == ompd_rc_ok)
		picture_task(tasks, index)->parent = parent;
	return rc;
}

#define CANCEL_TASKGROUP 4 /* kmp_cancel_kind_t */

static ompd_rc_t read_details(struct picture_tasks *tasks, struct seen_task *seen)
{
	const struct span count = layout(tasks)->taskgroup_count;
	const struct span cancelled = layout(tasks)->taskgroup_cancelled;
	uint64_t value;
	ompd_rc_t rc = ompd_rc_ok;

	if (seen->data.explicit_task)
		rc = picture_source(tasks->picture, seen->data.td_ident, &seen->source);
	if (rc == ompd_rc_ok && seen->data.td_taskwait_thread > 0)
		rc = picture_source(tasks->picture, seen->data.td_taskwait_ident,
				    &seen->taskwait_source);
	if (rc != ompd_rc_ok || seen->data.td_taskgroup == 0 || count.size != 4)
		return rc;
	rc = target_read_unsigned(memory(tasks), seen->data.td_taskgroup + count.offset, 4, &value);
	if (rc == ompd_rc_ok && value <= INT32_MAX)
		seen->taskgroup_count = (int32_t)value;
	if (rc == ompd_rc_ok && cancelled.size == 4)
		rc = target_read_unsigned(memory(tasks), seen->data.td_taskgroup + cancelled.offset,
					  4, &value);
	seen->taskgroup_cancelled =
		rc == ompd_rc_ok && cancelled.size == 4 && value == CANCEL_TASKGROUP;
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

/* A task that is nobody's current one and in no queue. */
static void judge_state(struct seen_task *seen)
{
	if (seen->state != ompdx_task_state_unknown)
		return;
	if (!seen->data.explicit_task)
		seen->state = ompdx_task_state_suspended;
	else if (seen->data.complete)
		seen->state = ompdx_task_state_finished;
	else if (seen->data.detached)
		seen->state = ompdx_task_state_detached;
	else if (seen->data.started)
		seen->state = ompdx_task_state_suspended;
}

/* From the one of that number on: the list grows meanwhile, by parents and by successors, each once. */
static ompd_rc_t follow(struct picture_tasks *tasks, size_t first)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = first; rc == ompd_rc_ok && i < tasks->tasks.count; i++) {
		rc = add_parent(tasks, (uint32_t)i);
		if (rc == ompd_rc_ok)
			rc = add_successors(tasks, (uint32_t)i);
	}
	return rc;
}

/* Does a task count more children than were found? */
static bool any_is_missing(const struct picture_tasks *tasks)
{
	bool found = false;

	for (size_t i = 0; i < tasks->tasks.count; i++) {
		const struct seen_task *seen = picture_task(tasks, i);

		if (seen->data.explicit_task && !seen->data.complete &&
		    seen->parent != PICTURE_NONE)
			picture_task(tasks, seen->parent)->children++;
	}
	for (size_t i = 0; i < tasks->tasks.count; i++) {
		const struct seen_task *seen = picture_task(tasks, i);

		found = found || seen->data.td_incomplete_child_tasks > seen->children;
	}
	return found;
}

ompd_rc_t picture_tasks_read(struct picture_tasks *tasks, struct picture *picture)
{
	ompd_rc_t rc;

	memset(tasks, 0, sizeof(*tasks));
	tasks->picture = picture;
	tasks->walk.diagnostics = &picture->space->diagnostics;
	tasks->tasks.item_size = sizeof(struct seen_task);
	tasks->dependences.item_size = sizeof(ompdx_dependence_t);
	rc = add_current_tasks(tasks);
	if (rc == ompd_rc_ok)
		rc = add_queued_tasks(tasks);
	if (rc == ompd_rc_ok)
		rc = follow(tasks, 0);
	if (rc == ompd_rc_ok && any_is_missing(tasks)) {
		const size_t known = tasks->tasks.count;

		tasks->looks_at_taken = true;
		rc = add_queued_tasks(tasks);
		if (rc == ompd_rc_ok)
			rc = follow(tasks, known);
	}
	for (size_t i = 0; rc == ompd_rc_ok && i < tasks->tasks.count; i++) {
		rc = read_details(tasks, picture_task(tasks, i));
		judge_state(picture_task(tasks, i));
	}
	return rc;
}

void picture_tasks_deinit(struct picture_tasks *tasks)
{
	vector_deinit(&tasks->tasks);
	vector_deinit(&tasks->dependences);
	address_map_deinit(&tasks->task_of_address);
}
