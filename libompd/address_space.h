/* SPDX-License-Identifier: Apache-2.0
 *
 * One OpenMP runtime in one debugged process or core file.
 */
#ifndef ADDRESS_SPACE_H
#define ADDRESS_SPACE_H

#include "handle_table.h"
#include "ompd-ext.h"
#include "target/diagnostics.h"
#include "target/image.h"
#include "target/memory_cache.h"
#include "target/target.h"

struct runtime_ops;
struct snapshot;

/* At what takes long if it fails. Zeroed: none was made. */
struct attempt {
	uint64_t question; /* in which it failed */
	ompd_rc_t rc;
};

struct address_space {
	unsigned index; /* in library.spaces */
	uint32_t generation;
	uint64_t questions; /* of the tool's, so far */
	struct diagnostics diagnostics;
	struct target target;
	struct image image;
	const struct runtime_ops *runtime;
	bool version_asked;      /* and answered, be it by silence */
	int32_t runtime_version; /* major; -1: not known */
	void *runtime_state;     /* the runtime's own, made by its open; NULL: not opened */
	struct handle_table handles;
	struct memory_cache frozen; /* what target.cache points to while the tool has frozen it */
	struct snapshot *snapshots; /* that the tool holds */
};

/* ok, or why it has failed before in the same question of the tool's: it would fail again. */
ompd_rc_t attempt_before(const struct address_space *space, const struct attempt *attempt);

/* Remembers how it ended; returns rc. */
ompd_rc_t attempt_ended(const struct address_space *space, struct attempt *attempt, ompd_rc_t rc);

/* Whether library.spaces has room for one more. */
bool address_space_has_room(void);

/* Puts an opened space into library.spaces, where there is room. */
void address_space_publish(struct address_space *space);

/* Frees one that has not been published, whether its runtime has been opened or not. */
void address_space_discard(struct address_space *space);

/* The runtime's major version; -1: not known. A failure is tried again at the next call. */
int32_t address_space_version(struct address_space *space);

/* Remembers what is read from now on; forgets all of it. */
void address_space_freeze(struct address_space *space);
void address_space_thaw(struct address_space *space);

/* Frees everything that belongs to it but its snapshots, which have to end before; its handles are stale from now
 * on. */
void address_space_destroy(struct address_space *space);

#endif /* ADDRESS_SPACE_H */
