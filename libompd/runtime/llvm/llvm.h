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
#include "runtime/llvm/loop_structures.h"
#include "runtime/llvm/ompt_structures.h"
#include "runtime/llvm/recovery.h"
#include "runtime/llvm/structures.h"
#include "runtime/llvm/task_structures.h"
#include "runtime/runtime.h"
#include "target/address_map.h"
#include "target/vector.h"

/* Where a thread was seen: believed only if the structure still says so. */
struct thread_hint {
	uint64_t pthread;
	uint64_t lwp; /* 0: not known */
	target_addr info;
	int32_t gtid;
};

struct thread_hints {
	struct vector list; /* struct thread_hint */
	struct address_map of_pthread, of_lwp;
	bool incomplete; /* a structure could not be read, or did not fit */
};

enum global {
#define GLOBAL(name) GLOBAL_##name,
#include "runtime/llvm/globals.def"
	GLOBAL_COUNT
};

struct llvm {
	ompdx_descriptors_t source; /* none: not resolved yet */
	bool not_started;           /* as the last attempt to resolve them found */
	target_addr table;          /* address of a recovered table; 0 */
	target_addr ompd_state;     /* address; 0: not known */
	const struct record *record;
	struct structures structures;
	struct icv_structures icv_structures;
	struct ompt_structures ompt_structures;
	struct task_structures task_structures;
	struct lock_structures lock_structures;
	struct barrier_structures barrier_structures;
	struct loop_structures loop_structures;
	bool knows_barriers;    /* barrier_structures holds */
	bool knows_loops;       /* loop_structures holds */
	bool knows_tasks;       /* task_structures holds */
	bool knows_locks;       /* lock_structures holds */
	target_addr lock_table; /* address of the variable __kmp_i_lock_table; 0: not found yet */
	target_addr threads;    /* address of the variable __kmp_threads; 0: not found yet */
	target_addr globals[GLOBAL_COUNT]; /* addresses; 0: not known, or not asked for yet */
	bool globals_located;              /* nothing more can be found of a stripped libomp */
	struct thread_hints hints;
};

/* The space's libomp with its descriptors resolved.
 * unavailable: not started yet, or they cannot be found (the diagnostics say which). Tried again at the
 * next call: a program that has not started OpenMP may start it. */
ompd_rc_t llvm_ready(struct address_space *space, struct llvm **ret);

/* The same, and the thread array located. */
ompd_rc_t llvm_threads_ready(struct address_space *space, struct llvm **ret);

/* *ret 1: the runtime records thread states; 0: it does not, or is not known to; -1: where it says so is not
 * known. In a stripped libomp an OMPT tool's activity is known only once ompt_enabled has been located
 * (globals.h). error: it cannot be read; *ret is -1 then too. */
ompd_rc_t llvm_tracks_states(struct address_space *space, const struct llvm *llvm, int *ret);

/* What a handle of this thread stands for: its structure, and as the part its pthread id. */
struct entity llvm_entity_of(const struct info *info);

/* Reads of single structures, with a note to the diagnostics when they fail. */
ompd_rc_t llvm_read_info(struct address_space *space, const struct llvm *llvm, target_addr address,
			 struct info *ret);
ompd_rc_t llvm_read_team(struct address_space *space, const struct llvm *llvm, target_addr address,
			 struct team *ret);
/* The structure of a thread that a handle stands for. stale_handle: that thread has ended, and what is there now
 * is another's, or nobody's. */
ompd_rc_t llvm_read_thread(struct address_space *space, const struct llvm *llvm,
			   struct entity thread, struct info *ret);
ompd_rc_t llvm_read_task(struct address_space *space, const struct llvm *llvm, target_addr address,
			 struct task *ret);

/* The major version of an image by the names that it exports. unavailable: none of them. */
ompd_rc_t llvm_version(struct image *image, int32_t *ret);

void llvm_forget_threads(struct llvm *llvm);

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
ompd_rc_t llvm_initial_thread(struct address_space *space, struct entity *thread);
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
ompd_rc_t llvm_picture(struct address_space *space, const ompdx_native_thread_t *threads,
		       ompd_size_t thread_count, void **ret);
void llvm_picture_free(void *picture);
ompd_rc_t llvm_view(void *picture, void **block);
ompd_rc_t llvm_tasks(void *picture, void **block);
ompd_rc_t llvm_locks(void *picture, const ompdx_lock_variable_t *variables,
		     ompd_size_t variable_count, void **block);
ompd_rc_t llvm_arrivals(void *picture, void **block);
ompd_rc_t llvm_loops(void *picture, void **block);

#endif /* RUNTIME_LLVM_LLVM_H */
