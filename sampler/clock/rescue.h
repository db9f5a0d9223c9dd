/* SPDX-License-Identifier: Apache-2.0
 *
 * Whoever stops the sampler (SIGSTOP, Ctrl-Z) does not mean the thread that it holds at that moment. A helper beside it
 * sees that, and lets the sampler go on until it holds none; then it stops by itself.
 */
#ifndef SAMPLER_RESCUE_H
#define SAMPLER_RESCUE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rescue_words {
	uint32_t holds; /* a thread is stopped, or on its way to be */
	uint32_t turn;  /* changes while the sampler goes on */
	uint32_t woken; /* by the helper: it was stopped */
};

struct rescue {
	struct rescue_words *words; /* shared with the helper; NULL: there is none */
	pid_t helper;
};

/* Without memory or processes left there is no helper. */
void rescue_init(struct rescue *rescue);
void rescue_deinit(struct rescue *rescue);

/* From now on a thread is held, or none is. */
void rescue_holds(struct rescue *rescue, bool holds);

#endif /* SAMPLER_RESCUE_H */
