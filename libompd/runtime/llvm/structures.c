/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/structures.h"

#include <string.h>

#include "runtime/llvm/members.h"

static bool lay_out_info(struct structures *ret, const uint64_t *table, const struct record *record)
{
	const struct span ds =
		member_nested(member_published(table, ACCESS_kmp_base_info_t__th_info),
			      member_published(table, ACCESS_kmp_desc_t__ds));
	const struct span ompt = member_published(table, ACCESS_kmp_base_info_t__ompt_thread_info);
	struct span *const wanted[] = {&ret->info.state, &ret->info.wait_id, &ret->info.th_in_pool,
				       &ret->info.th_ident, &ret->info.th_teams_microtask};
	const struct span *const needed[] = {&ret->info.ds_thread, &ret->info.ds_tid,
					     &ret->info.ds_gtid, &ret->info.th_team,
					     &ret->info.th_current_task};

	ret->info.ds_thread =
		member_nested(ds, member_published(table, ACCESS_kmp_desc_base_t__ds_thread));
	ret->info.ds_tid =
		member_nested(ds, member_published(table, ACCESS_kmp_desc_base_t__ds_tid));
	/* Not published. In kmp.h ds_gtid follows ds_tid; that each thread's is its index in
	 * __kmp_threads proves it. */
	ret->info.ds_gtid = ret->info.ds_tid;
	ret->info.ds_gtid.offset = (uint16_t)(ret->info.ds_gtid.offset + ret->info.ds_tid.size);
	ret->info.th_team = member_published(table, ACCESS_kmp_base_info_t__th_team);
	ret->info.th_current_task =
		member_published(table, ACCESS_kmp_base_info_t__th_current_task);
	ret->info.state =
		member_nested(ompt, member_published(table, ACCESS_ompt_thread_info_t__state));
	ret->info.wait_id =
		member_nested(ompt, member_published(table, ACCESS_ompt_thread_info_t__wait_id));
	ret->info.th_in_pool = member_recorded(record, RECORD_FIELD_kmp_base_info_t__th_in_pool);
	ret->info.th_ident = member_recorded(record, RECORD_FIELD_kmp_base_info_t__th_ident);
	ret->info.th_teams_microtask =
		member_recorded(record, RECORD_FIELD_kmp_base_info_t__th_teams_microtask);
	return extent_cover(&ret->info.extent, needed, COUNT(needed), wanted, COUNT(wanted));
}

static bool lay_out_team(struct structures *ret, const uint64_t *table, const struct record *record)
{
	struct span *const wanted[] = {&ret->team.t_pkfn, &ret->team.t_serialized,
				       &ret->team.t_ident, &ret->team.t_argc, &ret->team.t_argv};
	const struct span *const needed[] = {&ret->team.t_parent,
					     &ret->team.t_nproc,
					     &ret->team.t_level,
					     &ret->team.t_active_level,
					     &ret->team.t_master_tid,
					     &ret->team.t_threads,
					     &ret->team.t_implicit_task_taskdata};

	ret->team.t_parent = member_published(table, ACCESS_kmp_base_team_t__t_parent);
	ret->team.t_nproc = member_published(table, ACCESS_kmp_base_team_t__t_nproc);
	ret->team.t_level = member_published(table, ACCESS_kmp_base_team_t__t_level);
	ret->team.t_active_level = member_published(table, ACCESS_kmp_base_team_t__t_active_level);
	ret->team.t_master_tid = member_published(table, ACCESS_kmp_base_team_t__t_master_tid);
	ret->team.t_threads = member_published(table, ACCESS_kmp_base_team_t__t_threads);
	ret->team.t_implicit_task_taskdata =
		member_published(table, ACCESS_kmp_base_team_t__t_implicit_task_taskdata);
	ret->team.t_pkfn = member_published(table, ACCESS_kmp_base_team_t__t_pkfn);
	ret->team.t_serialized =
		member_recorded(record, RECORD_FIELD_kmp_base_team_t__t_serialized);
	ret->team.t_ident = member_recorded(record, RECORD_FIELD_kmp_base_team_t__t_ident);
	ret->team.t_argc = member_recorded(record, RECORD_FIELD_kmp_base_team_t__t_argc);
	ret->team.t_argv = member_recorded(record, RECORD_FIELD_kmp_base_team_t__t_argv);
	ret->team.t_cancel_request =
		member_recorded(record, RECORD_FIELD_kmp_base_team_t__t_cancel_request);
	return extent_cover(&ret->team.extent, needed, COUNT(needed), wanted, COUNT(wanted));
}

static bool lay_out_task(struct structures *ret, const uint64_t *table)
{
	const struct span *const needed[] = {&ret->task.td_flags, &ret->task.td_team,
					     &ret->task.td_parent};

	ret->task.td_flags = member_published(table, ACCESS_kmp_taskdata_t__td_flags);
	ret->task.td_team = member_published(table, ACCESS_kmp_taskdata_t__td_team);
	ret->task.td_parent = member_published(table, ACCESS_kmp_taskdata_t__td_parent);
	ret->task.routine = member_published(table, ACCESS_kmp_task_t__routine);
	ret->task.size = (uint32_t)table[TABLE_SIZES + SIZEOF_kmp_taskdata_t];
	ret->task.tasktype = (uint32_t)table[TABLE_MASKS + BITFIELD_kmp_tasking_flags_t__tasktype];
	ret->task.final = (uint32_t)table[TABLE_MASKS + BITFIELD_kmp_tasking_flags_t__final];
	return extent_cover(&ret->task.extent, needed, COUNT(needed), NULL, 0);
}

ompd_rc_t structures_init(struct structures *ret, const uint64_t table[TABLE_WORDS],
			  const struct record *record)
{
	memset(ret, 0, sizeof(*ret));
	if (!lay_out_info(ret, table, record) || !lay_out_team(ret, table, record) ||
	    !lay_out_task(ret, table))
		return ompd_rc_incompatible;
	ret->ident.flags = member_recorded(record, RECORD_FIELD_ident_t__flags);
	ret->ident.psource = member_recorded(record, RECORD_FIELD_ident_t__psource);
	return ompd_rc_ok;
}

ompd_rc_t info_read(const struct target *target, const struct structures *structures,
		    target_addr address, struct info *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->info.extent, address);

	if (rc != ompd_rc_ok)
		return rc;
	ret->address = address;
	ret->ds_thread = bytes_get(&bytes, structures->info.ds_thread);
	ret->ds_tid = bytes_get_int(&bytes, structures->info.ds_tid);
	ret->ds_gtid = bytes_get_int(&bytes, structures->info.ds_gtid);
	ret->th_team = bytes_get(&bytes, structures->info.th_team);
	ret->th_current_task = bytes_get(&bytes, structures->info.th_current_task);
	ret->th_in_pool = bytes_get(&bytes, structures->info.th_in_pool) != 0;
	ret->state = bytes_get_int(&bytes, structures->info.state);
	ret->wait_id = bytes_get(&bytes, structures->info.wait_id);
	ret->th_ident = bytes_get(&bytes, structures->info.th_ident);
	ret->outside_teams = structures->info.th_teams_microtask.size &&
			     bytes_get(&bytes, structures->info.th_teams_microtask) == 0;
	return ompd_rc_ok;
}

ompd_rc_t team_read(const struct target *target, const struct structures *structures,
		    target_addr address, struct team *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->team.extent, address);

	if (rc != ompd_rc_ok)
		return rc;
	ret->address = address;
	ret->t_parent = bytes_get(&bytes, structures->team.t_parent);
	ret->t_nproc = bytes_get_int(&bytes, structures->team.t_nproc);
	ret->t_level = bytes_get_int(&bytes, structures->team.t_level);
	ret->t_active_level = bytes_get_int(&bytes, structures->team.t_active_level);
	ret->t_master_tid = bytes_get_int(&bytes, structures->team.t_master_tid);
	ret->t_threads = bytes_get(&bytes, structures->team.t_threads);
	ret->t_implicit_task_taskdata =
		bytes_get(&bytes, structures->team.t_implicit_task_taskdata);
	ret->t_pkfn = bytes_get(&bytes, structures->team.t_pkfn);
	ret->t_serialized = bytes_get_int(&bytes, structures->team.t_serialized);
	ret->t_ident = bytes_get(&bytes, structures->team.t_ident);
	ret->t_argc = bytes_get_int(&bytes, structures->team.t_argc);
	ret->t_argv = bytes_get(&bytes, structures->team.t_argv);
	return ompd_rc_ok;
}

ompd_rc_t task_read(const struct target *target, const struct structures *structures,
		    target_addr address, struct task *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->task.extent, address);
	uint64_t flags;

	if (rc != ompd_rc_ok)
		return rc;
	flags = bytes_get(&bytes, structures->task.td_flags);
	ret->address = address;
	ret->td_team = bytes_get(&bytes, structures->task.td_team);
	ret->td_parent = bytes_get(&bytes, structures->task.td_parent);
	ret->explicit_task = (flags & structures->task.tasktype) != 0;
	ret->final = (flags & structures->task.final) != 0;
	return ompd_rc_ok;
}
