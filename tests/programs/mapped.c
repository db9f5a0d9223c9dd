/* SPDX-License-Identifier: Apache-2.0
 *
 * What is mapped on a device, rightly or wrongly, as the first argument says; then the program stops.
 * Truth, in OMPD_TRUTH_FILE.mapped: a line "NAME BEGIN SIZE COUNT WHY", WHY - where nothing is wrong.
 */
#include <stdint.h>
#include <sys/mman.h>

#include "scenarios.h"
#include "truth.h"

#define PAGE 4096
#define MANY 1000

#pragma omp declare target
double declared[16];
#pragma omp end declare target

static void mapped(const char *name, const void *begin, size_t size, int count, const char *why)
{
	truth_append("mapped", "%s %#lx %zu %d %s\n", name, (unsigned long)(uintptr_t)begin, size,
		     count, why);
}

static void stop(void)
{
	truth_record_native();
	truth_write();
	stop_here();
}

/* Calls whose addresses to return to are where other functions had their variables. */
__attribute__((noinline)) static int stop_deeper(int calls)
{
	volatile char room[PAGE];

	room[0] = (char)calls;
	if (calls == 0)
		stop();
	else
		room[0] = (char)stop_deeper(calls - 1);
	return room[0];
}

static double *all_of(double *p)
{
#pragma omp target enter data map(to : p [0:MANY])
	mapped("p[0:MANY]", p, MANY * sizeof(*p), 1, "-");
	return p;
}

/* ---- Wrong ------------------------------------------------------------------------------------ */

static void unmapped(void)
{
	char *gone =
		mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

#pragma omp target enter data map(to : gone [0:4 * PAGE])
	mapped("gone[0:4*PAGE]", gone, 4 * PAGE, 1, "unmapped");
	munmap(gone, 4 * PAGE);
	stop();
}

__attribute__((noinline)) static void leave_local(const char *why)
{
	char local[32 * PAGE];

	local[0] = local[sizeof(local) - 1] = 1;
#pragma omp target enter data map(to : local)
	mapped("local", local, sizeof(local), 1, why);
}

static void returned(void)
{
	leave_local("returned");
	stop_deeper(8);
}

__attribute__((noinline)) static char leave_deeper(void)
{
	volatile char room[4 * PAGE];

	room[0] = room[sizeof(room) - 1] = 1;
	leave_local("below");
	return room[0];
}

static void below(void)
{
	leave_deeper();
	stop();
}

/* ---- At the end of the program ---------------------------------------------------------------- */

static void left(void)
{
	all_of(calloc(MANY, sizeof(double)));
	atexit(stop);
	exit(0);
}

static double *later;

static void unmap_later(void)
{
#pragma omp target exit data map(delete : later [0:MANY])
	stop();
}

static void unmapped_at_exit(void)
{
	double *p = later = calloc(MANY, sizeof(*p));

#pragma omp target enter data map(to : p [0:MANY])
	mapped("declared", declared, sizeof(declared), -1, "-");
	atexit(unmap_later);
	exit(0);
}

/* ---- Right ------------------------------------------------------------------------------------ */

static void heap(void)
{
	double *p = all_of(calloc(MANY, sizeof(*p)));

	stop();
	free(p);
}

static double global[MANY];

static void of_program(void)
{
#pragma omp target enter data map(to : global)
	mapped("global", global, sizeof(global), 1, "-");
	mapped("declared", declared, sizeof(declared), -1, "-");
	stop_deeper(8);
}

static void live_local(void)
{
	double local[MANY] = {0};

#pragma omp target data map(to : local)
	{
		mapped("local", local, sizeof(local), 1, "-");
		stop_deeper(8);
	}
}

__attribute__((noinline)) static void map_and_unmap(void)
{
	char local[32 * PAGE];

	local[0] = local[sizeof(local) - 1] = 1;
#pragma omp target data map(to : local)
	local[1] = 1;
}

static void unmapped_in_time(void)
{
	map_and_unmap();
	stop_deeper(8);
}

static void counted(void)
{
	double *p = calloc(MANY, sizeof(*p));

#pragma omp target enter data map(to : p [0:MANY])
#pragma omp target enter data map(to : p [0:MANY])
#pragma omp target data map(to : p [10:20])
	{
		mapped("p[0:MANY]", p, MANY * sizeof(*p), 3, "-");
		stop();
	}
}

static void associated(void)
{
	static char host[PAGE];
	void *device = omp_target_alloc(sizeof(host), 0);

	omp_target_associate_ptr(host, device, sizeof(host), 0, 0);
	mapped("host", host, sizeof(host), -1, "-");
	stop();
}

static void in_worker(void)
{
#pragma omp parallel num_threads(3)
	{
		double local[MANY] = {0};

		if (omp_get_thread_num() == 2) {
#pragma omp target data map(to : local)
			{
				mapped("local", local, sizeof(local), 1, "-");
				stop_deeper(8);
			}
		}
	}
}

static void none(void)
{
	double *p = calloc(MANY, sizeof(*p));

#pragma omp target map(tofrom : p [0:MANY])
	p[0] = 1;
	free(p);
	stop();
}

static void reused(void)
{
	char *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

#pragma omp target enter data map(to : p [0:4 * PAGE])
#pragma omp target exit data map(delete : p [0:4 * PAGE])
	munmap(p, 4 * PAGE);
	stop();
}

static void structures(void)
{
	struct {
		int n;
		double *data;
	} s = {MANY, calloc(MANY, sizeof(double))};

#pragma omp target data map(to : s, s.data [0:MANY])
	{
		mapped("s.data[0:MANY]", s.data, MANY * sizeof(double), 1, "-");
		stop();
	}
}

int main(int argc, char **argv)
{
	static const struct scenario {
		const char *name;
		void (*run)(void);
	} scenarios[] = {
		{"unmapped", unmapped},
		{"returned", returned},
		{"below", below},
		{"left", left},
		{"unmapped_at_exit", unmapped_at_exit},
		{"heap", heap},
		{"of_program", of_program},
		{"live_local", live_local},
		{"unmapped_in_time", unmapped_in_time},
		{"counted", counted},
		{"associated", associated},
		{"in_worker", in_worker},
		{"none", none},
		{"reused", reused},
		{"structures", structures},
	};
	const struct scenario *scenario = SCENARIO_NAMED(argc > 1 ? argv[1] : NULL, scenarios);

	scenario->run();
	return 0;
}
