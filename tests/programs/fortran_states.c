/* SPDX-License-Identifier: Apache-2.0
 *
 * What threads of constructs.F90 declare and where they stay: states.h for Fortran.
 */
#include "states.h"

void expect_threads(int threads);
void going_to_wait(const char *state);
void working(void);
int works_(const int *value);
void wait_for(int *flag, int value);
void set_flag(int *flag, int value);
void wait_for_declared(int threads);
void observed(void);

static pthread_t observer;

void expect_threads(int threads)
{
	truth_source = "constructs.F90";
	expected = threads;
	pthread_create(&observer, NULL, observe, NULL);
}

void going_to_wait(const char *state)
{
	going_to(state, 0);
}

void working(void)
{
	work("work_parallel");
}

int works_(const int *value)
{
	work("work_parallel");
	return *value;
}

void wait_for(int *flag, int value)
{
	until(flag, value);
}

void set_flag(int *flag, int value)
{
	__atomic_store_n(flag, value, __ATOMIC_SEQ_CST);
}

void wait_for_declared(int threads)
{
	until(&declared, threads);
}

void observed(void)
{
	pthread_join(observer, NULL);
}
