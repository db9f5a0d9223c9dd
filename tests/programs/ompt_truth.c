/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with an OMPT tool in it: what OMPT answers each thread of its regions, tasks, states and data is
 * recorded, and the data that the tool attached are numbers of its own. Ends with abort().
 *
 * OMPD_TRUTH_FILE: where the record goes.
 */
#include <omp-tools.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEXT_SIZE 65536

static ompt_get_thread_data_t get_thread_data;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_task_info_t get_task_info;
static ompt_get_state_t get_state;

static int numbers, threads, parked;
static char texts[16][TEXT_SIZE];

static void number(ompt_data_t *data)
{
	data->value = 1000 + (uint64_t)__atomic_add_fetch(&numbers, 1, __ATOMIC_SEQ_CST);
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *thread_data)
{
	(void)type;
	number(thread_data);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
			      unsigned requested, int flags, const void *code)
{
	(void)task, (void)frame, (void)requested, (void)flags, (void)code;
	number(parallel);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
			     ompt_data_t *task, unsigned actual, unsigned index, int flags)
{
	(void)parallel, (void)actual, (void)index, (void)flags;
	if (endpoint == ompt_scope_begin)
		number(task);
}

static void on_task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *created,
			   int flags, int has_dependences, const void *code)
{
	(void)task, (void)frame, (void)flags, (void)has_dependences, (void)code;
	number(created);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device, (void)data;
	get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
	get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
	get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
	get_state = (ompt_get_state_t)lookup("ompt_get_state");
	set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
	set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
	set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
	set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
	return 1;
}

static void finalize(ompt_data_t *data)
{
	(void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
	static ompt_start_tool_result_t result = {initialize, finalize, {0}};

	(void)version, (void)runtime;
	return &result;
}

static int record_regions(char *text, size_t size)
{
	int used = snprintf(text, size, "\"regions\": [");
	ompt_data_t *data;
	int team;

	for (int level = 0; get_parallel_info(level, &data, &team) == 2; level++)
		used += snprintf(text + used, size - (size_t)used,
				 "%s{\"data\": %llu, \"size\": %d}", level ? ", " : "",
				 (unsigned long long)data->value, team);
	return used + snprintf(text + used, size - (size_t)used, "]");
}

static int record_tasks(char *text, size_t size)
{
	int used = snprintf(text, size, ", \"tasks\": [");
	ompt_data_t *data, *parallel;
	ompt_frame_t *frame;
	int flags, thread_num;

	for (int level = 0;
	     get_task_info(level, &flags, &data, &frame, &parallel, &thread_num) == 2; level++)
		used += snprintf(
			text + used, size - (size_t)used,
			"%s{\"flags\": %d, \"data\": %llu, \"exit\": %llu, \"enter\": %llu, "
			"\"exit_flags\": %d, \"enter_flags\": %d}",
			level ? ", " : "", flags, (unsigned long long)data->value,
			(unsigned long long)frame->exit_frame.value,
			(unsigned long long)frame->enter_frame.value, frame->exit_frame_flags,
			frame->enter_frame_flags);
	return used + snprintf(text + used, size - (size_t)used, "]");
}

static void record(void)
{
	char *text = texts[__atomic_fetch_add(&threads, 1, __ATOMIC_SEQ_CST)];
	ompt_wait_id_t wait_id = 0;
	const int state = get_state(&wait_id);
	int used =
		snprintf(text, TEXT_SIZE, "{\"tid\": %ld, \"thread_data\": %llu, \"state\": %d, ",
			 syscall(SYS_gettid), (unsigned long long)get_thread_data()->value, state);

	used += record_regions(text + used, TEXT_SIZE - (size_t)used);
	used += record_tasks(text + used, TEXT_SIZE - (size_t)used);
	snprintf(text + used, TEXT_SIZE - (size_t)used, "}");
}

static void write_and_die(void)
{
	FILE *file = fopen(getenv("OMPD_TRUTH_FILE"), "w");

	if (!file)
		exit(2);
	fprintf(file, "{\"threads\": [\n");
	for (int i = 0; i < threads; i++)
		fprintf(file, "%s%s\n", texts[i], i + 1 < threads ? "," : "");
	fprintf(file, "]}\n");
	fclose(file);
	abort();
}

/* Nobody goes on before all have recorded; then the process dies. */
static void park(int parties)
{
	record();
	__atomic_add_fetch(&parked, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&parked, __ATOMIC_SEQ_CST) < parties)
		usleep(1000);
	if (omp_get_ancestor_thread_num(1) == 0)
		write_and_die();
	for (;;)
		pause();
}

int main(void)
{
#pragma omp parallel num_threads(4)
	{
		switch (omp_get_thread_num()) {
		case 0: /* in the region itself */
			park(4);
			break;
		case 1: /* serialized regions, one in the other */
#pragma omp parallel if (0)
#pragma omp parallel if (0)
			park(4);
			break;
		case 2: /* an undeferred task, and one in it */
#pragma omp task if (0)
		{
#pragma omp task if (0) final(1)
			park(4);
		} break;
		default: /* a task in a serialized region */
#pragma omp parallel if (0)
		{
#pragma omp task if (0)
			park(4);
		}
		}
	}
	return 1;
}
