/* SPDX-License-Identifier: Apache-2.0
 *
 * Where libgomp keeps the ICVs: of a task in the task, of a thread in its ts, and in variables. A variable is known where
 * an exported function does little more than return it. What is kept in others (the lists behind the first item of
 * nthreads-var and bind-var, and what four more were set to) the environment tells, where it can be trusted.
 */
#include "runtime/gomp/answers.h"
#include "runtime/gomp/builds.h"
#include "runtime/gomp/gomp.h"
#include "runtime/gomp/nesting.h"
#include "runtime/gomp/ready.h"
#include "runtime/gomp/settings.h"
#include "runtime/gomp/thread.h"
#include "target/limits.h"
#include "target/text.h"

#define OF(gomp, type, member) ((gomp)->record->members[MEMBER_##type##__##member])

/* What an answer is made from. */
struct inquiry {
	struct address_space *space;
	struct gomp *gomp;
	enum icv icv;
	struct entity entity;
	struct icv_value *value;
};

static ompd_rc_t number(const struct inquiry *inquiry, ompd_word_t value)
{
	inquiry->value->number = value;
	return ompd_rc_ok;
}

/* ---- Variables ---- */

static ompd_rc_t variable(const struct inquiry *inquiry, const char *function, enum operand operand,
			  size_t size, target_addr *ret)
{
	struct image *image = &inquiry->space->image;
	ompd_rc_t rc = accessor_operand(image, function, operand, ret);

	if (rc == ompd_rc_unavailable)
		rc = build_variable(image, function, operand, ret);
	if (rc == ompd_rc_ok && !image_writable(image, *ret, size))
		return ompd_rc_unavailable;
	return rc;
}

static ompd_rc_t int_variable(const struct inquiry *inquiry, const char *function)
{
	target_addr address;
	uint64_t value;
	ompd_rc_t rc = variable(inquiry, function, OPERAND_INT_VARIABLE, 4, &address);

	if (rc == ompd_rc_ok)
		rc = target_read_unsigned(&inquiry->space->target, address, 4, &value);
	return rc == ompd_rc_ok ? number(inquiry, (int32_t)value) : rc;
}

static ompd_rc_t byte_variable(const struct inquiry *inquiry, const char *function)
{
	target_addr address;
	uint64_t value;
	ompd_rc_t rc = variable(inquiry, function, OPERAND_BYTE_VARIABLE, 1, &address);

	if (rc == ompd_rc_ok)
		rc = target_read_unsigned(&inquiry->space->target, address, 1, &value);
	return rc == ompd_rc_ok ? number(inquiry, (ompd_word_t)value) : rc;
}

static ompd_rc_t affinity_format(const struct inquiry *inquiry)
{
	char text[SETTING_LENGTH_MAX];
	target_addr address;
	ompd_rc_t rc =
		variable(inquiry, "omp_get_affinity_format", OPERAND_WORD_VARIABLE, 8, &address);

	inquiry->value->form = ICV_FORM_TEXT;
	if (rc == ompd_rc_ok)
		rc = target_read_pointer(&inquiry->space->target, address, &address);
	if (rc == ompd_rc_ok)
		rc = target_read_string(&inquiry->space->target, address, sizeof(text), text);
	/* What does not end is no setting of a user's. */
	if (rc == ompd_rc_incomplete)
		rc = ompd_rc_error;
	return rc == ompd_rc_ok ? icv_value_add_text(inquiry->value, text) : rc;
}

/* ---- Of tasks ---- */

/* Where the ICVs are of tasks that have none of their own. */
static ompd_rc_t global_icv(const struct inquiry *inquiry, target_addr *ret)
{
	return variable(inquiry, "omp_get_dynamic", OPERAND_ADDRESS,
			OF(inquiry->gomp, gomp_task, icv).size, ret);
}

/* The gomp_task of a thread's initial task, which outer parallel regions have as their parent; 0: none. */
static ompd_rc_t initial_task(const struct inquiry *inquiry, target_addr thread_address,
			      target_addr *ret)
{
	struct gomp *gomp = inquiry->gomp;
	struct gomp_native native;
	struct gomp_team_state ts;
	struct gomp_task task;
	ompd_rc_t rc =
		gomp_native_read(inquiry->space, gomp, thread_address - gomp->tls_offset, &native);

	if (rc != ompd_rc_ok)
		return rc;
	*ret = native.thread.task;
	ts = native.thread.ts;
	while (rc == ompd_rc_ok && gomp_in_region(&ts)) {
		struct gomp_team team;

		rc = gomp_team_of_state(inquiry->space, gomp, &ts, &team);
		*ret = gomp_implicit_task(gomp->record, ts.team, 0);
		ts = team.prev_ts;
		if (rc == ompd_rc_ok && !gomp_in_region(&ts)) {
			rc = gomp_task_read(&inquiry->space->target, gomp->record, *ret, &task);
			*ret = task.parent;
		}
	}
	/* An undeferred task's around it. */
	for (unsigned depth = 0; rc == ompd_rc_ok && *ret; depth++) {
		rc = gomp_task_read(&inquiry->space->target, gomp->record, *ret, &task);
		if (rc == ompd_rc_ok && task.kind == GOMP_TASK_IMPLICIT)
			break;
		*ret = task.parent;
		if (depth == TEAM_DEPTH_MAX)
			rc = ompd_rc_error;
	}
	return rc;
}

static ompd_rc_t icvs_of_task(const struct inquiry *inquiry, target_addr *ret)
{
	const struct span icv = OF(inquiry->gomp, gomp_task, icv);
	target_addr task = inquiry->entity.address;
	ompd_rc_t rc = ompd_rc_ok;

	if (gomp_region_kind(task) != REGION_TEAM)
		rc = initial_task(inquiry, gomp_region_thread(task), &task);
	if (rc == ompd_rc_ok && task == 0)
		return global_icv(inquiry, ret);
	*ret = task + icv.offset;
	return rc;
}

/* "monotonic:dynamic,4", as OMP_SCHEDULE is written. */
static ompd_rc_t schedule_text(const struct inquiry *inquiry, uint32_t kind, int32_t chunk)
{
	static const char *const names[] = {NULL, "static", "dynamic", "guided", "auto"};
	enum { MONOTONIC = INT32_MIN, AUTO = 4 };
	const bool monotonic = kind & (uint32_t)MONOTONIC;
	const uint32_t plain = kind & ~(uint32_t)MONOTONIC;
	char text[TEXT_DECIMAL_SIZE];
	ompd_rc_t rc = ompd_rc_ok;

	inquiry->value->form = ICV_FORM_TEXT;
	if (plain == 0 || plain >= COUNT(names))
		return ompd_rc_error;
	if (monotonic)
		rc = icv_value_add_text(inquiry->value, "monotonic:");
	if (rc == ompd_rc_ok)
		rc = icv_value_add_text(inquiry->value, names[plain]);
	if (rc != ompd_rc_ok || chunk <= 0 || plain == AUTO)
		return rc;
	rc = icv_value_add_text(inquiry->value, ",");
	return rc == ompd_rc_ok ? icv_value_add_text(inquiry->value, text_decimal(text, chunk))
				: rc;
}

/* Until GCC 10 it is one for the program. */
static ompd_rc_t max_active_levels(const struct inquiry *inquiry, target_addr icvs)
{
	const struct span member = OF(inquiry->gomp, gomp_task_icv, max_active_levels_var);
	uint64_t value;
	ompd_rc_t rc;

	if (member.size == 0)
		return int_variable(inquiry, "omp_get_max_active_levels");
	rc = member_read(&inquiry->space->target, icvs, member, &value);
	return rc == ompd_rc_ok ? number(inquiry, (ompd_word_t)value) : rc;
}

/* How many regions the task is in. */
static ompd_rc_t level_of_task(const struct inquiry *inquiry, int32_t *ret)
{
	const target_addr region = inquiry->entity.part;
	struct gomp_team team;
	ompd_rc_t rc = ompd_rc_ok;

	*ret = 0;
	if (gomp_region_kind(inquiry->entity.address) != REGION_TEAM)
		return rc;
	if (gomp_region_kind(region) == REGION_TEAM) {
		rc = gomp_team_at(inquiry->space, inquiry->gomp, region, &team);
		*ret = team.prev_ts.level + 1;
	}
	return rc;
}

/* What a list has for the regions inside. */
static ompd_rc_t further_items(const struct inquiry *inquiry, struct span member)
{
	uint64_t first;
	target_addr icvs;
	int32_t level;
	ompd_rc_t rc = global_icv(inquiry, &icvs);

	if (rc == ompd_rc_ok)
		rc = member_read(&inquiry->space->target, icvs, member, &first);
	if (rc == ompd_rc_ok)
		rc = level_of_task(inquiry, &level);
	if (rc == ompd_rc_ok)
		rc = settings_further(inquiry->space, inquiry->gomp, inquiry->icv,
				      (ompd_word_t)first, level, inquiry->value);
	inquiry->value->further_unknown = rc != ompd_rc_ok;
	return rc == ompd_rc_unavailable || rc == ompd_rc_error ? ompd_rc_ok : rc;
}

static ompd_rc_t of_task(const struct inquiry *inquiry)
{
	const struct target *target = &inquiry->space->target;
	const struct gomp *gomp = inquiry->gomp;
	struct span member = {0, 0};
	uint64_t value, chunk;
	target_addr icvs;
	ompd_rc_t rc = icvs_of_task(inquiry, &icvs);

	if (rc != ompd_rc_ok)
		return rc;
	switch (inquiry->icv) {
	case ICV_MAX_ACTIVE_LEVELS:
		return max_active_levels(inquiry, icvs);
	case ICV_RUN_SCHED:
		rc = member_read(target, icvs, OF(gomp, gomp_task_icv, run_sched_var), &value);
		if (rc == ompd_rc_ok)
			rc = member_read(target, icvs,
					 OF(gomp, gomp_task_icv, run_sched_chunk_size), &chunk);
		return rc == ompd_rc_ok ? schedule_text(inquiry, (uint32_t)value, (int32_t)chunk)
					: rc;
	case ICV_DYN:
		member = OF(gomp, gomp_task_icv, dyn_var);
		break;
	case ICV_NTHREADS:
		member = OF(gomp, gomp_task_icv, nthreads_var);
		break;
	case ICV_BIND:
		member = OF(gomp, gomp_task_icv, bind_var);
		break;
	case ICV_DEFAULT_DEVICE:
		member = OF(gomp, gomp_task_icv, default_device_var);
		break;
	default: /* ICV_THREAD_LIMIT */
		member = OF(gomp, gomp_task_icv, thread_limit_var);
		break;
	}
	rc = member_read(target, icvs, member, &value);
	if (rc == ompd_rc_ok && (inquiry->icv == ICV_NTHREADS || inquiry->icv == ICV_BIND))
		rc = further_items(inquiry, member);
	if (rc != ompd_rc_ok)
		return rc;
	if (inquiry->icv == ICV_DEFAULT_DEVICE)
		return number(inquiry, (int32_t)value);
	/* No limit is the largest unsigned number; omp_get_thread_limit() tells the largest that an int has. */
	return number(inquiry, value > INT32_MAX ? INT32_MAX : (ompd_word_t)value);
}

static ompd_rc_t task_kind(const struct inquiry *inquiry)
{
	struct gomp_task task = {.kind = GOMP_TASK_IMPLICIT};
	ompd_rc_t rc = ompd_rc_ok;

	if (gomp_region_kind(inquiry->entity.address) == REGION_TEAM)
		rc = gomp_task_read(&inquiry->space->target, inquiry->gomp->record,
				    inquiry->entity.address, &task);
	if (rc != ompd_rc_ok)
		return rc;
	switch (inquiry->icv) {
	case ICV_FINAL_TASK:
		return number(inquiry, task.final_task);
	case ICV_IMPLICIT_TASK:
		return number(inquiry, task.kind == GOMP_TASK_IMPLICIT);
	default: /* ICV_EXPLICIT_TASK */
		return number(inquiry, task.kind != GOMP_TASK_IMPLICIT);
	}
}

/* ---- Of threads and regions ---- */

/* The numbers of the places, as omp_get_partition_place_nums() gives them. */
static ompd_rc_t place_partition(const struct inquiry *inquiry, const struct gomp_thread *thread)
{
	const uint32_t first = thread->ts.place_partition_off;
	const uint32_t count = thread->ts.place_partition_len;
	ompd_rc_t rc = ompd_rc_ok;

	/* Threads are not bound to places. */
	if (thread->place == 0 || count == 0)
		return ompd_rc_unavailable;
	if (count > ICV_ITEMS_MAX)
		return ompd_rc_error;
	inquiry->value->number = first;
	for (uint32_t i = 1; rc == ompd_rc_ok && i < count; i++)
		rc = icv_value_add_item(inquiry->value, (ompd_word_t)first + i);
	return rc;
}

static ompd_rc_t def_allocator(const struct inquiry *inquiry, const struct gomp_thread *thread)
{
	target_addr address;
	uint64_t value = thread->ts.def_allocator;
	ompd_rc_t rc = ompd_rc_ok;

	if (value == 0)
		rc = variable(inquiry, "omp_get_default_allocator", OPERAND_WORD_CHOSEN, 8,
			      &address);
	if (rc == ompd_rc_ok && value == 0)
		rc = target_read_pointer(&inquiry->space->target, address, &value);
	return rc == ompd_rc_ok ? number(inquiry, (ompd_word_t)value) : rc;
}

static ompd_rc_t of_thread(const struct inquiry *inquiry)
{
	struct gomp_thread thread;
	target_addr region;
	ompd_rc_t rc =
		gomp_thread_of_entity(inquiry->space, inquiry->gomp, inquiry->entity, &thread);

	if (rc == ompd_rc_ok && inquiry->icv == ICV_PLACE_PARTITION)
		return place_partition(inquiry, &thread);
	if (rc == ompd_rc_ok && inquiry->icv == ICV_DEF_ALLOCATOR)
		return def_allocator(inquiry, &thread);
	if (rc == ompd_rc_ok)
		rc = gomp_region_of(inquiry->space, inquiry->gomp, &thread, &region);
	if (rc != ompd_rc_ok)
		return rc;
	return number(inquiry, gomp_region_kind(region) == REGION_TEAM ? thread.ts.team_id : 0);
}

/* The league that the region is in; a region in none is as in a league of one. */
static ompd_rc_t league(const struct inquiry *inquiry, const struct gomp_team *team)
{
	const target_addr region = inquiry->entity.address;
	struct gomp *gomp = inquiry->gomp;
	struct gomp_native root;
	ompd_rc_t rc = ompd_rc_ok;

	if (OF(gomp, gomp_thread, num_teams).size == 0)
		return ompd_rc_unavailable;
	if (gomp_region_kind(region) == REGION_INITIAL)
		return number(inquiry, inquiry->icv == ICV_LEAGUE_SIZE);
	if (gomp_region_kind(region) == REGION_TEAM)
		rc = gomp_root(inquiry->space, gomp, team, &root);
	else
		rc = gomp_native_read(inquiry->space, gomp,
				      gomp_region_thread(region) - gomp->tls_offset, &root);
	if (rc != ompd_rc_ok)
		return rc;
	return number(inquiry, inquiry->icv == ICV_LEAGUE_SIZE
				       ? (ompd_word_t)root.thread.num_teams + 1
				       : (ompd_word_t)root.thread.team_num);
}

static ompd_rc_t of_region(const struct inquiry *inquiry)
{
	const unsigned kind = gomp_region_kind(inquiry->entity.address);
	struct gomp_team team = {.nthreads = 1};
	ompd_word_t level = 0, active_level = 0;
	ompd_rc_t rc = ompd_rc_ok;

	if (kind == REGION_TEAM) {
		rc = gomp_team_at(inquiry->space, inquiry->gomp, inquiry->entity.address, &team);
		level = team.prev_ts.level + (ompd_word_t)1;
		active_level = team.prev_ts.active_level + (ompd_word_t)(team.nthreads > 1);
	}
	if (rc != ompd_rc_ok)
		return rc;
	switch (inquiry->icv) {
	case ICV_LEVELS:
		return number(inquiry, level);
	case ICV_ACTIVE_LEVELS:
		return number(inquiry, active_level);
	case ICV_TEAM_SIZE:
		return number(inquiry, team.nthreads);
	case ICV_TEAM_GENERATOR:
		return number(inquiry, kind == REGION_TEAM     ? ompd_generator_parallel
				       : kind == REGION_LEAGUE ? ompd_generator_teams
							       : ompd_generator_program);
	default: /* ICV_LEAGUE_SIZE, ICV_TEAM_NUM */
		return league(inquiry, &team);
	}
}

/* Kept in a variable that no exported function tells of. */
static ompd_rc_t hidden(const struct inquiry *inquiry, const char *name)
{
	ompd_word_t value;
	const ompd_rc_t rc = settings_value(inquiry->space, inquiry->gomp, inquiry->icv, &value);

	if (rc == ompd_rc_unavailable)
		diagnostics_note(&inquiry->space->diagnostics, DIAGNOSTIC_global_not_found, name);
	if (rc == ompd_rc_unsupported)
		return ompd_rc_unavailable;
	return rc == ompd_rc_ok ? number(inquiry, value) : rc;
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
	case ICV_CANCEL:
		return byte_variable(inquiry, "omp_get_cancellation");
	case ICV_MAX_TASK_PRIORITY:
		return int_variable(inquiry, "omp_get_max_task_priority");
	case ICV_NUM_PROCS:
		return int_variable(inquiry, "omp_get_num_procs");
	case ICV_NTEAMS:
		return int_variable(inquiry, "omp_get_max_teams");
	case ICV_TEAMS_THREAD_LIMIT:
		return int_variable(inquiry, "omp_get_teams_thread_limit");
	case ICV_AFFINITY_FORMAT:
		return affinity_format(inquiry);
	case ICV_DISPLAY_AFFINITY:
		return hidden(inquiry, "gomp_display_affinity_var");
	case ICV_STACKSIZE:
		return hidden(inquiry, "gomp_thread_attr");
	case ICV_TARGET_OFFLOAD:
		return hidden(inquiry, "gomp_target_offload_var");
	case ICV_WAIT_POLICY:
		return hidden(inquiry, "wait_policy");
	case ICV_AVAILABLE_DEVICES:
	case ICV_DEBUG:
	case ICV_DEF_SCHED:
	case ICV_DEVICE_NUM:
	case ICV_FREE_AGENT:
	case ICV_FREE_AGENT_THREAD_LIMIT:
	case ICV_NUM_DEVICES:
	case ICV_PLACE_ASSIGNMENT:
	case ICV_STRUCTURED_THREAD_LIMIT:
	case ICV_TOOL:
	case ICV_TOOL_LIBRARIES:
	case ICV_TOOL_VERBOSE_INIT:
		break;
	}
	return ompd_rc_unavailable;
}

ompd_rc_t gomp_icv(struct address_space *space, enum icv icv, struct entity entity,
		   struct icv_value *value)
{
	struct inquiry inquiry = {space, NULL, icv, entity, value};
	const ompd_rc_t rc = gomp_ready(space, &inquiry.gomp);

	return rc == ompd_rc_ok ? answer(&inquiry) : rc;
}
