/* SPDX-License-Identifier: Apache-2.0
 *
 * What a construct passes to a device, rightly or wrongly, as the first argument says. Of the wrong ones the offload
 * runtime ends the program, or the kernel crashes; the kernels of the right ones stay until the program's end.
 * Truth, in OMPD_TRUTH_FILE.passed: for each argument of the last construct a line "NAME BEGIN SIZE HOW", where HOW is
 * whole, part, none, value or private. In OMPD_TRUTH_FILE.targets: "TID CONSTRUCT LINE DEVICE".
 */
#include <stdint.h>

#include "scenarios.h"
#include "truth.h"

#define MANY 1000
#define FEW 100
#define BYTES(count) ((count) * sizeof(double))

static int inside, ready;

static void passes(const char *name, const void *begin, size_t size, const char *how)
{
	truth_append("passed", "%s %#lx %zu %s\n", name, (unsigned long)(uintptr_t)begin, size,
		     how);
}

static void going_into(const char *construct, int line)
{
	truth_append("targets", "%ld %s %d 0\n", truth_tid(), construct, line);
	truth_write();
	__atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
}

/* Of a kernel on a device that shares the host's memory: it says that it is there, and is until the program ends. */
#define STAY(there, released)                                                                      \
	do {                                                                                       \
		*(volatile int *)(there) = 1;                                                      \
		while (!*(volatile int *)(released))                                               \
			usleep(1000);                                                              \
	} while (0)

static void *observe(void *unused)
{
	truth_record_native();
	while (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST) ||
	       !__atomic_load_n(&inside, __ATOMIC_SEQ_CST))
		usleep(1000);
	settle();
	stop_here();
	_exit(0);
	return unused;
}

static double *numbers(void)
{
	return calloc(MANY, sizeof(double));
}

/* ---- Wrong ------------------------------------------------------------------------------------ */

static void partly(void)
{
	double *a = numbers(), *b = numbers();

#pragma omp target enter data map(to : a [0:FEW])
	passes("a[0:1000]", a, BYTES(MANY), "part");
	passes("b[0:100]", b, BYTES(FEW), "none");
	going_into("target", __LINE__ + 1);
#pragma omp target map(tofrom : a [0:MANY], b [0:FEW])
	a[0] = b[0];
}

static void partly_behind(void)
{
	double *a = numbers();

#pragma omp target enter data map(to : a [FEW:FEW])
	passes("a[0:1000]", a, BYTES(MANY), "part");
	going_into("target", __LINE__ + 1);
#pragma omp target enter data map(to : a [0:MANY])
	a[0] = 1;
}

static void absent(void)
{
	double *a = numbers();

	passes("a[0:1000]", a, BYTES(MANY), "none");
	going_into("target", __LINE__ + 1);
#pragma omp target map(present, tofrom : a [0:MANY])
	a[0] = 1;
}

/* On a device that shares the host's memory, a kernel that has the host's address could use it. */
static void not_mapped(void)
{
	double *a = numbers(), *b = numbers();

	passes("a", a, 0, "none");
	passes("b[0:100]", b, BYTES(FEW), "whole");
	going_into("target", __LINE__ + 1);
#pragma omp target map(tofrom : b [0:FEW])
	b[0] = *(volatile double *)a;
}

/* ---- Right ------------------------------------------------------------------------------------ */

/* Kernels use these two, by their addresses. */
#define WAYS_OUT()                                                                                 \
	uintptr_t there = (uintptr_t)&inside, released = (uintptr_t)&truth_released;               \
	passes("there", 0, 8, "value");                                                            \
	passes("released", 0, 8, "value")

static void whole(void)
{
	double *a = numbers();

	WAYS_OUT();
	passes("a[0:1000]", a, BYTES(MANY), "whole");
	going_into("target", __LINE__ + 1);
#pragma omp target map(tofrom : a [0:MANY])
	{
		a[0] += 1;
		STAY(there, released);
	}
}

static void part_of_mapped(void)
{
	double *a = numbers();

	WAYS_OUT();
#pragma omp target enter data map(to : a [0:MANY])
	passes("a[100:100]", a + FEW, BYTES(FEW), "whole");
	going_into("target", __LINE__ + 1);
#pragma omp target map(tofrom : a [FEW:FEW])
	{
		a[FEW] += 1;
		STAY(there, released);
	}
}

static void pointer_to_mapped(void)
{
	double *a = numbers();

	WAYS_OUT();
#pragma omp target enter data map(to : a [0:MANY])
	passes("a", a, 0, "whole");
	going_into("target", __LINE__ + 1);
#pragma omp target
	{
		a[0] += 1;
		STAY(there, released);
	}
}

static void pointer_not_used(void)
{
	double *a = numbers(), *b = numbers();

	WAYS_OUT();
	passes("a", a, 0, "none");
	passes("b[:0]", b, 0, "none");
	going_into("target", __LINE__ + 1);
#pragma omp target map(to : b[:0])
	{
		if (a == (double *)1 || b == (double *)1)
			a[0] = b[0];
		STAY(there, released);
	}
}

static void null_pointer(void)
{
	double *a = NULL;

	WAYS_OUT();
	passes("a", a, 0, "unknown");
	going_into("target", __LINE__ + 1);
#pragma omp target
	{
		if (a)
			a[0] = 1;
		STAY(there, released);
	}
}

static void private_copies(void)
{
	struct {
		double numbers[FEW];
	} s = {{1}};
	int n = 7;

	WAYS_OUT();
	passes("s", &s, sizeof(s), "private");
	passes("n", NULL, sizeof(n), "value");
	going_into("target", __LINE__ + 1);
#pragma omp target firstprivate(s, n)
	{
		s.numbers[0] = n;
		STAY(there, released);
	}
}

static void devices_pointers(void)
{
	double *a = numbers(), *b = omp_target_alloc(BYTES(MANY), 0);

	WAYS_OUT();
#pragma omp target data map(tofrom : a [0:MANY]) use_device_ptr(a)
	{
		passes("a", NULL, 8, "value");
		passes("b", NULL, 8, "value");
		going_into("target", __LINE__ + 1);
#pragma omp target is_device_ptr(a, b)
		{
			a[0] = b[0];
			STAY(there, released);
		}
	}
}

/* What the compiler maps by itself may be mapped in part. */
static void implicit_part(void)
{
	static double a[MANY];

	WAYS_OUT();
#pragma omp target enter data map(to : a [0:FEW])
	passes("a", a, sizeof(a), "part");
	going_into("target", __LINE__ + 1);
#pragma omp target
	{
		a[0] += 1;
		STAY(there, released);
	}
}

static void present(void)
{
	double *a = numbers();

	WAYS_OUT();
#pragma omp target enter data map(to : a [0:MANY])
	passes("a[0:1000]", a, BYTES(MANY), "whole");
	going_into("target", __LINE__ + 1);
#pragma omp target map(present, tofrom : a [0:MANY])
	{
		a[0] += 1;
		STAY(there, released);
	}
}

static void structures(void)
{
	struct {
		int n;
		double *data;
	} s = {MANY, numbers()};

	WAYS_OUT();
	passes("s.data[0:1000]", s.data, BYTES(MANY), "whole");
	going_into("target", __LINE__ + 1);
#pragma omp target map(tofrom : s, s.data [0:MANY])
	{
		s.data[0] = s.n;
		STAY(there, released);
	}
}

static void associated(void)
{
	static double a[MANY];

	WAYS_OUT();
	omp_target_associate_ptr(a, omp_target_alloc(sizeof(a), 0), sizeof(a), 0, 0);
	passes("a", a, sizeof(a), "whole");
	going_into("target", __LINE__ + 1);
#pragma omp target map(alloc : a)
	{
		a[0] = 1;
		STAY(there, released);
	}
}

int main(int argc, char **argv)
{
	static const struct scenario {
		const char *name;
		void (*run)(void);
	} scenarios[] = {
		{"partly", partly},
		{"partly_behind", partly_behind},
		{"absent", absent},
		{"not_mapped", not_mapped},
		{"whole", whole},
		{"part_of_mapped", part_of_mapped},
		{"pointer_to_mapped", pointer_to_mapped},
		{"pointer_not_used", pointer_not_used},
		{"null_pointer", null_pointer},
		{"private_copies", private_copies},
		{"devices_pointers", devices_pointers},
		{"implicit_part", implicit_part},
		{"present", present},
		{"structures", structures},
		{"associated", associated},
	};
	const struct scenario *scenario = SCENARIO_NAMED(argc > 1 ? argv[1] : NULL, scenarios);
	pthread_t observer;

	pthread_create(&observer, NULL, observe, NULL);
	scenario->run();
	return 0;
}
