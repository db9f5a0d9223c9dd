/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/ompt_structures.h"

#include <string.h>

/* `info`: where the ompt_task_info_t lies in the structure. */
static void lay_out_task(struct ompt_task_layout *ret, struct span info, const uint64_t *table,
			 const struct record *record)
{
	const struct span frame =
		member_nested(info, member_published(table, ACCESS_ompt_task_info_t__frame));
	struct span *const wanted[] = {&ret->exit_frame_flags, &ret->enter_frame_flags,
				       &ret->td_flags, &ret->td_team};
	const struct span *const needed[] = {&ret->exit_frame, &ret->enter_frame,
					     &ret->scheduling_parent, &ret->task_data};

	ret->exit_frame =
		member_nested(frame, member_published(table, ACCESS_ompt_frame_t__exit_frame));
	ret->enter_frame =
		member_nested(frame, member_published(table, ACCESS_ompt_frame_t__enter_frame));
	ret->exit_frame_flags = member_nested(
		frame, member_recorded(record, RECORD_FIELD_ompt_frame_t__exit_frame_flags));
	ret->enter_frame_flags = member_nested(
		frame, member_recorded(record, RECORD_FIELD_ompt_frame_t__enter_frame_flags));
	ret->scheduling_parent = member_nested(
		info, member_published(table, ACCESS_ompt_task_info_t__scheduling_parent));
	ret->task_data = member_nested(
		member_nested(info, member_published(table, ACCESS_ompt_task_info_t__task_data)),
		member_published(table, ACCESS_ompt_data_t__value));
	if (!extent_cover(&ret->extent, needed, COUNT(needed), wanted, COUNT(wanted)))
		memset(ret, 0, sizeof(*ret));
}

void ompt_structures_init(struct ompt_structures *ret, const uint64_t table[TABLE_WORDS],
			  const struct record *record)
{
	const struct span value = member_published(table, ACCESS_ompt_data_t__value);
	const struct span parallel_data = member_nested(
		member_published(table, ACCESS_ompt_team_info_t__parallel_data), value);

	memset(ret, 0, sizeof(*ret));
	ret->task.td_flags = member_published(table, ACCESS_kmp_taskdata_t__td_flags);
	ret->task.td_team = member_published(table, ACCESS_kmp_taskdata_t__td_team);
	lay_out_task(&ret->task, member_published(table, ACCESS_kmp_taskdata_t__ompt_task_info),
		     table, record);
	lay_out_task(&ret->lightweight_task,
		     member_published(table, ACCESS_ompt_lw_taskteam_t__ompt_task_info), table,
		     record);
	ret->thread_data = member_nested(
		member_nested(member_published(table, ACCESS_kmp_base_info_t__ompt_thread_info),
			      member_published(table, ACCESS_ompt_thread_info_t__thread_data)),
		value);
	ret->parallel_data = member_nested(
		member_published(table, ACCESS_kmp_base_team_t__ompt_team_info), parallel_data);
	ret->ompt_serialized_team_info =
		member_published(table, ACCESS_kmp_base_team_t__ompt_serialized_team_info);
	ret->lightweight_parent = member_published(table, ACCESS_ompt_lw_taskteam_t__parent);
	ret->lightweight_parallel_data = member_nested(
		member_published(table, ACCESS_ompt_lw_taskteam_t__ompt_team_info), parallel_data);
}

static ompd_rc_t read_info(struct bytes *bytes, const struct target *target,
			   const struct ompt_task_layout *layout, target_addr address,
			   struct ompt_task *ret)
{
	ompd_rc_t rc;

	if (layout->extent.end == 0)
		return ompd_rc_error;
	rc = bytes_read(bytes, target, &layout->extent, address);
	if (rc != ompd_rc_ok)
		return rc;
	ret->exit_frame = bytes_get(bytes, layout->exit_frame);
	ret->enter_frame = bytes_get(bytes, layout->enter_frame);
	ret->flags_known = layout->exit_frame_flags.size && layout->enter_frame_flags.size;
	ret->exit_frame_flags = (uint32_t)bytes_get(bytes, layout->exit_frame_flags);
	ret->enter_frame_flags = (uint32_t)bytes_get(bytes, layout->enter_frame_flags);
	ret->scheduling_parent = bytes_get(bytes, layout->scheduling_parent);
	ret->task_data = bytes_get(bytes, layout->task_data);
	return ompd_rc_ok;
}

ompd_rc_t ompt_task_read(const struct target *target, const struct ompt_structures *structures,
			 target_addr task, struct ompt_task *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = read_info(&bytes, target, &structures->task, task, ret);

	if (rc != ompd_rc_ok)
		return rc;
	ret->td_flags = bytes_get(&bytes, structures->task.td_flags);
	ret->td_team = bytes_get(&bytes, structures->task.td_team);
	return ompd_rc_ok;
}

ompd_rc_t ompt_task_info_read(const struct target *target, const struct ompt_structures *structures,
			      target_addr lightweight, struct ompt_task *ret)
{
	struct bytes bytes;

	return read_info(&bytes, target, &structures->lightweight_task, lightweight, ret);
}
