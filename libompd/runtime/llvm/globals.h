/* SPDX-License-Identifier: Apache-2.0
 *
 * Where are libomp's variables? By their symbols; in a stripped libomp by the code of the exported functions
 * that return them, and by their distance from an exported one, where enough of its neighbours prove that the
 * build lays its data out as the one that the distances were taken from.
 */
#ifndef RUNTIME_LLVM_GLOBALS_H
#define RUNTIME_LLVM_GLOBALS_H

#include "runtime/llvm/llvm.h"

/* unavailable: it cannot be found; the diagnostics name it. */
ompd_rc_t global_address(struct address_space *space, struct llvm *llvm, enum global global,
			 target_addr *ret);

/* How many threads libomp has now: 0 before the program has started it, and after its end; -1: not known. Found
 * before anything else is, by the code of the function that returns it. */
ompd_rc_t global_thread_count(struct address_space *space, struct llvm *llvm, ompd_word_t *ret);

/* The variable's value, of 4 bytes and signed. */
ompd_rc_t global_read_int(struct address_space *space, struct llvm *llvm, enum global global,
			  ompd_word_t *ret);

ompd_rc_t global_read_pointer(struct address_space *space, struct llvm *llvm, enum global global,
			      target_addr *ret);

#endif /* RUNTIME_LLVM_GLOBALS_H */
