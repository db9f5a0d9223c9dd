/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/structures.h"

#include <string.h>

#include "target/limits.h"

/* A structure's bytes, as read. */
struct bytes {
	const struct target *target;
	struct extent extent;
	uint8_t data[STRUCTURE_BYTES_MAX];
};

static struct span published(const uint64_t *table, enum access member)
{
	const struct span span = {(uint16_t)table[TABLE_OFFSETS + member],
				  (uint16_t)table[TABLE_MEMBER_SIZES + member]};

	return span;
}

static struct span recorded(const struct record *record, enum record_field field)
{
	const struct span none = {0, 0};

	return record ? record->fields[field] : none;
}

/* A member of a member. The sum of two offsets may not fit: then the member is not known. */
static struct span nested(struct span outer, struct span inner)
{
	const uint32_t offset = (uint32_t)outer.offset + inner.offset;
	const struct span span = {(uint16_t)offset, offset > UINT16_MAX ? 0 : inner.size};

	return span;
}

/* The bytes that hold all of `needed`, and those of `wanted` that lie within reach. */
static bool cover(struct extent *extent, const struct span *const needed[], size_t needed_count,
		  struct span *const wanted[], size_t wanted_count)
{
	extent->start = UINT32_MAX;
	extent->end = 0;
	for (size_t i = 0; i < needed_count + wanted_count; i++) {
		const bool optional = i >= needed_count;
		const struct span *span = optional ? wanted[i - needed_count] : needed[i];
		const uint32_t end = (uint32_t)span->offset + span->size;
		const uint32_t first = span->offset < extent->start ? span->offset : extent->start;
		const uint32_t last = end > extent->end ? end : extent->end;

		if (span->size > 0 && span->size <= 8 && last - first <= STRUCTURE_BYTES_MAX) {
			extent->start = first;
			extent->end = last;
		} else if (optional) {
			wanted[i - needed_count]->size = 0;
		} else {
			return false;
		}
	}
	return true;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool lay_out_info(struct structures *ret, const uint64_t *table, const struct record *record)
{
	const struct span ds = nested(published(table, ACCESS_kmp_base_info_t__th_info),
				      published(table, ACCESS_kmp_desc_t__ds));
	const struct span ompt = published(table, ACCESS_kmp_base_info_t__ompt_thread_info);
	struct span *const wanted[] = {&ret->info.state, &ret->info.wait_id, &ret->info.th_in_pool};
	const struct span *const needed[] = {&ret->info.ds_thread, &ret->info.ds_tid,
					     &ret->info.ds_gtid, &ret->info.th_team,
					     &ret->info.th_current_task};

	ret->info.ds_thread = nested(ds, published(table, ACCESS_kmp_desc_base_t__ds_thread));
	ret->info.ds_tid = nested(ds, published(table, ACCESS_kmp_desc_base_t__ds_tid));
	/* Not published. In kmp.h ds_gtid follows ds_tid; that each thread's is its index in
	 * __kmp_threads proves it. */
	ret->info.ds_gtid = ret->info.ds_tid;
	ret->info.ds_gtid.offset = (uint16_t)(ret->info.ds_gtid.offset + ret->info.ds_tid.size);
	ret->info.th_team = published(table, ACCESS_kmp_base_info_t__th_team);
	ret->info.th_current_task = published(table, ACCESS_kmp_base_info_t__th_current_task);
	ret->info.state = nested(ompt, published(table, ACCESS_ompt_thread_info_t__state));
	ret->info.wait_id = nested(ompt, published(table, ACCESS_ompt_thread_info_t__wait_id));
	ret->info.th_in_pool = recorded(record, RECORD_FIELD_kmp_base_info_t__th_in_pool);
	return cover(&ret->info.extent, needed, COUNT(needed), wanted, COUNT(wanted));
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

	ret->team.t_parent = published(table, ACCESS_kmp_base_team_t__t_parent);
	ret->team.t_nproc = published(table, ACCESS_kmp_base_team_t__t_nproc);
	ret->team.t_level = published(table, ACCESS_kmp_base_team_t__t_level);
	ret->team.t_active_level = published(table, ACCESS_kmp_base_team_t__t_active_level);
	ret->team.t_master_tid = published(table, ACCESS_kmp_base_team_t__t_master_tid);
	ret->team.t_threads = published(table, ACCESS_kmp_base_team_t__t_threads);
	ret->team.t_implicit_task_taskdata =
		published(table, ACCESS_kmp_base_team_t__t_implicit_task_taskdata);
	ret->team.t_pkfn = published(table, ACCESS_kmp_base_team_t__t_pkfn);
	ret->team.t_serialized = recorded(record, RECORD_FIELD_kmp_base_team_t__t_serialized);
	ret->team.t_ident = recorded(record, RECORD_FIELD_kmp_base_team_t__t_ident);
	ret->team.t_argc = recorded(record, RECORD_FIELD_kmp_base_team_t__t_argc);
	ret->team.t_argv = recorded(record, RECORD_FIELD_kmp_base_team_t__t_argv);
	return cover(&ret->team.extent, needed, COUNT(needed), wanted, COUNT(wanted));
}

static bool lay_out_task(struct structures *ret, const uint64_t *table)
{
	const struct span *const needed[] = {&ret->task.td_flags, &ret->task.td_team,
					     &ret->task.td_parent};

	ret->task.td_flags = published(table, ACCESS_kmp_taskdata_t__td_flags);
	ret->task.td_team = published(table, ACCESS_kmp_taskdata_t__td_team);
	ret->task.td_parent = published(table, ACCESS_kmp_taskdata_t__td_parent);
	ret->task.size = (uint32_t)table[TABLE_SIZES + SIZEOF_kmp_taskdata_t];
	ret->task.tasktype = (uint32_t)table[TABLE_MASKS + BITFIELD_kmp_tasking_flags_t__tasktype];
	ret->task.final = (uint32_t)table[TABLE_MASKS + BITFIELD_kmp_tasking_flags_t__final];
	return cover(&ret->task.extent, needed, COUNT(needed), NULL, 0);
}

ompd_rc_t structures_init(struct structures *ret, const uint64_t table[TABLE_WORDS],
			  const struct record *record)
{
	memset(ret, 0, sizeof(*ret));
	if (!lay_out_info(ret, table, record) || !lay_out_team(ret, table, record) ||
	    !lay_out_task(ret, table))
		return ompd_rc_incompatible;
	ret->ident.psource = recorded(record, RECORD_FIELD_ident_t__psource);
	return ompd_rc_ok;
}

static ompd_rc_t bytes_read(struct bytes *bytes, const struct target *target,
			    const struct extent *extent, target_addr address)
{
	if (address == 0)
		return ompd_rc_error;
	bytes->target = target;
	bytes->extent = *extent;
	return target_read(target, address + extent->start, extent->end - extent->start,
			   bytes->data);
}

static uint64_t get(const struct bytes *bytes, struct span span)
{
	if (span.size == 0)
		return 0;
	return target_decode(bytes->target, bytes->data + span.offset - bytes->extent.start,
			     span.size);
}

static int32_t get_int(const struct bytes *bytes, struct span span)
{
	if (span.size == 0)
		return -1;
	return (int32_t)target_decode_signed(
		bytes->target, bytes->data + span.offset - bytes->extent.start, span.size);
}

ompd_rc_t info_read(const struct target *target, const struct structures *structures,
		    target_addr address, struct info *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->info.extent, address);

	if (rc != ompd_rc_ok)
		return rc;
	ret->address = address;
	ret->ds_thread = get(&bytes, structures->info.ds_thread);
	ret->ds_tid = get_int(&bytes, structures->info.ds_tid);
	ret->ds_gtid = get_int(&bytes, structures->info.ds_gtid);
	ret->th_team = get(&bytes, structures->info.th_team);
	ret->th_current_task = get(&bytes, structures->info.th_current_task);
	ret->th_in_pool = get(&bytes, structures->info.th_in_pool) != 0;
	ret->state = get_int(&bytes, structures->info.state);
	ret->wait_id = get(&bytes, structures->info.wait_id);
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
	ret->t_parent = get(&bytes, structures->team.t_parent);
	ret->t_nproc = get_int(&bytes, structures->team.t_nproc);
	ret->t_level = get_int(&bytes, structures->team.t_level);
	ret->t_active_level = get_int(&bytes, structures->team.t_active_level);
	ret->t_master_tid = get_int(&bytes, structures->team.t_master_tid);
	ret->t_threads = get(&bytes, structures->team.t_threads);
	ret->t_implicit_task_taskdata = get(&bytes, structures->team.t_implicit_task_taskdata);
	ret->t_pkfn = get(&bytes, structures->team.t_pkfn);
	ret->t_serialized = get_int(&bytes, structures->team.t_serialized);
	ret->t_ident = get(&bytes, structures->team.t_ident);
	ret->t_argc = get_int(&bytes, structures->team.t_argc);
	ret->t_argv = get(&bytes, structures->team.t_argv);
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
	flags = get(&bytes, structures->task.td_flags);
	ret->address = address;
	ret->td_team = get(&bytes, structures->task.td_team);
	ret->td_parent = get(&bytes, structures->task.td_parent);
	ret->explicit_task = (flags & structures->task.tasktype) != 0;
	ret->final = (flags & structures->task.final) != 0;
	return ompd_rc_ok;
}
