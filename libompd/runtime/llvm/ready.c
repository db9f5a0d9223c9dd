/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/ready.h"

#include "runtime/llvm/answers.h"
#include "runtime/llvm/globals.h"
#include "runtime/llvm/record_choice.h"
#include "runtime/llvm/thread_array.h"

/* *ret 0: there is none. Only that is ever concluded from a lookup: a debugger that fails is asked again. */
static ompd_rc_t symbol_if_any(struct image *image, const char *name, target_addr *ret)
{
	const ompd_rc_t rc = image_symbol(image, name, ret);

	if (rc != ompd_rc_unavailable)
		return rc;
	*ret = 0;
	return ompd_rc_ok;
}

static ompd_rc_t resolve(struct address_space *space, struct llvm *llvm)
{
	/* The shipped records were measured in LLVM's builds; of others their own table has to prove all. */
	const bool measured = !llvm->libiomp;
	struct located_table table;
	const struct record *record = NULL;
	ompd_rc_t rc;

	if (!measured)
		diagnostics_note(&space->diagnostics, DIAGNOSTIC_build_unmeasured, NULL);
	rc = table_locate(&space->image, &table);
	llvm->not_started = rc == ompd_rc_unavailable && table.source == ompdx_descriptors_symbols;
	if (rc == ompd_rc_ok) {
		if (measured)
			record = record_of_table(table.words, space->image.machine);
		if (measured && !record)
			diagnostics_note(&space->diagnostics, DIAGNOSTIC_record_unknown, NULL);
	} else if (rc == ompd_rc_unavailable && measured && !llvm->not_started) {
		rc = record_choose(space, &record);
		if (rc == ompd_rc_ok) {
			record_table(record, table.words);
			table.source = ompdx_descriptors_record;
		}
	}
	if (rc == ompd_rc_ok && table.source == ompdx_descriptors_symbols)
		rc = symbol_if_any(&space->image, "ompt_enabled",
				   &llvm->globals[GLOBAL_ompt_enabled]);
	if (rc == ompd_rc_ok && table.source == ompdx_descriptors_symbols)
		rc = symbol_if_any(&space->image, "ompd_state", &table.ompd_state);
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
	llvm->knows_loops =
		loop_structures_init(&llvm->loop_structures, table.words, record) == ompd_rc_ok;
	llvm->knows_locks =
		lock_structures_init(&llvm->lock_structures, table.words, record) == ompd_rc_ok;
	llvm->table = table.address;
	llvm->ompd_state = table.ompd_state;
	llvm->record = record;
	llvm->source = table.source;
	return ompd_rc_ok;
}

/* Before libomp has started there is nothing to be found: to ask costs a word, to search 100 KiB. */
static ompd_rc_t require_start(struct address_space *space, struct llvm *llvm)
{
	ompd_word_t threads;
	ompd_rc_t rc;

	/* Causes of before are none of now. */
	diagnostics_begin(&space->diagnostics);
	rc = global_thread_count(space, llvm, &threads);
	llvm->not_started = rc == ompd_rc_ok && threads == 0;
	if (!llvm->not_started)
		return rc;
	diagnostics_note(&space->diagnostics, DIAGNOSTIC_not_started, NULL);
	return ompd_rc_unavailable;
}

ompd_rc_t llvm_ready(struct address_space *space, struct llvm **ret)
{
	struct llvm *llvm = space->runtime_state;
	ompd_rc_t rc = ompd_rc_ok;

	if (llvm->source == ompdx_descriptors_none) {
		rc = attempt_before(space, &llvm->at_resolving);
		if (rc != ompd_rc_ok)
			return rc;
		llvm->libiomp = llvm_is_libiomp(&space->image);
		rc = require_start(space, llvm);
		if (rc == ompd_rc_ok)
			rc = resolve(space, llvm);
		if (attempt_ended(space, &llvm->at_resolving, rc) == ompd_rc_ok)
			diagnostics_keep(&space->diagnostics);
	}
	if (rc == ompd_rc_ok)
		*ret = llvm;
	return rc;
}

ompd_rc_t llvm_threads_ready(struct address_space *space, struct llvm **ret)
{
	struct llvm *llvm;
	ompd_rc_t rc = llvm_ready(space, &llvm);

	if (rc == ompd_rc_ok && llvm->threads == 0) {
		rc = attempt_before(space, &llvm->at_threads);
		if (rc != ompd_rc_ok)
			return rc;
		rc = thread_array_locate(space, llvm, &llvm->threads);
		attempt_ended(space, &llvm->at_threads, rc);
	}
	if (rc == ompd_rc_ok)
		*ret = llvm;
	return rc;
}

ompd_rc_t llvm_tracks_states(struct address_space *space, const struct llvm *llvm, int *ret)
{
	/* ompt_enabled begins with the bit `enabled`. OMP_DEBUG, which turns OMPT on, sets the lowest bit of
	 * ompd_state; a debugger may do so too, for breakpoints, and OMPT stays off. */
	const target_addr ompt_enabled = llvm->globals[GLOBAL_ompt_enabled];
	const target_addr address = ompt_enabled ? ompt_enabled : llvm->ompd_state;
	uint64_t flags;
	ompd_rc_t rc;

	*ret = -1;
	if (address == 0)
		return ompd_rc_ok;
	rc = target_read_unsigned(&space->target, address, 4, &flags);
	if (rc == ompd_rc_ok)
		*ret = (int)(flags & 1);
	return rc;
}
