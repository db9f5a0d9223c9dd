/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/picture_tasks.h"

#include <string.h>

#include "target/limits.h"

#define OF(tasks, type, member) ((tasks)->picture->gomp->record->members[MEMBER_##type##__##member])

/* Which of a task's nodes the tasks of a queue are linked by. */
enum queue { QUEUE_TEAM, QUEUE_CHILDREN, QUEUE_TASKGROUP };

/* A ring's pointers lead to its tasks' nodes, in which the next one is first; until GCC 5, when tasks had no nodes, to
 * the tasks themselves. */
struct ring {
	uint64_t from_task; /* of where the pointers lead */
	uint64_t to_next;   /* from there */
};

/* A priority_queue is a tree of lists, if its tasks have more than one priority, else one list. */
enum { QUEUE_ROOT = 0, QUEUE_LIST = 8 };
enum { LIST_TASKS = 8 };
enum { NODE_LIST = 0, NODE_LEFT = 24, NODE_RIGHT = 32 };
/* A priority_node: next, prev. */
enum { NODE_BYTES = 16 };

static const struct target *memory(const struct picture_tasks *tasks)
{
	return &tasks->picture->space->target;
}

/* Adds a task unless it is there. *ret: PICTURE_NONE when it is none. */
static ompd_rc_t add_task(struct picture_tasks *tasks, target_addr address, target_addr team,
			  uint32_t *ret)
{
	struct gomp_task data;
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
	rc = gomp_task_read(memory(tasks), tasks->picture->gomp->record, address, &data);
	if (rc == ompd_rc_error) {
		task_walk_note(&tasks->walk, DIAGNOSTIC_task_unreadable, address,
			       ompdx_problem_unreadable);
		return ompd_rc_ok;
	}
	if (rc != ompd_rc_ok)
		return rc;
	if (data.kind > GOMP_TASK_DETACHED) {
		task_walk_note(&tasks->walk, DIAGNOSTIC_task_inconsistent, address,
			       ompdx_problem_inconsistent);
		return ompd_rc_ok;
	}
	rc = vector_add(&tasks->tasks, 1, TASKS_MAX, &item);
	if (rc != ompd_rc_ok)
		return rc;
	seen = item;
	seen->data = data;
	seen->team = team;
	seen->thread = PICTURE_NONE;
	seen->parent = PICTURE_NONE;
	seen->taskgroup_count = -1;
	*ret = (uint32_t)tasks->tasks.count - 1;
	return address_map_put(&tasks->task_of_address, address, *ret);
}

/* What a view calls the region. */
static target_addr team_of_region(const struct picture *picture, uint32_t index)
{
	const struct seen_region *region = picture_region(picture, index);

	if (region->team != PICTURE_NONE)
		return picture_team(picture, region->team)->team.address;
	return picture_thread(picture, region->thread)->native.thread.address;
}

static ompd_rc_t add_current_tasks(struct picture_tasks *tasks)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < tasks->picture->threads.count; i++) {
		const struct seen_thread *thread = picture_thread(tasks->picture, i);
		uint32_t index;

		if (!thread->has_task || thread->region == PICTURE_NONE)
			continue;
		rc = add_task(tasks, thread->task.address,
			      team_of_region(tasks->picture, thread->region), &index);
		if (rc == ompd_rc_ok && index != PICTURE_NONE) {
			picture_task(tasks, index)->state = ompdx_task_state_executing;
			picture_task(tasks, index)->thread = thread->place;
		}
	}
	return rc;
}

/* ---- Queues ---- */

static bool has_nodes(const struct picture_tasks *tasks)
{
	return OF(tasks, gomp_task, pnode).size != 0;
}

static struct ring ring_of(const struct picture_tasks *tasks, enum queue queue)
{
	const struct span links[] = {
		[QUEUE_TEAM] = OF(tasks, gomp_task, next_queue),
		[QUEUE_CHILDREN] = OF(tasks, gomp_task, next_child),
		[QUEUE_TASKGROUP] = OF(tasks, gomp_task, next_taskgroup),
	};
	struct ring ring = {0, links[queue].offset};

	if (has_nodes(tasks))
		ring.from_task = OF(tasks, gomp_task, pnode).offset + (uint64_t)queue * NODE_BYTES;
	return ring;
}

/* The tasks of the ring to which the pointer leads that lies at `list'. */
static ompd_rc_t add_ring(struct picture_tasks *tasks, target_addr list, enum queue queue,
			  target_addr team)
{
	const struct ring ring = ring_of(tasks, queue);
	target_addr first, node, milestone;
	ompd_rc_t rc = target_read_pointer(memory(tasks), list, &first);

	node = milestone = first;
	for (uint32_t count = 1; rc == ompd_rc_ok && node; count++) {
		uint32_t index;

		if (!task_walk_step(&tasks->walk, list))
			return ompd_rc_ok;
		if ((count & (count - 1)) == 0)
			milestone = node;
		rc = add_task(tasks, node - ring.from_task, team, &index);
		if (rc == ompd_rc_ok && index != PICTURE_NONE)
			picture_task(tasks, index)->queued = true;
		if (rc == ompd_rc_ok)
			rc = target_read_pointer(memory(tasks), node + ring.to_next, &node);
		if (node == first)
			break;
		/* Of a ring that does not close at its first, some milestone comes again. */
		if (rc == ompd_rc_ok && node == milestone)
			rc = ompd_rc_error;
	}
	return rc;
}

static ompd_rc_t add_tree(struct picture_tasks *tasks, target_addr root, enum queue queue,
			  target_addr team)
{
	struct vector nodes = {.item_size = sizeof(target_addr)};
	struct address_map known = {0};
	void *item;
	ompd_rc_t rc = vector_add(&nodes, 1, TASK_STEPS_MAX, &item);

	if (rc == ompd_rc_ok)
		*(target_addr *)item = root;
	/* The list of nodes grows meanwhile. */
	for (size_t i = 0;
	     rc == ompd_rc_ok && i < nodes.count && task_walk_step(&tasks->walk, root); i++) {
		const target_addr node = *(target_addr *)vector_at(&nodes, i);

		/* A tree has each node once. */
		if (address_map_get(&known, node) != ADDRESS_MAP_NONE)
			rc = ompd_rc_error;
		if (rc == ompd_rc_ok)
			rc = address_map_put(&known, node, 0);
		if (rc == ompd_rc_ok)
			rc = add_ring(tasks, node + NODE_LIST + LIST_TASKS, queue, team);
		for (unsigned side = 0; rc == ompd_rc_ok && side < 2; side++) {
			target_addr child;

			rc = target_read_pointer(memory(tasks),
						 node + (side ? NODE_RIGHT : NODE_LEFT), &child);
			if (rc != ompd_rc_ok || child == 0)
				continue;
			rc = vector_add(&nodes, 1, TASK_STEPS_MAX, &item);
			if (rc == ompd_rc_ok)
				*(target_addr *)item = child;
		}
	}
	vector_deinit(&nodes);
	address_map_deinit(&known);
	return rc;
}

static ompd_rc_t add_queue(struct picture_tasks *tasks, target_addr address, enum queue queue,
			   target_addr team)
{
	target_addr root = 0;
	ompd_rc_t rc = ompd_rc_ok;

	if (has_nodes(tasks))
		rc = target_read_pointer(memory(tasks), address + QUEUE_ROOT, &root);
	if (rc == ompd_rc_ok && root)
		rc = add_tree(tasks, root, queue, team);
	else if (rc == ompd_rc_ok)
		rc = add_ring(tasks, address + (has_nodes(tasks) ? QUEUE_LIST + LIST_TASKS : 0),
			      queue, team);
	if (rc != ompd_rc_error)
		return rc;
	task_walk_note(&tasks->walk, DIAGNOSTIC_queue_unreadable, address,
		       ompdx_problem_unreadable);
	return ompd_rc_ok;
}

static ompd_rc_t add_teams(struct picture_tasks *tasks)
{
	const struct picture *picture = tasks->picture;
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < picture->teams.count; i++) {
		const struct gomp_team *team = &picture_team(picture, i)->team;
		uint32_t ignored;

		for (int32_t k = 0; rc == ompd_rc_ok && k < team->nthreads; k++) {
			if (!task_walk_step(&tasks->walk, team->address))
				break;
			/* Of who is not there it may not be made yet. */
			if (gomp_picture_member(picture, picture_team(picture, i), k) ==
			    PICTURE_NONE)
				continue;
			rc = add_task(tasks,
				      gomp_implicit_task(picture->gomp->record, team->address, k),
				      team->address, &ignored);
		}
		if (rc == ompd_rc_ok)
			rc = add_queue(tasks,
				       team->address + OF(tasks, gomp_team, task_queue).offset,
				       QUEUE_TEAM, team->address);
	}
	return rc;
}

/* ---- From task to task ---- */

/* The region around that of an implicit task. */
static target_addr team_around(const struct picture *picture, target_addr team)
{
	const uint32_t index = address_map_get(&picture->team_of_address, team);
	const struct seen_team *seen;

	if (index == ADDRESS_MAP_NONE)
		return 0;
	seen = picture_team(picture, index);
	if (seen->parent != PICTURE_NONE)
		return picture_team(picture, seen->parent)->team.address;
	return seen->root == PICTURE_NONE
		       ? 0
		       : picture_thread(picture, seen->root)->native.thread.address;
}

static ompd_rc_t add_parent(struct picture_tasks *tasks, uint32_t index)
{
	const struct seen_task seen = *picture_task(tasks, index);
	const bool implicit = seen.data.kind == GOMP_TASK_IMPLICIT;
	uint32_t parent;
	ompd_rc_t rc;

	if (seen.data.parent == 0)
		return ompd_rc_ok;
	rc = add_task(tasks, seen.data.parent,
		      implicit ? team_around(tasks->picture, seen.team) : seen.team, &parent);
	if (rc == ompd_rc_ok)
		picture_task(tasks, index)->parent = parent;
	return rc;
}

static ompd_rc_t add_dependence(struct picture_tasks *tasks, uint32_t predecessor, uint32_t task)
{
	ompdx_dependence_t *dependence;
	void *item;
	const ompd_rc_t rc = vector_add(&tasks->dependences, 1, TASK_STEPS_MAX, &item);

	if (rc != ompd_rc_ok)
		return rc;
	dependence = item;
	dependence->task = task;
	dependence->predecessor = predecessor;
	return ompd_rc_ok;
}

static ompd_rc_t add_dependers(struct picture_tasks *tasks, uint32_t index)
{
	const struct seen_task seen = *picture_task(tasks, index);
	const struct span elem = OF(tasks, gomp_dependers_vec, elem);
	uint64_t count = 0;
	ompd_rc_t rc;

	if (seen.data.dependers == 0)
		return ompd_rc_ok;
	rc = target_read_unsigned(
		memory(tasks), seen.data.dependers + OF(tasks, gomp_dependers_vec, n_elem).offset,
		8, &count);
	for (uint64_t i = 0; rc == ompd_rc_ok && i < count; i++) {
		target_addr address;
		uint32_t depender;

		if (!task_walk_step(&tasks->walk, seen.data.dependers))
			return ompd_rc_ok;
		rc = target_read_pointer(memory(tasks), seen.data.dependers + elem.offset + i * 8,
					 &address);
		if (rc == ompd_rc_ok)
			rc = add_task(tasks, address, seen.team, &depender);
		/* It may have been let go already. */
		if (rc == ompd_rc_ok && depender != PICTURE_NONE &&
		    picture_task(tasks, depender)->data.num_dependees)
			rc = add_dependence(tasks, index, depender);
	}
	if (rc != ompd_rc_error)
		return rc;
	task_walk_note(&tasks->walk, DIAGNOSTIC_task_inconsistent, seen.data.address,
		       ompdx_problem_unreadable);
	return ompd_rc_ok;
}

static ompd_rc_t add_taskgroup(struct picture_tasks *tasks, uint32_t index)
{
	const struct seen_task seen = *picture_task(tasks, index);
	const target_addr group = seen.data.taskgroup;
	uint64_t children, cancelled;
	ompd_rc_t rc;

	if (group == 0)
		return ompd_rc_ok;
	rc = target_read_unsigned(
		memory(tasks), group + OF(tasks, gomp_taskgroup, cancelled).offset, 1, &cancelled);
	picture_task(tasks, index)->taskgroup_cancelled = rc == ompd_rc_ok && cancelled == 1;
	rc = target_read_unsigned(memory(tasks),
				  group + OF(tasks, gomp_taskgroup, num_children).offset, 8,
				  &children);
	if (rc == ompd_rc_ok && children <= INT32_MAX)
		picture_task(tasks, index)->taskgroup_count = (int32_t)children;
	if (rc == ompd_rc_ok &&
	    address_map_get(&tasks->walked_taskgroups, group) == ADDRESS_MAP_NONE) {
		rc = address_map_put(&tasks->walked_taskgroups, group, 0);
		if (rc == ompd_rc_ok)
			rc = add_queue(tasks,
				       group + OF(tasks, gomp_taskgroup, taskgroup_queue).offset,
				       QUEUE_TASKGROUP, seen.team);
	}
	if (rc != ompd_rc_error)
		return rc;
	task_walk_note(&tasks->walk, DIAGNOSTIC_task_inconsistent, seen.data.address,
		       ompdx_problem_unreadable);
	return ompd_rc_ok;
}

static ompd_rc_t read_taskwait(struct picture_tasks *tasks, struct seen_task *seen)
{
	const struct span in_depend_wait = OF(tasks, gomp_taskwait, in_depend_wait);
	uint64_t depend = 0;
	ompd_rc_t rc = ompd_rc_ok;

	/* It waits for what it depends on in this way, too. */
	if (seen->data.taskwait && in_depend_wait.size)
		rc = member_read(memory(tasks), seen->data.taskwait, in_depend_wait, &depend);
	seen->taskwait = rc == ompd_rc_ok && seen->data.taskwait && depend == 0;
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

static ompd_rc_t follow(struct picture_tasks *tasks, uint32_t index)
{
	const struct seen_task seen = *picture_task(tasks, index);
	ompd_rc_t rc = add_parent(tasks, index);

	if (rc == ompd_rc_ok)
		rc = add_queue(tasks,
			       seen.data.address + OF(tasks, gomp_task, children_queue).offset,
			       QUEUE_CHILDREN, seen.team);
	if (rc == ompd_rc_ok)
		rc = add_dependers(tasks, index);
	if (rc == ompd_rc_ok)
		rc = add_taskgroup(tasks, index);
	if (rc == ompd_rc_ok)
		rc = read_taskwait(tasks, picture_task(tasks, index));
	return rc;
}

/* What each task says of the one that made it. */
static void count_children(struct picture_tasks *tasks)
{
	for (size_t i = 0; i < tasks->tasks.count; i++) {
		const struct seen_task *seen = picture_task(tasks, i);
		if (seen->parent == PICTURE_NONE)
			continue;
		if (seen->data.kind == GOMP_TASK_IMPLICIT) {
			picture_task(tasks, seen->parent)->begot = true;
			continue;
		}
		picture_task(tasks, seen->parent)->children++;
		/* Who made an undeferred task executes it, too; and who waits for his own tasks executes them,
		 * with nothing said of it in his structure. */
		if (seen->data.kind == GOMP_TASK_UNDEFERRED || seen->data.kind == GOMP_TASK_TIED)
			picture_task(tasks, seen->parent)->begot = true;
	}
}

/* Whether all of a team's threads are at the dock: its implicit tasks have ended, or not begun. */
static bool nobody_there(const struct picture *picture, target_addr address, target_addr task)
{
	const uint32_t index = address_map_get(&picture->team_of_address, address);
	const struct seen_team *seen;
	uint32_t size = picture->gomp->record->sizes[STRUCTURE_gomp_task];
	uint64_t number;

	if (index == ADDRESS_MAP_NONE)
		return false;
	seen = picture_team(picture, index);
	number = (task - gomp_implicit_task(picture->gomp->record, address, 0)) / size;
	return number < (uint64_t)seen->team.nthreads &&
	       gomp_picture_member(picture, seen, (int32_t)number) == PICTURE_NONE;
}

/* The state of a task that is nobody's current one. Between a queue and a thread, and at its end, a task is neither:
 * that it is suspended needs a reason why its thread would be elsewhere. */
static void judge_state(const struct picture *picture, struct seen_task *seen)
{
	if (seen->state != ompdx_task_state_unknown)
		return;
	switch (seen->data.kind) {
	case GOMP_TASK_IMPLICIT:
		if (!nobody_there(picture, seen->team, seen->data.address))
			seen->state = ompdx_task_state_suspended;
		break;
	case GOMP_TASK_UNDEFERRED:
		seen->state = ompdx_task_state_suspended;
		break;
	case GOMP_TASK_WAITING:
		if (seen->data.num_dependees)
			seen->state = ompdx_task_state_blocked;
		else if (seen->queued)
			seen->state = ompdx_task_state_ready;
		break;
	case GOMP_TASK_TIED:
		if (seen->data.taskwait || seen->begot)
			seen->state = ompdx_task_state_suspended;
		break;
	case GOMP_TASK_DETACHED:
		seen->state = ompdx_task_state_detached;
		break;
	default:
		break;
	}
}

ompd_rc_t gomp_picture_tasks(struct picture_tasks *tasks, struct picture *picture)
{
	ompd_rc_t rc;

	memset(tasks, 0, sizeof(*tasks));
	tasks->picture = picture;
	tasks->walk.diagnostics = &picture->space->diagnostics;
	tasks->tasks.item_size = sizeof(struct seen_task);
	tasks->dependences.item_size = sizeof(ompdx_dependence_t);
	rc = add_current_tasks(tasks);
	if (rc == ompd_rc_ok)
		rc = add_teams(tasks);
	/* The list grows meanwhile. */
	for (uint32_t i = 0; rc == ompd_rc_ok && i < tasks->tasks.count; i++)
		rc = follow(tasks, i);
	count_children(tasks);
	for (size_t i = 0; i < tasks->tasks.count; i++)
		judge_state(picture, picture_task(tasks, i));
	return rc;
}

void gomp_picture_tasks_deinit(struct picture_tasks *tasks)
{
	vector_deinit(&tasks->tasks);
	vector_deinit(&tasks->dependences);
	address_map_deinit(&tasks->task_of_address);
	address_map_deinit(&tasks->walked_taskgroups);
}
