/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot.h"

#include "handle.h"
#include "library.h"
#include "target/callbacks.h"

void reading_begin(struct reading *reading, struct snapshot *snapshot)
{
	struct address_space *space = snapshot->space;

	reading->snapshot = snapshot;
	reading->cache = space->target.cache;
	reading->diagnostics = space->diagnostics;
	space->target.cache = &snapshot->memory;
	space->diagnostics = snapshot->diagnostics;
}

void reading_end(struct reading *reading)
{
	struct snapshot *snapshot = reading->snapshot;
	struct address_space *space = snapshot->space;

	snapshot->diagnostics = space->diagnostics;
	space->diagnostics = reading->diagnostics;
	space->target.cache = reading->cache;
}

static ompd_rc_t read_picture(struct snapshot *snapshot, const ompdx_native_thread_t *threads,
			      ompd_size_t thread_count)
{
	struct address_space *space = snapshot->space;
	struct memory_cache *cache = space->target.cache;
	ompd_rc_t rc;

	/* Notes stay with the space until there is a snapshot: they say why there is none. */
	diagnostics_begin(&space->diagnostics);
	rc = space->runtime->ready(space);
	if (rc != ompd_rc_ok)
		return rc;
	space->target.cache = &snapshot->memory;
	rc = space->runtime->picture(space, threads, thread_count, &snapshot->picture);
	space->target.cache = cache;
	return rc;
}

ompd_rc_t snapshot_create(struct address_space *space, const ompdx_native_thread_t *threads,
			  ompd_size_t thread_count, struct snapshot **ret)
{
	struct snapshot *snapshot;
	struct entity entity = {0, 0};
	void *block = NULL;
	ompd_rc_t rc = callback_alloc(1, sizeof(*snapshot), &block);

	if (rc != ompd_rc_ok)
		return rc;
	snapshot = block;
	snapshot->space = space;
	memory_cache_init(&snapshot->memory);
	entity.address = (uint64_t)(uintptr_t)snapshot;
	rc = read_picture(snapshot, threads, thread_count);
	if (rc == ompd_rc_ok)
		rc = handle_create(space, HANDLE_SNAPSHOT, entity, &snapshot->handle);
	snapshot->next = space->snapshots;
	space->snapshots = snapshot;
	if (rc != ompd_rc_ok) {
		snapshot_destroy(snapshot);
		return rc;
	}
	diagnostics_move(&space->diagnostics, &snapshot->diagnostics);
	*ret = snapshot;
	return ompd_rc_ok;
}

void snapshot_destroy(struct snapshot *snapshot)
{
	struct snapshot **link = &snapshot->space->snapshots;

	while (*link != snapshot)
		link = &(*link)->next;
	*link = snapshot->next;
	if (snapshot->handle)
		(void)handle_release(snapshot->handle, HANDLE_SNAPSHOT);
	if (snapshot->picture)
		snapshot->space->runtime->picture_free(snapshot->picture);
	for (unsigned i = 0; i < SNAPSHOT_PARTS; i++)
		callback_free(snapshot->parts[i]);
	memory_cache_deinit(&snapshot->memory);
	callback_free(snapshot);
}

void snapshots_destroy(struct address_space *space)
{
	while (space->snapshots)
		snapshot_destroy(space->snapshots);
}

ompd_rc_t snapshot_find(const void *handle, struct snapshot **ret)
{
	struct address_space *space;
	struct entity entity;
	const ompd_rc_t rc = handle_find(handle, HANDLE_SNAPSHOT, &space, &entity);

	if (rc == ompd_rc_ok)
		*ret = (struct snapshot *)(uintptr_t)entity.address;
	return rc;
}

void snapshot_set(struct snapshot *snapshot, unsigned part, void *block)
{
	callback_free(snapshot->parts[part]);
	snapshot->parts[part] = block;
}

ompd_rc_t snapshot_show(struct snapshot *snapshot, unsigned part,
			ompd_rc_t (*make)(struct snapshot *snapshot, unsigned part, void **block),
			const void **ret)
{
	ompd_rc_t rc = ompd_rc_ok;

	if (!snapshot->parts[part]) {
		struct reading reading;
		void *block;

		reading_begin(&reading, snapshot);
		rc = make(snapshot, part, &block);
		reading_end(&reading);
		if (rc == ompd_rc_ok)
			snapshot_set(snapshot, part, block);
	}
	*ret = snapshot->parts[part];
	return rc;
}
