/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the loaded objects hold an OpenMP runtime?
 */
#ifndef OPENING_FIND_H
#define OPENING_FIND_H

#include "ompd-ext.h"
#include "runtime/runtime.h"
#include "target/vector.h"

struct found_runtime {
	const struct runtime_ops *runtime;
	int32_t version;    /* major; -1: not known */
	bool version_asked; /* and answered, be it by silence */
	struct image image; /* opened; whoever goes on with it takes it by found_take_image */
};

struct runtimes {
	struct vector list;  /* struct found_runtime, in the order of the objects */
	bool unreadable;     /* some object could not be read: it may be one too */
	uint64_t names_cost; /* see NAMES_COST_MAX */
};

/* Among those of the dynamic linker's list; only if none of them exports a runtime's names, inside the
 * program. unavailable: there is no list. runtimes_deinit is due in any case, here and below. */
ompd_rc_t runtimes_find(struct runtimes *ret, const struct target *target);

/* Among those that a tool brings along; an array as ompd-ext.h describes. */
ompd_rc_t runtimes_find_among(struct runtimes *ret, const struct target *target,
			      const ompdx_image_t *images, ompd_size_t count);

/* Moves the image of a runtime that was found to the caller, for whose reads the target is. */
void found_take_image(struct found_runtime *found, const struct target *target, struct image *ret);

struct found_runtime *runtimes_at(const struct runtimes *runtimes, size_t index);
void runtimes_deinit(struct runtimes *runtimes);

#endif /* OPENING_FIND_H */
