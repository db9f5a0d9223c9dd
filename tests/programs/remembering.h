/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program that is made by a test ends in: each of its threads records itself and stays.
 * Truth: as in truth.h; in OMPD_TRUTH_FILE.calls a line "TID ADDRESS..." of each thread, where each call returns to, the
 * innermost first, beginning in remember() itself; by backtrace() unless that fails.
 */
#ifndef REMEMBERING_H
#define REMEMBERING_H

#include "truth.h"
#include <execinfo.h>

#ifdef __ARM_FEATURE_PAC_DEFAULT
extern char __executable_start, etext;

/* libgcc 12 crashes in libomp's __kmp_invoke_microtask, whose unwind information is wrong: it takes for signed what is
 * not. So by frame pointers, to where the program's own code was called. */
__attribute__((noinline)) static int backtrace_by_frames(void **calls, int most)
{
	const unsigned long unsigned_bits = (1ul << 48) - 1;
	void **frame = __builtin_frame_address(0);
	int count = 0, own = 1;

	while (own && count < most) {
		char *const to = (char *)((unsigned long)frame[1] & unsigned_bits);

		calls[count++] = to;
		own = to >= &__executable_start && to < &etext;
		frame = frame[0];
	}
	return count;
}
#define backtrace backtrace_by_frames
#endif

__attribute__((noinline)) static void remember(void)
{
	char line[8192] = "";
	void *calls[200];
	const int count = backtrace(calls, 200);

	for (int i = 0; i < count; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " %p", calls[i]);
	truth_append("calls", "%ld%s\n", truth_tid(), line);
}

__attribute__((noinline)) static void park(int threads)
{
	remember();
	truth_record();
	truth_stop(threads);
	/* No tail call, which would leave no frame. */
	__asm__ volatile("");
}

#endif /* REMEMBERING_H */
