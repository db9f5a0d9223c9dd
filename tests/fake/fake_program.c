/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program's OpenMP constructs leave in libomp's memory, and what the program knows of itself.
 * Which teams a construct makes was looked up in the memory of real programs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_libomp_internal.h"
#include "fake_variables.h"

#define SET(structure, type, member, value)                                                        \
	fake_set_member(omp, structure, FAKE_OFFSET_##type##__##member, (uint64_t)(value))
#define GET(structure, type, member) fake_get_member(omp, structure, FAKE_OFFSET_##type##__##member)

#define SOURCE_SIZE 64

static void *allocated(size_t count, size_t size)
{
	void *block = calloc(count, size);

	if (!block)
		abort();
	return block;
}

size_t fake_omp_thread_count(const struct fake_libomp *omp)
{
	return omp->member_count;
}

struct fake_thread *fake_omp_thread(const struct fake_libomp *omp, size_t gtid)
{
	return omp->members[gtid];
}

const struct fake_region *fake_regions(const struct fake_libomp *omp)
{
	return omp->regions;
}

/* ---- Threads ---- */

static struct fake_thread *add_thread(struct fake_libomp *omp, ompdx_thread_kind_t kind)
{
	struct fake_thread *thread = allocated(1, sizeof(*thread));
	const uint64_t gtid_offset = omp->words[FAKE_OFFSET_kmp_base_info_t__th_info] +
				     omp->words[FAKE_OFFSET_kmp_desc_base_t__ds_tid] + 4;

	if (omp->member_count >= omp->options.capacity)
		abort();
	omp->members = realloc(omp->members, (omp->member_count + 1) * sizeof(*omp->members));
	if (!omp->members)
		abort();
	thread->omp = omp;
	thread->gtid = (int)omp->member_count;
	thread->kind = kind;
	thread->pthread_id = fake_native_thread(omp->target);
	thread->lwp = fake_lwp_of(omp->target, fake_thread_count(omp->target) - 1);
	thread->address = fake_allocate(omp, omp->words[FAKE_SIZEOF_kmp_info_t]);
	omp->members[omp->member_count++] = thread;
	fake_set_variable(omp, FAKE_VARIABLE___kmp_all_nth, omp->member_count);
	SET(thread->address, kmp_desc_base_t, ds_thread, thread->pthread_id);
	fake_put(omp->target, thread->address + gtid_offset, 4, (uint64_t)thread->gtid);
	fake_put_pointer(omp->target,
			 omp->array + (uint64_t)thread->gtid * omp->machine.pointer_size,
			 thread->address);
	return thread;
}

static void set_in_pool(struct fake_thread *thread, bool in_pool)
{
	struct fake_libomp *omp = thread->omp;
	uint64_t first = 0;

	thread->pooled = in_pool;
	for (size_t i = omp->member_count; i-- > 0;) {
		if (omp->members[i]->pooled)
			first = omp->members[i]->address;
	}
	fake_put_pointer(omp->target, omp->thread_pool, first);
	if (fake_has_record(omp))
		fake_put(omp->target, thread->address + FAKE_TH_IN_POOL, 4, in_pool);
}

/* A worker that does nothing: of this contention group or, with 0, of the pool or of a team that its
 * primary has left. */
static struct fake_thread *idle_worker(struct fake_libomp *omp, uint64_t group)
{
	for (size_t i = 0; i < omp->member_count; i++) {
		struct fake_thread *thread = omp->members[i];

		if (thread->kind == ompdx_thread_worker && !thread->region &&
		    thread->group == group)
			return thread;
	}
	return add_thread(omp, ompdx_thread_worker);
}

/* ---- Teams, as libomp keeps them ---- */

/* The address of a team's implicit task. */
static uint64_t implicit_task(struct fake_libomp *omp, uint64_t team, int thread_num)
{
	return GET(team, kmp_base_team_t, t_implicit_task_taskdata) +
	       (uint64_t)thread_num * omp->words[FAKE_SIZEOF_kmp_taskdata_t];
}

static uint64_t flags(const struct fake_libomp *omp, bool explicit_task, bool final)
{
	uint64_t word = omp->words[FAKE_MASK_kmp_tasking_flags_t__started] |
			omp->words[FAKE_MASK_kmp_tasking_flags_t__executing] |
			omp->words[FAKE_MASK_kmp_tasking_flags_t__tiedness];

	if (explicit_task)
		word |= omp->words[FAKE_MASK_kmp_tasking_flags_t__tasktype];
	if (final)
		word |= omp->words[FAKE_MASK_kmp_tasking_flags_t__final];
	/* The masks of a big-endian machine are those of the first half of a word. */
	return omp->machine.big_endian ? word >> 32 : word;
}

/* A new team with room for `size` threads; its threads are put in by join. */
static uint64_t add_team(struct fake_libomp *omp, uint64_t parent, int size, int level,
			 int active_level, int master_tid)
{
	const uint64_t width = omp->machine.pointer_size;
	const uint64_t team = fake_allocate(omp, omp->words[FAKE_SIZE_kmp_team_p__t]);
	const uint64_t tasks =
		fake_allocate(omp, (uint64_t)size * omp->words[FAKE_SIZEOF_kmp_taskdata_t]);
	/* libomp leaves room for more threads; what stands there is of no meaning. */
	const uint64_t threads = fake_allocate(omp, ((uint64_t)size + 2) * width);

	fake_put_pointer(omp->target, threads + (uint64_t)size * width, omp->members[0]->address);
	SET(team, kmp_base_team_t, t_parent, parent);
	SET(team, kmp_base_team_t, t_nproc, size);
	SET(team, kmp_base_team_t, t_level, level);
	SET(team, kmp_base_team_t, t_active_level, active_level);
	SET(team, kmp_base_team_t, t_master_tid, master_tid);
	SET(team, kmp_base_team_t, t_threads, threads);
	SET(team, kmp_base_team_t, t_implicit_task_taskdata, tasks);
	return team;
}

static void set_serialized(struct fake_libomp *omp, uint64_t team, int count)
{
	if (fake_has_record(omp))
		fake_put(omp->target, team + FAKE_T_SERIALIZED, 4, (uint64_t)count);
}

static int get_serialized(const struct fake_libomp *omp, uint64_t team)
{
	return fake_has_record(omp) ? (int)fake_get(omp->target, team + FAKE_T_SERIALIZED, 4) : 0;
}

static uint64_t team_of(const struct fake_thread *thread)
{
	return fake_get_member(thread->omp, thread->address, FAKE_OFFSET_kmp_base_info_t__th_team);
}

static int tid_of(const struct fake_thread *thread)
{
	return (int)fake_get_member(thread->omp, thread->address,
				    FAKE_OFFSET_kmp_desc_base_t__ds_tid);
}

static void set_task(struct fake_thread *thread, uint64_t task, ompdx_task_kind_t kind, bool final)
{
	struct fake_libomp *omp = thread->omp;

	SET(thread->address, kmp_base_info_t, th_current_task, task);
	thread->task = task;
	thread->task_kind = kind;
	thread->task_final = final;
}

/* The thread becomes number tid of the team and executes its implicit task there, which `generating`
 * brought about. */
static void join(struct fake_thread *thread, uint64_t team, int tid, uint64_t generating,
		 ompdx_task_kind_t kind)
{
	struct fake_libomp *omp = thread->omp;
	const uint64_t task = implicit_task(omp, team, tid);

	SET(task, kmp_taskdata_t, td_team, team);
	SET(task, kmp_taskdata_t, td_flags, flags(omp, false, false));
	SET(task, kmp_taskdata_t, td_parent, generating);
	fake_put_pointer(omp->target,
			 GET(team, kmp_base_team_t, t_threads) +
				 (uint64_t)tid * omp->machine.pointer_size,
			 thread->address);
	SET(thread->address, kmp_base_info_t, th_team, team);
	SET(thread->address, kmp_desc_base_t, ds_tid, tid);
	set_task(thread, task, kind, false);
	set_in_pool(thread, false);
}

/* ---- Regions, as the program sees them ---- */

static struct fake_region *add_region(struct fake_libomp *omp, struct fake_region *parent,
				      int primary_num, ompd_team_generator_t generator, int size,
				      uint64_t team)
{
	struct fake_region *region = allocated(1, sizeof(*region));
	struct fake_region **link = &omp->regions;

	region->parent = parent;
	region->primary_num = primary_num;
	region->generator = generator;
	region->level = parent ? parent->level : 0;
	region->active_level = parent ? parent->active_level : 0;
	region->team_size = size;
	region->league_size = -1;
	region->team_num = -1;
	region->team = team;
	region->members = allocated((size_t)size, sizeof(struct fake_thread *));
	while (*link)
		link = &(*link)->next;
	*link = region;
	return region;
}

/* libomp keeps with each thread the code of the teams construct that it is in. */
static void set_teams(struct fake_thread *thread, bool inside)
{
	if (fake_has_record(thread->omp))
		fake_put_pointer(thread->omp->target, thread->address + FAKE_TH_TEAMS_MICROTASK,
				 inside ? 0x100000 : 0);
}

static bool is_in_league(const struct fake_region *region)
{
	while (region && region->generator != ompd_generator_teams)
		region = region->parent;
	return region != NULL;
}

static void enter(struct fake_thread *thread, struct fake_region *region, int thread_num)
{
	region->members[thread_num] = thread;
	thread->region = region;
	thread->thread_num = thread_num;
	set_teams(thread, is_in_league(region));
}

/* What the compiler recorded of the construct: its code, and where it stands. */
static void set_construct(struct fake_libomp *omp, struct fake_region *region, const char *what)
{
	const uint64_t text = fake_allocate(omp, SOURCE_SIZE);
	const uint64_t ident = fake_allocate(omp, 24);
	const uint64_t function = 0x100000 + 0x40 * (uint64_t)omp->constructs;
	char source[SOURCE_SIZE];
	char *kept = allocated(1, SOURCE_SIZE);

	snprintf(source, sizeof(source), ";program.c;%s;%u;1;;", what, 10 + omp->constructs++);
	memcpy(kept, source, SOURCE_SIZE);
	region->source = kept;
	region->function = function;
	fake_put_string(omp->target, text, source);
	fake_put_pointer(omp->target, ident + FAKE_IDENT_PSOURCE, text);
	SET(region->team, kmp_base_team_t, t_pkfn, function);
	if (fake_has_record(omp))
		fake_put_pointer(omp->target, region->team + FAKE_T_IDENT, ident);
}

/* ---- The program runs ---- */

struct fake_thread *fake_root(struct fake_libomp *omp)
{
	struct fake_thread *thread;
	struct fake_region *region;
	uint64_t team;

	fake_libomp_start(omp);
	thread = add_thread(omp, omp->member_count ? ompdx_thread_root : ompdx_thread_initial);
	team = add_team(omp, 0, 1, 0, 0, 0);
	set_serialized(omp, team, 1);
	region = add_region(omp, NULL, -1, ompd_generator_program, 1, team);
	join(thread, team, 0, 0, ompdx_task_initial);
	enter(thread, region, 0);
	return thread;
}

/* Between parallel regions, the initial thread of a league's team is in its contention group. */
static bool in_contention_group(const struct fake_thread *thread)
{
	return thread->region->generator == ompd_generator_teams;
}

struct fake_region *fake_parallel(struct fake_thread *primary, int size)
{
	struct fake_libomp *omp = primary->omp;
	struct fake_region *outer = primary->region;
	const uint64_t outer_team = team_of(primary);
	struct fake_region *region;
	const uint64_t generating = primary->task;
	const bool grouped = in_contention_group(primary);
	uint64_t team = outer_team;

	if (size < 2 || (grouped && (uint64_t)size > GET(team, kmp_base_team_t, t_nproc)))
		abort();
	if (!grouped) {
		team = add_team(omp, outer_team, size, outer->level + 1, outer->active_level + 1,
				tid_of(primary));
	} else {
		SET(team, kmp_base_team_t, t_nproc, size);
		SET(team, kmp_base_team_t, t_level, outer->level + 1);
		SET(team, kmp_base_team_t, t_active_level, outer->active_level + 1);
	}
	region = add_region(omp, outer, primary->thread_num, ompd_generator_parallel, size, team);
	region->level++;
	region->active_level++;
	join(primary, team, 0, generating, ompdx_task_implicit);
	enter(primary, region, 0);
	for (int i = 1; i < size; i++) {
		struct fake_thread *worker = idle_worker(omp, grouped ? team : 0);

		join(worker, team, i, generating, ompdx_task_implicit);
		enter(worker, region, i);
	}
	set_construct(omp, region, "work");
	return region;
}

/* Serialized regions that follow each other share a team. */
static uint64_t serial_team(struct fake_thread *thread)
{
	struct fake_libomp *omp = thread->omp;
	const uint64_t team = team_of(thread);
	const struct fake_region *outer = thread->region;
	const int size = (int)GET(team, kmp_base_team_t, t_nproc);
	const bool of_league = outer->generator == ompd_generator_teams && size == 1;
	const bool nested = outer->serialized;
	uint64_t added;

	if (of_league || nested) {
		SET(team, kmp_base_team_t, t_level, outer->level + 1);
		if (nested)
			set_serialized(omp, team, get_serialized(omp, team) + 1);
		return team;
	}
	added = add_team(omp, team, 1, outer->level + 1, outer->active_level, tid_of(thread));
	set_serialized(omp, added, 1);
	return added;
}

struct fake_region *fake_serialized(struct fake_thread *thread)
{
	struct fake_libomp *omp = thread->omp;
	const uint64_t before = team_of(thread);
	const uint64_t team = serial_team(thread);
	struct fake_region *region = add_region(omp, thread->region, thread->thread_num,
						ompd_generator_parallel, 1, team);

	region->level++;
	region->serialized = true;
	if (team != before)
		join(thread, team, 0, thread->task, ompdx_task_implicit);
	else
		thread->task_kind = ompdx_task_implicit;
	enter(thread, region, 0);
	set_construct(omp, region, "alone");
	return region;
}

/* The initial thread of one of a league's teams: its region, and the group of threads it may use. */
static struct fake_region *enter_league(struct fake_thread *thread, struct fake_region *outer,
					int primary_num, uint64_t league, int team_num,
					int league_size, int thread_limit)
{
	struct fake_libomp *omp = thread->omp;
	struct fake_region *region =
		add_region(omp, outer, primary_num, ompd_generator_teams, 1, league);
	uint64_t group = league;

	region->league_size = league_size;
	region->team_num = team_num;
	enter(thread, region, 0);
	join(thread, league, team_num, thread->task, ompdx_task_initial);
	if (league_size > 1 || thread_limit > 1) {
		group = add_team(omp, league, thread_limit, region->level, region->active_level,
				 team_num);
		join(thread, group, 0, thread->task, ompdx_task_initial);
		region->team = league;
	}
	/* A team of one thread is serialized; when it is the league as well, twice. */
	if (thread_limit == 1)
		set_serialized(omp, group, group == league ? 2 : 1);
	for (int i = 1; i < thread_limit; i++) {
		struct fake_thread *worker = idle_worker(omp, 0);

		/* It is in no region until the initial thread begins a parallel one. */
		join(worker, group, i, thread->task, ompdx_task_implicit);
		set_teams(worker, true);
		worker->group = group;
	}
	return region;
}

struct fake_region *fake_teams(struct fake_thread *thread, int league_size, int thread_limit)
{
	struct fake_libomp *omp = thread->omp;
	struct fake_region *outer = thread->region;
	const int primary_num = thread->thread_num;
	const uint64_t league = add_team(omp, team_of(thread), league_size, outer->level,
					 outer->active_level, tid_of(thread));
	struct fake_region *first = NULL;

	if (league_size == 1)
		set_serialized(omp, league, 1);
	for (int team_num = 0; team_num < league_size; team_num++) {
		struct fake_thread *initial = team_num == 0 ? thread : idle_worker(omp, 0);
		struct fake_region *region = enter_league(initial, outer, primary_num, league,
							  team_num, league_size, thread_limit);

		if (team_num == 0)
			first = region;
	}
	return first;
}

struct fake_region *fake_team_of_league(struct fake_region *first, int team_num)
{
	struct fake_region *region = first;

	while (region->team != first->team || region->team_num != team_num)
		region = region->next;
	return region;
}

struct fake_thread *fake_member(const struct fake_region *region, int thread_num)
{
	return region->members[thread_num];
}

static void leave(struct fake_region *region, bool pool)
{
	struct fake_thread *primary = region->members[0];
	struct fake_libomp *omp = primary->omp;
	const uint64_t team = region->team;
	const uint64_t parent = GET(team, kmp_base_team_t, t_parent);
	const int master_tid = (int)GET(team, kmp_base_team_t, t_master_tid);

	if (primary->region != region || region->serialized || !region->parent ||
	    region->parent->generator == ompd_generator_teams ||
	    region->generator == ompd_generator_teams)
		abort();
	region->ended = true;
	SET(team, kmp_base_team_t, t_pkfn, 0);
	for (int i = 1; i < region->team_size; i++) {
		struct fake_thread *worker = region->members[i];

		worker->region = NULL;
		if (!pool)
			continue;
		SET(worker->address, kmp_base_info_t, th_team, 0);
		set_task(worker, 0, ompdx_task_none, false);
		set_in_pool(worker, true);
	}
	SET(primary->address, kmp_base_info_t, th_team, parent);
	SET(primary->address, kmp_desc_base_t, ds_tid, master_tid);
	primary->region = region->parent;
	primary->thread_num = region->primary_num;
	set_task(primary, implicit_task(omp, parent, master_tid),
		 region->parent->parent ? ompdx_task_implicit : ompdx_task_initial, false);
}

void fake_end(struct fake_region *region)
{
	leave(region, false);
}

void fake_end_and_pool(struct fake_region *region)
{
	leave(region, true);
}

void fake_task(struct fake_thread *thread, bool final)
{
	struct fake_libomp *omp = thread->omp;
	const uint64_t task = fake_allocate(omp, omp->words[FAKE_SIZEOF_kmp_taskdata_t] +
							 omp->words[FAKE_SIZEOF_kmp_task_t]);

	SET(task, kmp_taskdata_t, td_team, team_of(thread));
	SET(task, kmp_taskdata_t, td_flags, flags(omp, true, final));
	SET(task, kmp_taskdata_t, td_parent, thread->task);
	set_task(thread, task, ompdx_task_explicit, final);
}

void fake_state(struct fake_thread *thread, int state, uint64_t wait_id)
{
	struct fake_libomp *omp = thread->omp;

	SET(thread->address, ompt_thread_info_t, state, state);
	SET(thread->address, ompt_thread_info_t, wait_id, wait_id);
}
