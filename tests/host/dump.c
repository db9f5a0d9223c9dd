/* SPDX-License-Identifier: Apache-2.0 */
#include "dump.h"

#include "callbacks.h"

/* Thread-id kinds: OMPD has four of its own. */
#define KINDS_MAX 64

static void dump_state(struct dump *dump, ompd_thread_handle_t *thread)
{
	ompd_wait_id_t wait_id = 0;
	ompd_word_t state = 0;
	const ompd_rc_t rc = ASK(dump->ompd, get_state, thread, &state, &wait_id);

	json_begin_object(dump->json, "state");
	dump_rc(dump, "rc", rc);
	if (rc == ompd_rc_ok) {
		json_integer(dump->json, "state", state);
		json_address(dump->json, "wait_id", wait_id);
	}
	json_end_object(dump->json);
}

/* What leads back from the handle: the native id, the address space, the handle of the same thread. */
static void dump_identity(struct dump *dump, const struct _ompd_thread_cont *native,
			  ompd_thread_handle_t *thread)
{
	ompd_address_space_handle_t *space = NULL;
	ompd_thread_handle_t *again;
	uint64_t pthread = 0;
	int order = -1;
	ompd_rc_t rc;

	json_begin_object(dump->json, "identity");
	rc = ASK(dump->ompd, get_thread_id, thread, OMPD_THREAD_ID_PTHREAD, sizeof(pthread),
		 &pthread);
	dump_rc(dump, "get_thread_id", rc);
	if (rc == ompd_rc_ok)
		json_address(dump->json, "pthread", pthread);
	rc = ASK(dump->ompd, get_device_from_thread, thread, &space);
	dump_rc(dump, "get_device_from_thread", rc);
	if (rc == ompd_rc_ok)
		json_boolean(dump->json, "same_device", space == dump->space);
	if (ASK(dump->ompd, get_thread_handle, dump->space, OMPD_THREAD_ID_PTHREAD,
		sizeof(native->pthread), &native->pthread, &again) == ompd_rc_ok) {
		rc = ASK(dump->ompd, thread_handle_compare, thread, again, &order);
		dump_rc(dump, "thread_handle_compare", rc);
		if (rc == ompd_rc_ok)
			json_boolean(dump->json, "same_thread", order == 0);
		ASK(dump->ompd, rel_thread_handle, again);
	}
	json_end_object(dump->json);
}

static void dump_openmp_thread(struct dump *dump, const struct _ompd_thread_cont *native,
			       ompd_thread_handle_t *thread)
{
	ompd_parallel_handle_t *region;

	dump_identity(dump, native, thread);
	dump_state(dump, thread);
	dump_icvs(dump, thread, SCOPE(thread));
	dump_tool_data(dump, thread, ompd_scope_thread);
	region = dump_regions(dump, thread);
	dump_tasks(dump, thread, region);
	if (region)
		ASK(dump->ompd, rel_parallel_handle, region);
}

static void dump_thread(struct dump *dump, const struct _ompd_thread_cont *native)
{
	ompd_thread_handle_t *thread;
	ompd_rc_t rc;

	json_begin_object(dump->json, NULL);
	json_address(dump->json, "pthread", native->pthread);
	json_integer(dump->json, "lwp", native->lwp);
	rc = ASK(dump->ompd, get_thread_handle, dump->space, OMPD_THREAD_ID_LWP,
		 sizeof(native->lwp), &native->lwp, &thread);
	dump_rc(dump, "rc_by_lwp", rc);
	if (rc == ompd_rc_ok)
		ASK(dump->ompd, rel_thread_handle, thread);
	rc = ASK(dump->ompd, get_thread_handle, dump->space, OMPD_THREAD_ID_PTHREAD,
		 sizeof(native->pthread), &native->pthread, &thread);
	dump_rc(dump, "rc", rc);
	if (rc == ompd_rc_ok) {
		dump_openmp_thread(dump, native, thread);
		ASK(dump->ompd, rel_thread_handle, thread);
	}
	json_end_object(dump->json);
}

static void dump_runtime(struct dump *dump)
{
	const char *text = NULL;
	ompd_word_t version = 0;
	ompd_rc_t rc = ASK(dump->ompd, get_omp_version, dump->space, &version);

	json_begin_object(dump->json, "omp_version");
	dump_rc(dump, "rc", rc);
	if (rc == ompd_rc_ok)
		json_integer(dump->json, "value", version);
	json_end_object(dump->json);
	rc = ASK(dump->ompd, get_omp_version_string, dump->space, &text);
	json_begin_object(dump->json, "omp_version_string");
	dump_rc(dump, "rc", rc);
	if (rc == ompd_rc_ok)
		json_string(dump->json, "value", text);
	json_end_object(dump->json);
	if (rc == ompd_rc_ok)
		free_of_library(text);
}

static void dump_thread_id_kinds(struct dump *dump)
{
	ompd_thread_id_t *kinds = NULL;
	ompd_size_t *sizes = NULL;
	int count = 0;
	const ompd_rc_t rc =
		ASK(dump->ompd, get_device_thread_id_kinds, dump->space, &kinds, &sizes, &count);

	json_begin_object(dump->json, "thread_id_kinds");
	dump_rc(dump, "rc", rc);
	if (rc == ompd_rc_ok) {
		json_begin_array(dump->json, "kinds");
		for (int i = 0; i < count && i < KINDS_MAX; i++) {
			json_begin_object(dump->json, NULL);
			json_integer(dump->json, "kind", (int64_t)kinds[i]);
			json_integer(dump->json, "size", (int64_t)sizes[i]);
			json_end_object(dump->json);
		}
		json_end_array(dump->json);
		free_of_library(kinds);
		free_of_library(sizes);
	}
	json_end_object(dump->json);
}

/* No target here has a device; what is right to answer then is unsupported. */
static void dump_device(struct dump *dump)
{
	ompd_address_space_handle_t *device;
	int id = 0;
	const ompd_rc_t rc =
		ASK(dump->ompd, device_initialize, dump->space, &dump->process->for_ompd,
		    OMPD_DEVICE_KIND_CUDA, sizeof(id), &id, &device);

	dump_rc(dump, "device_initialize", rc);
	if (rc == ompd_rc_ok)
		ASK(dump->ompd, rel_address_space_handle, device);
}

void dump_process(struct dump *dump)
{
	dump->lines = lines_open(dump->process);
	dump_runtime(dump);
	dump_thread_id_kinds(dump);
	dump_device(dump);
	dump_states(dump);
	dump_icv_list(dump);
	dump_display_control_vars(dump);
	json_begin_array(dump->json, "threads");
	for (size_t i = 0; i < dump->process->thread_count; i++)
		dump_thread(dump, &dump->process->threads[i]);
	json_end_array(dump->json);
	json_begin_object(dump->json, "address_space");
	dump_icvs(dump, dump->space, SCOPE(global) | SCOPE(address_space));
	dump_tool_data(dump, dump->space, ompd_scope_address_space);
	json_end_object(dump->json);
	dump_icvs_release(dump);
	lines_close(dump->lines);
}
