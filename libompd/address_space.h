/* SPDX-License-Identifier: Apache-2.0
 *
 * One OpenMP runtime in one debugged process or core file.
 */
#ifndef ADDRESS_SPACE_H
#define ADDRESS_SPACE_H

#include "handle.h"
#include "ompd-ext.h"
#include "target/diagnostics.h"
#include "target/image.h"
#include "target/target.h"

struct runtime_ops;

struct address_space {
	unsigned index; /* in library.spaces */
	uint32_t generation;
	struct diagnostics diagnostics;
	struct target target;
	struct image image;
	const struct runtime_ops *runtime;
	int32_t runtime_version; /* major; -1: not known */
	void *runtime_state;     /* the runtime's own, made by its open */
	struct handle_table handles;
};

/* Opens the runtime that image holds. incompatible: none. The space is in library.spaces afterwards. */
ompd_rc_t address_space_create(ompd_address_space_context_t *context, const ompdx_image_t *image,
			       struct address_space **ret);

/* Opens the first runtime of the process; see ompd_process_initialize. */
ompd_rc_t address_space_create_first(ompd_address_space_context_t *context,
				     struct address_space **ret);

/* Frees everything that belongs to it; its handles are stale from now on. */
void address_space_destroy(struct address_space *space);

#endif /* ADDRESS_SPACE_H */
