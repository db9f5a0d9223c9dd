/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/ompt_structures.h"

#include <string.h>

static void lay_out_task_info(struct ompt_structures *ret, const uint64_t *table,
			      const struct record *record)
{
	const struct span frame = member_published(table, ACCESS_ompt_task_info_t__frame);
	struct span *const wanted[] = {&ret->task_info.exit_frame_flags,
				       &ret->task_info.enter_frame_flags};
	const struct span *const needed[] = {
		&ret->task_info.exit_frame, &ret->task_info.enter_frame,
		&ret->task_info.scheduling_parent, &ret->task_info.task_data};

	ret->task_info.exit_frame =
		member_nested(frame, member_published(table, ACCESS_ompt_frame_t__exit_frame));
	ret->task_info.enter_frame =
		member_nested(frame, member_published(table, ACCESS_ompt_frame_t__enter_frame));
	ret->task_info.exit_frame_flags = member_nested(
		frame, member_recorded(record, RECORD_FIELD_ompt_frame_t__exit_frame_flags));
	ret->task_info.enter_frame_flags = member_nested(
		frame, member_recorded(record, RECORD_FIELD_ompt_frame_t__enter_frame_flags));
	ret->task_info.scheduling_parent =
		member_published(table, ACCESS_ompt_task_info_t__scheduling_parent);
	ret->task_info.task_data =
		member_nested(member_published(table, ACCESS_ompt_task_info_t__task_data),
			      member_published(table, ACCESS_ompt_data_t__value));
	if (!extent_cover(&ret->task_info.extent, needed, COUNT(needed), wanted, COUNT(wanted)))
		memset(&ret->task_info, 0, sizeof(ret->task_info));
}

void ompt_structures_init(struct ompt_structures *ret, const uint64_t table[TABLE_WORDS],
			  const struct record *record)
{
	const struct span value = member_published(table, ACCESS_ompt_data_t__value);
	const struct span parallel_data = member_nested(
		member_published(table, ACCESS_ompt_team_info_t__parallel_data), value);

	memset(ret, 0, sizeof(*ret));
	lay_out_task_info(ret, table, record);
	ret->in_task = member_published(table, ACCESS_kmp_taskdata_t__ompt_task_info);
	ret->in_lightweight = member_published(table, ACCESS_ompt_lw_taskteam_t__ompt_task_info);
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

ompd_rc_t ompt_task_info_read(const struct target *target, const struct ompt_structures *structures,
			      target_addr address, struct span inside, struct ompt_task_info *ret)
{
	struct bytes bytes;
	ompd_rc_t rc;

	if (structures->task_info.extent.end == 0 || inside.size == 0 || address == 0)
		return ompd_rc_error;
	rc = bytes_read(&bytes, target, &structures->task_info.extent, address + inside.offset);
	if (rc != ompd_rc_ok)
		return rc;
	ret->exit_frame = bytes_get(&bytes, structures->task_info.exit_frame);
	ret->enter_frame = bytes_get(&bytes, structures->task_info.enter_frame);
	ret->flags_known = structures->task_info.exit_frame_flags.size &&
			   structures->task_info.enter_frame_flags.size;
	ret->exit_frame_flags = (uint32_t)bytes_get(&bytes, structures->task_info.exit_frame_flags);
	ret->enter_frame_flags =
		(uint32_t)bytes_get(&bytes, structures->task_info.enter_frame_flags);
	ret->scheduling_parent = bytes_get(&bytes, structures->task_info.scheduling_parent);
	ret->task_data = bytes_get(&bytes, structures->task_info.task_data);
	return ompd_rc_ok;
}
