/* SPDX-License-Identifier: Apache-2.0
 *
 * One runtime at one stop: what was read of it, and what of that the tool has been shown.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "address_space.h"
#include "runtime/runtime.h"

/* What the tool is shown, each one block. */
enum {
	SNAPSHOT_LOCKS = PICTURE_PARTS,
	SNAPSHOT_DOACROSS,
	SNAPSHOT_ICVS,
	SNAPSHOT_DIAGNOSTICS,
	SNAPSHOT_PARTS
};

struct snapshot {
	struct address_space *space;
	struct snapshot *next; /* of the same space */
	void *handle;
	void *picture; /* the runtime's */
	struct memory_cache memory;
	struct diagnostics diagnostics;
	void *parts[SNAPSHOT_PARTS]; /* NULL: not asked for yet */
};

/* Reads the picture of a space. It is in space->snapshots afterwards; of a failure the space's diagnostics tell. */
ompd_rc_t snapshot_create(struct address_space *space, const ompdx_native_thread_t *threads,
			  ompd_size_t thread_count, struct snapshot **ret);

/* Frees it with all its parts; its handle is stale from now on. */
void snapshot_destroy(struct snapshot *snapshot);

/* All of a space, before it ends. */
void snapshots_destroy(struct address_space *space);

ompd_rc_t snapshot_find(const void *handle, struct snapshot **ret);

/* Reads of the space go through the snapshot's memory, and notes to its diagnostics, until the end. */
struct reading {
	struct snapshot *snapshot;
	struct memory_cache *cache; /* the space's own */
	struct diagnostics diagnostics;
};

void reading_begin(struct reading *reading, struct snapshot *snapshot);
void reading_end(struct reading *reading);

/* Makes a block the part, in place of what it was. */
void snapshot_set(struct snapshot *snapshot, unsigned part, void *block);

/* The part, made if it is asked for for the first time. make: its block, of what it reads. */
ompd_rc_t snapshot_show(struct snapshot *snapshot, unsigned part,
			ompd_rc_t (*make)(struct snapshot *snapshot, unsigned part, void **block),
			const void **ret);

#endif /* SNAPSHOT_H */
