/* SPDX-License-Identifier: Apache-2.0
 *
 * A debugger that offers fake targets through OMPD's callbacks and keeps book: how often each callback
 * was called, how much was read, what was allocated and not freed, and whether the library broke one of
 * the specification's rules. It can fail any call. There is one, since OMPD's allocator callbacks carry
 * no context.
 */
#ifndef FAKE_DEBUGGER_H
#define FAKE_DEBUGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompd.h"

enum fake_callback {
	FAKE_ALLOC,
	FAKE_FREE,
	FAKE_PRINT,
	FAKE_SIZEOF,
	FAKE_LOOKUP,
	FAKE_READ,
	FAKE_WRITE,
	FAKE_READ_STRING,
	FAKE_TO_HOST,
	FAKE_TO_DEVICE,
	FAKE_THREAD_CONTEXT,
	FAKE_CALLBACK_COUNT
};

const ompd_callbacks_t *fake_callbacks(void);

/* Forgets counts, fault and violations. Blocks that are still allocated are freed. */
void fake_debugger_reset(void);

/* ---- Counts ---- */

struct fake_counts {
	unsigned calls[FAKE_CALLBACK_COUNT];
	uint64_t bytes_read; /* by both read callbacks */
};

struct fake_counts fake_counts(void);
unsigned fake_calls(const struct fake_counts *counts);
void fake_counts_reset(void);
/* Reads of memory that is not there. */
unsigned fake_failed_reads(void);

/* Blocks allocated and not freed. */
size_t fake_live_blocks(void);

/* ---- Rules of the specification that the library broke ---- */

/* How many times; the sentence about the first one, or "". */
unsigned fake_violations(void);
const char *fake_first_violation(void);

/* ---- Faults ---- */

#define FAKE_ANY_CALLBACK ((1u << FAKE_CALLBACK_COUNT) - 1)

/* The nth call (from 1) of these callbacks answers rc and does nothing, from then on every one if
 * persistent. A failed free does free: only its answer is wrong. */
struct fake_fault {
	unsigned callbacks; /* bit set of 1 << enum fake_callback */
	unsigned nth;
	bool persistent;
	ompd_rc_t rc;
};

void fake_fault_plan(struct fake_fault fault);
void fake_fault_clear(void);
/* Whether the planned call was reached. */
bool fake_fault_struck(void);

/* ---- Kinds of debuggers ---- */

/* A debugger that does not know kernel thread ids, or no thread ids at all. */
void fake_know_lwps(bool known);
void fake_know_threads(bool known);

/* Thread contexts live until the OMPD routine returns: called between routines, makes those handed out
 * so far invalid. */
void fake_expire_thread_contexts(void);

#endif /* FAKE_DEBUGGER_H */
