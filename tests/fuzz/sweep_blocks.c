/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers that are one block: everything that they point to has to lie inside.
 */
#include <string.h>

#include "image_debugger.h"
#include "sweep.h"

static void check_inside(const void *block, const void *part, uint64_t count, uint64_t size)
{
	const uint64_t whole = debugger_block_size(block);
	const uint64_t offset = (uint64_t)((uintptr_t)part - (uintptr_t)block);

	if (count && (offset > whole || count > (whole - offset) / size))
		finding("an answer points out of its block", debugger_call());
}

static void check_that(bool holds)
{
	if (!holds)
		finding("an answer contradicts itself", debugger_call());
}

void sweep_check_text(const void *block, const char *text)
{
	const size_t whole = debugger_block_size(block);
	const uintptr_t offset = (uintptr_t)text - (uintptr_t)block;

	if (offset >= whole || !memchr(text, 0, whole - offset))
		finding("a string without an end", debugger_call());
}

/* Every member is read, so that the sanitizers see each. */
static void check_view_thread(const ompdx_view_t *view, const ompdx_view_thread_t *thread,
			      uint32_t index, size_t native_count)
{
	check_that(thread->size == sizeof(*thread));
	check_that(thread->native == (index < native_count ? index : UINT32_MAX));
	check_that(thread->kind <= ompdx_thread_helper && thread->problem <= ompdx_problem_limit &&
		   thread->task_kind <= ompdx_task_explicit);
	check_that(thread->level_first <= view->level_count &&
		   thread->level_count <= view->level_count - thread->level_first);
	check_that(thread->task_final >= -1 && thread->task_final <= 1);
	check_that(thread->has_team <= 1);
	for (uint32_t i = 0; i < thread->level_count; i++) {
		const ompdx_view_level_t *level = &view->levels[thread->level_first + i];

		check_that(level->region < view->region_count);
		/* A chain of regions is that of the parents. */
		if (i)
			check_that(view->regions[level[-1].region].parent == level->region);
	}
	if (thread->level_count)
		check_that(view->regions[view->levels[thread->level_first + thread->level_count - 1]
						 .region]
				   .parent == UINT32_MAX);
	if (thread->ident_source)
		sweep_check_text(view, thread->ident_source);
}

static void check_view_region(const ompdx_view_t *view, const ompdx_view_region_t *region,
			      uint32_t index)
{
	check_that(region->size == sizeof(*region));
	check_that(region->parent == UINT32_MAX || region->parent < index);
	check_that(region->generator <= ompd_generator_target &&
		   region->problem <= ompdx_problem_limit);
	check_that(region->serialized == 0 || region->serialized == 1);
	check_that(region->member_first <= view->member_count &&
		   region->member_count <= view->member_count - region->member_first);
	for (uint32_t i = 0; i < region->member_count; i++) {
		const uint32_t member = view->members[region->member_first + i];

		check_that(member == UINT32_MAX || member < view->thread_count);
	}
	if (region->source)
		sweep_check_text(view, region->source);
}

static void check_view(const ompdx_view_t *view, size_t native_count)
{
	check_that(view->size == sizeof(*view) && view->thread_count >= native_count);
	check_inside(view, view->threads, view->thread_count, sizeof(*view->threads));
	check_inside(view, view->regions, view->region_count, sizeof(*view->regions));
	check_inside(view, view->levels, view->level_count, sizeof(*view->levels));
	check_inside(view, view->members, view->member_count, sizeof(*view->members));
	check_that(view->level_size == sizeof(*view->levels) &&
		   view->member_size == sizeof(*view->members) &&
		   view->problem <= ompdx_problem_limit);
	for (uint32_t i = 0; i < view->thread_count; i++)
		check_view_thread(view, &view->threads[i], i, native_count);
	for (uint32_t i = 0; i < view->region_count; i++)
		check_view_region(view, &view->regions[i], i);
}

/* An index into the view's threads, or none. */
static void check_thread(const ompdx_view_t *view, uint32_t thread)
{
	check_that(thread == UINT32_MAX || thread < view->thread_count);
}

static void check_task(const ompdx_view_t *view, const ompdx_tasks_t *tasks,
		       const ompdx_task_t *task)
{
	check_thread(view, task->thread);
	check_thread(view, task->creator);
	check_that(task->size == sizeof(*task));
	check_that(task->kind >= ompdx_task_initial && task->kind <= ompdx_task_explicit &&
		   task->state <= ompdx_task_state_finished);
	check_that(task->parent == UINT32_MAX || task->parent < tasks->task_count);
	check_that((task->tied | 1) == 1 && (task->final | 1) == 1 && (task->undeferred | 1) == 1 &&
		   (task->taskwait | 1) == 1);
	if (task->source)
		sweep_check_text(tasks, task->source);
	if (task->taskwait_source)
		sweep_check_text(tasks, task->taskwait_source);
}

static void sweep_tasks(ompdx_snapshot_handle_t *snapshot, const ompdx_view_t *view,
			struct sweep_seen *seen)
{
	const ompdx_tasks_t *tasks = NULL;

	if (CALL(ompdx_snapshot_tasks(snapshot, &tasks)) != ompd_rc_ok) {
		check_that(tasks == NULL);
		return;
	}
	check_that(tasks->size == sizeof(*tasks) && tasks->problem <= ompdx_problem_limit);
	check_inside(tasks, tasks->tasks, tasks->task_count, sizeof(*tasks->tasks));
	check_inside(tasks, tasks->dependences, tasks->dependence_count,
		     sizeof(*tasks->dependences));
	for (uint32_t i = 0; i < tasks->task_count; i++)
		check_task(view, tasks, &tasks->tasks[i]);
	for (uint32_t i = 0; i < tasks->dependence_count; i++)
		check_that(tasks->dependences[i].task < tasks->task_count &&
			   tasks->dependences[i].predecessor < tasks->task_count);
	seen->view_tasks += tasks->task_count;
}

static void check_diagnostics(const ompdx_diagnostics_t *answer)
{
	for (ompd_size_t i = 0; i < answer->count; i++) {
		sweep_check_text(answer, answer->diagnostics[i].subject);
		if (!*answer->diagnostics[i].code || !*answer->diagnostics[i].text)
			finding("a diagnostic without a text", debugger_call());
	}
}

void sweep_diagnostics(ompd_address_space_handle_t *space)
{
	ompdx_diagnostics_t *answer = NULL;

	if (CALL(ompdx_get_diagnostics(space, &answer)) != ompd_rc_ok)
		return;
	check_diagnostics(answer);
	debugger_free(answer);
}

static void sweep_snapshot_diagnostics(ompdx_snapshot_handle_t *snapshot)
{
	const ompdx_diagnostics_t *answer = NULL;

	if (CALL(ompdx_snapshot_diagnostics(snapshot, &answer)) == ompd_rc_ok)
		check_diagnostics(answer);
}

static void check_lock(const ompdx_view_t *view, const ompdx_locks_t *locks,
		       const ompdx_lock_t *lock)
{
	check_thread(view, lock->owner);
	check_that(lock->size == sizeof(*lock) && lock->kind <= ompdx_lock_drdpa &&
		   lock->problem <= ompdx_problem_limit);
	check_that((lock->nested | 1) == 1 && lock->held >= -1 && lock->held <= 1);
	check_that(lock->owner_id >= -1 && (lock->owner_id < 0 || lock->held == 1) &&
		   (lock->owner == UINT32_MAX || lock->owner_id >= 0));
	check_that(lock->depth >= -1 && (lock->depth < 0 || lock->nested));
	check_that((uint64_t)lock->waiter_first + lock->waiter_count <= locks->waiter_count);
}

static void sweep_locks(const struct memory_image *image, ompdx_snapshot_handle_t *snapshot,
			const ompdx_view_t *view, struct sweep_seen *seen)
{
	ompdx_lock_variable_t variables[8];
	const ompdx_locks_t *locks = NULL;

	/* No lock is known to be anywhere: what is there is to be taken for one, or refused. */
	for (unsigned i = 0; i < 8; i++) {
		memset(&variables[i], 0, sizeof(variables[i]));
		variables[i].size = sizeof(variables[i]);
		variables[i].address =
			(image->thread_count ? image->threads[0].pthread_id : 4096) + 8u * i;
		variables[i].critical = (int32_t)(i & 1);
	}
	if (CALL(ompdx_snapshot_locks(snapshot, variables, 8, &locks)) != ompd_rc_ok) {
		check_that(locks == NULL);
		return;
	}
	check_that(locks->size == sizeof(*locks) && locks->problem <= ompdx_problem_limit &&
		   locks->variable_count == 8);
	check_inside(locks, locks->locks, locks->lock_count, sizeof(*locks->locks));
	check_inside(locks, locks->waiters, locks->waiter_count, sizeof(*locks->waiters));
	check_inside(locks, locks->variables, locks->variable_count, sizeof(*locks->variables));
	for (uint32_t i = 0; i < locks->lock_count; i++)
		check_lock(view, locks, &locks->locks[i]);
	for (uint32_t i = 0; i < locks->waiter_count; i++)
		check_that(locks->waiters[i] < view->thread_count);
	for (uint32_t i = 0; i < locks->variable_count; i++)
		check_that(locks->variables[i] == UINT32_MAX ||
			   locks->variables[i] < locks->lock_count);
	seen->locks += locks->lock_count;
}

static void sweep_arrivals(ompdx_snapshot_handle_t *snapshot, const ompdx_view_t *view)
{
	const ompdx_arrivals_t *arrivals = NULL;

	if (CALL(ompdx_snapshot_arrivals(snapshot, &arrivals)) != ompd_rc_ok) {
		check_that(arrivals == NULL);
		return;
	}
	check_that(arrivals->size == sizeof(*arrivals) && arrivals->problem <= ompdx_problem_limit);
	check_inside(arrivals, arrivals->arrivals, arrivals->count, sizeof(*arrivals->arrivals));
	for (uint32_t i = 0; i < arrivals->count; i++) {
		const ompdx_arrival_t *arrival = &arrivals->arrivals[i];

		check_that(arrival->size == sizeof(*arrival) &&
			   arrival->thread < view->thread_count && arrival->arrived < 8 &&
			   arrival->released < 8);
	}
}

static void sweep_loops(ompdx_snapshot_handle_t *snapshot, const ompdx_view_t *view)
{
	const ompdx_loops_t *loops = NULL;

	if (CALL(ompdx_snapshot_loops(snapshot, &loops)) != ompd_rc_ok) {
		check_that(loops == NULL);
		return;
	}
	check_that(loops->size == sizeof(*loops) && loops->problem <= ompdx_problem_limit);
	check_inside(loops, loops->loops, loops->count, sizeof(*loops->loops));
	for (uint32_t i = 0; i < loops->count; i++) {
		const ompdx_loop_t *loop = &loops->loops[i];

		check_that(loop->size == sizeof(*loop) && loop->thread_num >= 0 &&
			   loop->schedule <= ompdx_schedule_static_steal);
		check_thread(view, loop->thread);
		check_that(loop->first >= -1 && loop->first <= loop->last &&
			   (loop->last < loop->iterations || loop->last == -1));
		check_that(loop->handed_out <= loop->iterations && loop->left <= loop->iterations);
	}
}

static void sweep_doacross(ompdx_snapshot_handle_t *snapshot, const ompdx_view_t *view)
{
	static const int64_t iteration[] = {1, 2};

	for (uint32_t i = 0; i < view->region_count && i < 16; i++) {
		const ompdx_view_region_t *region = &view->regions[i];
		const ompdx_doacross_t *loop = NULL;

		for (ompd_size_t dimensions = 0; dimensions <= 2; dimensions++) {
			if (CALL(ompdx_snapshot_doacross(snapshot, region->address, 0, iteration,
							 dimensions, &loop)) != ompd_rc_ok)
				continue;
			check_that(loop->size == sizeof(*loop) && loop->posted <= 1 &&
				   loop->owner < (int32_t)loop->member_count);
			check_inside(loop, loop->members, loop->member_count, loop->member_size);
		}
	}
}

static void sweep_icvs(ompdx_snapshot_handle_t *snapshot, const ompdx_view_t *view)
{
	const ompdx_icvs_t *icvs = NULL;
	size_t count;

	if (CALL(ompdx_snapshot_icvs(snapshot, &icvs)) != ompd_rc_ok) {
		check_that(icvs == NULL);
		return;
	}
	check_that(icvs->size == sizeof(*icvs) && icvs->problem <= ompdx_problem_limit &&
		   icvs->row_count == view->thread_count + 1);
	count = (size_t)icvs->icv_count * icvs->row_count;
	check_inside(icvs, icvs->icvs, icvs->icv_count, sizeof(*icvs->icvs));
	check_inside(icvs, icvs->values, count, sizeof(*icvs->values));
	for (size_t i = 0; i < count; i++) {
		const ompdx_icv_value_t *value = &icvs->values[i];

		check_that(value->known <= (OMPDX_ICV_NUMBER | OMPDX_ICV_TEXT) &&
			   (value->text != NULL) == ((value->known & OMPDX_ICV_TEXT) != 0));
		if (value->text)
			check_inside(icvs, value->text, strlen(value->text) + 1, 1);
	}
}

static void sweep_parts(const struct memory_image *image, ompdx_snapshot_handle_t *snapshot,
			const ompdx_view_t *view, struct sweep_seen *seen)
{
	sweep_tasks(snapshot, view, seen);
	sweep_locks(image, snapshot, view, seen);
	sweep_arrivals(snapshot, view);
	sweep_icvs(snapshot, view);
	sweep_loops(snapshot, view);
	sweep_doacross(snapshot, view);
}

void sweep_snapshot(const struct memory_image *image, ompd_address_space_handle_t *space,
		    bool leave, struct sweep_seen *seen)
{
	ompdx_native_thread_t natives[IMAGE_THREADS_MAX];
	ompdx_snapshot_handle_t *snapshot = NULL;
	const ompdx_view_t *view = NULL;

	for (size_t i = 0; i < image->thread_count; i++) {
		/* Some debuggers know only one of the ids. */
		const uint32_t known[] = {OMPDX_NATIVE_PTHREAD | OMPDX_NATIVE_LWP, OMPDX_NATIVE_LWP,
					  OMPDX_NATIVE_THREAD_POINTER};

		memset(&natives[i], 0, sizeof(natives[i]));
		natives[i].size = sizeof(natives[i]);
		natives[i].known = known[i % 3];
		natives[i].pthread_id = image->threads[i].pthread_id;
		natives[i].thread_pointer = image->threads[i].pthread_id;
		natives[i].lwp = image->threads[i].lwp;
	}
	if (CALL(ompdx_snapshot_create(space, natives, image->thread_count, &snapshot)) !=
	    ompd_rc_ok) {
		check_that(snapshot == NULL);
		return;
	}
	if (CALL(ompdx_snapshot_view(snapshot, &view)) == ompd_rc_ok) {
		check_view(view, image->thread_count);
		seen->view_threads += view->thread_count;
		seen->view_regions += view->region_count;
		sweep_parts(image, snapshot, view, seen);
	}
	sweep_snapshot_diagnostics(snapshot);
	if (!leave)
		(void)CALL(ompdx_snapshot_destroy(snapshot));
}

static void check_mapping(const ompdx_offload_t *offload, const ompdx_mapping_t *mapping)
{
	check_that(mapping->size == sizeof(*mapping) && mapping->device < offload->device_count);
	check_that(mapping->problem <= ompdx_problem_limit);
	check_that(mapping->problem || mapping->host_begin <= mapping->host_end);
	if (mapping->source)
		sweep_check_text(offload, mapping->source);
}

void sweep_check_offload(const ompdx_offload_t *offload)
{
	uint32_t mappings = 0;

	check_that(offload->size == sizeof(*offload) && offload->layout <= ompdx_layout_proven &&
		   offload->mapping_layout <= offload->layout);
	check_that((offload->reason == NULL) == (offload->mapping_layout == ompdx_layout_proven));
	check_that(offload->layout || !(offload->device_count || offload->entry_count));
	check_that(offload->mapping_layout || !offload->mapping_count);
	check_inside(offload, offload->devices, offload->device_count, sizeof(ompdx_device_t));
	check_inside(offload, offload->entries, offload->entry_count,
		     sizeof(ompdx_offload_entry_t));
	check_inside(offload, offload->mappings, offload->mapping_count, sizeof(ompdx_mapping_t));
	for (uint32_t i = 0; i < offload->device_count; i++) {
		const ompdx_device_t *device = &offload->devices[i];

		check_that(device->size == sizeof(*device) && device->number == (int32_t)i);
		check_that(device->kind <= ompdx_device_other &&
			   device->problem <= ompdx_problem_limit);
		check_that(device->mapping_first + device->mapping_count <= offload->mapping_count);
		mappings += device->mapping_count;
	}
	check_that(mappings == offload->mapping_count);
	for (uint32_t i = 0; i < offload->entry_count; i++) {
		check_that(offload->entries[i].kind <= ompdx_offload_entry_variable);
		if (offload->entries[i].name)
			sweep_check_text(offload, offload->entries[i].name);
	}
	for (uint32_t i = 0; i < offload->mapping_count; i++)
		check_mapping(offload, &offload->mappings[i]);
	if (offload->path)
		sweep_check_text(offload, offload->path);
}
