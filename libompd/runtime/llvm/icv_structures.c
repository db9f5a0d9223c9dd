/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/icv_structures.h"

#include <string.h>

static void lay_out_task(struct icv_structures *ret, const uint64_t *table,
			 const struct record *record)
{
	const struct span td_icvs = member_published(table, ACCESS_kmp_taskdata_t__td_icvs);
	const struct span sched = member_nested(
		td_icvs, member_published(table, ACCESS_kmp_internal_control_t__sched));
	struct span *const wanted[] = {&ret->task.task_thread_limit};
	const struct span *const needed[] = {&ret->task.dynamic,      &ret->task.nproc,
					     &ret->task.thread_limit, &ret->task.r_sched_type,
					     &ret->task.chunk,        &ret->task.max_active_levels,
					     &ret->task.proc_bind,    &ret->task.default_device};

#define ICV_MEMBER(member)                                                                         \
	member_nested(td_icvs, member_published(table, ACCESS_kmp_internal_control_t__##member))
	ret->task.dynamic = ICV_MEMBER(dynamic);
	ret->task.nproc = ICV_MEMBER(nproc);
	ret->task.thread_limit = ICV_MEMBER(thread_limit);
	ret->task.max_active_levels = ICV_MEMBER(max_active_levels);
	ret->task.proc_bind = ICV_MEMBER(proc_bind);
	ret->task.default_device = ICV_MEMBER(default_device);
#undef ICV_MEMBER
	ret->task.r_sched_type =
		member_nested(sched, member_published(table, ACCESS_kmp_r_sched_t__r_sched_type));
	ret->task.chunk =
		member_nested(sched, member_published(table, ACCESS_kmp_r_sched_t__chunk));
	ret->task.task_thread_limit = member_nested(
		td_icvs,
		member_recorded(record, RECORD_FIELD_kmp_internal_control_t__task_thread_limit));
	if (!extent_cover(&ret->task.extent, needed, COUNT(needed), wanted, COUNT(wanted)))
		memset(&ret->task, 0, sizeof(ret->task));
}

static void lay_out_list(struct nested_list *list, struct span items, struct span used)
{
	const struct span *const needed[] = {&list->items, &list->used};

	list->items = items;
	list->used = used;
	if (!extent_cover(&list->extent, needed, COUNT(needed), NULL, 0))
		memset(list, 0, sizeof(*list));
}

void icv_structures_init(struct icv_structures *ret, const uint64_t table[TABLE_WORDS],
			 const struct record *record)
{
	memset(ret, 0, sizeof(*ret));
	lay_out_task(ret, table, record);
	lay_out_list(&ret->nested_nth, member_published(table, ACCESS_kmp_nested_nthreads_t__nth),
		     member_published(table, ACCESS_kmp_nested_nthreads_t__used));
	lay_out_list(&ret->nested_proc_bind,
		     member_published(table, ACCESS_kmp_nested_proc_bind_t__bind_types),
		     member_published(table, ACCESS_kmp_nested_proc_bind_t__used));
	ret->t_nested_nth = member_recorded(record, RECORD_FIELD_kmp_base_team_t__t_nested_nth);
	ret->th_def_allocator =
		member_recorded(record, RECORD_FIELD_kmp_base_info_t__th_def_allocator);
	ret->th_first_place = member_recorded(record, RECORD_FIELD_kmp_base_info_t__th_first_place);
	ret->th_last_place = member_recorded(record, RECORD_FIELD_kmp_base_info_t__th_last_place);
}

ompd_rc_t task_icvs_read(const struct target *target, const struct icv_structures *structures,
			 target_addr task, struct task_icvs *ret)
{
	struct bytes bytes;
	ompd_rc_t rc;

	if (structures->task.extent.end == 0)
		return ompd_rc_error;
	rc = bytes_read(&bytes, target, &structures->task.extent, task);
	if (rc != ompd_rc_ok)
		return rc;
	ret->dynamic = bytes_get(&bytes, structures->task.dynamic) != 0;
	ret->nproc = bytes_get_int(&bytes, structures->task.nproc);
	ret->thread_limit = bytes_get_int(&bytes, structures->task.thread_limit);
	ret->task_thread_limit = 0;
	if (structures->task.task_thread_limit.size)
		ret->task_thread_limit = bytes_get_int(&bytes, structures->task.task_thread_limit);
	ret->max_active_levels = bytes_get_int(&bytes, structures->task.max_active_levels);
	ret->r_sched_type = (uint32_t)bytes_get(&bytes, structures->task.r_sched_type);
	ret->chunk = bytes_get_int(&bytes, structures->task.chunk);
	ret->proc_bind = bytes_get_int(&bytes, structures->task.proc_bind);
	ret->default_device = bytes_get_int(&bytes, structures->task.default_device);
	return ompd_rc_ok;
}

ompd_rc_t nested_list_read(const struct target *target, const struct nested_list *list,
			   target_addr address, target_addr *items, int32_t *used)
{
	struct bytes bytes;
	ompd_rc_t rc;

	if (list->extent.end == 0)
		return ompd_rc_error;
	rc = bytes_read(&bytes, target, &list->extent, address);
	if (rc != ompd_rc_ok)
		return rc;
	*items = bytes_get(&bytes, list->items);
	*used = bytes_get_int(&bytes, list->used);
	return ompd_rc_ok;
}
