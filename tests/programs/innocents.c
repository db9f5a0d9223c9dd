/* SPDX-License-Identifier: Apache-2.0
 *
 * Healthy programs, whose threads wait for each other in every way there is, and go on for ever. Whoever
 * stops one of them, at any moment, may call it slow, never stuck.
 */
#include "innocents.h"

#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/prctl.h>

static omp_lock_t lock_a, lock_b, lock_c;
static omp_nest_lock_t nest_a;
static unsigned long shared;

/* ---- Critical constructs ------------------------------------------------------------------------- */

/* Hardly anybody does anything else: at most stops all but one wait. */
static void critical_short(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp critical
		shared++;
		went_on();
	}
}

static void critical_long(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp critical
		work(LONG);
		went_on();
	}
}

static void critical_between(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp critical(update)
		work(SHORT);
		work(LONG);
		went_on();
	}
}

static void critical_sleep(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp critical(update)
		doze(100);
		went_on();
	}
}

static void critical_names(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		switch (some(3)) {
		case 0:
#pragma omp critical(left)
			work(SHORT);
			break;
		case 1:
#pragma omp critical(middle)
			work(LONG);
			break;
		default:
#pragma omp critical(right)
			shared++;
		}
		went_on();
	}
}

/* One in another, always in the same order. */
static void critical_order(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp critical(left)
		{
			work(SHORT);
#pragma omp critical(right)
			work(SHORT);
		}
#pragma omp critical(right)
		shared++;
		went_on();
	}
}

static __attribute__((noinline)) unsigned long take_turn(void)
{
	unsigned long mine;

#pragma omp critical(turn)
	{
		mine = shared++;
		work(SHORT);
	}
	return mine;
}

static void critical_called(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		take_turn();
		went_on();
	}
}

static void critical_many_threads(void)
{
#pragma omp parallel num_threads(16)
	FOR_EVER
	{
#pragma omp critical
		work(SHORT);
		went_on();
	}
}

/* ---- Atomic constructs --------------------------------------------------------------------------- */

static void atomic_update(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp atomic
		shared += 3;
		went_on();
	}
}

/* Too large for an instruction where gcc compiles it: the runtime has a lock for it. */
#ifdef __clang__
typedef double large_number;
#else
typedef long double large_number;
#endif

static void atomic_capture(void)
{
	static large_number sum;

#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		large_number before;

#pragma omp atomic capture
		{
			before = sum;
			sum += 1;
		}
		if (before >= 0)
			went_on();
	}
}

/* ---- Ordered ------------------------------------------------------------------------------------- */

static void ordered_short(void)
{
	FOR_EVER
	{
#pragma omp parallel for ordered schedule(static, 1) num_threads(4)
		for (int i = 0; i < 64; i++) {
#pragma omp ordered
			shared++;
			went_on();
		}
	}
}

static void ordered_long(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp for ordered schedule(dynamic)
		for (int i = 0; i < 16; i++) {
			work(LONG);
#pragma omp ordered
			work(LONG);
			went_on();
		}
	}
}

static void ordered_nowait(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp for ordered schedule(static, 1) nowait
		for (int i = 0; i < 16; i++) {
#pragma omp ordered
			work(SHORT);
			went_on();
		}
	}
}

static void doacross(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp for ordered(1) schedule(static, 1)
		for (int i = 0; i < 16; i++) {
			work(LONG / 8);
#pragma omp ordered depend(sink : i - 1)
			shared++;
#pragma omp ordered depend(source)
			went_on();
		}
	}
}

static void doacross_in_nest(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp for ordered(2) schedule(dynamic, 2) nowait
		for (int i = 0; i < 12; i++) {
			for (int j = 0; j < 4; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
				work(LONG / 8);
#pragma omp ordered depend(source)
				went_on();
			}
		}
	}
}

/* ---- Locks --------------------------------------------------------------------------------------- */

static void locks_short(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		omp_set_lock(&lock_a);
		shared++;
		omp_unset_lock(&lock_a);
		went_on();
	}
}

static void locks_long(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		omp_set_lock(&lock_a);
		work(LONG);
		omp_unset_lock(&lock_a);
		work(SHORT);
		went_on();
	}
}

static void locks_sleep(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		omp_set_lock(&lock_a);
		doze(200);
		omp_unset_lock(&lock_a);
		went_on();
	}
}

/* Two or three at once, always in the same order. */
static void locks_order(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		omp_set_lock(&lock_a);
		work(SHORT);
		omp_set_lock(&lock_b);
		work(SHORT);
		omp_unset_lock(&lock_a);
		omp_set_lock(&lock_c);
		work(LONG / 4);
		omp_unset_lock(&lock_c);
		omp_unset_lock(&lock_b);
		went_on();
	}
}

/* Who holds it is in none of the functions that set or unset it. */
static __attribute__((noinline)) void take(omp_lock_t *lock)
{
	omp_set_lock(lock);
}

static __attribute__((noinline)) void give(omp_lock_t *lock)
{
	omp_unset_lock(lock);
}

static void locks_wrapped(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		take(&lock_a);
		work(LONG);
		give(&lock_a);
		went_on();
	}
}

/* The lock is held over whole regions and barriers, by the only thread that wants it there. */
static void lock_over_barriers(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp master
		omp_set_lock(&lock_a);
#pragma omp barrier
		work(LONG / 4);
#pragma omp barrier
#pragma omp master
		omp_unset_lock(&lock_a);
		went_on();
	}
}

static void lock_of_the_master(void)
{
	FOR_EVER
	{
		omp_set_lock(&lock_a);
#pragma omp parallel num_threads(4)
		{
			work(LONG / 4);
			went_on();
		}
		omp_unset_lock(&lock_a);
	}
}

static void nest_locks(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		omp_set_nest_lock(&nest_a);
		work(SHORT);
		omp_set_nest_lock(&nest_a);
		work(SHORT);
		omp_unset_nest_lock(&nest_a);
		omp_unset_nest_lock(&nest_a);
		went_on();
	}
}

static void test_lock(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		while (!omp_test_lock(&lock_a))
			;
		work(SHORT);
		omp_unset_lock(&lock_a);
		while (!omp_test_nest_lock(&nest_a))
			sched_yield();
		work(SHORT);
		omp_unset_nest_lock(&nest_a);
		went_on();
	}
}

/* ---- Barriers and work sharing ------------------------------------------------------------------- */

static void barrier_one(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		work(SHORT);
#pragma omp barrier
		went_on();
	}
}

static void barriers_two(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		work(SHORT);
#pragma omp barrier
		work(SHORT);
#pragma omp barrier
		went_on();
	}
}

static __attribute__((noinline)) void meet_elsewhere(void)
{
#pragma omp barrier
	went_on();
}

static void barriers_three(void)
{
#pragma omp parallel num_threads(3)
	FOR_EVER
	{
		work(LONG);
#pragma omp barrier
		meet_elsewhere();
		work(SHORT);
#pragma omp barrier
		went_on();
	}
}

static void barrier_sleep(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		doze((long)some(300));
#pragma omp barrier
		went_on();
	}
}

static void barriers_many_threads(void)
{
#pragma omp parallel num_threads(32)
	FOR_EVER
	{
		work(SHORT);
#pragma omp barrier
		work(SHORT);
#pragma omp barrier
		went_on();
	}
}

static void for_loops(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp for schedule(static)
		for (int i = 0; i < 16; i++)
			work(SHORT);
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 16; i++)
			work(LONG / 4);
#pragma omp for schedule(guided) nowait
		for (int i = 0; i < 16; i++)
			work(SHORT);
		went_on();
	}
}

static void work_sharing(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp single
		work(SHORT);
#pragma omp sections
		{
#pragma omp section
			work(LONG / 4);
#pragma omp section
			work(SHORT);
#pragma omp section
			work(SHORT);
		}
#pragma omp single nowait
		work(SHORT);
#pragma omp sections nowait
		{
#pragma omp section
			work(SHORT);
#pragma omp section
			work(SHORT);
		}
#pragma omp barrier
		went_on();
	}
}

/* All but one are at the barrier nearly always. */
static void single_long(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp single
		doze(500);
		went_on();
	}
}

static void copyprivate(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		unsigned long number;

#pragma omp single copyprivate(number)
		number = some(1000);
		work(number);
		went_on();
	}
}

static void masters_work(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp master
		work(LONG);
#pragma omp barrier
		went_on();
	}
}

static void reductions(void)
{
	double sum = 0;
	large_number large = 0;

#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < 16; i++)
			sum += (double)some(3);
#pragma omp for reduction(+ : sum, large) nowait
		for (int i = 0; i < 16; i++) {
			sum += 1;
			large += 1;
		}
#pragma omp barrier
		went_on();
	}
}

/* ---- Regions ------------------------------------------------------------------------------------- */

static void short_regions(void)
{
	FOR_EVER
	{
#pragma omp parallel num_threads(4)
		work(SHORT);
		went_on();
	}
}

static void sizes_of_regions(void)
{
	FOR_EVER
	{
#pragma omp parallel num_threads(2 + (int)some(6))
		work(SHORT);
		went_on();
	}
}

static void serial_parts(void)
{
	FOR_EVER
	{
#pragma omp parallel num_threads(4)
		work(SHORT);
		doze(500);
		went_on();
	}
}

static void nested_regions(void)
{
#pragma omp parallel num_threads(2)
	FOR_EVER
	{
#pragma omp parallel num_threads(2)
		{
			work(SHORT);
#pragma omp barrier
			work(SHORT);
		}
		went_on();
	}
}

/* The other threads of the outer region are at its barrier meanwhile. */
static void nested_single(void)
{
#pragma omp parallel num_threads(3)
	FOR_EVER
	{
#pragma omp single
		{
#pragma omp parallel for num_threads(2) schedule(dynamic)
			for (int i = 0; i < 8; i++)
				work(LONG / 8);
		}
#pragma omp barrier
		went_on();
	}
}

static void league(void)
{
	FOR_EVER
	{
#pragma omp teams num_teams(2) thread_limit(2)
		{
#pragma omp parallel num_threads(2)
			work(SHORT);
		}
		went_on();
	}
}

static void cancelled_loops(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp for
		for (int i = 0; i < 64; i++) {
			work(SHORT);
#pragma omp cancel for if (i == 37)
		}
		went_on();
	}
}

static void cancelled_regions(void)
{
	FOR_EVER
	{
#pragma omp parallel num_threads(4)
		{
			work(LONG / 4);
#pragma omp cancel parallel if (omp_get_thread_num() == 3)
			work(SHORT);
#pragma omp barrier
			work(SHORT);
		}
		went_on();
	}
}

/* ---- Tasks --------------------------------------------------------------------------------------- */

static unsigned long fibonacci(unsigned long n)
{
	unsigned long one, other;

	if (n < 2)
		return n;
#pragma omp task shared(one)
	one = fibonacci(n - 1);
#pragma omp task shared(other)
	other = fibonacci(n - 2);
#pragma omp taskwait
	went_on();
	return one + other;
}

static void task_tree(void)
{
#pragma omp parallel num_threads(4)
#pragma omp single
	FOR_EVER
	shared += fibonacci(12);
}

static unsigned long untied_fibonacci(unsigned long n)
{
	unsigned long one, other;

	if (n < 2)
		return n;
#pragma omp task untied shared(one)
	one = untied_fibonacci(n - 1);
#pragma omp task untied shared(other)
	other = untied_fibonacci(n - 2);
#pragma omp taskwait
	went_on();
	return one + other;
}

static void tasks_untied(void)
{
#pragma omp parallel num_threads(4)
#pragma omp single
	FOR_EVER
	shared += untied_fibonacci(10);
}

static void taskgroups(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp taskgroup
		{
			for (int i = 0; i < 4; i++) {
#pragma omp task
				{
#pragma omp task
					work(SHORT);
					work(LONG / 8);
				}
			}
		}
		went_on();
	}
}

/* Each task waits for the one before. */
static void task_chain(void)
{
	int in_order __attribute__((unused)) = 0, beside __attribute__((unused)) = 0;

#pragma omp parallel num_threads(4)
#pragma omp single
	FOR_EVER
	{
		for (int i = 0; i < 8; i++) {
#pragma omp task depend(inout : in_order)
			work(LONG / 8);
#pragma omp task depend(in : in_order) depend(out : beside)
			work(SHORT);
		}
#pragma omp taskwait
		went_on();
	}
}

static void task_priorities(void)
{
#pragma omp parallel num_threads(4)
#pragma omp single
	FOR_EVER
	{
		for (int i = 0; i < 16; i++) {
#pragma omp task priority(i % 4)
			work(LONG / 8);
		}
#pragma omp taskwait
		went_on();
	}
}

static void taskloops(void)
{
#pragma omp parallel num_threads(4)
#pragma omp single
	FOR_EVER
	{
#pragma omp taskloop grainsize(2)
		for (int i = 0; i < 32; i++)
			work(SHORT);
#pragma omp taskloop num_tasks(5) nogroup
		for (int i = 0; i < 32; i++)
			work(SHORT);
#pragma omp taskwait
		went_on();
	}
}

/* One makes the tasks, the others execute them at the barrier; the one that came last leaves it first. */
static void tasks_at_the_barrier(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp single nowait
		for (int i = 0; i < 12; i++) {
#pragma omp task
			work(LONG / 8);
		}
#pragma omp barrier
		went_on();
	}
}

/* They take turns at a lock that is none of their makers'. */
static void tasks_with_locks(void)
{
#pragma omp parallel num_threads(4)
#pragma omp single
	FOR_EVER
	{
		for (int i = 0; i < 8; i++) {
#pragma omp task
			{
				omp_set_lock(&lock_a);
				work(LONG / 8);
				omp_unset_lock(&lock_a);
#pragma omp critical(of_tasks)
				work(SHORT);
			}
		}
#pragma omp taskwait
		went_on();
	}
}

static void task_yields(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		for (int i = 0; i < 4; i++) {
#pragma omp task
			{
				work(SHORT);
#pragma omp taskyield
				work(SHORT);
			}
		}
#pragma omp taskyield
#pragma omp taskwait
		went_on();
	}
}

/* Not deferred: whoever makes it waits for those that it depends on. */
static void task_at_once(void)
{
	int in_order __attribute__((unused)) = 0;

#pragma omp parallel num_threads(4)
#pragma omp single
	FOR_EVER
	{
#pragma omp task depend(out : in_order)
		work(LONG / 2);
#pragma omp task depend(in : in_order) if (0)
		work(SHORT);
		went_on();
	}
}

#ifdef __clang__
/* Another thread of the team fulfils the event. */
static omp_event_handle_t slot;
static int filled;

static void make_detached(void)
{
	FOR_EVER
	{
		omp_event_handle_t event = (omp_event_handle_t)0;

#pragma omp task detach(event)
		{
			slot = event;
			__atomic_store_n(&filled, 1, __ATOMIC_SEQ_CST);
		}
#pragma omp taskwait
		went_on();
	}
}

static void fulfil_detached(void)
{
	FOR_EVER
	{
		while (!__atomic_load_n(&filled, __ATOMIC_SEQ_CST))
			doze(20);
		work(LONG);
		__atomic_store_n(&filled, 0, __ATOMIC_SEQ_CST);
		omp_fulfill_event(slot);
	}
}

static void task_detached(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			make_detached();
		else
			fulfil_detached();
	}
}
#endif

/* ---- Waits of the program's own ------------------------------------------------------------------ */

/* Each waits for its number, in a loop of its own. */
static void flags(void)
{
	static int turn;

#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		int now;

		do {
#pragma omp flush
#pragma omp atomic read
			now = turn;
		} while (now != omp_get_thread_num());
		work(SHORT);
#pragma omp atomic write
		turn = (now + 1) % 4;
		went_on();
	}
}

static void flags_yield(void)
{
	static int turn;

#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) != omp_get_thread_num())
			sched_yield();
		doze(50);
		__atomic_store_n(&turn, (omp_get_thread_num() + 1) % 4, __ATOMIC_SEQ_CST);
		went_on();
	}
}

/* All sleep at once, most of the time. */
static void sleepers(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		doze(1000);
		usleep(500);
		went_on();
	}
}

static void pollers(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		poll(NULL, 0, 1);
#pragma omp barrier
		went_on();
	}
}

/* ---- Threads and locks of the system's ----------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled_up = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static sem_t to_do, done;
static int stock;

static void mutexes(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		pthread_mutex_lock(&mutex);
		work(SHORT);
		pthread_mutex_lock(&other_mutex);
		work(LONG / 4);
		pthread_mutex_unlock(&other_mutex);
		pthread_mutex_unlock(&mutex);
		went_on();
	}
}

/* The wait for a barrier, with a mutex that nobody else wants there; the wait for a mutex, with the barrier ahead. */
static void mutex_and_barrier(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		pthread_mutex_lock(&mutex);
		work(LONG / 4);
		pthread_mutex_unlock(&mutex);
#pragma omp barrier
		went_on();
	}
}

static void mutex_recursive(void)
{
	static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		pthread_mutex_lock(&recursive);
		pthread_mutex_lock(&recursive);
		work(LONG / 4);
		pthread_mutex_unlock(&recursive);
		pthread_mutex_unlock(&recursive);
		went_on();
	}
}

static void rwlocks(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		if (some(3) == 0)
			pthread_rwlock_wrlock(&rwlock);
		else
			pthread_rwlock_rdlock(&rwlock);
		work(LONG / 4);
		pthread_rwlock_unlock(&rwlock);
		went_on();
	}
}

static void spinlocks(void)
{
	pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		pthread_spin_lock(&spinlock);
		work(SHORT);
		pthread_spin_unlock(&spinlock);
		went_on();
	}
}

static void produce(void)
{
	pthread_mutex_lock(&mutex);
	while (stock == 4)
		pthread_cond_wait(&emptied, &mutex);
	stock++;
	pthread_cond_signal(&filled_up);
	pthread_mutex_unlock(&mutex);
}

static void consume(void)
{
	pthread_mutex_lock(&mutex);
	while (stock == 0)
		pthread_cond_wait(&filled_up, &mutex);
	stock--;
	pthread_cond_signal(&emptied);
	pthread_mutex_unlock(&mutex);
}

/* Producers and consumers in one team. */
static void conditions(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		if (omp_get_thread_num() % 2)
			produce();
		else
			consume();
		work(LONG / 4);
		went_on();
	}
}

static void *produce_for_ever(void *unused)
{
	FOR_EVER
	{
		work(LONG);
		produce();
	}
	return unused;
}

/* All of OpenMP's threads wait for one that is none. */
static void conditions_from_outside(void)
{
	pthread_t producer;

	pthread_create(&producer, NULL, produce_for_ever, NULL);
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		consume();
		went_on();
	}
}

static void conditions_timed(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		struct timespec end;

		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_nsec = (end.tv_nsec + 1000000) % 1000000000;
		pthread_mutex_lock(&mutex);
		pthread_cond_timedwait(&filled_up, &mutex, &end);
		pthread_mutex_unlock(&mutex);
		went_on();
	}
}

static void semaphores(void)
{
	sem_init(&to_do, 0, 0);
	sem_init(&done, 0, 2);
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		if (omp_get_thread_num() % 2) {
			sem_wait(&done);
			work(SHORT);
			sem_post(&to_do);
		} else {
			sem_wait(&to_do);
			work(LONG / 4);
			sem_post(&done);
		}
		went_on();
	}
}

static void barriers_of_posix(void)
{
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 4);
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		work(LONG / 4);
		pthread_barrier_wait(&barrier);
		went_on();
	}
}

/* Every thread of the team waits for another process. */
static void pipes(void)
{
	int ends[2];
	const pid_t parent = getpid();

	if (pipe(ends) != 0)
		abort();
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent) {
			doze(200);
			if (write(ends[1], "x", 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		char byte;

		if (read(ends[0], &byte, 1) == 1)
			went_on();
	}
}

static void *run_regions(void *unused)
{
	FOR_EVER
	{
#pragma omp parallel num_threads(3)
		{
			work(LONG / 4);
#pragma omp barrier
			work(SHORT);
		}
		went_on();
	}
	return unused;
}

/* The program's first thread only waits for the one that uses OpenMP. */
static void joined(void)
{
	pthread_t runner;

	pthread_create(&runner, NULL, run_regions, NULL);
	pthread_join(runner, NULL);
}

static void *finish_soon(void *unused)
{
	work(LONG);
	return unused;
}

static void joins(void)
{
#pragma omp parallel num_threads(3)
	FOR_EVER
	{
		pthread_t helper;

		pthread_create(&helper, NULL, finish_soon, NULL);
		pthread_join(helper, NULL);
		went_on();
	}
}

/* Two threads of the program's own, each with regions. */
static void two_roots(void)
{
	pthread_t runner;

	pthread_create(&runner, NULL, run_regions, NULL);
	run_regions(NULL);
}

/* ---- A bit of everything ------------------------------------------------------------------------- */

/* One holds what the next wants, while it waits itself: a chain that ends at one who works. */
static void chain(void)
{
#pragma omp parallel num_threads(3)
	FOR_EVER
	{
		omp_lock_t *const own[] = {&lock_a, &lock_b, &lock_c};
		const int me = omp_get_thread_num();

		omp_set_lock(own[me]);
		doze(100);
		if (me < 2) {
			omp_set_lock(own[me + 1]);
			shared++;
			omp_unset_lock(own[me + 1]);
		}
		omp_unset_lock(own[me]);
		went_on();
	}
}

static void mixture(void)
{
#pragma omp parallel num_threads(8)
	FOR_EVER
	{
#pragma omp critical
		shared++;
#pragma omp for schedule(dynamic) nowait
		for (int i = 0; i < 16; i++)
			work(SHORT);
		omp_set_lock(&lock_a);
		work(SHORT);
		omp_unset_lock(&lock_a);
#pragma omp barrier
#pragma omp single nowait
		{
#pragma omp taskloop
			for (int i = 0; i < 8; i++)
				work(SHORT);
		}
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 8; i++) {
#pragma omp ordered
			shared++;
		}
		went_on();
	}
}

static const struct scenario scenarios[] = {
	SCENARIO(critical_short),
	SCENARIO(critical_long),
	SCENARIO(critical_between),
	SCENARIO(critical_sleep),
	SCENARIO(critical_names),
	SCENARIO(critical_order),
	SCENARIO(critical_called),
	SCENARIO(critical_many_threads),
	SCENARIO(atomic_update),
	SCENARIO(atomic_capture),
	SCENARIO(ordered_short),
	SCENARIO(ordered_long),
	SCENARIO(ordered_nowait),
	SCENARIO(doacross),
	SCENARIO(doacross_in_nest),
	SCENARIO(locks_short),
	SCENARIO(locks_long),
	SCENARIO(locks_sleep),
	SCENARIO(locks_order),
	SCENARIO(locks_wrapped),
	SCENARIO(lock_over_barriers),
	SCENARIO(lock_of_the_master),
	SCENARIO(nest_locks),
	SCENARIO(test_lock),
	SCENARIO(barrier_one),
	SCENARIO(barriers_two),
	SCENARIO(barriers_three),
	SCENARIO(barrier_sleep),
	SCENARIO(barriers_many_threads),
	SCENARIO(for_loops),
	SCENARIO(work_sharing),
	SCENARIO(single_long),
	SCENARIO(copyprivate),
	SCENARIO(masters_work),
	SCENARIO(reductions),
	SCENARIO(short_regions),
	SCENARIO(sizes_of_regions),
	SCENARIO(serial_parts),
	SCENARIO(nested_regions),
	SCENARIO(nested_single),
	SCENARIO(league),
	SCENARIO(cancelled_loops),
	SCENARIO(cancelled_regions),
	SCENARIO(task_tree),
	SCENARIO(tasks_untied),
	SCENARIO(taskgroups),
	SCENARIO(task_chain),
	SCENARIO(task_priorities),
	SCENARIO(taskloops),
	SCENARIO(tasks_at_the_barrier),
	SCENARIO(tasks_with_locks),
	SCENARIO(task_yields),
	SCENARIO(task_at_once),
#ifdef __clang__
	SCENARIO(task_detached),
#endif
	SCENARIO(flags),
	SCENARIO(flags_yield),
	SCENARIO(sleepers),
	SCENARIO(pollers),
	SCENARIO(mutexes),
	SCENARIO(mutex_and_barrier),
	SCENARIO(mutex_recursive),
	SCENARIO(rwlocks),
	SCENARIO(spinlocks),
	SCENARIO(conditions),
	SCENARIO(conditions_from_outside),
	SCENARIO(conditions_timed),
	SCENARIO(semaphores),
	SCENARIO(barriers_of_posix),
	SCENARIO(pipes),
	SCENARIO(joined),
	SCENARIO(joins),
	SCENARIO(two_roots),
	SCENARIO(chain),
	SCENARIO(mixture),
};

int main(int argc, char **argv)
{
	/* Before the runtime reads them. */
	setenv("OMP_CANCELLATION", "true", 1);
	setenv("OMP_MAX_ACTIVE_LEVELS", "2", 1);
	omp_init_lock(&lock_a);
	omp_init_lock(&lock_b);
	omp_init_lock(&lock_c);
	omp_init_nest_lock(&nest_a);
	return GO_ON_FOR_EVER(scenarios, argc, argv);
}
