/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs in C++ that never go on, and their innocent twins: the library's own locks, the language's own ways
 * out.
 */
#include "guilty.h"

#include <barrier>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <stdexcept>
#include <thread>

namespace
{

std::mutex left, right;
omp_lock_t lock;
int met;
unsigned long total;

bool guilty_one(int number)
{
	return guilty && omp_get_thread_num() == number;
}

void take(std::mutex &first, std::mutex &second)
{
	const std::lock_guard<std::mutex> one(first);

	meet(&met, 2);
	stuck();
	const std::lock_guard<std::mutex> other(second);
	work(SHORT);
}

void mutexes()
{
#pragma omp parallel num_threads(2)
	{
		if (guilty_one(1))
			take(right, left);
		else
			take(left, right);
	}
}

void mutex_and_omp_lock()
{
#pragma omp parallel num_threads(2)
	{
		if (guilty_one(1)) {
			omp_set_lock(&lock);
			meet(&met, 2);
			stuck();
			{
				const std::lock_guard<std::mutex> guard(left);
				work(SHORT);
			}
			omp_unset_lock(&lock);
		} else {
			const std::lock_guard<std::mutex> guard(left);

			meet(&met, 2);
			stuck();
			omp_set_lock(&lock);
			omp_unset_lock(&lock);
		}
	}
}

void mutex_and_critical()
{
#pragma omp parallel num_threads(2)
	{
		if (guilty_one(1)) {
#pragma omp critical(update)
			{
				meet(&met, 2);
				stuck();
				const std::lock_guard<std::mutex> guard(left);
				total++;
			}
		} else {
			const std::lock_guard<std::mutex> guard(left);

			meet(&met, 2);
			stuck();
#pragma omp critical(update)
			total++;
		}
	}
}

/* A plain lock is not set free by an exception. */
void change(bool fail)
{
	omp_set_lock(&lock);
	if (fail)
		throw std::runtime_error("the lock is forgotten");
	work(SHORT);
	omp_unset_lock(&lock);
}

void exception_past_unset()
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			try {
				change(guilty);
			} catch (const std::exception &) {
				total++;
			}
			meet(&met, 2);
			waits();
		} else {
			meet(&met, 2);
			stuck();
			change(false);
		}
	}
}

/* The thread that is joined wants the mutex of the one that joins it. */
void joined_with_mutex()
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			std::unique_lock<std::mutex> guard(left);
			std::thread helper([] {
				stuck();
				const std::lock_guard<std::mutex> mine(left);
				total++;
			});

			if (!guilty)
				guard.unlock();
			stuck();
			helper.join();
		} else {
			waits();
		}
	}
}

/* A thread that is none of the team's polls a lock of it. */
void joined_while_it_polls()
{
	static std::timed_mutex polled;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			std::unique_lock<std::timed_mutex> guard(polled);
			std::thread helper([] {
				stuck();
				while (!polled.try_lock_for(std::chrono::milliseconds(3)))
					;
				total++;
				polled.unlock();
			});

			if (!guilty)
				guard.unlock();
			stuck();
			helper.join();
		} else {
			waits();
		}
	}
}

void promise_unkept()
{
	std::promise<unsigned long> promise;
	auto answer = promise.get_future();

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			stuck();
			total = answer.get();
		} else {
			if (!guilty)
				promise.set_value(42);
			waits();
		}
	}
}

void nobody_notifies()
{
	std::condition_variable condition;
	bool ready = false;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			stuck();
			std::unique_lock<std::mutex> guard(left);
			condition.wait(guard, [&ready] { return ready; });
		} else {
			if (!guilty) {
				const std::lock_guard<std::mutex> guard(left);
				ready = true;
				condition.notify_one();
			}
			waits();
		}
	}
}

/* ---- What is initialised once ------------------------------------------------------------------- */

unsigned long row_of_table();

/* Each attempt fails in the twin: whoever waited tries again, and every round has an initialiser at work. */
struct table_type {
	table_type()
	{
		if (!guilty) {
			work(LONG);
			throw std::runtime_error("not made");
		}
#pragma omp parallel num_threads(2)
		{
			if (omp_get_thread_num() == 1) {
				stuck();
				total += row_of_table();
			} else {
				waits();
			}
		}
	}

	unsigned long row = 1;
};

const table_type &table()
{
	static const table_type made;

	return made;
}

unsigned long row_of_table()
{
	return table().row;
}

/* The initialiser's region waits for a thread that wants what is being initialised. */
void static_begins_region()
{
	if (guilty) {
		row_of_table();
		return;
	}
#pragma omp parallel num_threads(3)
	{
		try {
			row_of_table();
		} catch (const std::runtime_error &) {
		}
	}
}

unsigned long recursive(int depth);

struct recursive_type {
	explicit recursive_type(int depth) : value(recursive(depth))
	{
	}

	unsigned long value;
};

unsigned long recursive(int depth)
{
	if (!guilty && depth == 0) {
		work(LONG);
		throw std::runtime_error("not made");
	}
	if (depth == 0)
		stuck();
	static const recursive_type made(depth - 1);
	return made.value;
}

/* It needs itself. */
void static_needs_itself()
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1 || !guilty) {
			try {
				total += recursive(1);
			} catch (const std::runtime_error &) {
			}
		} else {
			waits();
		}
	}
}

void fill_in_region(std::once_flag &once)
{
	if (!guilty) {
		work(LONG);
		return;
	}
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			stuck();
			std::call_once(once, work, SHORT);
		} else {
			waits();
		}
	}
}

void once_begins_region()
{
	std::once_flag once;

	if (guilty) {
		std::call_once(once, fill_in_region, std::ref(once));
		return;
	}
#pragma omp parallel num_threads(3)
	std::call_once(once, fill_in_region, std::ref(once));
}

/* The initialiser wants a lock that is held by one who wants what is being initialised. */
void once_and_mutex()
{
	std::once_flag once;
	int threads = 0;

#pragma omp parallel num_threads(2) shared(once, threads)
	{
		if (omp_get_thread_num() == 0) {
			std::call_once(once, [&threads] {
				meet(&threads, 2);
				stuck();
				const std::lock_guard<std::mutex> guard(left);
				work(SHORT);
			});
		} else {
			std::unique_lock<std::mutex> guard(left);

			meet(&threads, 2);
			if (!guilty)
				guard.unlock();
			stuck();
			std::call_once(once, work, SHORT);
		}
	}
}

/* ---- What C++20 has ------------------------------------------------------------------------------ */

/* One arrives less than the latch expects. */
void latch_of_more()
{
	std::latch come(guilty ? 3 : 2);

#pragma omp parallel num_threads(2)
	{
		stuck();
		come.arrive_and_wait();
		work(SHORT);
	}
}

/* And the first to wait sleeps on the count that there was before the other one arrived. */
void latch_of_more_yet()
{
	std::latch come(guilty ? 3 : 2);

#pragma omp parallel num_threads(2)
	{
		if (guilty_one(0))
			settle();
		stuck();
		come.arrive_and_wait();
		work(SHORT);
	}
}

void std_barrier_of_more()
{
	std::barrier meeting(guilty ? 3 : 2);

#pragma omp parallel num_threads(2)
	{
		stuck();
		meeting.arrive_and_wait();
		work(SHORT);
	}
}

void nobody_releases()
{
	std::counting_semaphore<2> slots(0);

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			stuck();
			slots.acquire();
			work(SHORT);
		} else {
			if (!guilty)
				slots.release();
			waits();
		}
	}
}

/* What is computed asynchronously wants the critical construct in which its result is waited for. */
void async_in_critical()
{
	const auto compute = [] {
		stuck();
#pragma omp critical(update)
		total++;
		return total;
	};

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			if (guilty) {
#pragma omp critical(update)
				{
					auto answer = std::async(std::launch::async, compute);

					stuck();
					answer.get();
				}
			} else {
				std::async(std::launch::async, compute).get();
			}
		} else {
			waits();
		}
	}
}

const struct guilty_scenario scenarios[] = {
	GUILTY(mutexes, CIRCLE, 2),
	GUILTY(mutex_and_omp_lock, CIRCLE, 2),
	GUILTY(mutex_and_critical, CIRCLE, 2),
	GUILTY(exception_past_unset, FORGOTTEN, 2),
	GUILTY(joined_with_mutex, CIRCLE, 3),
	GUILTY(joined_while_it_polls, CIRCLE, 3),
	GUILTY(promise_unkept, OUTSIDE, 2),
	GUILTY(nobody_notifies, OUTSIDE, 2),
	GUILTY(static_begins_region, CIRCLE, 2),
	GUILTY(static_needs_itself, CIRCLE, 2),
	GUILTY(once_begins_region, CIRCLE, 2),
	GUILTY(once_and_mutex, CIRCLE, 2),
	GUILTY(latch_of_more, OUTSIDE, 2),
	GUILTY(std_barrier_of_more, OUTSIDE, 2),
	GUILTY(nobody_releases, OUTSIDE, 2),
	GUILTY(async_in_critical, CIRCLE, 3),
	GUILTY(latch_of_more_yet, OUTSIDE, 2),
};

} // namespace

int main(int argc, char **argv)
{
	omp_init_lock(&lock);
	return RUN_ONE(scenarios, argc, argv);
}
