/* SPDX-License-Identifier: Apache-2.0
 *
 * LLVM libomp as a runtime: opening it, what it says of itself, and who answers which question.
 */
#include "runtime/llvm/answers.h"
#include "runtime/llvm/llvm.h"
#include "runtime/llvm/ready.h"
#include "runtime/llvm/thread.h"
#include "runtime/llvm/thread_array.h"
#include "target/callbacks.h"
#include "target/text.h"

/* What LLVM builds its libomp to say since release 9 (LIBOMP_OMP_YEAR_MONTH). */
#define LLVM_OPENMP 201611

static ompd_rc_t llvm_open(struct address_space *space)
{
	void *state = NULL;
	const ompd_rc_t rc = callback_alloc(1, sizeof(struct llvm), &state);

	if (rc == ompd_rc_ok)
		space->runtime_state = state;
	return rc;
}

static void llvm_close(struct address_space *space)
{
	struct llvm *llvm = space->runtime_state;

	llvm_forget_threads(llvm);
	callback_free(llvm);
}

static ompd_rc_t be_ready(struct address_space *space)
{
	struct llvm *llvm;

	return llvm_threads_ready(space, &llvm);
}

/* " 19", or what else is known. */
static void add_release(struct address_space *space, ompdx_runtime_info_t *info)
{
	const struct llvm *llvm = space->runtime_state;
	const int32_t version = address_space_version(space);
	char number[TEXT_DECIMAL_SIZE];
	/* Releases that keep their data alike cannot be told apart. */
	const char *words = version >= 0 ? " " : llvm->record ? ", release " : ", unknown version";

	text_append(info->version_text, sizeof(info->version_text), words);
	if (version >= 0)
		words = text_decimal(number, version);
	else
		words = llvm->record ? llvm->record->versions : "";
	text_append(info->version_text, sizeof(info->version_text), words);
}

static void describe(struct address_space *space, ompdx_runtime_info_t *info)
{
	const struct llvm *llvm = space->runtime_state;

	text_copy(info->version_text, sizeof(info->version_text),
		  llvm->libiomp ? "libiomp5 (like LLVM" : "LLVM libomp");
	add_release(space, info);
	if (llvm->libiomp)
		text_append(info->version_text, sizeof(info->version_text), ")");
}

/* Whether the program has used OpenMP, when the runtime's structures cannot be found. */
static ompd_rc_t find_started(struct address_space *space, int32_t *ret)
{
	const struct llvm *llvm = space->runtime_state;
	bool allocated;
	ompd_rc_t rc;

	*ret = llvm->not_started ? 0 : -1;
	if (llvm->not_started || llvm->source != ompdx_descriptors_none)
		return ompd_rc_ok;
	rc = thread_array_allocated(space, &allocated);
	if (rc == ompd_rc_ok)
		*ret = allocated;
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

static ompd_rc_t llvm_info(struct address_space *space, ompdx_runtime_info_t *info)
{
	struct llvm *llvm = space->runtime_state;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	describe(space, info);
	info->state_tracking = -1;
	if (rc == ompd_rc_ok) {
		info->initialized = 1;
		rc = llvm_tracks_states(space, llvm, &info->state_tracking);
	} else if (rc == ompd_rc_unavailable) {
		rc = find_started(space, &info->initialized);
	} else {
		return rc;
	}
	if (rc != ompd_rc_ok && rc != ompd_rc_error)
		return rc;
	info->descriptors = llvm->source;
	if (llvm->record)
		text_copy(info->record, sizeof(info->record), llvm->record->name);
	return ompd_rc_ok;
}

static ompd_rc_t llvm_omp_version(struct address_space *space, ompd_word_t *version)
{
	if (address_space_version(space) < 0)
		return ompd_rc_unavailable;
	*version = LLVM_OPENMP;
	return ompd_rc_ok;
}

const struct runtime_ops llvm_runtime = {
	.kind = ompdx_runtime_llvm,
	.entry_symbol = "__kmpc_fork_call",
	.version = llvm_version,
	.embedded = table_is_in,
	.open = llvm_open,
	.close = llvm_close,
	.info = llvm_info,
	.omp_version = llvm_omp_version,
	.thread_of_pthread = llvm_thread_of_pthread,
	.thread_of_lwp = llvm_thread_of_lwp,
	.pthread_of_thread = llvm_pthread_of_thread,
	.lwp_of_thread = llvm_lwp_of_thread,
	.thread_in_region = llvm_thread_in_region,
	.region_of_thread = llvm_region_of_thread,
	.enclosing_region = llvm_enclosing_region,
	.region_of_task = llvm_region_of_task,
	.task_of_thread = llvm_task_of_thread,
	.task_in_region = llvm_task_in_region,
	.initial_thread = llvm_initial_thread,
	.initial_task = llvm_initial_task,
	.generating_task = llvm_generating_task,
	.scheduling_task = llvm_scheduling_task,
	.function_of_task = llvm_function_of_task,
	.frames_of_task = llvm_frames_of_task,
	.state_of_thread = llvm_state_of_thread,
	.tool_data = llvm_tool_data,
	.icv = llvm_icv,
	.ready = be_ready,
	.picture = llvm_picture,
	.picture_free = llvm_picture_free,
	.parts = {[PICTURE_VIEW] = llvm_view,
		  [PICTURE_TASKS] = llvm_tasks,
		  [PICTURE_ARRIVALS] = llvm_arrivals,
		  [PICTURE_LOOPS] = llvm_loops},
	.locks = llvm_locks,
	.doacross = llvm_doacross,
};
