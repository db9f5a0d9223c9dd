// SPDX-License-Identifier: Apache-2.0
//
// Threads of OpenMP's, and others, that wait outside of OpenMP: for mutexes, readers' and writers' locks, conditions, and
// for each other's ends. Programs that hang, and their innocent twins. The scenario is named by the first argument.
// Truth: as in waits.h, NAME also "thread:TID" of one whose end is waited for.

#include "waits.h"

#include <condition_variable>
#include <mutex>
#include <semaphore.h>
#include <shared_mutex>
#include <thread>

struct queue_type {
	int length;
	std::mutex mutex;
};

static std::mutex first, second;
static queue_type queue;
static std::shared_timed_mutex table, journal;
static std::condition_variable ready;
static bool is_ready;
static pthread_spinlock_t spinlock;
static pthread_barrier_t rendezvous;
static sem_t slots;

static void declare_native()
{
	truth_record_native();
	__atomic_add_fetch(&declared, 1, __ATOMIC_SEQ_CST);
}

static int raised;

static void raise_flag()
{
	__atomic_store_n(&raised, 1, __ATOMIC_SEQ_CST);
}

// ---- Circles ------------------------------------------------------------------------------------------

// A member of a structure, and a variable of its own.
static void mutexes()
{
	static int both;

#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
			std::lock_guard<std::mutex> guard(first);
			tell("holds", "first");
			meet(&both, 2);
			tell("wants", "queue.mutex");
			declare();
			queue.mutex.lock();
			truth_seen();
			queue.mutex.unlock();
		} else if (omp_get_thread_num() == 1) {
			std::unique_lock<std::mutex> lock(queue.mutex);
			tell("holds", "queue.mutex");
			meet(&both, 2);
			tell("wants", "first");
			declare();
			first.lock();
			truth_seen();
			first.unlock();
		} else {
			declare();
		}
	}
}

// The same order in both, and the first works on.
static void mutexes_in_order()
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
			std::lock_guard<std::mutex> guard(first);
			tell("holds", "first");
			std::lock_guard<std::mutex> other(queue.mutex);
			tell("holds", "queue.mutex");
			raise_flag();
			declare();
			stay();
		} else if (omp_get_thread_num() == 1) {
			until(&raised, 1);
			tell("wants", "first");
			declare();
			first.lock();
			truth_seen();
			first.unlock();
		} else {
			declare();
		}
	}
}

static void mutex_and_critical()
{
	static int both;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp critical(update)
			{
				tell("holds", "update");
				meet(&both, 2);
				tell("wants", "first");
				declare();
				first.lock();
				truth_seen();
				first.unlock();
			}
		} else {
			first.lock();
			tell("holds", "first");
			meet(&both, 2);
			tell("wants", "update");
			declare();
#pragma omp critical(update)
			truth_seen();
			first.unlock();
		}
	}
}

static void mutex_and_barrier()
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			first.lock();
			tell("holds", "first");
			raise_flag();
			declare();
#pragma omp barrier
			truth_seen();
			first.unlock();
		} else {
			until(&raised, 1);
			tell("wants", "first");
			declare();
			first.lock();
			truth_seen();
			first.unlock();
#pragma omp barrier
			truth_seen();
		}
	}
}

static void mutex_twice()
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			first.lock();
			tell("holds", "first");
			tell("wants", "first");
			declare();
			first.lock();
			truth_seen();
		} else {
			declare();
		}
	}
}

static void hold_and_want(std::mutex &held, const char *name, std::mutex &wanted, const char *other,
			  int *both)
{
	held.lock();
	tell("holds", name);
	meet(both, 2);
	tell("wants", other);
	declare_native();
	wanted.lock();
	wanted.unlock();
	held.unlock();
}

// One thread of the circle is none of OpenMP's.
static void with_another()
{
	static int both;

	std::thread other([] { hold_and_want(second, "second", first, "first", &both); });
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			first.lock();
			tell("holds", "first");
			meet(&both, 2);
			tell("wants", "second");
			declare();
			second.lock();
			truth_seen();
			second.unlock();
			first.unlock();
		} else {
			declare();
		}
	}
	other.join();
}

// None of the circle is OpenMP's.
static void others()
{
	static int both;

	std::thread one([] { hold_and_want(first, "first", second, "second", &both); });
	std::thread other([] { hold_and_want(second, "second", first, "first", &both); });
#pragma omp parallel num_threads(2)
	{
		declare();
		stay();
	}
	one.join();
	other.join();
}

// The joined thread wants what is held by who joins it.
static void join()
{
	static long joined;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			first.lock();
			tell("holds", "first");
			std::thread other([] {
				__atomic_store_n(&joined, truth_tid(), __ATOMIC_SEQ_CST);
				tell("wants", "first");
				declare_native();
				first.lock();
				first.unlock();
			});
			while (!__atomic_load_n(&joined, __ATOMIC_SEQ_CST))
				usleep(1000);
			truth_append("waits", "wants %ld thread:%ld\n", truth_tid(), joined);
			declare();
			other.join();
			first.unlock();
		} else {
			declare();
		}
	}
}

static void join_one_at_work()
{
	static long joined;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			std::thread other([] {
				__atomic_store_n(&joined, truth_tid(), __ATOMIC_SEQ_CST);
				declare_native();
				stay();
			});
			while (!__atomic_load_n(&joined, __ATOMIC_SEQ_CST))
				usleep(1000);
			truth_append("waits", "wants %ld thread:%ld\n", truth_tid(), joined);
			declare();
			other.join();
		} else {
			declare();
		}
	}
}

static void writers()
{
	static int both;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			table.lock();
			tell("holds", "table");
			meet(&both, 2);
			tell("wants", "journal");
			declare();
			journal.lock();
			truth_seen();
		} else {
			journal.lock();
			tell("holds", "journal");
			meet(&both, 2);
			tell("wants", "table");
			declare();
			table.lock();
			truth_seen();
		}
	}
}

static void reader_of_writer()
{
	static int both;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			table.lock();
			tell("holds", "table");
			meet(&both, 2);
			tell("wants", "first");
			declare();
			first.lock();
			truth_seen();
			first.unlock();
			table.unlock();
		} else {
			first.lock();
			tell("holds", "first");
			meet(&both, 2);
			tell("wants", "table");
			declare();
			table.lock_shared();
			truth_seen();
			table.unlock_shared();
			first.unlock();
		}
	}
}

static void writer_of_readers()
{
	static int both;

#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() > 0) {
			table.lock_shared();
			meet(&both, 2);
			raise_flag();
			declare();
			stay();
			table.unlock_shared();
		} else {
			until(&raised, 1);
			tell("wants", "table");
			declare();
			table.lock();
			truth_seen();
			table.unlock();
		}
	}
}

// It has been signalled, and cannot get the mutex back.
static void taken_back()
{
	static int waiting;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			second.lock();
			tell("holds", "second");
			std::unique_lock<std::mutex> lock(first);
			tell("wants", "first");
			declare();
			__atomic_store_n(&waiting, 1, __ATOMIC_SEQ_CST);
			ready.wait(lock, [] { return is_ready; });
			second.unlock();
		} else {
			until(&waiting, 1);
			first.lock();
			tell("holds", "first");
			is_ready = true;
			ready.notify_one();
			tell("wants", "second");
			declare();
			second.lock();
			truth_seen();
			second.unlock();
			first.unlock();
		}
	}
}

// ---- Waits for what nobody is known to owe ------------------------------------------------------------

static void condition()
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			std::unique_lock<std::mutex> lock(first);
			tell("wants", "ready");
			declare();
			ready.wait(lock, [] { return is_ready; });
		} else {
			declare();
			stay();
			std::lock_guard<std::mutex> guard(first);
			is_ready = true;
			ready.notify_all();
		}
	}
}

static void condition_for_a_while()
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			std::unique_lock<std::mutex> lock(first);
			declare();
			ready.wait_for(lock, std::chrono::seconds(TRUTH_LIFE_SECONDS));
		} else {
			declare();
			stay();
			ready.notify_all();
		}
	}
}

static void semaphore()
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			tell("wants", "slots");
			declare();
			sem_wait(&slots);
		} else {
			declare();
			stay();
			sem_post(&slots);
		}
	}
}

static void pthreads_barrier()
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			declare();
			stay();
		} else {
			tell("wants", "rendezvous");
			declare();
		}
		pthread_barrier_wait(&rendezvous);
	}
}

static void spin()
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			pthread_spin_lock(&spinlock);
			raise_flag();
			declare();
			stay();
			pthread_spin_unlock(&spinlock);
		} else {
			until(&raised, 1);
			tell("wants", "spinlock");
			declare();
			pthread_spin_lock(&spinlock);
			truth_seen();
			pthread_spin_unlock(&spinlock);
		}
	}
}

static void hold_and(void (*go_on)())
{
	std::thread logger([go_on] {
		std::lock_guard<std::mutex> guard(first);
		tell("holds", "first");
		raise_flag();
		declare_native();
		go_on();
	});
#pragma omp parallel num_threads(3)
	{
		until(&raised, 1);
		tell("wants", "first");
		declare();
		std::lock_guard<std::mutex> guard(first);
		truth_seen();
	}
	logger.join();
}

// Nobody posts the semaphore.
static void logger()
{
	hold_and([] { sem_wait(&slots); });
}

static void logger_at_work()
{
	hold_and(stay);
}

static void owner_gone()
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			std::thread([] { first.lock(); }).join();
			tell("wants", "first");
			declare();
			first.lock();
			truth_seen();
		} else {
			declare();
		}
	}
}

// A worker that takes turns with others, healthy at every moment.
static void turns()
{
	static long sum;

#pragma omp parallel num_threads(4)
	{
		declare();
		while (!__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST)) {
			std::lock_guard<std::mutex> guard(first);
			std::lock_guard<std::mutex> other(queue.mutex);
			for (int i = 0; i < 200; i++)
				__asm__ volatile("" : "+r"(sum));
		}
	}
}

static const struct scenario scenarios[] = {
	{"mutexes", mutexes, 3},
	{"mutexes_in_order", mutexes_in_order, 3},
	{"mutex_and_critical", mutex_and_critical, 2},
	{"mutex_and_barrier", mutex_and_barrier, 2},
	{"mutex_twice", mutex_twice, 2},
	{"with_another", with_another, 3},
	{"others", others, 4},
	{"join", join, 3},
	{"join_one_at_work", join_one_at_work, 3},
	{"writers", writers, 2},
	{"reader_of_writer", reader_of_writer, 2},
	{"writer_of_readers", writer_of_readers, 3},
	{"taken_back", taken_back, 2},
	{"condition", condition, 2},
	{"condition_for_a_while", condition_for_a_while, 2},
	{"semaphore", semaphore, 2},
	{"pthreads_barrier", pthreads_barrier, 2},
	{"spin", spin, 2},
	{"logger", logger, 4},
	{"logger_at_work", logger_at_work, 4},
	{"owner_gone", owner_gone, 2},
	{"turns", turns, 4},
};

int main(int argc, char **argv)
{
	pthread_spin_init(&spinlock, 0);
	pthread_barrier_init(&rendezvous, nullptr, 2);
	sem_init(&slots, 0, 0);
	return RUN_SCENARIO(scenarios, argc, argv);
}
