/* SPDX-License-Identifier: Apache-2.0
 *
 * GNU libgomp as a runtime: opening it, what it says of itself, and who answers which question.
 */
#include <string.h>

#include "runtime/gomp/answers.h"
#include "runtime/gomp/builds.h"
#include "runtime/gomp/ready.h"
#include "runtime/gomp/thread.h"
#include "runtime/gomp/version.h"
#include "target/callbacks.h"
#include "target/text.h"

static ompd_rc_t gomp_open(struct address_space *space)
{
	struct gomp *gomp;
	void *state = NULL;
	const ompd_rc_t rc = callback_alloc(1, sizeof(*gomp), &state);

	if (rc != ompd_rc_ok)
		return rc;
	gomp = state;
	gomp->seen.item_size = sizeof(target_addr);
	space->runtime_state = gomp;
	return ompd_rc_ok;
}

static void gomp_close(struct address_space *space)
{
	struct gomp *gomp = space->runtime_state;

	vector_deinit(&gomp->seen);
	callback_free(gomp);
}

static ompd_rc_t be_ready(struct address_space *space)
{
	struct gomp *gomp;

	return gomp_ready(space, &gomp);
}

/* Whether a thread has used it, which only the threads tell: 1, 0, or -1. */
static ompd_rc_t find_started(struct address_space *space, struct gomp *gomp, int32_t *ret)
{
	struct vector pthreads = {.item_size = sizeof(uint64_t)};
	uint64_t initial;
	ompd_rc_t rc = gomp_pthreads(space, gomp, &pthreads, &initial);

	*ret = rc == ompd_rc_ok ? 0 : -1;
	if (rc == ompd_rc_incomplete)
		rc = ompd_rc_ok;
	for (size_t i = 0; rc == ompd_rc_ok && *ret != 1 && i < pthreads.count; i++) {
		struct gomp_native native;

		rc = gomp_native_read(space, gomp, *(uint64_t *)vector_at(&pthreads, i), &native);
		if (rc == ompd_rc_ok && !native.thread.blank)
			*ret = 1;
		if (rc == ompd_rc_error)
			*ret = -1;
		if (rc == ompd_rc_error || rc == ompd_rc_unavailable)
			rc = ompd_rc_ok;
	}
	vector_deinit(&pthreads);
	return rc;
}

/* The releases that have the version's symbols, or that layout. */
static const char *releases(const struct gomp *gomp, int32_t version,
			    char number[TEXT_DECIMAL_SIZE])
{
	if (version == 6)
		return "6 or 7";
	if (version == 4 && gomp->record)
		return gomp->record->name + strlen("gcc-");
	return text_decimal(number, version);
}

static ompd_rc_t gomp_info(struct address_space *space, ompdx_runtime_info_t *info)
{
	const int32_t version = address_space_version(space);
	char number[TEXT_DECIMAL_SIZE];
	struct gomp *gomp = space->runtime_state;
	ompd_rc_t rc = gomp_ready(space, &gomp);

	text_copy(info->version_text, sizeof(info->version_text), "GNU libgomp");
	if (version >= 0) {
		text_append(info->version_text, sizeof(info->version_text), " of GCC ");
		text_append(info->version_text, sizeof(info->version_text),
			    releases(gomp, version, number));
	}
	info->initialized = gomp->not_started ? 0 : -1;
	info->state_tracking = -1;
	if (rc == ompd_rc_ok) {
		info->state_tracking = 0;
		info->descriptors = ompdx_descriptors_record;
		text_copy(info->record, sizeof(info->record), gomp->record->name);
		rc = find_started(space, gomp, &info->initialized);
	}
	return rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
}

static bool gomp_refused(struct address_space *space)
{
	const struct gomp *gomp = space->runtime_state;

	return !gomp->record && !gomp->not_started;
}

static ompd_rc_t gomp_omp_version(struct address_space *space, ompd_word_t *version)
{
	struct gomp *gomp;
	const struct record *record;
	const ompd_rc_t rc = gomp_ready(space, &gomp);

	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	/* The release is enough. */
	record = rc == ompd_rc_ok ? gomp->record
				  : record_of_version(address_space_version(space),
						      space->image.thread_local_size);
	if (record)
		*version = record->openmp;
	return record ? ompd_rc_ok : ompd_rc_unavailable;
}

const struct runtime_ops gomp_runtime = {
	.kind = ompdx_runtime_gomp,
	/* GOMP_parallel came with GCC 4.9. */
	.entry_symbol = "GOMP_parallel_start",
	.version = gomp_version,
	.known_build = build_release,
	.open = gomp_open,
	.close = gomp_close,
	.info = gomp_info,
	.refused = gomp_refused,
	.omp_version = gomp_omp_version,
	.thread_of_pthread = gomp_thread_of_pthread,
	.thread_of_lwp = gomp_thread_of_lwp,
	.pthread_of_thread = gomp_pthread_of_thread,
	.lwp_of_thread = gomp_lwp_of_thread,
	.thread_in_region = gomp_thread_in_region,
	.region_of_thread = gomp_region_of_thread,
	.enclosing_region = gomp_enclosing_region,
	.region_of_task = gomp_region_of_task,
	.task_of_thread = gomp_task_of_thread,
	.task_in_region = gomp_task_in_region,
	.initial_thread = gomp_initial_thread,
	.initial_task = gomp_initial_task,
	.generating_task = gomp_generating_task,
	.function_of_task = gomp_function_of_task,
	.state_of_thread = gomp_state_of_thread,
	.icv = gomp_icv,
	.ready = be_ready,
	.picture = gomp_picture,
	.picture_free = gomp_picture_free,
	.parts =
		{
			[PICTURE_VIEW] = gomp_view,
			[PICTURE_TASKS] = gomp_tasks,
			[PICTURE_ARRIVALS] = gomp_arrivals,
			[PICTURE_LOOPS] = gomp_loops,
		},
	.locks = gomp_locks,
	.doacross = gomp_doacross,
};
