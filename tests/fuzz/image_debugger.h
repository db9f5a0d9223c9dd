/* SPDX-License-Identifier: Apache-2.0
 *
 * A debugger whose process is a memory image. It keeps book of allocations and of the work that one call
 * of libompd makes; what no call may do ends the program with a sentence.
 */
#ifndef IMAGE_DEBUGGER_H
#define IMAGE_DEBUGGER_H

#include "memory_image.h"
#include "ompd.h"

/* Reads in one call, of a process with as few threads as an image has: more would take minutes through a gdbserver. Real ones
 * need more as they have more threads, teams and tasks, up to what libompd/target/limits.h allows. */
#define READS_PER_CALL_MAX 20000u

const ompd_callbacks_t *debugger_callbacks(void);
ompd_address_space_context_t *debugger_context(void);

/* Looks at this image from now on, with fresh books. */
void debugger_open(const struct memory_image *image, bool knows_symbols);

/* Ends the program: a finding. */
_Noreturn void finding(const char *what, const char *about);

/* Called before each call of libompd; about: the call, for findings. */
void debugger_call_begins(const char *about);
const char *debugger_call(void);

uint64_t debugger_reads(void); /* since debugger_open */

/* Gives a block back that libompd handed out. */
void debugger_free(const void *block);
/* Bytes of a block that libompd handed out. */
size_t debugger_block_size(const void *block);
/* A finding if a block is left. */
void debugger_expect_no_blocks(void);

/* Called for every successful read; NULL: nobody. */
extern void (*debugger_on_read)(uint64_t address, uint64_t length);

#endif /* IMAGE_DEBUGGER_H */
