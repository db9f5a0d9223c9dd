/* SPDX-License-Identifier: Apache-2.0
 *
 * LLVM libomp: opening it, and the table of answers.
 */
#include "runtime/llvm/llvm.h"
#include "runtime/llvm/record_choice.h"

#include <string.h>

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

	callback_free(llvm->hints);
	callback_free(llvm);
}

static ompd_rc_t resolve(struct address_space *space, struct llvm *llvm)
{
	struct located_table table;
	const struct record *record;
	ompd_rc_t rc;

	diagnostics_clear(&space->diagnostics);
	rc = table_locate(&space->image, &table);
	if (rc == ompd_rc_ok) {
		record = record_of_table(table.words);
		if (!record)
			diagnostics_note(&space->diagnostics, DIAGNOSTIC_record_unknown, NULL);
	} else if (rc == ompd_rc_unavailable) {
		rc = record_choose(space, &record);
		if (rc == ompd_rc_ok) {
			record_table(record, table.words);
			table.source = ompdx_descriptors_record;
		}
	}
	if (rc != ompd_rc_ok)
		return rc;
	rc = structures_init(&llvm->structures, table.words, record);
	if (rc != ompd_rc_ok) {
		diagnostics_note(&space->diagnostics, DIAGNOSTIC_table_implausible, NULL);
		return ompd_rc_unavailable;
	}
	icv_structures_init(&llvm->icv_structures, table.words, record);
	ompt_structures_init(&llvm->ompt_structures, table.words, record);
	llvm->knows_tasks =
		task_structures_init(&llvm->task_structures, table.words, record) == ompd_rc_ok;
	llvm->knows_barriers = barrier_structures_init(&llvm->barrier_structures, table.words,
						       record) == ompd_rc_ok;
	llvm->knows_locks =
		lock_structures_init(&llvm->lock_structures, table.words, record) == ompd_rc_ok;
	if (table.source == ompdx_descriptors_symbols &&
	    image_symbol(&space->image, "ompt_enabled", &llvm->globals[GLOBAL_ompt_enabled]) !=
		    ompd_rc_ok)
		llvm->globals[GLOBAL_ompt_enabled] = 0;
	llvm->table = table.address;
	llvm->ompd_state = table.ompd_state;
	llvm->record = record;
	llvm->source = table.source;
	return ompd_rc_ok;
}

ompd_rc_t llvm_ready(struct address_space *space, struct llvm **ret)
{
	struct llvm *llvm = space->runtime_state;
	ompd_rc_t rc = ompd_rc_ok;

	if (llvm->source == ompdx_descriptors_none)
		rc = resolve(space, llvm);
	if (rc == ompd_rc_ok)
		*ret = llvm;
	return rc;
}

ompd_rc_t llvm_threads_ready(struct address_space *space, struct llvm **ret)
{
	struct llvm *llvm;
	ompd_rc_t rc = llvm_ready(space, &llvm);

	if (rc == ompd_rc_ok && llvm->threads == 0)
		rc = thread_array_locate(space, llvm, &llvm->threads);
	if (rc == ompd_rc_ok)
		*ret = llvm;
	return rc;
}

int llvm_tracks_states(struct address_space *space, const struct llvm *llvm)
{
	/* ompt_enabled begins with the bit `enabled`. OMP_DEBUG, which turns OMPT on, sets the lowest bit of
	 * ompd_state; a debugger may do so too, for breakpoints, and OMPT stays off. */
	const target_addr ompt_enabled = llvm->globals[GLOBAL_ompt_enabled];
	const target_addr address = ompt_enabled ? ompt_enabled : llvm->ompd_state;
	uint64_t flags;

	if (address == 0 || target_read_unsigned(&space->target, address, 4, &flags) != ompd_rc_ok)
		return -1;
	return (int)(flags & 1);
}

ompd_rc_t llvm_read_info(struct address_space *space, const struct llvm *llvm, target_addr address,
			 struct info *ret)
{
	const ompd_rc_t rc = info_read(&space->target, &llvm->structures, address, ret);

	if (rc == ompd_rc_error)
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_thread_unreadable,
					 address);
	return rc;
}

ompd_rc_t llvm_read_team(struct address_space *space, const struct llvm *llvm, target_addr address,
			 struct team *ret)
{
	const ompd_rc_t rc = team_read(&space->target, &llvm->structures, address, ret);

	if (rc == ompd_rc_error)
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_team_unreadable, address);
	return rc;
}

ompd_rc_t llvm_read_task(struct address_space *space, const struct llvm *llvm, target_addr address,
			 struct task *ret)
{
	const ompd_rc_t rc = task_read(&space->target, &llvm->structures, address, ret);

	if (rc == ompd_rc_error)
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_task_unreadable, address);
	return rc;
}

static void describe(struct address_space *space, ompdx_runtime_info_t *info)
{
	char number[TEXT_DECIMAL_SIZE];

	text_copy(info->version_text, sizeof(info->version_text), "LLVM libomp");
	if (space->runtime_version < 0) {
		const struct llvm *llvm = space->runtime_state;

		text_append(info->version_text, sizeof(info->version_text),
			    llvm->record ? ", release " : ", unknown version");
		/* Releases that keep their data alike cannot be told apart. */
		if (llvm->record)
			text_append(info->version_text, sizeof(info->version_text),
				    llvm->record->versions);
		return;
	}
	text_append(info->version_text, sizeof(info->version_text), " ");
	text_append(info->version_text, sizeof(info->version_text),
		    text_decimal(number, space->runtime_version));
}

/* Whether the program has used OpenMP, when the runtime's structures cannot be found. */
static ompd_rc_t find_started(struct address_space *space, int32_t *ret)
{
	const struct llvm *llvm = space->runtime_state;
	bool allocated;
	ompd_rc_t rc;

	*ret = -1;
	if (llvm->source != ompdx_descriptors_none)
		return ompd_rc_ok;
	rc = thread_array_allocated(space, &allocated);
	if (rc == ompd_rc_ok)
		*ret = allocated;
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

static ompd_rc_t llvm_info(struct address_space *space, ompdx_runtime_info_t *info)
{
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	describe(space, info);
	info->state_tracking = -1;
	if (rc == ompd_rc_ok) {
		info->initialized = 1;
		info->state_tracking = llvm_tracks_states(space, llvm);
	} else {
		if (rc == ompd_rc_unavailable)
			rc = find_started(space, &info->initialized);
		if (rc != ompd_rc_ok)
			return rc;
	}
	llvm = space->runtime_state;
	info->descriptors = llvm->source;
	if (llvm->record)
		text_copy(info->record, sizeof(info->record), llvm->record->name);
	return ompd_rc_ok;
}

static ompd_rc_t llvm_omp_version(struct address_space *space, ompd_word_t *version)
{
	if (space->runtime_version < 0)
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
	.initial_task = llvm_initial_task,
	.generating_task = llvm_generating_task,
	.scheduling_task = llvm_scheduling_task,
	.function_of_task = llvm_function_of_task,
	.frames_of_task = llvm_frames_of_task,
	.state_of_thread = llvm_state_of_thread,
	.tool_data = llvm_tool_data,
	.icv = llvm_icv,
	.view = llvm_view,
	.tasks = llvm_tasks,
	.locks = llvm_locks,
	.arrivals = llvm_arrivals,
};
