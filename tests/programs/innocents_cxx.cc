/* SPDX-License-Identifier: Apache-2.0
 *
 * Healthy programs in C++, whose threads wait for each other by means of its library.
 */
#include "innocents.h"

#include <barrier>
#include <condition_variable>
#include <deque>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

namespace
{

std::mutex mutex, other_mutex;
std::shared_mutex shared_mutex;
unsigned long total;

void guards()
{
#pragma omp parallel num_threads(4)
	FOR_EVER {
		{
			const std::lock_guard<std::mutex> guard(mutex);
			work(LONG / 4);
		}
		work(SHORT);
		went_on();
	}
}

/* In any order: std::lock gives back what it has if it cannot get the other. */
void scoped_locks()
{
#pragma omp parallel num_threads(4)
	FOR_EVER {
		if (some(2)) {
			const std::scoped_lock both(mutex, other_mutex);
			work(LONG / 4);
		} else {
			const std::scoped_lock both(other_mutex, mutex);
			work(LONG / 4);
		}
		went_on();
	}
}

void shared_locks()
{
#pragma omp parallel num_threads(4)
	FOR_EVER {
		if (some(4)) {
			const std::shared_lock<std::shared_mutex> guard(shared_mutex);
			work(LONG / 4);
		} else {
			const std::unique_lock<std::shared_mutex> guard(shared_mutex);
			work(LONG / 4);
		}
		went_on();
	}
}

class Queue {
	std::mutex mutex;
	std::condition_variable filled, emptied;
	std::deque<unsigned long> items;

      public:
	void put(unsigned long item)
	{
		std::unique_lock<std::mutex> lock(mutex);

		emptied.wait(lock, [this] { return items.size() < 4; });
		items.push_back(item);
		filled.notify_one();
	}

	unsigned long get()
	{
		std::unique_lock<std::mutex> lock(mutex);

		filled.wait(lock, [this] { return !items.empty(); });
		const unsigned long item = items.front();
		items.pop_front();
		emptied.notify_one();
		return item;
	}
};

/* A thread of the program's own has the work, a team does it. */
void queue()
{
	Queue items;
	std::thread producer([&items] {
		FOR_EVER {
			work(LONG);
			items.put(some(1000));
		}
	});

#pragma omp parallel num_threads(4)
	FOR_EVER {
		const unsigned long item = items.get();

#pragma omp critical(total)
		total += item;
		went_on();
	}
}

void queue_between()
{
	Queue items;

#pragma omp parallel num_threads(4)
	FOR_EVER {
		if (omp_get_thread_num() % 2)
			items.put(some(1000));
		else
			work(items.get());
		went_on();
	}
}

void futures()
{
#pragma omp parallel num_threads(2)
	FOR_EVER {
		auto answer = std::async(std::launch::async, [] {
			work(LONG);
			return 42UL;
		});
		total = answer.get();
		went_on();
	}
}

/* Thrown and caught inside. */
void exceptions()
{
#pragma omp parallel num_threads(4)
	FOR_EVER {
#pragma omp critical(update)
		{
			try {
				work(SHORT);
				if (some(2))
					throw std::runtime_error("seldom");
			} catch (const std::exception &) {
				work(SHORT);
			}
		}
		went_on();
	}
}

class Worker {
	omp_lock_t lock;

      public:
	Worker() { omp_init_lock(&lock); }

	/* Held by an object, whose end sets it free. */
	class Guard {
		omp_lock_t *lock;

	      public:
		explicit Guard(omp_lock_t *wanted) : lock(wanted) { omp_set_lock(lock); }
		~Guard() { omp_unset_lock(lock); }
		Guard(const Guard &) = delete;
		Guard &operator=(const Guard &) = delete;
	};

	template <typename Number> void run(Number most)
	{
		const Guard guard(&lock);

		work(most);
	}
};

void methods()
{
	Worker worker;

#pragma omp parallel num_threads(4)
	FOR_EVER {
		worker.run<unsigned long>(LONG);
#pragma omp task shared(worker)
		worker.run<unsigned>(SHORT);
#pragma omp taskwait
		went_on();
	}
}

/* A latch of each round's: who comes to it sleeps while it is counted down. */
void latches()
{
	std::barrier<> meeting(3);
	std::counting_semaphore<4> slots(0);

	FOR_EVER {
		std::latch come(3);

#pragma omp parallel num_threads(3)
		{
			const int number = omp_get_thread_num();

			work(LONG * number);
			come.arrive_and_wait();
			work(SHORT * number);
			meeting.arrive_and_wait();
			if (number == 0) {
				work(LONG);
				slots.release(2);
			} else {
				slots.acquire();
			}
			went_on();
		}
	}
}

const struct scenario scenarios[] = {
	SCENARIO(guards),    SCENARIO(scoped_locks),  SCENARIO(shared_locks),
	SCENARIO(queue),     SCENARIO(queue_between), SCENARIO(futures),
	SCENARIO(exceptions), SCENARIO(methods),      SCENARIO(latches),
};

} // namespace

int main(int argc, char **argv)
{
	return GO_ON_FOR_EVER(scenarios, argc, argv);
}
