/* SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions that nobody catches: `exceptions WHERE WHAT'. WHERE: region, task, noexcept, nowhere. WHAT: error, own, number, text.
 * And what the C++ library ends a program for without one: `exceptions without WHAT'. WHAT: pthread_exit,
 * pthread_cancel, joinable_thread, terminate.
 */
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>

#define APART __attribute__((noinline))

namespace solver
{
struct stopped : std::exception {
	const char *what() const noexcept override { return "own words"; }
};
} // namespace solver

static volatile int row = 2;

APART static void fail(const char *what)
{
	std::string text = "matrix is singular at row ";

	if (!strcmp(what, "error"))
		throw std::runtime_error(text + std::to_string(row));
	if (!strcmp(what, "own"))
		throw solver::stopped();
	if (!strcmp(what, "number"))
		throw -42;
	throw "a text";
}

APART static void lets_none_out(const char *what) noexcept
{
	fail(what);
	row++;
}

APART static void once_caught(void)
{
	try {
		throw std::logic_error("caught");
	} catch (const std::exception &) {
		row = 2;
	}
}

static void without(const char *what)
{
	if (!strcmp(what, "pthread_exit"))
		pthread_exit(NULL);
	if (!strcmp(what, "pthread_cancel")) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
	if (!strcmp(what, "joinable_thread"))
		std::thread([] {});
	std::terminate();
}

int main(int argc, char **argv)
{
	const char *where = argc > 1 ? argv[1] : "region", *what = argc > 2 ? argv[2] : "error";

	once_caught();
	if (!strcmp(where, "nowhere"))
		fail(what);
#pragma omp parallel num_threads(2)
	{
		if (!strcmp(where, "region"))
			fail(what);
		if (!strcmp(where, "without"))
			without(what);
		if (!strcmp(where, "noexcept"))
			lets_none_out(what);
#pragma omp single
		{
#pragma omp task
			fail(what);
		}
	}
	return 0;
}
