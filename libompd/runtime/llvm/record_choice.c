/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/record_choice.h"

#include <string.h>

#include "runtime/llvm/allocator.h"
#include "runtime/llvm/thread_array.h"

/* Threads that are looked at. */
#define WITNESSES_MAX 8

static ompd_rc_t has_size(const struct target *target, target_addr address, uint64_t size,
			  bool *ret)
{
	uint64_t found;
	const ompd_rc_t rc = allocator_block_size(target, address, &found);

	*ret = rc == ompd_rc_ok && found == size;
	return rc;
}

/* Whether the task belongs to the team. */
static ompd_rc_t is_of_team(const struct target *target, const struct llvm *probe,
			    target_addr address, target_addr team, bool *ret)
{
	struct task task;
	const ompd_rc_t rc = task_read(target, &probe->structures, address, &task);

	*ret = rc == ompd_rc_ok && task.td_team == team;
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

/* Thread 0 is at work in a team whenever the runtime has started: all that leads to its tasks has to fit. */
static ompd_rc_t team_fits(const struct target *target, const struct llvm *probe,
			   const struct info *info, bool *ret)
{
	const uint64_t team_size = probe->record->table[TABLE_MEMBER_SIZES + ACCESS_kmp_team_p__t];
	const unsigned pointer = target->sizes.sizeof_pointer;
	target_addr listed;
	struct team team;
	ompd_rc_t rc = team_read(target, &probe->structures, info->th_team, &team);

	*ret = false;
	if (rc == ompd_rc_ok && (info->ds_tid < 0 || info->ds_tid >= team.t_nproc))
		return ompd_rc_ok;
	if (rc == ompd_rc_ok)
		rc = target_read_pointer(
			target, team.t_threads + (target_addr)info->ds_tid * pointer, &listed);
	if (rc == ompd_rc_ok && listed != info->address)
		return ompd_rc_ok;
	if (rc == ompd_rc_ok)
		rc = has_size(target, team.address, team_size, ret);
	if (rc == ompd_rc_ok && *ret)
		rc = is_of_team(target, probe, info->th_current_task, team.address, ret);
	if (rc == ompd_rc_ok && *ret)
		rc = is_of_team(target, probe,
				team.t_implicit_task_taskdata +
					(target_addr)info->ds_tid * probe->structures.task.size,
				team.address, ret);
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

static ompd_rc_t fits(struct address_space *space, const struct llvm *probe, bool *ret)
{
	const struct target *target = &space->target;
	const uint64_t info_size = probe->record->table[TABLE_SIZES + SIZEOF_kmp_info_t];
	struct thread_array array;
	unsigned witnesses = 0;
	ompd_rc_t rc = thread_array_read(space, probe, &array);

	*ret = false;
	if (rc != ompd_rc_ok)
		return rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
	for (uint32_t i = 0; rc == ompd_rc_ok && i < array.count && witnesses < WITNESSES_MAX;
	     i++) {
		struct info info;

		if (array.infos[i] == 0)
			continue;
		*ret = false;
		rc = info_read(target, &probe->structures, array.infos[i], &info);
		if (rc == ompd_rc_ok && info.ds_gtid == (int32_t)i)
			rc = has_size(target, info.address, info_size, ret);
		if (rc == ompd_rc_ok && *ret && i == 0)
			rc = team_fits(target, probe, &info, ret);
		if (!*ret)
			break;
		witnesses++;
	}
	thread_array_deinit(&array);
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

/* "19, 21, 22" */
static bool lists_version(const char *versions, int32_t version)
{
	while (*versions) {
		int32_t number = 0;

		for (; *versions >= '0' && *versions <= '9'; versions++)
			number = number * 10 + (*versions - '0');
		if (number == version)
			return true;
		while (*versions && (*versions < '0' || *versions > '9'))
			versions++;
	}
	return false;
}

ompd_rc_t record_choose(struct address_space *space, const struct record **ret)
{
	const int32_t version = address_space_version(space);
	bool listed = false;

	for (size_t i = 0; i < record_count(); i++) {
		struct llvm probe = {.source = ompdx_descriptors_record, .record = record_at(i)};
		uint64_t table[TABLE_WORDS];
		bool fitting;
		ompd_rc_t rc;

		if (!record_is_for(probe.record, space->image.machine) ||
		    !lists_version(probe.record->versions, version))
			continue;
		listed = true;
		record_table(probe.record, table);
		if (structures_init(&probe.structures, table, probe.record) != ompd_rc_ok)
			continue;
		fitting = false;
		rc = thread_array_locate(space, &probe, &probe.threads);
		if (rc == ompd_rc_ok)
			rc = fits(space, &probe, &fitting);
		/* That no array fits this record says nothing of the next. */
		if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
			return rc;
		if (fitting) {
			*ret = probe.record;
			return ompd_rc_ok;
		}
	}
	diagnostics_note(&space->diagnostics,
			 listed ? DIAGNOSTIC_record_unfit : DIAGNOSTIC_record_unknown, NULL);
	return ompd_rc_unavailable;
}
