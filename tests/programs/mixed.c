/* SPDX-License-Identifier: Apache-2.0
 *
 * Two runtimes at work in one process: the program's, and that of the library mixed_part.so, named by OMPD_SECOND_PART.
 * Who is in regions of which, and who waits for locks of both. The scenario is named by the first argument.
 * Truth: as in waits.h; in OMPD_TRUTH_FILE.members a line "TID ours|theirs NUMBER LEVEL" for each thread and
 * runtime; in OMPD_TRUTH_FILE.waits, "barrier" for that of the program's region.
 */
#include <dlfcn.h>

#include "waits.h"

static void (*part_region)(int threads, void (*body)(int thread_num, int level));
static void (*part_locked)(void (*body)(void));
static void (*part_critical)(void (*body)(void));

static omp_lock_t ours;
static int met;

static void tell_member(const char *runtime, int thread_num, int level)
{
	truth_append("members", "%ld %s %d %d\n", truth_tid(), runtime, thread_num, level);
}

static void arrive(void)
{
	__atomic_add_fetch(&declared, 1, __ATOMIC_SEQ_CST);
}

static void in_theirs(int thread_num, int level)
{
	tell_member("theirs", thread_num, level);
	arrive();
	stay();
}

static void in_ours(void)
{
	tell_member("ours", omp_get_thread_num(), omp_get_level());
}

/* ---- Regions ------------------------------------------------------------------------------------- */

/* Each thread of ours is also the first of a region of theirs. */
static void within(void)
{
#pragma omp parallel num_threads(2)
	{
		in_ours();
		part_region(2, in_theirs);
	}
}

static void *begin_ours(void *unused)
{
#pragma omp parallel num_threads(2)
	{
		in_ours();
		arrive();
		stay();
	}
	return unused;
}

static void *begin_theirs(void *unused)
{
	part_region(3, in_theirs);
	return unused;
}

static void both(void *(*one)(void *), void *(*other)(void *))
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, other, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

/* Two threads, and one of them has never heard of the other's runtime. */
static void apart(void)
{
	both(begin_ours, begin_theirs);
}

/* ---- Locks --------------------------------------------------------------------------------------- */

static void nothing(void)
{
}

static void want_theirs(void)
{
	tell("holds", "ours");
	meet(&met, 2);
	tell("wants", "theirs");
	arrive();
	part_locked(nothing);
}

static void want_ours(void)
{
	tell("holds", "theirs");
	meet(&met, 2);
	tell("wants", "ours");
	arrive();
	omp_set_lock(&ours);
	omp_unset_lock(&ours);
}

static void ours_first(void)
{
	omp_set_lock(&ours);
	want_theirs();
	omp_unset_lock(&ours);
}

static void lock_order(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			ours_first();
		else
			part_locked(want_ours);
	}
}

static void want_critical(void)
{
	tell("holds", "update");
	meet(&met, 2);
	tell("wants", "part");
	arrive();
	part_critical(nothing);
}

static void want_update(void)
{
	tell("holds", "part");
	meet(&met, 2);
	tell("wants", "update");
	arrive();
#pragma omp critical(update)
	nothing();
}

static void critical_order(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			part_critical(want_update);
		} else {
#pragma omp critical(update)
			want_critical();
		}
	}
}

static void *one_of_ours(void *unused)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			ours_first();
		} else {
			arrive();
			stay();
		}
	}
	return unused;
}

static void one_of_theirs(int thread_num, int level)
{
	(void)level;
	if (thread_num == 0) {
		part_locked(want_ours);
	} else {
		arrive();
		stay();
	}
}

static void *many_of_theirs(void *unused)
{
	part_region(2, one_of_theirs);
	return unused;
}

/* Neither thread is in a region of the runtime whose lock it waits for. */
static void lock_order_apart(void)
{
	both(one_of_ours, many_of_theirs);
}

static void wait_for_all(void)
{
	tell("holds", "theirs");
	__atomic_store_n(&met, 1, __ATOMIC_SEQ_CST);
	tell("wants", "barrier");
	arrive();
#pragma omp barrier
}

static void lock_and_barrier(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			part_locked(wait_for_all);
		} else {
			until(&met, 1);
			tell("wants", "theirs");
			arrive();
			part_locked(nothing);
#pragma omp barrier
		}
	}
}

static void hold_both(void)
{
	tell("holds", "theirs");
	__atomic_store_n(&met, 1, __ATOMIC_SEQ_CST);
	arrive();
	stay();
}

/* The same order in both, and the first works on. */
static void in_order(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			omp_set_lock(&ours);
			tell("holds", "ours");
			part_locked(hold_both);
			omp_unset_lock(&ours);
		} else {
			until(&met, 1);
			tell("wants", "ours");
			arrive();
			omp_set_lock(&ours);
			part_locked(nothing);
			omp_unset_lock(&ours);
		}
	}
}

static const struct scenario scenarios[] = {
	{"within", within, 4},
	{"apart", apart, 5},
	{"lock_order", lock_order, 2},
	{"critical_order", critical_order, 2},
	{"in_order", in_order, 2},
	{"lock_order_apart", lock_order_apart, 4},
	{"lock_and_barrier", lock_and_barrier, 2},
};

int main(int argc, char **argv)
{
	/* Its runtime serves it, not the program's, which has functions of the same names. */
	void *part = dlopen(getenv("OMPD_SECOND_PART"), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

	if (!part) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	*(void **)&part_region = dlsym(part, "part_region");
	*(void **)&part_locked = dlsym(part, "part_locked");
	*(void **)&part_critical = dlsym(part, "part_critical");
	omp_init_lock(&ours);
	return RUN_SCENARIO(scenarios, argc, argv);
}
