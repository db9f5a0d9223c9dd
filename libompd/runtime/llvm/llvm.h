/* SPDX-License-Identifier: Apache-2.0
 *
 * What we hold of one libomp: where it keeps what. Everything here is fixed for the life of the image;
 * whatever the program can change is read anew by each call.
 */
#ifndef RUNTIME_LLVM_LLVM_H
#define RUNTIME_LLVM_LLVM_H

#include "address_space.h"
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
	bool libiomp;               /* it is built as that: its layout is not what was measured */
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
	struct attempt at_resolving;
	struct attempt at_threads;
};

#endif /* RUNTIME_LLVM_LLVM_H */
