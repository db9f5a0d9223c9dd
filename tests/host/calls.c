/* SPDX-License-Identifier: Apache-2.0
 *
 * What does each routine ask of the debugger, when it is called for a second time? Of one worker of the
 * innermost region; `row' is what a debugger asks for one row of a table of threads.
 */
#include "calls.h"

#include <string.h>

#include "callbacks.h"

struct calls {
	struct dump *dump;
	struct costs before;
};

static void begin(struct calls *calls)
{
	calls->before = costs;
}

static void end(struct calls *calls, const char *name, ompd_rc_t rc)
{
	struct json *json = calls->dump->json;

	json_begin_object(json, name);
	json_string(json, "rc", rc_name(rc));
	json_integer(json, "reads",
		     (int64_t)(costs.reads + costs.strings - calls->before.reads -
			       calls->before.strings));
	json_integer(json, "bytes", (int64_t)(costs.bytes - calls->before.bytes));
	json_integer(json, "symbols", (int64_t)(costs.symbols - calls->before.symbols));
	json_integer(json, "allocations", (int64_t)(costs.allocations - calls->before.allocations));
	json_end_object(json);
}

/* The second of two calls is counted; what the first one made is `undone' before. */
#define COUNT(calls, name, call, undo)                                                             \
	do {                                                                                       \
		ompd_rc_t rc_ = (call);                                                            \
		if (rc_ == ompd_rc_ok)                                                             \
			undo;                                                                      \
		begin(calls);                                                                      \
		rc_ = (call);                                                                      \
		end(calls, name, rc_);                                                             \
	} while (0)

static void count_icvs(struct calls *calls, void *handle, unsigned scopes)
{
	struct dump *dump = calls->dump;
	const struct routines *ompd = dump->ompd;

	for (size_t i = 0; i < dump->icv_count; i++) {
		const struct icv *icv = &dump->icvs[i];
		const char *text = NULL;
		ompd_word_t value;
		char name[128];

		if (!(scopes & 1u << icv->scope))
			continue;
		snprintf(name, sizeof(name), "icv %s", icv->name);
		COUNT(calls, name, ompd->get_icv_from_scope(handle, icv->scope, icv->id, &value),
		      (void)0);
		snprintf(name, sizeof(name), "icv_string %s", icv->name);
		COUNT(calls, name,
		      ompd->get_icv_string_from_scope(handle, icv->scope, icv->id, &text),
		      free_of_library(text));
	}
}

static ompd_icv_id_t icv_named(const struct dump *dump, const char *name, ompd_scope_t *scope)
{
	for (size_t i = 0; i < dump->icv_count; i++) {
		if (strcmp(dump->icvs[i].name, name) == 0) {
			*scope = dump->icvs[i].scope;
			return dump->icvs[i].id;
		}
	}
	return ompd_icv_undefined;
}

/* Seven calls, and releases: handle, state, thread number, region, level, task, frames. */
static ompd_rc_t make_row(const struct dump *dump, const uint64_t *pthread)
{
	const struct routines *ompd = dump->ompd;
	ompd_frame_info_t exit_frame, enter_frame;
	ompd_parallel_handle_t *region;
	ompd_thread_handle_t *thread;
	ompd_task_handle_t *task;
	ompd_wait_id_t wait_id;
	ompd_icv_id_t id;
	ompd_scope_t scope = 0;
	ompd_word_t value;
	ompd_rc_t rc =
		ompd->get_thread_handle(dump->space, OMPD_THREAD_ID_PTHREAD, 8, pthread, &thread);

	if (rc != ompd_rc_ok)
		return rc;
	(void)ompd->get_state(thread, &value, &wait_id);
	id = icv_named(dump, "thread-num-var", &scope);
	(void)ompd->get_icv_from_scope(thread, scope, id, &value);
	rc = ompd->get_curr_parallel_handle(thread, &region);
	if (rc == ompd_rc_ok) {
		id = icv_named(dump, "levels-var", &scope);
		(void)ompd->get_icv_from_scope(region, scope, id, &value);
		ompd->rel_parallel_handle(region);
		rc = ompd->get_curr_task_handle(thread, &task);
	}
	if (rc == ompd_rc_ok) {
		(void)ompd->get_task_frame(task, &exit_frame, &enter_frame);
		ompd->rel_task_handle(task);
	}
	ompd->rel_thread_handle(thread);
	return rc;
}

/* A thread that is in a parallel region, and not its thread 0. */
static ompd_thread_handle_t *find_worker(struct dump *dump, uint64_t *pthread)
{
	const struct routines *ompd = dump->ompd;
	ompd_scope_t scope = 0;
	const ompd_icv_id_t id = icv_named(dump, "thread-num-var", &scope);

	for (size_t i = dump->process->thread_count; i-- > 0;) {
		ompd_parallel_handle_t *region;
		ompd_thread_handle_t *thread;
		ompd_word_t number = 0;

		*pthread = dump->process->threads[i].pthread;
		if (ompd->get_thread_handle(dump->space, OMPD_THREAD_ID_PTHREAD, 8, pthread,
					    &thread) != ompd_rc_ok)
			continue;
		if (ompd->get_icv_from_scope(thread, scope, id, &number) == ompd_rc_ok &&
		    number > 0 && ompd->get_curr_parallel_handle(thread, &region) == ompd_rc_ok) {
			ompd->rel_parallel_handle(region);
			return thread;
		}
		ompd->rel_thread_handle(thread);
	}
	return NULL;
}

static void count_threads(struct calls *calls, ompd_thread_handle_t *thread, uint64_t pthread,
			  ompd_parallel_handle_t *region)
{
	const struct routines *ompd = calls->dump->ompd;
	ompd_parallel_handle_t *other_region = NULL;
	ompd_thread_handle_t *other = NULL;
	ompd_task_handle_t *task = NULL;
	ompd_wait_id_t wait_id;
	ompd_address_t pointer;
	ompd_word_t value;

	COUNT(calls, "get_thread_handle",
	      ompd->get_thread_handle(calls->dump->space, OMPD_THREAD_ID_PTHREAD, 8, &pthread,
				      &other),
	      ompd->rel_thread_handle(other));
	COUNT(calls, "get_thread_id",
	      ompd->get_thread_id(thread, OMPD_THREAD_ID_PTHREAD, 8, &value), (void)0);
	COUNT(calls, "get_state", ompd->get_state(thread, &value, &wait_id), (void)0);
	COUNT(calls, "get_curr_parallel_handle",
	      ompd->get_curr_parallel_handle(thread, &other_region),
	      ompd->rel_parallel_handle(other_region));
	COUNT(calls, "get_enclosing_parallel_handle",
	      ompd->get_enclosing_parallel_handle(region, &other_region),
	      ompd->rel_parallel_handle(other_region));
	COUNT(calls, "get_thread_in_parallel", ompd->get_thread_in_parallel(region, 1, &other),
	      ompd->rel_thread_handle(other));
	COUNT(calls, "get_task_in_parallel", ompd->get_task_in_parallel(region, 1, &task),
	      ompd->rel_task_handle(task));
	COUNT(calls, "get_curr_task_handle", ompd->get_curr_task_handle(thread, &task),
	      ompd->rel_task_handle(task));
	COUNT(calls, "get_tool_data thread",
	      ompd->get_tool_data(thread, ompd_scope_thread, &value, &pointer), (void)0);
	COUNT(calls, "row", make_row(calls->dump, &pthread), (void)0);
}

static void count_tasks(struct calls *calls, ompd_task_handle_t *task)
{
	const struct routines *ompd = calls->dump->ompd;
	ompd_frame_info_t exit_frame, enter_frame;
	ompd_parallel_handle_t *region = NULL;
	ompd_task_handle_t *other = NULL;
	ompd_address_t pointer;
	ompd_word_t value;

	COUNT(calls, "get_task_parallel_handle", ompd->get_task_parallel_handle(task, &region),
	      ompd->rel_parallel_handle(region));
	COUNT(calls, "get_generating_task_handle", ompd->get_generating_task_handle(task, &other),
	      ompd->rel_task_handle(other));
	COUNT(calls, "get_scheduling_task_handle", ompd->get_scheduling_task_handle(task, &other),
	      ompd->rel_task_handle(other));
	COUNT(calls, "get_task_function", ompd->get_task_function(task, &pointer), (void)0);
	COUNT(calls, "get_task_frame", ompd->get_task_frame(task, &exit_frame, &enter_frame),
	      (void)0);
	COUNT(calls, "get_tool_data task",
	      ompd->get_tool_data(task, ompd_scope_task, &value, &pointer), (void)0);
}

void calls_count(struct dump *dump)
{
	const struct routines *ompd = dump->ompd;
	struct calls calls = {.dump = dump};
	ompd_parallel_handle_t *region;
	ompd_thread_handle_t *thread;
	ompd_task_handle_t *task;
	uint64_t pthread;

	dump_icv_list(dump);
	json_begin_object(dump->json, "calls");
	thread = find_worker(dump, &pthread);
	if (thread && ompd->get_curr_parallel_handle(thread, &region) == ompd_rc_ok) {
		count_threads(&calls, thread, pthread, region);
		count_icvs(&calls, region, SCOPE(parallel));
		ompd->rel_parallel_handle(region);
	}
	if (thread && ompd->get_curr_task_handle(thread, &task) == ompd_rc_ok) {
		count_tasks(&calls, task);
		count_icvs(&calls, task, SCOPE(task));
		ompd->rel_task_handle(task);
	}
	if (thread) {
		count_icvs(&calls, thread, SCOPE(thread));
		ompd->rel_thread_handle(thread);
	}
	count_icvs(&calls, dump->space, SCOPE(global) | SCOPE(address_space));
	json_end_object(dump->json);
	dump_icvs_release(dump);
}
