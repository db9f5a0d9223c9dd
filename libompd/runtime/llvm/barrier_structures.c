/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/barrier_structures.h"

#include <string.h>

#define FIELD(type, member) member_recorded(record, RECORD_FIELD_##type##__##member)

/* The element of an array of as many as there are kinds of barriers. */
static struct span element(struct span array, unsigned index)
{
	const uint16_t size = (uint16_t)(array.size / BARRIER_COUNT);
	const struct span span = {(uint16_t)(array.offset + index * size), size};

	return span;
}

/* Whether the kinds are those that we know, in their order. */
static bool kinds_fit(const struct record *record)
{
	const struct span kinds[] = {
		FIELD(barrier_type, bs_plain_barrier), FIELD(barrier_type, bs_forkjoin_barrier),
		FIELD(barrier_type, bs_reduction_barrier), FIELD(barrier_type, bs_last_barrier)};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!kinds[i].size || kinds[i].offset != i)
			return false;
	}
	return true;
}

ompd_rc_t barrier_structures_init(struct barrier_structures *ret, const uint64_t table[TABLE_WORDS],
				  const struct record *record)
{
	const struct span *of_thread[2 * BARRIER_COUNT];
	const struct span *of_team[BARRIER_COUNT];
	struct span th_bar, t_bar, first;

	memset(ret, 0, sizeof(*ret));
	if (!record || !kinds_fit(record))
		return ompd_rc_incompatible;
	th_bar = member_nested(member_published(table, ACCESS_kmp_info_t__th),
			       FIELD(kmp_base_info_t, th_bar));
	t_bar = member_nested(member_published(table, ACCESS_kmp_team_p__t),
			      FIELD(kmp_base_team_t, t_bar));
	/* The one member of kmp_balign_team_t. */
	first = (struct span){0, 8};
	for (unsigned i = 0; i < BARRIER_COUNT; i++) {
		ret->b_go[i] = member_nested(element(th_bar, i), FIELD(kmp_bstate, b_go));
		ret->b_arrived[i] = member_nested(element(th_bar, i), FIELD(kmp_bstate, b_arrived));
		ret->t_b_arrived[i] = member_nested(element(t_bar, i), first);
		of_thread[2 * i] = &ret->b_go[i];
		of_thread[2 * i + 1] = &ret->b_arrived[i];
		of_team[i] = &ret->t_b_arrived[i];
	}
	if (th_bar.size == 0 || t_bar.size == 0 ||
	    !extent_cover(&ret->thread_extent, of_thread, COUNT(of_thread), NULL, 0) ||
	    !extent_cover(&ret->team_extent, of_team, COUNT(of_team), NULL, 0))
		return ompd_rc_incompatible;
	return ompd_rc_ok;
}

ompd_rc_t thread_barriers_read(const struct target *target,
			       const struct barrier_structures *structures, target_addr info,
			       struct thread_barriers *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->thread_extent, info);

	for (unsigned i = 0; rc == ompd_rc_ok && i < BARRIER_COUNT; i++) {
		ret->b_go[i] = bytes_get(&bytes, structures->b_go[i]);
		ret->b_arrived[i] = bytes_get(&bytes, structures->b_arrived[i]);
	}
	return rc;
}

ompd_rc_t team_barriers_read(const struct target *target,
			     const struct barrier_structures *structures, target_addr team,
			     struct team_barriers *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->team_extent, team);

	for (unsigned i = 0; rc == ompd_rc_ok && i < BARRIER_COUNT; i++)
		ret->b_arrived[i] = bytes_get(&bytes, structures->t_b_arrived[i]);
	return rc;
}
