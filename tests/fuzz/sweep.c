/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include <limits.h>
#include <string.h>

#include "image_debugger.h"

/* Past so many reads of all calls together no further handle is asked for: an input is to take less than a
 * second. A single call has its own bound. */
#define READS_MAX 200000u
#define CHAIN_MAX 8
#define ICVS_MAX 256
#define STATES_MAX 256
#define UNDEFINED_STATE 0x102

struct asked {
	const struct memory_image *image;
	struct sweep_options options;
	ompd_address_space_handle_t *space;
	struct sweep_seen *seen;
	struct {
		ompd_icv_id_t id;
		ompd_scope_t scope;
	} icvs[ICVS_MAX];
	unsigned icv_count;
};

ompd_rc_t sweep_checked(ompd_rc_t rc)
{
	if (rc > ompd_rc_incompatible_handle)
		finding("a return code that does not exist", debugger_call());
	return rc;
}

static bool spent(void)
{
	return debugger_reads() > READS_MAX;
}

static void check_untouched(ompd_rc_t rc, const void *output)
{
	if (rc != ompd_rc_ok && output)
		finding("an output of a call that failed", debugger_call());
}

static void release(const struct asked *asked, ompd_rc_t rc)
{
	if (rc != ompd_rc_ok && !asked->options.leaves_handles)
		finding("a handle cannot be released", debugger_call());
}

/* A string that the library handed out. */
static void take_string(const struct asked *asked, ompd_rc_t rc, const char *string)
{
	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete) {
		check_untouched(rc, string);
		return;
	}
	sweep_check_text(string, string);
	debugger_free(string);
	asked->seen->values++;
}

static void sweep_icvs(const struct asked *asked, void *handle, ompd_scope_t scope)
{
	ompd_address_t data = {0, 0};
	ompd_word_t value = 0;

	for (unsigned i = 0; i < asked->icv_count && !spent(); i++) {
		const ompd_icv_id_t id = asked->icvs[i].id;
		const char *string = NULL;
		ompd_rc_t rc;

		/* One that does not fit now and then. */
		if (asked->icvs[i].scope != scope && i != (unsigned)scope)
			continue;
		rc = CALL(ompd_get_icv_from_scope(handle, scope, id, &value));
		asked->seen->values += rc == ompd_rc_ok || rc == ompd_rc_incomplete;
		rc = CALL(ompd_get_icv_string_from_scope(handle, scope, id, &string));
		take_string(asked, rc, string);
	}
	(void)CALL(ompd_get_tool_data(handle, scope, &value, &data));
}

static void sweep_task(const struct asked *asked, ompd_task_handle_t *task)
{
	ompd_frame_info_t exit_frame = {{0, 0}, 0}, enter_frame = {{0, 0}, 0};
	ompd_parallel_handle_t *region = NULL;
	ompd_address_t function = {0, 0};
	int order = 0;
	ompd_rc_t rc;

	asked->seen->tasks++;
	(void)CALL(ompd_get_task_function(task, &function));
	(void)CALL(ompd_get_task_frame(task, &exit_frame, &enter_frame));
	if (CALL(ompd_task_handle_compare(task, task, &order)) == ompd_rc_ok && order != 0)
		finding("a task is not itself", debugger_call());
	/* There are many ways to few tasks. */
	if (asked->seen->tasks % 4 == 1) {
		sweep_icvs(asked, task, ompd_scope_task);
		sweep_icvs(asked, task, ompd_scope_implicit_task);
	}
	rc = CALL(ompd_get_task_parallel_handle(task, &region));
	check_untouched(rc, region);
	if (rc == ompd_rc_ok) {
		if (asked->seen->tasks % 4 == 3)
			sweep_icvs(asked, region, ompd_scope_parallel);
		release(asked, CALL(ompd_rel_parallel_handle(region)));
	}
}

typedef ompd_rc_t next_task_fn(ompd_task_handle_t *, ompd_task_handle_t **);

static void sweep_tasks_outwards(const struct asked *asked, ompd_thread_handle_t *thread,
				 next_task_fn *outwards)
{
	ompd_task_handle_t *task = NULL;
	ompd_rc_t rc = CALL(ompd_get_curr_task_handle(thread, &task));

	check_untouched(rc, task);
	for (unsigned depth = 0; rc == ompd_rc_ok; depth++) {
		ompd_task_handle_t *next = NULL;

		sweep_task(asked, task);
		rc = depth < CHAIN_MAX && !spent() ? CALL(outwards(task, &next)) : ompd_rc_error;
		check_untouched(rc, next);
		if (!asked->options.leaves_handles)
			release(asked, CALL(ompd_rel_task_handle(task)));
		task = next;
	}
}

/* Threads and implicit tasks by number; beyond the team too. */
static void sweep_members(const struct asked *asked, ompd_parallel_handle_t *region)
{
	static const int numbers[] = {0, 1, 2, 3, -1, INT_MAX};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && !spent(); i++) {
		ompd_thread_handle_t *thread = NULL;
		ompd_task_handle_t *task = NULL;
		ompd_word_t state = 0;
		ompd_rc_t rc = CALL(ompd_get_thread_in_parallel(region, numbers[i], &thread));

		check_untouched(rc, thread);
		if (rc == ompd_rc_ok) {
			asked->seen->threads++;
			(void)CALL(ompd_get_state(thread, &state, NULL));
			release(asked, CALL(ompd_rel_thread_handle(thread)));
		}
		rc = CALL(ompd_get_task_in_parallel(region, numbers[i], &task));
		check_untouched(rc, task);
		if (rc == ompd_rc_ok) {
			sweep_task(asked, task);
			release(asked, CALL(ompd_rel_task_handle(task)));
		}
	}
}

static void sweep_regions(const struct asked *asked, ompd_thread_handle_t *thread)
{
	ompd_parallel_handle_t *region = NULL;
	ompd_rc_t rc = CALL(ompd_get_curr_parallel_handle(thread, &region));
	int order = 0;

	check_untouched(rc, region);
	for (unsigned depth = 0; rc == ompd_rc_ok; depth++) {
		ompd_parallel_handle_t *next = NULL;

		asked->seen->regions++;
		sweep_icvs(asked, region, ompd_scope_parallel);
		sweep_icvs(asked, region, ompd_scope_teams);
		sweep_icvs(asked, region, ompd_scope_target);
		sweep_members(asked, region);
		rc = depth < CHAIN_MAX && !spent()
			     ? CALL(ompd_get_enclosing_parallel_handle(region, &next))
			     : ompd_rc_error;
		check_untouched(rc, next);
		if (next)
			(void)CALL(ompd_parallel_handle_compare(region, next, &order));
		if (!asked->options.leaves_handles)
			release(asked, CALL(ompd_rel_parallel_handle(region)));
		region = next;
	}
}

static void sweep_thread(const struct asked *asked, ompd_thread_handle_t *thread)
{
	const ompd_size_t sizeof_pthread = asked->image->flags & FLAG_POINTERS_OF_4 ? 4 : 8;
	ompd_address_space_handle_t *space = NULL;
	ompd_wait_id_t wait = 0;
	ompd_word_t state = 0;
	uint8_t id[8];
	int order = 0;

	asked->seen->threads++;
	(void)CALL(ompd_get_thread_id(thread, OMPD_THREAD_ID_PTHREAD, sizeof_pthread, id));
	(void)CALL(ompd_get_thread_id(thread, OMPD_THREAD_ID_LWP, 4, id));
	(void)CALL(ompd_get_thread_id(thread, OMPD_THREAD_ID_LWP, 3, id));
	if (CALL(ompd_get_device_from_thread(thread, &space)) == ompd_rc_ok &&
	    space != asked->space)
		finding("a thread of another address space", debugger_call());
	(void)CALL(ompd_get_state(thread, &state, &wait));
	if (CALL(ompd_thread_handle_compare(thread, thread, &order)) == ompd_rc_ok && order != 0)
		finding("a thread is not itself", debugger_call());
	sweep_icvs(asked, thread, ompd_scope_thread);
	sweep_regions(asked, thread);
	sweep_tasks_outwards(asked, thread, ompd_get_generating_task_handle);
	sweep_tasks_outwards(asked, thread, ompd_get_scheduling_task_handle);
}

/* NULL: there is none. */
static ompd_thread_handle_t *thread_of(const struct asked *asked, ompd_thread_id_t kind,
				       uint64_t number, ompd_size_t size)
{
	ompd_thread_handle_t *thread = NULL;
	uint8_t id[8];
	ompd_rc_t rc;

	for (ompd_size_t i = 0; i < size; i++)
		id[asked->image->flags & FLAG_BIG_ENDIAN ? size - 1 - i : i] =
			(uint8_t)(number >> (8 * i));
	rc = CALL(ompd_get_thread_handle(asked->space, kind, size, id, &thread));
	check_untouched(rc, thread);
	return thread;
}

static void sweep_and_release(const struct asked *asked, ompd_thread_handle_t *thread)
{
	if (!thread)
		return;
	sweep_thread(asked, thread);
	if (!asked->options.leaves_handles)
		release(asked, CALL(ompd_rel_thread_handle(thread)));
}

static void sweep_threads(const struct asked *asked)
{
	const ompd_size_t sizeof_pthread = asked->image->flags & FLAG_POINTERS_OF_4 ? 4 : 8;

	for (size_t i = 0; i < asked->image->thread_count && !spent(); i++) {
		const struct image_thread *thread = &asked->image->threads[i];

		/* By both ids, but only now and then: they lead to the same. */
		if (i % 4 == 1)
			sweep_and_release(asked,
					  thread_of(asked, OMPD_THREAD_ID_LWP, thread->lwp, 4));
		sweep_and_release(asked, thread_of(asked, OMPD_THREAD_ID_PTHREAD,
						   thread->pthread_id, sizeof_pthread));
	}
}

/* Handles, and what the library has seen, from before the process went on. */
static void sweep_over_change(const struct asked *asked)
{
	const ompd_size_t sizeof_pthread = asked->image->flags & FLAG_POINTERS_OF_4 ? 4 : 8;
	ompd_thread_handle_t *threads[IMAGE_THREADS_MAX];

	for (size_t i = 0; i < asked->image->thread_count; i++)
		threads[i] = thread_of(asked, OMPD_THREAD_ID_PTHREAD,
				       asked->image->threads[i].pthread_id, sizeof_pthread);
	if (asked->image->thread_count && threads[0])
		sweep_thread(asked, threads[0]);
	asked->options.change();
	for (size_t i = 0; i < asked->image->thread_count; i++)
		sweep_and_release(asked, threads[i]);
}

static void enumerate_icvs(struct asked *asked)
{
	ompd_icv_id_t id = ompd_icv_undefined;
	int more = 1;

	while (more) {
		const char *name = NULL;
		ompd_scope_t scope = ompd_scope_global;
		const ompd_rc_t rc =
			CALL(ompd_enumerate_icvs(asked->space, id, &id, &name, &scope, &more));

		take_string(asked, rc, name);
		if (rc != ompd_rc_ok)
			return;
		if (asked->icv_count == ICVS_MAX)
			finding("an enumeration without an end", debugger_call());
		asked->icvs[asked->icv_count].id = id;
		asked->icvs[asked->icv_count++].scope = scope;
	}
}

static void enumerate_states(const struct asked *asked)
{
	ompd_word_t state = UNDEFINED_STATE, more = 1;

	for (unsigned count = 0; more; count++) {
		const char *name = NULL;
		const ompd_rc_t rc =
			CALL(ompd_enumerate_states(asked->space, state, &state, &name, &more));

		take_string(asked, rc, name);
		if (rc != ompd_rc_ok)
			return;
		if (count == STATES_MAX)
			finding("an enumeration without an end", debugger_call());
	}
}

static void sweep_display_control_vars(const struct asked *asked)
{
	const char *const *variables = NULL;
	const ompd_rc_t rc = CALL(ompd_get_display_control_vars(asked->space, &variables));

	check_untouched(rc, variables);
	if (rc != ompd_rc_ok)
		return;
	for (size_t i = 0; variables[i]; i++) {
		if (!strchr(variables[i], '='))
			finding("a variable without a value", debugger_call());
	}
	if (CALL(ompd_rel_display_control_vars(&variables)) != ompd_rc_ok)
		finding("variables cannot be released", debugger_call());
}

static void sweep_process(const struct asked *asked)
{
	ompdx_runtime_info_t info = {.size = sizeof(info)};
	ompd_address_space_handle_t *device = NULL;
	ompd_thread_id_t *kinds = NULL;
	ompd_size_t *sizes = NULL;
	const char *text = NULL;
	ompd_word_t version = 0;
	int count = 0, id = 0;
	ompd_rc_t rc;

	if (CALL(ompdx_get_runtime_info(asked->space, &info)) == ompd_rc_ok) {
		if (info.build_id_length > sizeof(info.build_id) || info.start > info.end ||
		    !memchr(info.version_text, 0, sizeof(info.version_text)) ||
		    !memchr(info.record, 0, sizeof(info.record)))
			finding("an answer contradicts itself", debugger_call());
	}
	(void)CALL(ompd_get_omp_version(asked->space, &version));
	rc = CALL(ompd_get_omp_version_string(asked->space, &text));
	take_string(asked, rc, text);
	rc = CALL(ompd_get_device_thread_id_kinds(asked->space, &kinds, &sizes, &count));
	if (rc == ompd_rc_ok) {
		if ((size_t)count > debugger_block_size(kinds) / sizeof(*kinds) ||
		    (size_t)count > debugger_block_size(sizes) / sizeof(*sizes))
			finding("an answer points out of its block", debugger_call());
		debugger_free(kinds);
		debugger_free(sizes);
	}
	(void)CALL(ompd_device_initialize(asked->space, debugger_context(), OMPD_DEVICE_KIND_CUDA,
					  sizeof(id), &id, &device));
	sweep_icvs(asked, asked->space, ompd_scope_address_space);
	sweep_icvs(asked, asked->space, ompd_scope_global);
	sweep_display_control_vars(asked);
}

/* Once more, of what is remembered. */
static void sweep_frozen(const struct asked *asked)
{
	if (spent() || CALL(ompdx_freeze(asked->space)) != ompd_rc_ok)
		return;
	sweep_threads(asked);
	if (!asked->options.leaves_handles && CALL(ompdx_thaw(asked->space)) != ompd_rc_ok)
		finding("cannot be thawed", debugger_call());
}

static void sweep_entry_points(ompd_address_space_handle_t *space)
{
	ompdx_entry_points_t *points = NULL;
	const ompd_rc_t rc = CALL(ompdx_entry_points(space, &points));

	check_untouched(rc == ompd_rc_incomplete ? ompd_rc_ok : rc, points);
	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
		return;
	for (ompd_size_t i = 0; i < points->count; i++)
		sweep_check_text(points, points->entry_points[i].name);
	debugger_free(points);
}

static void sweep_offload(ompd_address_space_handle_t *space, struct sweep_seen *seen)
{
	ompdx_offload_t *offload = NULL;
	const ompd_rc_t rc = CALL(ompdx_get_offload(space, NULL, 0, &offload));

	check_untouched(rc, offload);
	if (rc != ompd_rc_ok)
		return;
	sweep_check_offload(offload);
	seen->mappings += offload->mapping_count;
	debugger_free(offload);
}

static void sweep_space(const struct memory_image *image, struct sweep_options options,
			ompd_address_space_handle_t *space, struct sweep_seen *seen)
{
	struct asked asked = {image, options, space, seen, {{0, ompd_scope_global}}, 0};

	seen->runtimes++;
	enumerate_states(&asked);
	enumerate_icvs(&asked);
	if (options.change)
		sweep_over_change(&asked);
	sweep_process(&asked);
	sweep_threads(&asked);
	sweep_frozen(&asked);
	sweep_snapshot(image, space, options.leaves_handles, seen);
	sweep_diagnostics(space);
	if (!spent())
		sweep_entry_points(space);
	if (!spent())
		sweep_offload(space, seen);
	if (!options.leaves_handles)
		release(&asked, CALL(ompd_rel_address_space_handle(space)));
}

static void sweep_runtimes(const struct memory_image *image, struct sweep_options options,
			   struct sweep_seen *seen)
{
	ompdx_runtimes_t *found = NULL, *again = NULL;

	if (CALL(ompdx_find_runtimes(debugger_context(), NULL, 0, &found)) != ompd_rc_ok)
		return;
	for (ompd_size_t i = 0; i < found->count && i < 3 && !spent(); i++) {
		const ompdx_image_t *runtime = &found->runtimes[i].image;
		ompd_address_space_handle_t *space = NULL;
		ompd_rc_t rc;

		if (runtime->path)
			sweep_check_text(found, runtime->path);
		if (CALL(ompdx_find_runtimes(debugger_context(), runtime, 1, &again)) == ompd_rc_ok)
			debugger_free(again);
		rc = CALL(ompdx_process_initialize(debugger_context(), runtime, &space));
		check_untouched(rc, space);
		if (rc == ompd_rc_ok)
			sweep_space(image, options, space, seen);
	}
	debugger_free(found);
}

static void sweep_images(const ompdx_auxv_t *auxv, struct sweep_seen *seen)
{
	ompdx_images_t *images = NULL;
	const ompd_rc_t rc = CALL(ompdx_images(debugger_context(), auxv, &images));

	check_untouched(rc, images);
	if (rc != ompd_rc_ok)
		return;
	for (ompd_size_t i = 0; i < images->count; i++) {
		const ompdx_loaded_image_t *image = &images->images[i];

		if (image->path)
			sweep_check_text(images, image->path);
		if (image->build_id_length > sizeof(image->build_id) || image->start > image->end)
			finding("an answer contradicts itself", debugger_call());
	}
	seen->images += (unsigned)images->count;
	debugger_free(images);
}

/* The program lies lowest, as a rule, and the kernel's image highest. */
static void sweep_images_of_program(const struct memory_image *image, struct sweep_seen *seen)
{
	const bool wide = !(image->flags & FLAG_POINTERS_OF_4);
	const ompdx_auxv_t auxv = {
		.size = sizeof(auxv),
		.headers = image->range_count ? image->ranges[0].address + (wide ? 64 : 52) : 0,
		.header_count = 13,
		.vdso = image->range_count ? image->ranges[image->range_count - 1].address : 0,
	};

	sweep_images(&auxv, seen);
}

struct sweep_seen sweep(const struct memory_image *image, struct sweep_options options)
{
	ompd_address_space_handle_t *space = NULL;
	struct sweep_seen seen = {0};

	debugger_open(image, options.knows_symbols);
	if (CALL(ompd_initialize(options.api_version, debugger_callbacks())) != ompd_rc_ok)
		finding("cannot be initialized", debugger_call());
	sweep_images(NULL, &seen);
	sweep_images_of_program(image, &seen);
	if (options.finds_runtimes) {
		sweep_runtimes(image, options, &seen);
	} else {
		const ompd_rc_t rc = CALL(ompd_process_initialize(debugger_context(), &space));

		check_untouched(rc, space);
		if (rc == ompd_rc_ok)
			sweep_space(image, options, space, &seen);
	}
	sweep_diagnostics(NULL);
	if (CALL(ompd_finalize()) != ompd_rc_ok)
		finding("cannot be finalized", debugger_call());
	debugger_expect_no_blocks();
	return seen;
}
