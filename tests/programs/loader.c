/* SPDX-License-Identifier: Apache-2.0
 *
 * A region that begins while its thread has a mutex of the loader's: in a callback of dl_iterate_phdr, or in a
 * constructor of a library that is being loaded. The others of its team call the loader. It hangs, or the thread that
 * has the mutex is at work. OMPD_PART names the library (loader_part.c).
 * Truth: as in waits.h; "loader" is the mutex.
 */
#define _GNU_SOURCE
#include "waits.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>

static void (*in_constructor)(void);
static int taken;

static void load(void)
{
	dlopen(getenv("OMPD_PART"), RTLD_NOW);
}

static void look_up(void)
{
	dlsym(RTLD_DEFAULT, "in_no_library");
}

static void region(void (*call_loader)(void), bool at_work)
{
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 0) {
		tell("holds", "loader");
		__atomic_store_n(&taken, 1, __ATOMIC_SEQ_CST);
		declare();
		if (at_work)
			stay();
	} else {
		until(&taken, 1);
		declare();
		call_loader();
		truth_seen();
	}
}

static int stuck_for_object(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info, (void)size, (void)data;
	region(load, false);
	return 1;
}

static int work_for_object(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info, (void)size, (void)data;
	region(load, true);
	return 1;
}

static void iterate_stuck(void)
{
	dl_iterate_phdr(stuck_for_object, NULL);
}

static void iterate_at_work(void)
{
	dl_iterate_phdr(work_for_object, NULL);
}

/* The library's constructor calls it. */
void loading(void)
{
	if (in_constructor)
		in_constructor();
}

static void construct_stuck(void)
{
	region(look_up, false);
}

static void construct_at_work(void)
{
	region(look_up, true);
}

static void load_stuck(void)
{
	in_constructor = construct_stuck;
	load();
}

static void load_at_work(void)
{
	in_constructor = construct_at_work;
	load();
}

static const struct scenario scenarios[] = {
	{"iterate_stuck", iterate_stuck, 3},
	{"iterate_at_work", iterate_at_work, 3},
	{"load_stuck", load_stuck, 3},
	{"load_at_work", load_at_work, 3},
};

int main(int argc, char **argv)
{
	return RUN_SCENARIO(scenarios, argc, argv);
}
