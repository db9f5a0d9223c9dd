/* SPDX-License-Identifier: Apache-2.0
 *
 * Where libomp keeps the ICVs.
 */
#include "runtime/llvm/llvm.h"
#include "runtime/llvm/nesting.h"

/* omp_get_thread_num(): the thread's number in its innermost region. */
static ompd_rc_t thread_num(struct address_space *space, const struct llvm *llvm,
			    struct entity thread, ompd_word_t *value)
{
	struct entity region;
	struct info info;
	ompd_rc_t rc = llvm_region_of_thread(space, thread, &region);

	if (rc == ompd_rc_ok)
		rc = llvm_read_info(space, llvm, thread.address, &info);
	if (rc == ompd_rc_ok)
		*value = part_is_league(region.part) ? 0 : info.ds_tid;
	return rc;
}

ompd_rc_t llvm_icv(struct address_space *space, enum icv icv, struct entity entity,
		   ompd_word_t *value)
{
	struct region region;
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc != ompd_rc_ok)
		return rc;
	if (icv == ICV_THREAD_NUM)
		return thread_num(space, llvm, entity, value);
	rc = region_read(space, llvm, entity, &region);
	if (rc != ompd_rc_ok)
		return rc;
	switch (icv) {
	case ICV_LEVELS:
		*value = region.level;
		return ompd_rc_ok;
	case ICV_ACTIVE_LEVELS:
		*value = region.active_level;
		return ompd_rc_ok;
	case ICV_TEAM_SIZE:
		*value = region.team_size;
		return ompd_rc_ok;
	case ICV_THREAD_NUM:
		break;
	}
	return ompd_rc_unsupported;
}
