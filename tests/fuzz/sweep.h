/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that libompd can be asked about one process: every routine for every handle that can be
 * reached. What an answer may never be, whatever the memory holds, is a finding.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include "memory_image.h"
#include "ompd-ext.h"
#include "ompd.h"

struct sweep_options {
	ompd_word_t api_version;
	bool knows_symbols;   /* the debugger has the image's symbols */
	bool finds_runtimes;  /* by our extensions: each of them, not only the first */
	bool leaves_handles;  /* to ompd_finalize */
	void (*change)(void); /* the process goes on, and stops elsewhere; NULL: it does not */
};

/* What there was: so that a test can tell a sweep from one that saw nothing. */
struct sweep_seen {
	unsigned runtimes;
	unsigned images;
	unsigned threads; /* handles got, as for the next ones */
	unsigned regions;
	unsigned tasks;
	unsigned values;
	unsigned view_threads;
	unsigned view_regions;
	unsigned view_tasks;
	unsigned locks;
	unsigned mappings; /* of devices */
};

/* From ompd_initialize to ompd_finalize. */
struct sweep_seen sweep(const struct memory_image *image, struct sweep_options options);

/* Used by the parts of a sweep: ends the program when rc is none that a routine may return. */
ompd_rc_t sweep_checked(ompd_rc_t rc);
#define CALL(expression) (debugger_call_begins(#expression), sweep_checked(expression))

/* The answers that are blocks (sweep_blocks.c). */
void sweep_snapshot(const struct memory_image *image, ompd_address_space_handle_t *space,
		    bool leave, struct sweep_seen *seen);
void sweep_diagnostics(ompd_address_space_handle_t *space);
/* A finding unless text is a string inside the block. */
/* Devices, entries and mappings. */
void sweep_check_offload(const ompdx_offload_t *offload);

void sweep_check_text(const void *block, const char *text);

#endif /* SWEEP_H */
