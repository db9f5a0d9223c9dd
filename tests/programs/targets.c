/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads in constructs of devices, as the first argument says; the second is a seed. Each declares the construct
 * that it is going to meet, and stays in it: the kernel waits for the program's end, or the driver does.
 * Truth, in OMPD_TRUTH_FILE.targets: a line "TID CONSTRUCT LINE DEVICE" for each such thread.
 */
#include <stdint.h>

#include "scenarios.h"
#include "truth.h"

#define THREADS 4

static int declared, expected;
static double numbers[THREADS][64];

static void going_into(const char *construct, int line, int device)
{
	truth_append("targets", "%ld %s %d %d\n", truth_tid(), construct, line, device);
	__atomic_add_fetch(&declared, 1, __ATOMIC_SEQ_CST);
}

/* On a device that shares the host's memory: until the program ends. */
#define STAY(released)                                                                             \
	while (!*(volatile int *)(released))                                                       \
	usleep(1000)

static void *observe(void *unused)
{
	truth_record_native();
	while (__atomic_load_n(&declared, __ATOMIC_SEQ_CST) < expected)
		usleep(1000);
	settle();
	truth_write();
	stop_here();
	_exit(0);
	return unused;
}

/* Calls that compilers like to merge. */
static void meet(int which, int devices, double *u, int n)
{
	uintptr_t released = (uintptr_t)&truth_released;

	switch (which) {
	case 0:
		going_into("target", __LINE__ + 1, 0);
#pragma omp target map(tofrom : u [0:n]) device(0)
		{
			u[0] += 1;
			STAY(released);
		}
		break;
	case 1:
		going_into("target", __LINE__ + 1, 1 % devices);
#pragma omp target map(tofrom : u [0:n]) device(1 % devices)
		{
			u[0] += 2;
			STAY(released);
		}
		break;
	case 2:
		going_into("target", __LINE__ + 1, 2 % devices);
#pragma omp target map(tofrom : u [0:n]) device(2 % devices)
		{
			u[0] += 3;
			STAY(released);
		}
		break;
	default:
		going_into("target", __LINE__ + 1, 0);
#pragma omp target teams num_teams(1) map(tofrom : u [0:n]) device(0)
		{
			u[0] += 4;
			STAY(released);
		}
	}
}

static void several(unsigned seed)
{
	const int devices = omp_get_num_devices();

	expected = THREADS;
#pragma omp parallel num_threads(THREADS)
	meet((int)((seed + (unsigned)omp_get_thread_num()) % 4), devices,
	     numbers[omp_get_thread_num()], 64);
}

/* Kernels that end at once, as on a driver that executes nothing. */
static void in_turn(unsigned seed)
{
	expected = THREADS;
	truth_write();
	for (int which = 0; which < THREADS; which++)
		meet((int)(seed + (unsigned)which) % THREADS, omp_get_num_devices(), numbers[0],
		     64);
}

/* Directives that copy to a device, of one shape too. */
static void copy(int which, int devices, double *u, int n)
{
	switch (which) {
	case 0:
		going_into("enter", __LINE__ + 1, 0);
#pragma omp target enter data map(to : u [0:n]) device(0)
		u[0] += 1;
		break;
	case 1:
		going_into("enter", __LINE__ + 1, 1 % devices);
#pragma omp target enter data map(to : u [0:n]) device(1 % devices)
		u[0] += 2;
		break;
	case 2:
		going_into("enter", __LINE__ + 1, 1 % devices);
#pragma omp target data map(to : u [0:n]) device(1 % devices)
		u[0] += 3;
		break;
	default:
		going_into("update", __LINE__ + 3, 0);
		omp_target_associate_ptr(u, omp_target_alloc(64 * sizeof(*u), 0), 64 * sizeof(*u),
					 0, 0);
#pragma omp target update to(u [0:n]) device(0)
		u[0] += 4;
	}
}

static void copying(unsigned seed)
{
	const int devices = omp_get_num_devices();

	expected = THREADS;
#pragma omp parallel num_threads(THREADS)
	copy((int)((seed + (unsigned)omp_get_thread_num()) % 4), devices,
	     numbers[omp_get_thread_num()], 64);
}

/* One thread maps, and is kept in the so many-th call of operator new that libomptarget makes meanwhile: of some, it
 * has locked the mapping table. Another one maps too. In a circle it has the mutex that the first one wants. */
static pthread_mutex_t wanted = PTHREAD_MUTEX_INITIALIZER;
static __thread int calls_left = -1; /* of operator new; -1: they are not counted */
static int circle, kept_inside;

void *_Znwm(size_t size);
void *_Znwm(size_t size)
{
	if (calls_left >= 0 && calls_left-- == 0) {
		__atomic_store_n(&kept_inside, 1, __ATOMIC_SEQ_CST);
		if (circle)
			pthread_mutex_lock(&wanted);
		while (!__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST))
			usleep(1000);
	}
	return malloc(size ? size : 1);
}

static void map_both(unsigned call)
{
	double *first = numbers[0], *second = numbers[1];

	expected = 2;
#pragma omp target enter data map(to : numbers[2])
	if (circle)
		pthread_mutex_lock(&wanted);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		while (!__atomic_load_n(&kept_inside, __ATOMIC_SEQ_CST))
			usleep(1000);
		going_into("wants", __LINE__ + 1, 0);
#pragma omp target enter data map(to : first [0:64])
		first[0] += 1;
	} else {
		going_into("holds", __LINE__ + 2, 0);
		calls_left = (int)call;
#pragma omp target enter data map(to : second [0:64])
		exit(4); /* it was not called so often */
	}
}

static void held(unsigned call)
{
	map_both(call);
}

static void held_in_circle(unsigned call)
{
	circle = 1;
	map_both(call);
}

/* Each thread as it likes, and how often it met what, by the number in the switch. */
enum { CONSTRUCTS = 4, ROUNDS = 6 };

static void construct(unsigned which, double *u, int n)
{
	switch (which) {
	case 0:
#pragma omp target map(tofrom : u [0:n])
		u[0] += 1;
		break;
	case 1:
#pragma omp target data map(tofrom : u [0:n])
		u[1] += 1;
		break;
	case 2:
		u[2] += 1;
#pragma omp target enter data map(to : u [0:n])
#pragma omp target update from(u [0:n])
#pragma omp target exit data map(delete : u [0:n])
		break;
	default:
#pragma omp target nowait map(tofrom : u [0:n])
		u[0] += 1;
#pragma omp taskwait
	}
}

static void counting(unsigned seed)
{
	int met[CONSTRUCTS] = {0};

#pragma omp parallel num_threads(THREADS) reduction(+ : met)
	{
		unsigned state = seed + (unsigned)omp_get_thread_num();

		for (int i = 0; i < ROUNDS; i++) {
			const unsigned which = (unsigned)rand_r(&state) % CONSTRUCTS;

			met[which]++;
			construct(which, numbers[omp_get_thread_num()], 64);
		}
	}
	truth_append("counts", "%d %d %d %d\n", met[0], met[1], met[2], met[3]);
	exit(0);
}

static void in_data(unsigned seed)
{
	uintptr_t released = (uintptr_t)&truth_released;
	double *u = numbers[seed % THREADS];

	expected = 1;
#pragma omp target data map(tofrom : u [0:64])
	{
		going_into("target", __LINE__ + 1, 0);
#pragma omp target map(tofrom : u [0:64])
		STAY(released);
	}
}

static void on_host(unsigned seed)
{
	uintptr_t released = (uintptr_t)&truth_released;

	expected = 1;
	going_into("host", __LINE__ + 1, -1);
#pragma omp target if (seed == UINT32_MAX)
	STAY(released);
}

static void if_zero(unsigned seed)
{
	uintptr_t released = (uintptr_t)&truth_released;

	(void)seed;
	expected = 1;
	going_into("host", __LINE__ + 1, -1);
#pragma omp target if (0)
	STAY(released);
}

static void deferred(unsigned seed)
{
	uintptr_t released = (uintptr_t)&truth_released;

	expected = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		going_into("deferred", __LINE__ + 1, 0);
#pragma omp target nowait map(tofrom : numbers[0] [0:64]) firstprivate(seed)
		{
			numbers[0][0] += seed;
			STAY(released);
		}
#pragma omp taskwait
	}
}

static void deferred_before_another(unsigned seed)
{
	double *u = numbers[0];
	const int device = (int)seed % omp_get_num_devices();

	expected = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		going_into("deferred", __LINE__ + 1, device);
#pragma omp target nowait map(tofrom : u [0:64]) device(device) depend(out : u[0])
		u[0] += 1;
#pragma omp task depend(in : u[0])
		u[0] += 2;
#pragma omp taskwait
	}
}

int main(int argc, char **argv)
{
	static const struct scenario {
		const char *name;
		void (*run)(unsigned);
	} scenarios[] = {
		{"several", several},
		{"in_turn", in_turn},
		{"copying", copying},
		{"counting", counting},
		{"held", held},
		{"held_in_circle", held_in_circle},
		{"in_data", in_data},
		{"on_host", on_host},
		{"if_zero", if_zero},
		{"deferred", deferred},
		{"deferred_before_another", deferred_before_another},
	};
	const struct scenario *scenario = SCENARIO_NAMED(argc > 1 ? argv[1] : NULL, scenarios);
	pthread_t observer;

	pthread_create(&observer, NULL, observe, NULL);
	scenario->run(argc > 2 ? (unsigned)atoi(argv[2]) : 0);
	pthread_join(observer, NULL);
	return 0;
}
