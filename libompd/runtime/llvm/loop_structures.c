/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/loop_structures.h"

#include <string.h>

#define FIELD(type, member) member_recorded(record, RECORD_FIELD_##type##__##member)
#define OF_TEAM(member)                                                                            \
	member_nested(member_published(table, ACCESS_kmp_team_p__t), FIELD(kmp_base_team_t, member))
#define MASK(member) (uint32_t) record->masks[RECORD_BITFIELD_kmp_sched_flags_t__##member]

static bool lay_out_team(struct loop_structures *ret, const uint64_t table[TABLE_WORDS],
			 const struct record *record)
{
	const struct span *const needed[] = {&ret->team.t_dispatch, &ret->team.t_disp_buffer};

	ret->team.t_dispatch = OF_TEAM(t_dispatch);
	ret->team.t_disp_buffer = OF_TEAM(t_disp_buffer);
	return extent_cover(&ret->team.extent, needed, COUNT(needed), NULL, 0);
}

static bool lay_out_dispatch(struct loop_structures *ret, const struct record *record)
{
	const struct span *const needed[] = {&ret->disp.th_dispatch_sh_current,
					     &ret->disp.th_dispatch_pr_current,
					     &ret->disp.th_disp_buffer, &ret->disp.th_disp_index};
	struct span *const of_doacross[] = {&ret->disp.th_doacross_buf_idx,
					    &ret->disp.th_doacross_flags,
					    &ret->disp.th_doacross_info};
	const struct span last = FIELD(kmp_disp_t, th_doacross_info);

	ret->disp.th_dispatch_sh_current = FIELD(kmp_disp_t, th_dispatch_sh_current);
	ret->disp.th_dispatch_pr_current = FIELD(kmp_disp_t, th_dispatch_pr_current);
	ret->disp.th_disp_buffer = FIELD(kmp_disp_t, th_disp_buffer);
	ret->disp.th_disp_index = FIELD(kmp_disp_t, th_disp_index);
	ret->disp.th_doacross_buf_idx = FIELD(kmp_disp_t, th_doacross_buf_idx);
	ret->disp.th_doacross_flags = FIELD(kmp_disp_t, th_doacross_flags);
	ret->disp.th_doacross_info = last;
	ret->disp.size = (uint32_t)last.offset + last.size;
	return last.size && extent_cover(&ret->disp.extent, needed, COUNT(needed), of_doacross,
					 COUNT(of_doacross));
}

/* The members of both widths, which lie in a union at its beginning. */
#define LAY_OUT_WORDS(part, type, member)                                                          \
	do {                                                                                       \
		ret->part.words[LOOP_WORDS_4].member = FIELD(dispatch_##type##32_t, member);       \
		ret->part.words[LOOP_WORDS_8].member = FIELD(dispatch_##type##64_t, member);       \
	} while (0)
#define BOTH_WORDS(part, member)                                                                   \
	&ret->part.words[LOOP_WORDS_4].member, &ret->part.words[LOOP_WORDS_8].member

static bool lay_out_private_info(struct loop_structures *ret, const struct record *record)
{
	const struct span *const needed[] = {BOTH_WORDS(private_info, count),
					     BOTH_WORDS(private_info, ub),
					     BOTH_WORDS(private_info, lb),
					     BOTH_WORDS(private_info, st),
					     BOTH_WORDS(private_info, tc),
					     BOTH_WORDS(private_info, parm1),
					     BOTH_WORDS(private_info, ordered_lower),
					     BOTH_WORDS(private_info, ordered_upper),
					     &ret->private_info.schedule,
					     &ret->private_info.flags,
					     &ret->private_info.type_size};

	LAY_OUT_WORDS(private_info, private_info, count);
	LAY_OUT_WORDS(private_info, private_info, ub);
	LAY_OUT_WORDS(private_info, private_info, lb);
	LAY_OUT_WORDS(private_info, private_info, st);
	LAY_OUT_WORDS(private_info, private_info, tc);
	LAY_OUT_WORDS(private_info, private_info, parm1);
	LAY_OUT_WORDS(private_info, private_info, ordered_lower);
	LAY_OUT_WORDS(private_info, private_info, ordered_upper);
	ret->private_info.schedule = FIELD(dispatch_private_info_t, schedule);
	ret->private_info.flags = FIELD(dispatch_private_info_t, flags);
	ret->private_info.type_size = FIELD(dispatch_private_info_t, type_size);
	return extent_cover(&ret->private_info.extent, needed, COUNT(needed), NULL, 0);
}

static bool lay_out_shared_info(struct loop_structures *ret, const struct record *record)
{
	const struct span *const needed[] = {BOTH_WORDS(shared_info, iteration),
					     BOTH_WORDS(shared_info, ordered_iteration),
					     &ret->shared_info.buffer_index};

	LAY_OUT_WORDS(shared_info, shared_info, iteration);
	LAY_OUT_WORDS(shared_info, shared_info, ordered_iteration);
	ret->shared_info.buffer_index = FIELD(dispatch_shared_info_t, buffer_index);
	return extent_cover(&ret->shared_info.extent, needed, COUNT(needed), NULL, 0);
}

ompd_rc_t loop_structures_init(struct loop_structures *ret, const uint64_t table[TABLE_WORDS],
			       const struct record *record)
{
	memset(ret, 0, sizeof(*ret));
	if (!record || !lay_out_team(ret, table, record) || !lay_out_dispatch(ret, record) ||
	    !lay_out_private_info(ret, record) || !lay_out_shared_info(ret, record))
		return ompd_rc_incompatible;
	ret->ordered = MASK(ordered);
	ret->nomerge = MASK(nomerge);
	ret->use_hier = MASK(use_hier);
	ret->use_hybrid = MASK(use_hybrid);
	return ret->ordered ? ompd_rc_ok : ompd_rc_incompatible;
}

ompd_rc_t team_loops_read(const struct target *target, const struct loop_structures *structures,
			  target_addr team, struct team_loops *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->team.extent, team);

	if (rc == ompd_rc_ok) {
		ret->t_dispatch = bytes_get(&bytes, structures->team.t_dispatch);
		ret->t_disp_buffer = bytes_get(&bytes, structures->team.t_disp_buffer);
	}
	return rc;
}

ompd_rc_t dispatch_read(const struct target *target, const struct loop_structures *structures,
			target_addr address, struct dispatch *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->disp.extent, address);

	if (rc == ompd_rc_ok) {
		ret->th_dispatch_sh_current =
			bytes_get(&bytes, structures->disp.th_dispatch_sh_current);
		ret->th_dispatch_pr_current =
			bytes_get(&bytes, structures->disp.th_dispatch_pr_current);
		ret->th_disp_buffer = bytes_get(&bytes, structures->disp.th_disp_buffer);
		ret->th_disp_index = (uint32_t)bytes_get(&bytes, structures->disp.th_disp_index);
		ret->th_doacross_buf_idx =
			(uint32_t)bytes_get(&bytes, structures->disp.th_doacross_buf_idx);
		ret->th_doacross_flags = bytes_get(&bytes, structures->disp.th_doacross_flags);
		ret->th_doacross_info = bytes_get(&bytes, structures->disp.th_doacross_info);
	}
	return rc;
}

static ompd_rc_t read_private_info(const struct target *target,
				   const struct loop_structures *structures, target_addr address,
				   struct loop *ret)
{
	struct bytes bytes;
	unsigned words;
	uint64_t flags;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->private_info.extent, address);

	if (rc != ompd_rc_ok)
		return rc;
	ret->width = (unsigned)bytes_get(&bytes, structures->private_info.type_size);
	if (ret->width != 4 && ret->width != 8)
		return ompd_rc_incompatible;
	words = ret->width == 4 ? LOOP_WORDS_4 : LOOP_WORDS_8;
	ret->schedule = (uint32_t)bytes_get(&bytes, structures->private_info.schedule);
	flags = bytes_get(&bytes, structures->private_info.flags);
	ret->ordered = flags & structures->ordered;
	ret->nomerge = flags & structures->nomerge;
	ret->use_hier = flags & structures->use_hier;
	ret->use_hybrid = flags & structures->use_hybrid;
	ret->count = bytes_get(&bytes, structures->private_info.words[words].count);
	ret->ub = bytes_get(&bytes, structures->private_info.words[words].ub);
	ret->lb = bytes_get(&bytes, structures->private_info.words[words].lb);
	ret->st = bytes_get(&bytes, structures->private_info.words[words].st);
	ret->tc = bytes_get(&bytes, structures->private_info.words[words].tc);
	ret->parm1 = bytes_get(&bytes, structures->private_info.words[words].parm1);
	ret->ordered_lower = bytes_get(&bytes, structures->private_info.words[words].ordered_lower);
	ret->ordered_upper = bytes_get(&bytes, structures->private_info.words[words].ordered_upper);
	return rc;
}

ompd_rc_t loop_read(const struct target *target, const struct loop_structures *structures,
		    const struct dispatch *dispatch, struct loop *ret)
{
	struct bytes bytes;
	unsigned words;
	ompd_rc_t rc = read_private_info(target, structures, dispatch->th_dispatch_pr_current, ret);

	if (rc == ompd_rc_ok)
		rc = bytes_read(&bytes, target, &structures->shared_info.extent,
				dispatch->th_dispatch_sh_current);
	if (rc != ompd_rc_ok)
		return rc;
	words = ret->width == 4 ? LOOP_WORDS_4 : LOOP_WORDS_8;
	ret->iteration = bytes_get(&bytes, structures->shared_info.words[words].iteration);
	ret->ordered_iteration =
		bytes_get(&bytes, structures->shared_info.words[words].ordered_iteration);
	ret->buffer_index = (uint32_t)bytes_get(&bytes, structures->shared_info.buffer_index);
	return rc;
}
