/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/reads.h"

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
