/* SPDX-License-Identifier: Apache-2.0
 *
 * Where libomp keeps the ICVs. What it does not keep is unavailable: a default would be a guess.
 */
#include "runtime/icv.h"
#include "runtime/llvm/answers.h"
#include "runtime/llvm/globals.h"
#include "runtime/llvm/nesting.h"
#include "runtime/llvm/parallel.h"
#include "runtime/llvm/reads.h"
#include "runtime/llvm/ready.h"
#include "runtime/llvm/schedule.h"
#include "runtime/llvm/thread.h"
#include "target/limits.h"
#include "target/text.h"

/* kmp.h: library_type */
enum { LIBRARY_TURNAROUND = 2, LIBRARY_THROUGHPUT = 3 };

/* What an answer is made from. */
struct inquiry {
	struct address_space *space;
	struct llvm *llvm;
	enum icv icv;
	struct entity entity;
	struct icv_value *value;
};

static ompd_rc_t number(const struct inquiry *inquiry, ompd_word_t value)
{
	inquiry->value->number = value;
	return ompd_rc_ok;
}

/* omp_get_thread_num(): the thread's number in its innermost region. */
static ompd_rc_t thread_num(const struct inquiry *inquiry)
{
	struct entity region;
	struct info info;
	struct team team;
	ompd_rc_t rc = llvm_read_thread(inquiry->space, inquiry->llvm, inquiry->entity, &info);

	if (rc == ompd_rc_ok)
		rc = llvm_region_of_info(inquiry->space, inquiry->llvm, &info, &team, &region);
	if (rc != ompd_rc_ok)
		return rc;
	return number(inquiry, part_is_league(region.part) ? 0 : info.ds_tid);
}

/* The league that the region is in, or is a part of: its size, and the number of the region's team. A region
 * in no league is as in a league of one. */
static ompd_rc_t league(const struct inquiry *inquiry, ompd_word_t *size, ompd_word_t *team_num)
{
	struct entity at = inquiry->entity;
	ompd_rc_t rc = ompd_rc_ok;

	*size = 1;
	*team_num = 0;
	for (unsigned depth = 0; rc == ompd_rc_ok && depth < TEAM_DEPTH_MAX; depth++) {
		struct entity enclosing;

		if (part_is_league(at.part)) {
			struct region region;

			rc = region_read(inquiry->space, inquiry->llvm, at, &region);
			if (rc != ompd_rc_ok)
				return rc;
			*size = region.team.t_nproc;
			*team_num = part_number(at.part);
			return ompd_rc_ok;
		}
		rc = llvm_enclosing_region(inquiry->space, at, &enclosing);
		at = enclosing;
	}
	return rc == ompd_rc_unavailable ? ompd_rc_ok : ompd_rc_error;
}

static ompd_rc_t of_region(const struct inquiry *inquiry)
{
	ompd_word_t league_size, team_num;
	struct region region;
	ompd_rc_t rc = region_read(inquiry->space, inquiry->llvm, inquiry->entity, &region);

	if (rc == ompd_rc_ok && (inquiry->icv == ICV_LEAGUE_SIZE || inquiry->icv == ICV_TEAM_NUM)) {
		rc = league(inquiry, &league_size, &team_num);
		if (rc != ompd_rc_ok)
			return rc;
		return number(inquiry, inquiry->icv == ICV_TEAM_NUM ? team_num : league_size);
	}
	if (rc != ompd_rc_ok)
		return rc;
	switch (inquiry->icv) {
	case ICV_LEVELS:
		return number(inquiry, region.level);
	case ICV_ACTIVE_LEVELS:
		return number(inquiry, region.active_level);
	case ICV_TEAM_SIZE:
		return number(inquiry, region.team_size);
	default: /* ICV_TEAM_GENERATOR */
		return number(inquiry, region.generator);
	}
}

/* The list's items behind the one for this nesting level, which the task has itself: libomp gives a task the
 * item of its level, and the rest only when a region begins. */
static ompd_rc_t add_further_items(const struct inquiry *inquiry, target_addr items, int32_t used,
				   int32_t level)
{
	const struct target *target = &inquiry->space->target;
	uint8_t bytes[4 * NESTED_LIST_MAX];
	ompd_rc_t rc;

	if (used < 0 || used > NESTED_LIST_MAX || level < 0)
		return ompd_rc_error;
	if (level >= used - 1)
		return ompd_rc_ok;
	rc = target_read(target, items, 4 * (size_t)used, bytes);
	for (int32_t i = level + 1; rc == ompd_rc_ok && i < used; i++)
		rc = icv_value_add_item(inquiry->value,
					target_decode_signed(target, bytes + 4 * i, 4));
	return rc;
}

static ompd_rc_t add_list(const struct inquiry *inquiry, const struct nested_list *layout,
			  enum global global, int32_t level)
{
	target_addr address, items;
	int32_t used;
	ompd_rc_t rc = global_address(inquiry->space, inquiry->llvm, global, &address);

	if (rc == ompd_rc_unavailable) {
		inquiry->value->further_unknown = true;
		return ompd_rc_ok;
	}
	if (rc == ompd_rc_ok)
		rc = nested_list_read(&inquiry->space->target, layout, address, &items, &used);
	return rc == ompd_rc_ok ? add_further_items(inquiry, items, used, level) : rc;
}

/* A num_threads clause with a list gives the team a list of its own, in releases that have the member. */
static ompd_rc_t add_nthreads(const struct inquiry *inquiry, const struct team *team)
{
	const struct icv_structures *layout = &inquiry->llvm->icv_structures;
	target_addr list = 0, items;
	int32_t used;
	ompd_rc_t rc = ompd_rc_ok;

	if (layout->t_nested_nth.size)
		rc = member_read(&inquiry->space->target, team->address, layout->t_nested_nth,
				 &list);
	if (rc == ompd_rc_ok && list == 0)
		return add_list(inquiry, &layout->nested_nth, GLOBAL___kmp_nested_nth,
				team->t_level);
	if (rc == ompd_rc_ok)
		rc = nested_list_read(&inquiry->space->target, &layout->nested_nth, list, &items,
				      &used);
	return rc == ompd_rc_ok ? add_further_items(inquiry, items, used, team->t_level) : rc;
}

static ompd_rc_t task_list(const struct inquiry *inquiry, int32_t first)
{
	struct task task;
	struct team team;
	ompd_rc_t rc =
		llvm_read_task(inquiry->space, inquiry->llvm, inquiry->entity.address, &task);

	inquiry->value->number = first;
	if (rc == ompd_rc_ok)
		rc = llvm_read_team(inquiry->space, inquiry->llvm, task.td_team, &team);
	if (rc != ompd_rc_ok)
		return rc;
	if (inquiry->icv == ICV_NTHREADS)
		return add_nthreads(inquiry, &team);
	return add_list(inquiry, &inquiry->llvm->icv_structures.nested_proc_bind,
			GLOBAL___kmp_nested_proc_bind, team.t_level);
}

static ompd_rc_t of_task(const struct inquiry *inquiry)
{
	struct task_icvs icvs;
	const ompd_rc_t rc = task_icvs_read(&inquiry->space->target, &inquiry->llvm->icv_structures,
					    inquiry->entity.address, &icvs);

	if (rc != ompd_rc_ok)
		return rc;
	switch (inquiry->icv) {
	case ICV_DYN:
		return number(inquiry, icvs.dynamic);
	case ICV_NTHREADS:
		return task_list(inquiry, icvs.nproc);
	case ICV_BIND:
		return task_list(inquiry, icvs.proc_bind);
	case ICV_DEFAULT_DEVICE:
		return number(inquiry, icvs.default_device);
	case ICV_MAX_ACTIVE_LEVELS:
		return number(inquiry, icvs.max_active_levels);
	case ICV_THREAD_LIMIT:
		return number(inquiry,
			      icvs.task_thread_limit ? icvs.task_thread_limit : icvs.thread_limit);
	default: /* ICV_RUN_SCHED */
		return schedule_text(icvs.r_sched_type, icvs.chunk, inquiry->value);
	}
}

static ompd_rc_t task_kind(const struct inquiry *inquiry)
{
	struct task task;
	const ompd_rc_t rc =
		llvm_read_task(inquiry->space, inquiry->llvm, inquiry->entity.address, &task);

	if (rc != ompd_rc_ok)
		return rc;
	switch (inquiry->icv) {
	case ICV_FINAL_TASK:
		return number(inquiry, task.final);
	case ICV_IMPLICIT_TASK:
		return number(inquiry, !task.explicit_task);
	default: /* ICV_EXPLICIT_TASK */
		return number(inquiry, task.explicit_task);
	}
}

/* A member of kmp_info_t, signed. */
static ompd_rc_t thread_member(const struct inquiry *inquiry, struct span member, ompd_word_t *ret)
{
	uint64_t value;
	ompd_rc_t rc;

	if (member.size == 0)
		return ompd_rc_unavailable;
	rc = member_read(&inquiry->space->target, inquiry->entity.address, member, &value);
	if (rc == ompd_rc_ok)
		*ret = member.size == 4 ? (int32_t)value : (ompd_word_t)value;
	return rc;
}

/* The numbers of the places, as omp_get_partition_place_nums() gives them. The partition may go round the end
 * of the list of places, whose length is not known. */
static ompd_rc_t place_partition(const struct inquiry *inquiry)
{
	const struct icv_structures *layout = &inquiry->llvm->icv_structures;
	ompd_word_t first, last;
	ompd_rc_t rc = thread_member(inquiry, layout->th_first_place, &first);

	if (rc == ompd_rc_ok)
		rc = thread_member(inquiry, layout->th_last_place, &last);
	if (rc == ompd_rc_ok && (first < 0 || last < 0))
		rc = ompd_rc_unavailable; /* threads are not bound to places */
	if (rc != ompd_rc_ok)
		return rc;
	inquiry->value->number = first;
	inquiry->value->further_unknown = last < first;
	if (last - first >= ICV_ITEMS_MAX)
		return ompd_rc_error;
	for (ompd_word_t place = first + 1; rc == ompd_rc_ok && place <= last; place++)
		rc = icv_value_add_item(inquiry->value, place);
	return rc;
}

static ompd_rc_t of_thread(const struct inquiry *inquiry)
{
	ompd_word_t allocator;
	struct info info;
	ompd_rc_t rc;

	if (inquiry->icv == ICV_THREAD_NUM)
		return thread_num(inquiry);
	rc = llvm_read_thread(inquiry->space, inquiry->llvm, inquiry->entity, &info);
	if (rc != ompd_rc_ok)
		return rc;
	if (inquiry->icv == ICV_PLACE_PARTITION)
		return place_partition(inquiry);
	rc = thread_member(inquiry, inquiry->llvm->icv_structures.th_def_allocator, &allocator);
	return rc == ompd_rc_ok ? number(inquiry, allocator) : rc;
}

static ompd_rc_t int_variable(const struct inquiry *inquiry, enum global global)
{
	return global_read_int(inquiry->space, inquiry->llvm, global, &inquiry->value->number);
}

static ompd_rc_t debug(const struct inquiry *inquiry)
{
	uint64_t flags;
	ompd_rc_t rc;

	if (inquiry->llvm->ompd_state == 0)
		return ompd_rc_unavailable;
	rc = target_read_unsigned(&inquiry->space->target, inquiry->llvm->ompd_state, 4, &flags);
	return rc == ompd_rc_ok ? number(inquiry, flags & 1) : rc;
}

static ompd_rc_t stacksize(const struct inquiry *inquiry)
{
	target_addr bytes;
	const ompd_rc_t rc =
		global_read_pointer(inquiry->space, inquiry->llvm, GLOBAL___kmp_stksize, &bytes);

	return rc == ompd_rc_ok ? number(inquiry, (ompd_word_t)bytes) : rc;
}

/* Counted when the program first needs threads. */
static ompd_rc_t num_procs(const struct inquiry *inquiry)
{
	const ompd_rc_t rc = int_variable(inquiry, GLOBAL___kmp_avail_proc);

	return rc == ompd_rc_ok && inquiry->value->number <= 0 ? ompd_rc_unavailable : rc;
}

/* libomp keeps no wait policy: `active' makes it a turnaround library, anything else one for throughput. */
static ompd_rc_t wait_policy(const struct inquiry *inquiry)
{
	ompd_word_t library;
	const ompd_rc_t rc =
		global_read_int(inquiry->space, inquiry->llvm, GLOBAL___kmp_library, &library);

	if (rc != ompd_rc_ok)
		return rc;
	if (library != LIBRARY_TURNAROUND && library != LIBRARY_THROUGHPUT)
		return ompd_rc_unavailable;
	return number(inquiry,
		      library == LIBRARY_TURNAROUND ? WAIT_POLICY_ACTIVE : WAIT_POLICY_PASSIVE);
}

/* A string that a variable points to; `unset` when it points nowhere. */
static ompd_rc_t string_variable(const struct inquiry *inquiry, enum global global,
				 const char *unset)
{
	char text[SETTING_LENGTH_MAX];
	target_addr address;
	ompd_rc_t rc = global_read_pointer(inquiry->space, inquiry->llvm, global, &address);

	inquiry->value->form = ICV_FORM_TEXT;
	if (rc == ompd_rc_ok && address == 0)
		return icv_value_add_text(inquiry->value, unset);
	if (rc == ompd_rc_ok)
		rc = target_read_string(&inquiry->space->target, address, sizeof(text), text);
	/* What does not end is no setting of a user's. */
	if (rc == ompd_rc_incomplete)
		rc = ompd_rc_error;
	return rc == ompd_rc_ok ? icv_value_add_text(inquiry->value, text) : rc;
}

static ompd_rc_t answer(const struct inquiry *inquiry)
{
	switch (inquiry->icv) {
	case ICV_LEVELS:
	case ICV_ACTIVE_LEVELS:
	case ICV_TEAM_SIZE:
	case ICV_LEAGUE_SIZE:
	case ICV_TEAM_NUM:
	case ICV_TEAM_GENERATOR:
		return of_region(inquiry);
	case ICV_DYN:
	case ICV_NTHREADS:
	case ICV_BIND:
	case ICV_DEFAULT_DEVICE:
	case ICV_MAX_ACTIVE_LEVELS:
	case ICV_THREAD_LIMIT:
	case ICV_RUN_SCHED:
		return of_task(inquiry);
	case ICV_FINAL_TASK:
	case ICV_IMPLICIT_TASK:
	case ICV_EXPLICIT_TASK:
		return task_kind(inquiry);
	case ICV_THREAD_NUM:
	case ICV_PLACE_PARTITION:
	case ICV_DEF_ALLOCATOR:
		return of_thread(inquiry);
	case ICV_DEBUG:
		return debug(inquiry);
	case ICV_STACKSIZE:
		return stacksize(inquiry);
	case ICV_WAIT_POLICY:
		return wait_policy(inquiry);
	case ICV_CANCEL:
		return int_variable(inquiry, GLOBAL___kmp_omp_cancellation);
	case ICV_MAX_TASK_PRIORITY:
		return int_variable(inquiry, GLOBAL___kmp_max_task_priority);
	case ICV_DISPLAY_AFFINITY:
		return int_variable(inquiry, GLOBAL___kmp_display_affinity);
	case ICV_NUM_PROCS:
		return num_procs(inquiry);
	case ICV_NTEAMS:
		return int_variable(inquiry, GLOBAL___kmp_nteams);
	case ICV_TEAMS_THREAD_LIMIT:
		return int_variable(inquiry, GLOBAL___kmp_teams_thread_limit);
	case ICV_TARGET_OFFLOAD:
		return int_variable(inquiry, GLOBAL___kmp_target_offload);
	case ICV_TOOL:
		return int_variable(inquiry, GLOBAL___kmp_tool);
	case ICV_AFFINITY_FORMAT:
		return string_variable(inquiry, GLOBAL___kmp_affinity_format, "");
	case ICV_TOOL_LIBRARIES:
		return string_variable(inquiry, GLOBAL___kmp_tool_libraries, "");
	case ICV_TOOL_VERBOSE_INIT:
		return string_variable(inquiry, GLOBAL___kmp_tool_verbose_init, "disabled");
	case ICV_AVAILABLE_DEVICES:
	case ICV_DEF_SCHED:
	case ICV_DEVICE_NUM:
	case ICV_FREE_AGENT:
	case ICV_FREE_AGENT_THREAD_LIMIT:
	case ICV_NUM_DEVICES:
	case ICV_PLACE_ASSIGNMENT:
	case ICV_STRUCTURED_THREAD_LIMIT:
		break;
	}
	return ompd_rc_unavailable;
}

ompd_rc_t llvm_icv(struct address_space *space, enum icv icv, struct entity entity,
		   struct icv_value *value)
{
	struct inquiry inquiry = {space, NULL, icv, entity, value};
	const ompd_rc_t rc = llvm_threads_ready(space, &inquiry.llvm);

	return rc == ompd_rc_ok ? answer(&inquiry) : rc;
}
