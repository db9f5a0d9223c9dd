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
#include "target/memory_cache.h"
#include "target/target.h"

struct runtime_ops;
struct snapshot;

struct address_space {
	unsigned index; /* in library.spaces */
	uint32_t generation;
	struct diagnostics diagnostics;
	struct target target;
	struct image image;
	const struct runtime_ops *runtime;
	bool version_asked;      /* and answered, be it by silence */
	int32_t runtime_version; /* major; -1: not known */
	void *runtime_state;     /* the runtime's own, made by its open */
	struct handle_table handles;
	struct memory_cache frozen; /* what target.cache points to while the tool has frozen it */
	struct snapshot *snapshots; /* that the tool holds */
};

/* Opens the runtime that image holds. incompatible: none. The space is in library.spaces afterwards. */
ompd_rc_t address_space_create(ompd_address_space_context_t *context, const ompdx_image_t *image,
			       struct address_space **ret);

/* Opens the first runtime of the process; see ompd_process_initialize. */
ompd_rc_t address_space_create_first(ompd_address_space_context_t *context,
				     struct address_space **ret);

/* The runtime's major version; -1: not known. A failure is tried again at the next call. */
int32_t address_space_version(struct address_space *space);

/* Remembers what is read from now on; forgets all of it. */
void address_space_freeze(struct address_space *space);
void address_space_thaw(struct address_space *space);

/* Frees everything that belongs to it but its snapshots, which have to end before; its handles are stale from now
 * on. */
void address_space_destroy(struct address_space *space);

#endif /* ADDRESS_SPACE_H */
