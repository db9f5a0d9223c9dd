/* SPDX-License-Identifier: Apache-2.0
 *
 * Moments, in nanoseconds.
 */
#ifndef SAMPLER_CLOCKS_H
#define SAMPLER_CLOCKS_H

#include <stdint.h>
#include <time.h>

#define SECOND UINT64_C(1000000000)
#define MILLISECOND UINT64_C(1000000)

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static inline uint64_t now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t own_processor_time(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

#endif /* SAMPLER_CLOCKS_H */
