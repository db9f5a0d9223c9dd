/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_scenarios.h"

#include <stdlib.h>
#include <string.h>

static void sequential(struct fake_libomp *omp)
{
	fake_root(omp);
}

static void parallel(struct fake_libomp *omp)
{
	fake_parallel(fake_root(omp), 4);
}

/* Thread 1 of the outer region is in a serialized one, and in that in one of three threads. */
static void nested_three_deep(struct fake_libomp *omp)
{
	struct fake_region *outer = fake_parallel(fake_root(omp), 2);
	struct fake_thread *thread = fake_member(outer, 1);

	fake_serialized(thread);
	fake_parallel(thread, 3);
}

/* Every thread of the outer region forks on its own account. */
static void nested_everywhere(struct fake_libomp *omp)
{
	struct fake_region *outer = fake_parallel(fake_root(omp), 3);

	for (int i = 0; i < 3; i++) {
		struct fake_region *inner = fake_parallel(fake_member(outer, i), 2);

		fake_parallel(fake_member(inner, 1), 2);
	}
}

static void serialized_thrice(struct fake_libomp *omp)
{
	struct fake_thread *thread = fake_root(omp);

	for (int i = 0; i < 3; i++)
		fake_serialized(thread);
}

/* Serialized regions inside and around active ones. */
static void serialized_between(struct fake_libomp *omp)
{
	struct fake_thread *thread = fake_root(omp);
	struct fake_region *region;

	fake_serialized(thread);
	fake_serialized(thread);
	region = fake_parallel(thread, 3);
	fake_serialized(fake_member(region, 0));
	fake_serialized(fake_member(region, 2));
	fake_serialized(fake_member(region, 2));
	fake_parallel(fake_member(region, 2), 2);
}

static void teams(struct fake_libomp *omp)
{
	struct fake_region *first = fake_teams(fake_root(omp), 3, 3);

	/* One team is in a parallel region, one in a serialized one, one in neither. */
	fake_parallel(fake_member(fake_team_of_league(first, 1), 0), 3);
	fake_serialized(fake_member(fake_team_of_league(first, 2), 0));
}

static void teams_of_one_thread(struct fake_libomp *omp)
{
	struct fake_region *first = fake_teams(fake_root(omp), 2, 1);

	fake_serialized(fake_member(fake_team_of_league(first, 1), 0));
	fake_serialized(fake_member(fake_team_of_league(first, 1), 0));
}

static void league_of_one(struct fake_libomp *omp)
{
	struct fake_region *team = fake_teams(fake_root(omp), 1, 3);

	fake_parallel(fake_member(team, 0), 2);
}

/* Workers wait: in the pool, and in the team that they worked in last. */
static void idle(struct fake_libomp *omp)
{
	struct fake_thread *thread = fake_root(omp);
	struct fake_region *outer, *inner;

	fake_end_and_pool(fake_parallel(thread, 3));
	outer = fake_parallel(thread, 2);
	inner = fake_parallel(fake_member(outer, 1), 3);
	fake_end(inner);
}

static void all_over(struct fake_libomp *omp)
{
	fake_end(fake_parallel(fake_root(omp), 4));
}

/* A team that is used again, smaller than before. */
static void reused(struct fake_libomp *omp)
{
	struct fake_thread *thread = fake_root(omp);

	fake_end(fake_parallel(thread, 6));
	fake_parallel(thread, 3);
}

static void several_roots(struct fake_libomp *omp)
{
	struct fake_target *target = fake_libomp_target(omp);
	struct fake_thread *first = fake_root(omp);
	struct fake_thread *second;

	fake_native_thread(target);
	second = fake_root(omp);
	fake_parallel(second, 3);
	fake_native_thread(target);
	fake_parallel(first, 2);
	fake_root(omp);
}

static void tasks(struct fake_libomp *omp)
{
	struct fake_region *region = fake_parallel(fake_root(omp), 3);

	fake_task(fake_member(region, 1), false);
	fake_task(fake_member(region, 2), false);
	fake_task(fake_member(region, 2), true);
}

/* A task forks: its thread is in a region whose parent is the task's. */
static void parallel_in_task(struct fake_libomp *omp)
{
	struct fake_region *region = fake_parallel(fake_root(omp), 2);

	fake_task(fake_member(region, 1), false);
	fake_parallel(fake_member(region, 1), 2);
}

const struct fake_scenario fake_scenarios[] = {
	{"sequential", sequential},
	{"parallel", parallel},
	{"nested_three_deep", nested_three_deep},
	{"nested_everywhere", nested_everywhere},
	{"serialized_thrice", serialized_thrice},
	{"serialized_between", serialized_between},
	{"teams", teams},
	{"teams_of_one_thread", teams_of_one_thread},
	{"league_of_one", league_of_one},
	{"idle", idle},
	{"all_over", all_over},
	{"reused", reused},
	{"several_roots", several_roots},
	{"tasks", tasks},
	{"parallel_in_task", parallel_in_task},
};

const size_t fake_scenario_count = sizeof(fake_scenarios) / sizeof(fake_scenarios[0]);

const struct fake_scenario *fake_scenario(const char *name)
{
	for (size_t i = 0; i < fake_scenario_count; i++) {
		if (strcmp(fake_scenarios[i].name, name) == 0)
			return &fake_scenarios[i];
	}
	abort();
}

#define LITTLE_64                                                                                  \
	{                                                                                          \
		8, false                                                                           \
	}
#define BIG_64                                                                                     \
	{                                                                                          \
		8, true                                                                            \
	}
#define LITTLE_32                                                                                  \
	{                                                                                          \
		4, false                                                                           \
	}
#define BIG_32                                                                                     \
	{                                                                                          \
		4, true                                                                            \
	}

const struct fake_world fake_worlds[] = {
	{"stripped 14", LITTLE_64, {.layout = FAKE_LLVM_14}},
	{"stripped 16", LITTLE_64, {.layout = FAKE_LLVM_16}},
	{"stripped 19", LITTLE_64, {.layout = FAKE_LLVM_19}},
	{"stripped 19 built by gcc",
	 LITTLE_64,
	 {.layout = FAKE_LLVM_19, .reversed = true, .threads_elsewhere = true}},
	{"published 19", LITTLE_64, {.layout = FAKE_LLVM_19, .published = true}},
	{"published 19 built by gcc",
	 LITTLE_64,
	 {.layout = FAKE_LLVM_19, .published = true, .reversed = true}},
	{"stripped, unknown release", LITTLE_64, {.layout = FAKE_LLVM_UNKNOWN}},
	{"published, unknown release", LITTLE_64, {.layout = FAKE_LLVM_UNKNOWN, .published = true}},
	{"stripped, DT_HASH only, dynamic section not relocated",
	 LITTLE_64,
	 {.layout = FAKE_LLVM_16, .sysv_hash_only = true, .unrelocated = true}},
	{"linked into a stripped PIE", LITTLE_64, {.layout = FAKE_LLVM_19, .linkage = FAKE_IN_PIE}},
	{"linked into a stripped program that is no PIE",
	 LITTLE_64,
	 {.layout = FAKE_LLVM_19, .linkage = FAKE_IN_FIXED}},
	{"linked into a program that is no PIE, published",
	 LITTLE_64,
	 {.layout = FAKE_LLVM_19, .linkage = FAKE_IN_FIXED, .published = true}},
	{"stripped, 64 bit big endian", BIG_64, {.layout = FAKE_LLVM_UNKNOWN}},
	{"published, 64 bit big endian", BIG_64, {.layout = FAKE_LLVM_UNKNOWN, .published = true}},
	{"stripped, 32 bit", LITTLE_32, {.layout = FAKE_LLVM_UNKNOWN}},
	{"published, 32 bit", LITTLE_32, {.layout = FAKE_LLVM_UNKNOWN, .published = true}},
	{"stripped, 32 bit big endian",
	 BIG_32,
	 {.layout = FAKE_LLVM_UNKNOWN, .sysv_hash_only = true, .unrelocated = true}},
	{"published, 32 bit big endian, built by gcc",
	 BIG_32,
	 {.layout = FAKE_LLVM_UNKNOWN, .published = true, .reversed = true}},
};

const size_t fake_world_count = sizeof(fake_worlds) / sizeof(fake_worlds[0]);

struct fake_libomp *fake_world_create(const struct fake_world *world,
				      const struct fake_scenario *scenario)
{
	struct fake_libomp *omp = fake_process_create(world->machine, world->options);

	scenario->run(omp);
	return omp;
}
