/* SPDX-License-Identifier: Apache-2.0 */
#include "address_space.h"

#include "library.h"
#include "runtime/runtime.h"
#include "target/callbacks.h"

static int free_index(void)
{
	for (int i = 0; i < LIBRARY_SPACES_MAX; i++) {
		if (!library.spaces[i] && handle_generation_valid(library.generations[i]) &&
		    handle_generation_valid(library.handle_generations[i]))
			return i;
	}
	return -1;
}

bool address_space_has_room(void)
{
	return free_index() >= 0;
}

void address_space_publish(struct address_space *space)
{
	const int index = free_index();

	diagnostics_keep(&space->diagnostics);
	space->index = (unsigned)index;
	space->generation = library.generations[index];
	space->handles.first_generation = library.handle_generations[index];
	library.spaces[index] = space;
}

int32_t address_space_version(struct address_space *space)
{
	ompd_rc_t rc;

	if (space->version_asked)
		return space->runtime_version;
	space->runtime_version = -1;
	rc = space->runtime->version(&space->image, &space->runtime_version);
	space->version_asked = rc == ompd_rc_ok || rc == ompd_rc_unavailable;
	return space->runtime_version;
}

ompd_rc_t attempt_before(const struct address_space *space, const struct attempt *attempt)
{
	const bool same = attempt->question && attempt->question == space->questions;

	return same ? attempt->rc : ompd_rc_ok;
}

ompd_rc_t attempt_ended(const struct address_space *space, struct attempt *attempt, ompd_rc_t rc)
{
	attempt->question = rc == ompd_rc_ok ? 0 : space->questions;
	attempt->rc = rc;
	return rc;
}

void address_space_freeze(struct address_space *space)
{
	memory_cache_init(&space->frozen);
	space->target.cache = &space->frozen;
}

void address_space_thaw(struct address_space *space)
{
	space->target.cache = NULL;
	memory_cache_deinit(&space->frozen);
}

void address_space_discard(struct address_space *space)
{
	if (space->runtime_state)
		space->runtime->close(space);
	image_close(&space->image);
	callback_free(space);
}

void address_space_destroy(struct address_space *space)
{
	address_space_thaw(space);
	library.handle_generations[space->index] = handle_table_deinit(&space->handles);
	library.spaces[space->index] = NULL;
	library.generations[space->index]++;
	address_space_discard(space);
}
