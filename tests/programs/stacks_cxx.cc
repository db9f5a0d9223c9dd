// SPDX-License-Identifier: Apache-2.0
//
// C++, one scenario, named by the first argument: a region in a member function template that is given a lambda;
// threads that an exception makes wait, in a destructor and in a handler. What is expected is written as in stacks.c.

#include "truth.h"

#include <stdexcept>

#define NOINLINE __attribute__((noinline))

static int arrived;

NOINLINE static void here()
{
	__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST))
		usleep(1000); // PLACE stay
	__asm__ volatile("");
}

static void *observe(void *unused)
{
	while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 2)
		usleep(1000);
	truth_write();
	stop_here();
	__atomic_store_n(&truth_released, 1, __ATOMIC_SEQ_CST);
	return unused;
}

// EXPECT templates 2: usleep; here@stay; templates()::lambda::operator()@lambda;
//                     grid::Solver<double>::each<templates()::lambda>@body; parallel@each;
//                     grid::Solver<double>::each<templates()::lambda>@each; templates@call; main@templates
namespace grid
{
template <typename Value> struct Solver {
	Value value;

	template <typename Body> NOINLINE void each(Body body)
	{
#pragma omp parallel num_threads(2) // PLACE each
		{
			body(value); // PLACE body
			__asm__ volatile("");
		}
		__asm__ volatile("");
	}
};
} // namespace grid

NOINLINE static void templates()
{
	grid::Solver<double>{1}.each([](double &) { // PLACE call
		here();                             // PLACE lambda
		__asm__ volatile("");
	});
	__asm__ volatile("");
}

// EXPECT exceptions 1: usleep; here@stay; Guard::~Guard@guard; thrown@thrown; exceptions@try; parallel@exceptions;
//                      exceptions@exceptions; main@run_exceptions
// EXPECT exceptions 1: usleep; here@stay; exceptions@handler; parallel@exceptions; exceptions@exceptions;
//                      main@run_exceptions
struct Guard {
	NOINLINE ~Guard()
	{
		if (omp_get_thread_num() == 0)
			here(); // PLACE guard
		__asm__ volatile("");
	}
};

NOINLINE static void thrown()
{
	Guard guard;

	throw std::runtime_error("expected"); // PLACE throw
} // PLACE thrown

NOINLINE static void exceptions()
{
#pragma omp parallel num_threads(2) // PLACE exceptions
	{
		try {
			thrown(); // PLACE try
		} catch (const std::exception &) {
			if (omp_get_thread_num() == 1)
				here(); // PLACE handler
		}
		__asm__ volatile("");
	}
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	pthread_t observer;

	pthread_create(&observer, NULL, observe, NULL);
	if (argc > 1 && strcmp(argv[1], "templates") == 0)
		templates(); // PLACE templates
	else
		exceptions(); // PLACE run_exceptions
	pthread_join(observer, NULL);
	return 0;
}
