/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread's current task, and outwards those that generated it.
 */
#include "dump.h"
#include "lines.h"

int64_t count_implicit_tasks(struct dump *dump, ompd_parallel_handle_t *region)
{
	ompd_task_handle_t *task;
	int count = 0;

	while (count < TEAM_MAX &&
	       ASK(dump->ompd, get_task_in_parallel, region, count, &task) == ompd_rc_ok) {
		ASK(dump->ompd, rel_task_handle, task);
		count++;
	}
	return count;
}

static void dump_function(struct dump *dump, ompd_task_handle_t *task)
{
	ompd_address_t address = {0, 0};
	const ompd_rc_t rc = ASK(dump->ompd, get_task_function, task, &address);
	const struct symbol *symbol;
	const char *file;
	int line;

	json_begin_object(dump->json, "function");
	dump_rc(dump, "rc", rc);
	if (rc == ompd_rc_ok) {
		symbol = process_symbol_at(dump->process, address.address);
		file = lines_find(dump->lines, address.address, &line);
		json_address(dump->json, "address", address.address);
		json_string(dump->json, "symbol", symbol ? symbol->name : NULL);
		json_string(dump->json, "file", file);
		if (file)
			json_integer(dump->json, "line", line);
	}
	json_end_object(dump->json);
}

static void dump_frame(struct dump *dump, const char *key, const ompd_frame_info_t *frame)
{
	json_begin_object(dump->json, key);
	json_address(dump->json, "address", frame->frame_address.address);
	json_integer(dump->json, "flag", frame->frame_flag);
	json_end_object(dump->json);
}

static void dump_frames(struct dump *dump, ompd_task_handle_t *task)
{
	ompd_frame_info_t exit_frame = {{0, 0}, 0}, enter_frame = {{0, 0}, 0};
	const ompd_rc_t rc = ASK(dump->ompd, get_task_frame, task, &exit_frame, &enter_frame);

	json_begin_object(dump->json, "frames");
	dump_rc(dump, "rc", rc);
	if (rc == ompd_rc_ok) {
		dump_frame(dump, "exit", &exit_frame);
		dump_frame(dump, "enter", &enter_frame);
	}
	json_end_object(dump->json);
}

/* The number of the thread whose implicit task in the region it is; null: an explicit task, or of another
 * region. */
static void dump_implicit(struct dump *dump, ompd_task_handle_t *task,
			  ompd_parallel_handle_t *region)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (int number = 0; number < TEAM_MAX && rc == ompd_rc_ok; number++) {
		ompd_task_handle_t *implicit;
		int order = -1;

		if (ASK(dump->ompd, get_task_in_parallel, region, number, &implicit) != ompd_rc_ok)
			break;
		rc = ASK(dump->ompd, task_handle_compare, task, implicit, &order);
		ASK(dump->ompd, rel_task_handle, implicit);
		if (rc == ompd_rc_ok && order == 0) {
			json_integer(dump->json, "implicit_of", number);
			return;
		}
	}
	json_string(dump->json, "implicit_of", rc == ompd_rc_ok ? NULL : rc_name(rc));
}

/* The task that was put aside for this one. */
static void dump_scheduling(struct dump *dump, ompd_task_handle_t *task)
{
	ompd_task_handle_t *found;
	const ompd_rc_t rc = ASK(dump->ompd, get_scheduling_task_handle, task, &found);

	dump_rc(dump, "scheduling", rc);
	if (rc == ompd_rc_ok)
		ASK(dump->ompd, rel_task_handle, found);
}

/* Whether the task's region is the one that the thread executes. */
static void dump_region_of(struct dump *dump, ompd_task_handle_t *task,
			   ompd_parallel_handle_t *region)
{
	ompd_parallel_handle_t *found;
	ompd_rc_t rc = ASK(dump->ompd, get_task_parallel_handle, task, &found);
	int order = 0;

	dump_rc(dump, "parallel", rc);
	if (rc != ompd_rc_ok)
		return;
	if (region) {
		rc = ASK(dump->ompd, parallel_handle_compare, found, region, &order);
		if (rc == ompd_rc_ok)
			json_boolean(dump->json, "parallel_matches", order == 0);
		else
			dump_rc(dump, "parallel_handle_compare", rc);
	}
	ASK(dump->ompd, rel_parallel_handle, found);
}

static void dump_task(struct dump *dump, ompd_task_handle_t *task, ompd_parallel_handle_t *region)
{
	json_begin_object(dump->json, NULL);
	dump_icvs(dump, task, SCOPE(task) | SCOPE(implicit_task));
	dump_function(dump, task);
	dump_frames(dump, task);
	dump_scheduling(dump, task);
	dump_region_of(dump, task, region);
	if (region)
		dump_implicit(dump, task, region);
	dump_tool_data(dump, task, ompd_scope_task);
	json_end_object(dump->json);
}

void dump_tasks(struct dump *dump, ompd_thread_handle_t *thread, ompd_parallel_handle_t *region)
{
	ompd_task_handle_t *task, *outer;
	ompd_rc_t rc = ASK(dump->ompd, get_curr_task_handle, thread, &task);

	json_begin_array(dump->json, "tasks");
	for (unsigned depth = 0; rc == ompd_rc_ok && depth < DEPTH_MAX; depth++) {
		dump_task(dump, task, region);
		rc = ASK(dump->ompd, get_generating_task_handle, task, &outer);
		ASK(dump->ompd, rel_task_handle, task);
		task = outer;
	}
	if (rc == ompd_rc_ok)
		ASK(dump->ompd, rel_task_handle, task);
	json_end_array(dump->json);
	dump_rc(dump, "tasks_end", rc);
}
