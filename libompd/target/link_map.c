/* SPDX-License-Identifier: Apache-2.0 */
#include "target/link_map.h"

#include <string.h>

#include "target/limits.h"

/* struct r_debug: int r_version, r_map, r_brk, r_state, r_ldbase; from version 2 on, r_next follows. */
static ompd_rc_t enter_namespace(struct link_map_walk *walk, target_addr debug)
{
	walk->debug = debug;
	walk->namespaces++;
	return target_read_pointer(walk->target, debug + walk->target->sizes.sizeof_pointer,
				   &walk->next);
}

ompd_rc_t link_map_begin(struct link_map_walk *walk, const struct target *target, target_addr debug)
{
	memset(walk, 0, sizeof(*walk));
	walk->target = target;
	return enter_namespace(walk, debug);
}

ompd_rc_t link_map_first(struct link_map_walk *walk, const struct target *target)
{
	target_addr debug;
	ompd_rc_t rc = target_symbol(target, "_r_debug", NULL, &debug);

	if (rc == ompd_rc_ok)
		rc = link_map_begin(walk, target, debug);
	if (rc == ompd_rc_ok && walk->next == 0)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok || rc == ompd_rc_stale_handle || rc == ompd_rc_callback_error)
		return rc;
	diagnostics_note(target->diagnostics, DIAGNOSTIC_link_map_unreadable, "_r_debug");
	return ompd_rc_unavailable;
}

static ompd_rc_t next_namespace(struct link_map_walk *walk)
{
	const size_t width = walk->target->sizes.sizeof_pointer;
	uint64_t version;
	target_addr next;
	ompd_rc_t rc = target_read_unsigned(walk->target, walk->debug,
					    walk->target->sizes.sizeof_int, &version);

	if (rc != ompd_rc_ok)
		return rc;
	if (version < 2)
		return ompd_rc_unavailable;
	rc = target_read_pointer(walk->target, walk->debug + 5 * width, &next);
	if (rc != ompd_rc_ok)
		return rc;
	walk->cut = next && walk->namespaces >= LINK_NAMESPACES_MAX;
	return next && !walk->cut ? enter_namespace(walk, next) : ompd_rc_unavailable;
}

/* struct link_map: l_addr, l_name, l_ld, l_next, l_prev. */
ompd_rc_t link_map_next(struct link_map_walk *walk, struct loaded_object *ret)
{
	target_addr members[4];
	ompd_rc_t rc;

	while (walk->next == 0) {
		rc = next_namespace(walk);
		if (rc != ompd_rc_ok)
			return rc;
	}
	if (walk->objects++ >= LINK_MAP_MAX || walk->next == walk->mark) {
		diagnostics_note(walk->target->diagnostics, DIAGNOSTIC_link_map_cut, NULL);
		walk->cut = true;
		return ompd_rc_unavailable;
	}
	/* The mark moves on at each power of two: sooner or later it lies in the circle. */
	if ((walk->objects & (walk->objects - 1)) == 0)
		walk->mark = walk->next;
	rc = target_read_pointers(walk->target, walk->next, 4, members);
	if (rc != ompd_rc_ok)
		return rc;
	ret->bias = members[0];
	ret->name = members[1];
	ret->dynamic = members[2];
	walk->next = members[3];
	return ompd_rc_ok;
}
