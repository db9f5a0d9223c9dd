/* SPDX-License-Identifier: Apache-2.0
 *
 * What we hold of one libomp: where it keeps what. Everything here is fixed for the life of the image;
 * whatever the program can change is read anew by each call.
 */
#ifndef RUNTIME_LLVM_LLVM_H
#define RUNTIME_LLVM_LLVM_H

#include "runtime/llvm/barrier_structures.h"
#include "runtime/llvm/icv_structures.h"
#include "runtime/llvm/lock_structures.h"
#include "runtime/llvm/ompt_structures.h"
#include "runtime/llvm/recovery.h"
#include "runtime/llvm/structures.h"
#include "runtime/llvm/task_structures.h"
#include "runtime/runtime.h"

/* Where a thread was seen: believed only if the structure still says so. */
struct thread_hint {
	uint64_t pthread;
	target_addr info; /* 0: free */
	int32_t gtid;
};

enum global {
#define GLOBAL(name) GLOBAL_##name,
#include "runtime/llvm/globals.def"
	GLOBAL_COUNT
};

struct llvm {
	ompdx_descriptors_t source; /* none: not resolved yet */
	target_addr table;          /* address of a recovered table; 0 */
	target_addr ompd_state;     /* address; 0: not known */
	const struct record *record;
	struct structures structures;
	struct icv_structures icv_structures;
	struct ompt_structures ompt_structures;
	struct task_structures task_structures;
	struct lock_structures lock_structures;
	struct barrier_structures barrier_structures;
	bool knows_barriers;    /* barrier_structures holds */
	bool knows_tasks;       /* task_structures holds */
	bool knows_locks;       /* lock_structures holds */
	target_addr lock_table; /* address of the variable __kmp_i_lock_table; 0: not found yet */
	target_addr threads;    /* address of the variable __kmp_threads; 0: not found yet */
	target_addr globals[GLOBAL_COUNT]; /* addresses; 0: not known, or not asked for yet */
	bool globals_located;              /* nothing more can be found of a stripped libomp */
	struct thread_hint *hints;
	uint32_t hint_count;   /* a power of two, or 0 */
	bool hints_incomplete; /* a structure could not be read, or did not fit */
};

/* The space's libomp with its descriptors resolved.
 * unavailable: not started yet, or they cannot be found (the diagnostics say which). Tried again at the
 * next call: a program that has not started OpenMP may start it. */
ompd_rc_t llvm_ready(struct address_space *space, struct llvm **ret);

/* The same, and the thread array located. */
ompd_rc_t llvm_threads_ready(struct address_space *space, struct llvm **ret);

/* 1: the runtime records thread states; 0: it does not, or is not known to; -1: not known. In a stripped
 * libomp an OMPT tool's activity is known only once ompt_enabled has been located (globals.h). */
int llvm_tracks_states(struct address_space *space, const struct llvm *llvm);

/* Reads of single structures, with a note to the diagnostics when they fail. */
ompd_rc_t llvm_read_info(struct address_space *space, const struct llvm *llvm, target_addr address,
			 struct info *ret);
ompd_rc_t llvm_read_team(struct address_space *space, const struct llvm *llvm, target_addr address,
			 struct team *ret);
ompd_rc_t llvm_read_task(struct address_space *space, const struct llvm *llvm, target_addr address,
			 struct task *ret);

/* The major version of an image by the names that it exports; -1: not known. */
int32_t llvm_version(struct image *image);

/* Where the C library keeps the kernel's thread id, from the address that a pthread id is.
 * unsupported: it does not tell. */
ompd_rc_t llvm_lwp_offset(struct address_space *space, uint64_t *offset);

/* The answers to runtime.h's questions. */
ompd_rc_t llvm_thread_of_pthread(struct address_space *space, uint64_t pthread,
				 struct entity *thread);
ompd_rc_t llvm_thread_of_lwp(struct address_space *space, uint64_t lwp, struct entity *thread);
ompd_rc_t llvm_pthread_of_thread(struct address_space *space, struct entity thread,
				 uint64_t *pthread);
ompd_rc_t llvm_lwp_of_thread(struct address_space *space, struct entity thread, uint64_t *lwp);
ompd_rc_t llvm_thread_in_region(struct address_space *space, struct entity region, int thread_num,
				struct entity *thread);
/* *team: the thread's. */
ompd_rc_t llvm_region_of_info(struct address_space *space, const struct llvm *llvm,
			      const struct info *info, struct team *team, struct entity *region);
ompd_rc_t llvm_region_of_thread(struct address_space *space, struct entity thread,
				struct entity *region);
ompd_rc_t llvm_enclosing_region(struct address_space *space, struct entity region,
				struct entity *enclosing);
ompd_rc_t llvm_region_of_task(struct address_space *space, struct entity task,
			      struct entity *region);
ompd_rc_t llvm_task_of_thread(struct address_space *space, struct entity thread,
			      struct entity *task);
ompd_rc_t llvm_task_in_region(struct address_space *space, struct entity region, int thread_num,
			      struct entity *task);
ompd_rc_t llvm_initial_task(struct address_space *space, struct entity *task);
ompd_rc_t llvm_generating_task(struct address_space *space, struct entity task,
			       struct entity *generating);
ompd_rc_t llvm_scheduling_task(struct address_space *space, struct entity task,
			       struct entity *scheduling);
ompd_rc_t llvm_function_of_task(struct address_space *space, struct entity task, target_addr *ret);
ompd_rc_t llvm_frames_of_task(struct address_space *space, struct entity task,
			      struct task_frames *ret);
ompd_rc_t llvm_state_of_thread(struct address_space *space, struct entity thread,
			       ompd_word_t *state, ompd_wait_id_t *wait_id);
ompd_rc_t llvm_tool_data(struct address_space *space, ompd_scope_t scope, struct entity entity,
			 uint64_t *ret);
ompd_rc_t llvm_icv(struct address_space *space, enum icv icv, struct entity entity,
		   struct icv_value *value);
ompd_rc_t llvm_view(struct address_space *space, const ompdx_native_thread_t *threads,
		    ompd_size_t thread_count, ompdx_view_t **view);
ompd_rc_t llvm_tasks(struct address_space *space, ompdx_tasks_t **tasks);
ompd_rc_t llvm_locks(struct address_space *space, const ompdx_lock_variable_t *variables,
		     ompd_size_t variable_count, ompdx_locks_t **locks);
ompd_rc_t llvm_arrivals(struct address_space *space, ompdx_arrivals_t **arrivals);

#endif /* RUNTIME_LLVM_LLVM_H */
