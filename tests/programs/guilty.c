/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs that never go on, each for a reason of its own, and their innocent twins.
 */
#include "guilty.h"

#include <malloc.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>

#define RING 8

static omp_lock_t lock_a, lock_b, ring[RING];
static omp_nest_lock_t nest_a, nest_b;
static pthread_mutex_t mutex_a = PTHREAD_MUTEX_INITIALIZER, mutex_b = PTHREAD_MUTEX_INITIALIZER;
static int met, begun;
static unsigned long shared;

static int me(void)
{
	return omp_get_thread_num();
}

/* The defect, in one thread of the team. */
static int guilty_one(int number)
{
	return guilty && me() == number;
}

/* ---- Circles of locks ---------------------------------------------------------------------------- */

static void take_two(omp_lock_t *first, omp_lock_t *second, int threads)
{
	omp_set_lock(first);
	meet(&met, threads);
	stuck();
	omp_set_lock(second);
	work(SHORT);
	omp_unset_lock(second);
	omp_unset_lock(first);
}

static void lock_order(void)
{
#pragma omp parallel num_threads(3)
	{
		if (me() == 0)
			take_two(&lock_a, &lock_b, 2);
		else if (guilty_one(1))
			take_two(&lock_b, &lock_a, 2);
		else if (me() == 1)
			take_two(&lock_a, &lock_b, 2);
		else
			waits();
	}
}

/* The twin's last thread takes its two in the order of all others. */
static void take_neighbours(int threads)
{
	const int one = me(), other = (one + 1) % threads;

	if (guilty || one < other)
		take_two(&ring[one], &ring[other], threads);
	else
		take_two(&ring[other], &ring[one], threads);
}

static void lock_order_of_three(void)
{
#pragma omp parallel num_threads(3)
	take_neighbours(3);
}

static void lock_ring(void)
{
#pragma omp parallel num_threads(RING)
	take_neighbours(RING);
}

static void take_nested(omp_nest_lock_t *first, omp_nest_lock_t *second)
{
	omp_set_nest_lock(first);
	omp_set_nest_lock(first);
	meet(&met, 2);
	stuck();
	omp_set_nest_lock(second);
	work(SHORT);
	omp_unset_nest_lock(second);
	omp_unset_nest_lock(first);
	omp_unset_nest_lock(first);
}

static void nest_lock_order(void)
{
#pragma omp parallel num_threads(2)
	{
		if (guilty_one(1))
			take_nested(&nest_b, &nest_a);
		else
			take_nested(&nest_a, &nest_b);
	}
}

static void lock_twice(void)
{
#pragma omp parallel num_threads(2)
	{
		omp_set_lock(&ring[me()]);
		if (guilty_one(1)) {
			stuck();
			omp_set_lock(&ring[1]);
		}
		work(SHORT);
		omp_unset_lock(&ring[me()]);
		waits();
	}
}

/* ---- Circles of critical constructs -------------------------------------------------------------- */

static void left_first(void)
{
#pragma omp critical(left)
	{
		meet(&met, 2);
		stuck();
#pragma omp critical(right)
		shared++;
	}
}

static void right_first(void)
{
#pragma omp critical(right)
	{
		meet(&met, 2);
		stuck();
#pragma omp critical(left)
		shared++;
	}
}

static void critical_order(void)
{
#pragma omp parallel num_threads(2)
	{
		if (guilty_one(1))
			right_first();
		else
			left_first();
	}
}

static __attribute__((noinline)) void update_again(const char *name)
{
	if (*name == 'l') {
		stuck();
#pragma omp critical(left)
		shared++;
	} else {
#pragma omp critical(right)
		shared++;
	}
}

static void critical_twice(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 1) {
#pragma omp critical(left)
			update_again(guilty ? "left" : "right");
		} else {
			waits();
		}
	}
}

static void critical_and_lock(void)
{
#pragma omp parallel num_threads(2)
	{
		if (guilty_one(1)) {
			omp_set_lock(&lock_a);
			meet(&met, 2);
			stuck();
#pragma omp critical(left)
			shared++;
			omp_unset_lock(&lock_a);
		} else {
#pragma omp critical(left)
			{
				meet(&met, 2);
				stuck();
				omp_set_lock(&lock_a);
				shared++;
				omp_unset_lock(&lock_a);
			}
		}
	}
}

/* ---- Circles with barriers ----------------------------------------------------------------------- */

static void lock_at_barrier(void)
{
#pragma omp parallel num_threads(3)
	{
		if (me() == 0) {
			omp_set_lock(&lock_a);
			meet(&met, 2);
			work(SHORT);
			if (!guilty)
				omp_unset_lock(&lock_a);
		} else if (me() == 1) {
			meet(&met, 2);
			stuck();
			omp_set_lock(&lock_a);
			work(SHORT);
			omp_unset_lock(&lock_a);
		}
		if (me() == 0)
			stuck();
		else if (me() == 2)
			waits();
#pragma omp barrier
		work(SHORT);
		if (guilty_one(0))
			omp_unset_lock(&lock_a);
	}
}

static __attribute__((noinline)) void come_together(void)
{
#pragma omp barrier
	work(SHORT);
}

static void barrier_in_critical(void)
{
#pragma omp parallel num_threads(3)
	{
		stuck(); /* the first will be at the barrier, the others at the construct */
		if (guilty) {
#pragma omp critical(left)
			come_together();
		} else {
#pragma omp critical(left)
			work(SHORT);
			come_together();
		}
	}
}

static void barrier_skipped(void)
{
#pragma omp parallel num_threads(3)
	{
		stuck();
		if (!guilty_one(2))
			come_together();
	}
}

static __attribute__((noinline)) void share_loop(void)
{
#pragma omp for schedule(static)
	for (int i = 0; i < 12; i++)
		work(SHORT);
}

static void loop_skipped(void)
{
#pragma omp parallel num_threads(4)
	{
		stuck();
		if (!guilty_one(1))
			share_loop();
	}
}

static __attribute__((noinline)) void share_sections(void)
{
#pragma omp sections
	{
#pragma omp section
		work(SHORT);
#pragma omp section
		work(SHORT);
	}
}

static void sections_skipped(void)
{
#pragma omp parallel num_threads(3)
	{
		stuck();
		if (!guilty_one(2))
			share_sections();
	}
}

static __attribute__((noinline)) void share_single(void)
{
#pragma omp single
	work(SHORT);
}

static void single_skipped(void)
{
#pragma omp parallel num_threads(3)
	{
		stuck();
		if (!guilty_one(0))
			share_single();
	}
}

/* An outer thread holds it at the end of its region; one of the inner region wants it, which another outer thread runs. */
static void inner_region(void)
{
	omp_set_max_active_levels(2); /* of GNU's from release 11 on it is 1 */
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			omp_set_lock(&lock_a);
			meet(&met, 2);
			if (!guilty)
				omp_unset_lock(&lock_a);
			stuck();
		} else {
			meet(&met, 2);
#pragma omp parallel num_threads(2)
			{
				stuck();
				if (me() == 1) {
					omp_set_lock(&lock_a);
					work(SHORT);
					omp_unset_lock(&lock_a);
				}
			}
		}
	}
}

/* ---- Turns --------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void take_turn(void)
{
#pragma omp ordered
	shared++;
}

/* The second iteration is in the construct that the first one, whose turn it is, cannot enter. */
static void turn_in_critical(int i)
{
	if (i == 0) {
		until(&begun, 1);
		stuck();
	}
#pragma omp critical(left)
	{
		__atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
		if (i == 1)
			stuck();
		take_turn();
	}
}

static void ordered_in_critical(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 2; i++) {
			if (guilty) {
				turn_in_critical(i);
			} else {
#pragma omp ordered
				{
#pragma omp critical(left)
					shared++;
				}
			}
		}
	}
}

/* Nobody says that the first iteration is done. */
static void source_missing(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for ordered(1) schedule(static, 1)
		for (int i = 0; i < 2; i++) {
			stuck();
#pragma omp ordered depend(sink : i - 1)
			work(SHORT);
			if (!(guilty && i == 0)) {
#pragma omp ordered depend(source)
				shared++;
			}
		}
	}
}

/* One row says nothing of its second cell, and is done with; the others wait for that, or for each other. */
static void source_missing_in_nest(void)
{
#pragma omp parallel num_threads(4)
	{
#pragma omp for ordered(2) schedule(dynamic)
		for (int i = 0; i < 4; i++) {
			for (int j = 0; j < 3; j++) {
				if (j == 0) {
					declare(i ? "stuck" : "waits");
					meet(&met, 4);
				}
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
				work(SHORT);
				if (!(guilty && i == 0 && j == 1)) {
#pragma omp ordered depend(source)
					shared++;
				}
			}
		}
	}
}

/* The second iteration has the lock that the first one wants before it says that it is done. */
static void lock_before_source(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for ordered(1) schedule(static, 1)
		for (int i = 0; i < 2; i++) {
			if (i == 1 && guilty) {
				omp_set_lock(&lock_a);
				meet(&met, 2);
				stuck();
#pragma omp ordered depend(sink : i - 1)
				omp_unset_lock(&lock_a);
			} else {
				meet(&met, 2);
				stuck();
#pragma omp ordered depend(sink : i - 1)
				omp_set_lock(&lock_a);
				work(SHORT);
				omp_unset_lock(&lock_a);
			}
#pragma omp ordered depend(source)
			shared++;
		}
	}
}

/* ---- What nobody gives up ------------------------------------------------------------------------ */

static __attribute__((noinline)) int search(int wanted)
{
	omp_set_lock(&lock_a);
	if (wanted == 0 && guilty)
		return 0; /* the lock is forgotten */
	work(SHORT);
	omp_unset_lock(&lock_a);
	return wanted;
}

static void unset_missing(void)
{
#pragma omp parallel num_threads(3)
	{
		if (me() == 0) {
			search(0);
			meet(&met, 3);
			waits();
		} else {
			meet(&met, 3);
			stuck();
			search(1);
		}
	}
}

static void unset_missing_earlier(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 1)
			search(0);
	}
#pragma omp parallel num_threads(2)
	{
		stuck();
		search(1);
	}
}

/* Nobody else is there any more. */
static void unset_missing_alone(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0)
			search(0);
	}
	stuck();
	search(1);
}

static void nest_unset_missing(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			omp_set_nest_lock(&nest_a);
			omp_set_nest_lock(&nest_a);
			work(SHORT);
			omp_unset_nest_lock(&nest_a);
			if (!guilty)
				omp_unset_nest_lock(&nest_a);
			meet(&met, 2);
			waits();
		} else {
			meet(&met, 2);
			stuck();
			omp_set_nest_lock(&nest_a);
			omp_unset_nest_lock(&nest_a);
		}
	}
}

/* A critical construct that is left by a jump stays closed. */
static __attribute__((noinline)) void jump_out(jmp_buf back)
{
#pragma omp critical(left)
	{
		shared++;
		if (guilty)
			longjmp(back, 1);
	}
}

static void critical_left_by_jump(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			jmp_buf back;

			if (setjmp(back) == 0)
				jump_out(back);
			meet(&met, 2);
			waits();
		} else {
			meet(&met, 2);
			stuck();
#pragma omp critical(left)
			shared++;
		}
	}
}

/* ---- Tasks --------------------------------------------------------------------------------------- */

static void in_task(void)
{
	__atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
	stuck();
	omp_set_lock(&lock_a);
	work(SHORT);
	omp_unset_lock(&lock_a);
}

/* The child is executed by the other thread, and wants what its parent holds. */
static void taskwait_with_lock(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
		omp_set_lock(&lock_a);
#pragma omp task
		in_task();
		if (guilty)
			until(&begun, 1);
		else
			omp_unset_lock(&lock_a);
		stuck();
#pragma omp taskwait
		if (guilty)
			omp_unset_lock(&lock_a);
	}
}

static void taskgroup_with_lock(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
		omp_set_lock(&lock_a);
#pragma omp taskgroup
		{
#pragma omp task
			in_task();
			if (guilty)
				until(&begun, 1);
			else
				omp_unset_lock(&lock_a);
			stuck();
		}
		if (guilty)
			omp_unset_lock(&lock_a);
	}
}

/* The second depends on the first, which wants what is held by whoever waits for the second. */
static void dependence_and_lock(void)
{
	int order __attribute__((unused)) = 0;

#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
		omp_set_lock(&lock_a);
#pragma omp taskgroup
		{
#pragma omp task depend(out : order)
			in_task();
#pragma omp task depend(in : order)
			work(SHORT);
			if (guilty)
				until(&begun, 1);
			else
				omp_unset_lock(&lock_a);
			stuck();
		}
		if (guilty)
			omp_unset_lock(&lock_a);
	}
}

#ifdef __clang__
static void event_missing(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			omp_event_handle_t event = (omp_event_handle_t)0;

#pragma omp task detach(event)
			if (!guilty)
				omp_fulfill_event(event);
			stuck();
#pragma omp taskwait
		} else {
			waits();
		}
	}
}
#endif

/* ---- Locks of the system's ----------------------------------------------------------------------- */

static void take_mutexes(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	meet(&met, 2);
	stuck();
	pthread_mutex_lock(second);
	work(SHORT);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void mutex_order(void)
{
#pragma omp parallel num_threads(3)
	{
		if (guilty_one(1))
			take_mutexes(&mutex_b, &mutex_a);
		else if (me() < 2)
			take_mutexes(&mutex_a, &mutex_b);
		else
			waits();
	}
}

static void mutex_and_lock(void)
{
#pragma omp parallel num_threads(2)
	{
		if (guilty_one(1)) {
			omp_set_lock(&lock_a);
			meet(&met, 2);
			stuck();
			pthread_mutex_lock(&mutex_a);
			pthread_mutex_unlock(&mutex_a);
			omp_unset_lock(&lock_a);
		} else {
			pthread_mutex_lock(&mutex_a);
			meet(&met, 2);
			stuck();
			omp_set_lock(&lock_a);
			omp_unset_lock(&lock_a);
			pthread_mutex_unlock(&mutex_a);
		}
	}
}

static void mutex_at_barrier(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			pthread_mutex_lock(&mutex_a);
			meet(&met, 2);
			if (!guilty)
				pthread_mutex_unlock(&mutex_a);
			stuck();
		} else {
			meet(&met, 2);
			stuck();
			pthread_mutex_lock(&mutex_a);
			work(SHORT);
			pthread_mutex_unlock(&mutex_a);
		}
#pragma omp barrier
		work(SHORT);
	}
}

static void mutex_twice(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 1) {
			pthread_mutex_lock(&mutex_a);
			if (guilty) {
				stuck();
				pthread_mutex_lock(&mutex_a);
			}
			pthread_mutex_unlock(&mutex_a);
		} else {
			waits();
		}
	}
}

static void *leave_with_mutex(void *unused)
{
	pthread_mutex_lock(&mutex_a);
	work(SHORT);
	if (!guilty)
		pthread_mutex_unlock(&mutex_a);
	return unused;
}

/* Its owner has ended. */
static void mutex_of_the_dead(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			pthread_t owner;

			pthread_create(&owner, NULL, leave_with_mutex, NULL);
			pthread_join(owner, NULL);
			stuck();
			pthread_mutex_lock(&mutex_a);
			pthread_mutex_unlock(&mutex_a);
		} else {
			waits();
		}
	}
}

static void rwlock_order(void)
{
	static pthread_rwlock_t locks[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};

#pragma omp parallel num_threads(2)
	{
		const int first = guilty ? me() : 0;

		pthread_rwlock_wrlock(&locks[first]);
		meet(&met, 2);
		stuck();
		pthread_rwlock_wrlock(&locks[1 - first]);
		work(SHORT);
		pthread_rwlock_unlock(&locks[1 - first]);
		pthread_rwlock_unlock(&locks[first]);
	}
}

static void *update(void *unused)
{
	stuck();
#pragma omp critical(left)
	shared++;
	return unused;
}

/* Who is waited for wants what the one that waits holds. */
static void join_in_critical(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			pthread_t helper;

			if (guilty) {
#pragma omp critical(left)
				{
					pthread_create(&helper, NULL, update, NULL);
					stuck();
					pthread_join(helper, NULL);
				}
			} else {
				pthread_create(&helper, NULL, update, NULL);
#pragma omp critical(left)
				work(SHORT);
				pthread_join(helper, NULL);
			}
		} else {
			waits();
		}
	}
}

/* ---- What is outside of all this ----------------------------------------------------------------- */

static void condition_missing(void)
{
	static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	static int ready;

#pragma omp parallel num_threads(3)
	{
		if (me() == 0) {
			stuck();
			pthread_mutex_lock(&mutex_a);
			while (!ready)
				pthread_cond_wait(&condition, &mutex_a);
			ready = 0;
			pthread_mutex_unlock(&mutex_a);
		} else if (me() == 1) {
			pthread_mutex_lock(&mutex_a);
			ready = !guilty;
			pthread_cond_signal(&condition);
			pthread_mutex_unlock(&mutex_a);
		}
		if (me() > 0)
			waits();
#pragma omp barrier
		work(SHORT);
	}
}

static void semaphore_missing(void)
{
	static sem_t semaphore;
	static int made;

	if (!made)
		made = sem_init(&semaphore, 0, 0) == 0;
#pragma omp parallel num_threads(2)
	{
		if (me() == 1) {
			stuck();
			sem_wait(&semaphore);
			work(SHORT);
		} else {
			work(LONG);
			if (!guilty)
				sem_post(&semaphore);
			waits();
		}
	}
}

/* ---- What is waited for with a limit of time, again and again ------------------------------------ */

static struct timespec soon(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += 3000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static void poll_mutex(pthread_mutex_t *mutex)
{
	struct timespec end;

	do
		end = soon();
	while (pthread_mutex_timedlock(mutex, &end) != 0);
}

static void polled_at_barrier(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			pthread_mutex_lock(&mutex_a);
			meet(&met, 2);
			if (!guilty)
				pthread_mutex_unlock(&mutex_a);
			stuck();
		} else {
			meet(&met, 2);
			stuck();
			poll_mutex(&mutex_a);
			work(SHORT);
			pthread_mutex_unlock(&mutex_a);
		}
#pragma omp barrier
		work(SHORT);
	}
}

static void polled_in_order(void)
{
#pragma omp parallel num_threads(2)
	{
		if (guilty_one(1)) {
			omp_set_lock(&lock_a);
			meet(&met, 2);
			stuck();
			poll_mutex(&mutex_a);
		} else {
			poll_mutex(&mutex_a);
			meet(&met, 2);
			stuck();
			omp_set_lock(&lock_a);
		}
		work(SHORT);
		pthread_mutex_unlock(&mutex_a);
		omp_unset_lock(&lock_a);
	}
}

static void polled_for_writing(void)
{
	static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;

#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			pthread_rwlock_wrlock(&table);
			meet(&met, 2);
			if (!guilty)
				pthread_rwlock_unlock(&table);
			stuck();
		} else {
			struct timespec end;

			meet(&met, 2);
			stuck();
			do
				end = soon();
			while (pthread_rwlock_timedrdlock(&table, &end) != 0);
			pthread_rwlock_unlock(&table);
		}
#pragma omp barrier
		work(SHORT);
	}
}

/* Each polls what the other holds: what gives up its own one in between looks the same. */
static void polled_by_both(void)
{
	static pthread_mutex_t *const mutexes[] = {&mutex_a, &mutex_b};

#pragma omp parallel num_threads(2)
	{
		pthread_mutex_t *const own = mutexes[me()], *const other = mutexes[!me()];
		struct timespec end;

		pthread_mutex_lock(own);
		meet(&met, 2);
		stuck();
		while (end = soon(), pthread_mutex_timedlock(other, &end) != 0) {
			if (guilty)
				continue;
			pthread_mutex_unlock(own);
			work(SHORT * (1 + me()));
			pthread_mutex_lock(own);
		}
		pthread_mutex_unlock(other);
		pthread_mutex_unlock(own);
	}
}

static void polled_semaphore(void)
{
	static sem_t semaphore;
	static int made;

	if (!made)
		made = sem_init(&semaphore, 0, 0) == 0;
#pragma omp parallel num_threads(2)
	{
		struct timespec end = soon();

		if (me() == 1) {
			stuck();
			while (sem_timedwait(&semaphore, &end) != 0)
				end = soon();
		} else {
			work(LONG);
			if (!guilty)
				sem_post(&semaphore);
			waits();
		}
	}
}

static void pipe_empty(void)
{
	static int ends[2];

	if (!ends[1] && pipe(ends) != 0)
		abort();
#pragma omp parallel num_threads(2)
	{
		char byte = 'x';

		if (me() == 1) {
			stuck();
			if (read(ends[0], &byte, 1) != 1)
				abort();
		} else {
			if (!guilty && write(ends[1], &byte, 1) != 1)
				abort();
			waits();
		}
	}
}

/* Three of the four come. */
static void barrier_of_posix(void)
{
	static pthread_barrier_t barrier;
	static int made;

	if (!made)
		made = pthread_barrier_init(&barrier, NULL, 4) == 0;
#pragma omp parallel num_threads(4)
	{
		if (guilty_one(3)) {
			waits();
		} else {
			stuck();
			pthread_barrier_wait(&barrier);
		}
	}
}

static void flag_missing(void)
{
	static int flag;

#pragma omp parallel num_threads(3)
	{
		if (me() == 2) {
			declare("works");
			while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST))
				;
			__atomic_store_n(&flag, 0, __ATOMIC_SEQ_CST);
		} else {
			if (me() == 1 && !guilty)
				__atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
			waits();
		}
#pragma omp barrier
		work(SHORT);
	}
}

static void spinlock_missing(void)
{
	static pthread_spinlock_t lock;
	static int made;

	if (!made)
		made = pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0;
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			pthread_spin_lock(&lock);
			meet(&met, 2);
			if (!guilty)
				pthread_spin_unlock(&lock);
			waits();
		} else {
			meet(&met, 2);
			declare("works");
			pthread_spin_lock(&lock);
			pthread_spin_unlock(&lock);
		}
	}
}

/* ---- Threads that have ended --------------------------------------------------------------------- */

static void *take_and_end(void *unused)
{
	omp_set_lock(&lock_a);
	work(SHORT);
	if (guilty)
		pthread_exit(unused);
	omp_unset_lock(&lock_a);
	return unused;
}

/* A thread of the program's own took the lock, and is no more. */
static void lock_of_the_dead(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, take_and_end, NULL) != 0)
		abort();
	pthread_join(thread, NULL);
#pragma omp parallel num_threads(2)
	{
		stuck();
		omp_set_lock(&lock_a);
		work(SHORT);
		omp_unset_lock(&lock_a);
	}
}

/* A thread of the team has ended, and all others wait for it. */
static void barrier_of_the_dead(void)
{
#pragma omp parallel num_threads(3)
	{
		if (guilty_one(2))
			pthread_exit(NULL);
		stuck();
#pragma omp barrier
		work(SHORT);
	}
}

static void critical_of_the_dead(void)
{
#pragma omp parallel num_threads(3)
	{
		if (me() == 2) {
#pragma omp critical(dead)
			{
				__atomic_store_n(&met, 1, __ATOMIC_SEQ_CST);
				if (guilty)
					pthread_exit(NULL);
			}
		} else {
			until(&met, 1);
			stuck();
#pragma omp critical(dead)
			work(SHORT);
		}
	}
}

/* ---- What the C library locks for itself --------------------------------------------------------- */

/* A stream that is kept locked from one call to the next. */
static void stream_at_barrier(void)
{
	static FILE *log;

	if (!log)
		log = fopen("/dev/null", "w");
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			flockfile(log);
			meet(&met, 2);
			if (!guilty)
				funlockfile(log);
			stuck();
		} else {
			meet(&met, 2);
			stuck();
			fputs("line\n", log);
		}
#pragma omp barrier
		work(SHORT);
	}
}

static void stream_and_critical(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			flockfile(stdout);
			meet(&met, 2);
			if (!guilty)
				funlockfile(stdout);
			stuck();
#pragma omp critical(print)
			work(SHORT);
			if (guilty)
				funlockfile(stdout);
		} else {
#pragma omp critical(print)
			{
				meet(&met, 2);
				stuck();
				printf("line\n");
			}
		}
	}
}

static void *leave_with_stream(void *stream)
{
	flockfile(stream);
	if (!guilty)
		funlockfile(stream);
	return NULL;
}

static void stream_of_the_dead(void)
{
	static FILE *log;

	if (!log)
		log = fopen("/dev/null", "w");
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			pthread_t owner;

			pthread_create(&owner, NULL, leave_with_stream, log);
			pthread_join(owner, NULL);
			stuck();
			fputs("line\n", log);
		} else {
			waits();
		}
	}
}

/* ---- Locks of readers, barriers of POSIX's ------------------------------------------------------- */

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;

static void write_table(void)
{
	stuck();
	pthread_rwlock_wrlock(&table);
	work(SHORT);
	pthread_rwlock_unlock(&table);
}

/* A reader that wants to write waits for itself. */
static void write_what_is_read(void)
{
	pthread_rwlock_rdlock(&table);
	write_table();
	pthread_rwlock_unlock(&table);
}

static void reader_writes(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 1) {
			if (guilty) {
				write_what_is_read();
			} else {
				pthread_rwlock_rdlock(&table);
				work(SHORT);
				pthread_rwlock_unlock(&table);
				write_table();
			}
		} else {
			waits();
		}
	}
}

/* Two that read wait at the barrier for the one that wants to write. */
static void meet_others_reading(void)
{
	pthread_rwlock_rdlock(&table);
	meet(&met, 3);
	stuck();
#pragma omp barrier
	pthread_rwlock_unlock(&table);
}

static void readers_at_barrier(void)
{
#pragma omp parallel num_threads(3)
	{
		if (me() == 0) {
			meet(&met, 3);
			write_table();
#pragma omp barrier
		} else if (guilty) {
			meet_others_reading();
		} else {
			pthread_rwlock_rdlock(&table);
			pthread_rwlock_unlock(&table);
#pragma omp barrier
		}
	}
}

/* The team is smaller than what the barrier takes. */
static void barrier_of_more(void)
{
	static pthread_barrier_t barrier;
	static int made;

	if (!made)
		made = pthread_barrier_init(&barrier, NULL, guilty ? 4 : 3) == 0;
#pragma omp parallel num_threads(3)
	{
		stuck();
		pthread_barrier_wait(&barrier);
		work(SHORT);
	}
}

static int handled, returned;

/* Of more than the C library keeps for each thread: it takes the lock that all share. */
static void allocate(void)
{
	void *volatile got = malloc(5000);

	free(got);
}

static void allocate_in_handler(int number)
{
	(void)number;
	__atomic_add_fetch(&handled, 1, __ATOMIC_SEQ_CST);
	if (guilty)
		allocate();
	__atomic_add_fetch(&returned, 1, __ATOMIC_SEQ_CST);
}

/* As soon as a signal meets it inside of malloc, it waits for itself. The twin's threads have one arena between them. */
static void malloc_in_handler(void)
{
	static long victim;
	static int at_end;

	if (!guilty)
		mallopt(M_ARENA_MAX, 1);
	signal(SIGUSR1, allocate_in_handler);
	__atomic_store_n(&at_end, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&victim, 0, __ATOMIC_SEQ_CST);
#pragma omp parallel num_threads(2)
	{
		if (me() == 1) {
			__atomic_store_n(&victim, (long)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
			while (!__atomic_load_n(&at_end, __ATOMIC_SEQ_CST))
				allocate();
		} else {
			int before = -1, same = 0;

			while (!__atomic_load_n(&victim, __ATOMIC_SEQ_CST))
				doze(10);
			for (int i = 0; guilty ? same < 200 : i < 20; i++) {
				const int now = __atomic_load_n(&handled, __ATOMIC_SEQ_CST);
				const int is_inside =
					now != __atomic_load_n(&returned, __ATOMIC_SEQ_CST);

				same = is_inside && now == before ? same + 1 : 0;
				before = now;
				if (!guilty)
					allocate();
				if (!is_inside)
					syscall(SYS_tgkill, getpid(), victim, SIGUSR1);
				doze(100);
			}
			if (guilty) {
				record("stuck %ld\n", victim);
				waits();
			}
			__atomic_store_n(&at_end, !guilty, __ATOMIC_SEQ_CST);
		}
	}
}

static const struct guilty_scenario scenarios[] = {
	GUILTY(lock_order, CIRCLE, 3),
	GUILTY(lock_order_of_three, CIRCLE, 3),
	GUILTY(lock_ring, CIRCLE, RING),
	GUILTY(nest_lock_order, CIRCLE, 2),
	GUILTY(lock_twice, CIRCLE, 2),
	GUILTY(critical_order, CIRCLE, 2),
	GUILTY(critical_twice, CIRCLE, 2),
	GUILTY(critical_and_lock, CIRCLE, 2),
	GUILTY(lock_at_barrier, CIRCLE, 3),
	GUILTY(barrier_in_critical, CIRCLE, 3),
	GUILTY(barrier_skipped, CIRCLE, 3),
	GUILTY(loop_skipped, CIRCLE, 4),
	GUILTY(sections_skipped, CIRCLE, 3),
	GUILTY(single_skipped, CIRCLE, 3),
	GUILTY(inner_region, CIRCLE, 3),
	GUILTY(ordered_in_critical, CIRCLE, 2),
	GUILTY(source_missing, FORGOTTEN, 2),
	GUILTY(source_missing_in_nest, FORGOTTEN, 4),
	GUILTY(lock_before_source, CIRCLE, 2),
	GUILTY(unset_missing, FORGOTTEN, 3),
	GUILTY(unset_missing_earlier, FORGOTTEN, 2),
	GUILTY(unset_missing_alone, FORGOTTEN, 1),
	GUILTY(nest_unset_missing, FORGOTTEN, 2),
	GUILTY(critical_left_by_jump, FORGOTTEN, 2),
	GUILTY(taskwait_with_lock, CIRCLE, 2),
	GUILTY(taskgroup_with_lock, CIRCLE, 2),
	GUILTY(dependence_and_lock, CIRCLE, 2),
#ifdef __clang__
	GUILTY(event_missing, OUTSIDE, 2),
#endif
	GUILTY(mutex_order, CIRCLE, 3),
	GUILTY(mutex_and_lock, CIRCLE, 2),
	GUILTY(mutex_at_barrier, CIRCLE, 2),
	GUILTY(mutex_twice, CIRCLE, 2),
	GUILTY(mutex_of_the_dead, FORGOTTEN, 2),
	GUILTY(rwlock_order, CIRCLE, 2),
	GUILTY(join_in_critical, CIRCLE, 3),
	GUILTY(condition_missing, OUTSIDE, 3),
	GUILTY(semaphore_missing, OUTSIDE, 2),
	GUILTY(polled_at_barrier, CIRCLE, 2),
	GUILTY(polled_in_order, CIRCLE, 2),
	GUILTY(polled_for_writing, CIRCLE, 2),
	GUILTY(polled_by_both, CIRCLE, 2),
	GUILTY(polled_semaphore, OUTSIDE, 2),
	GUILTY(pipe_empty, OUTSIDE, 2),
	GUILTY(barrier_of_posix, OUTSIDE, 4),
	GUILTY(flag_missing, SPINNING, 3),
	GUILTY(lock_of_the_dead, FORGOTTEN, 2),
	GUILTY(barrier_of_the_dead, FORGOTTEN, 2),
	GUILTY(critical_of_the_dead, FORGOTTEN, 2),
	GUILTY(spinlock_missing, SPINNING, 2),
	GUILTY(stream_at_barrier, CIRCLE, 2),
	GUILTY(stream_and_critical, CIRCLE, 2),
	GUILTY(stream_of_the_dead, FORGOTTEN, 2),
	GUILTY(malloc_in_handler, CIRCLE, 1),
	GUILTY(reader_writes, CIRCLE, 2),
	GUILTY(readers_at_barrier, CIRCLE, 3),
	GUILTY(barrier_of_more, OUTSIDE, 3),
};

int main(int argc, char **argv)
{
	/* Before the runtime reads it. */
	setenv("OMP_MAX_ACTIVE_LEVELS", "2", 1);
	omp_init_lock(&lock_a);
	omp_init_lock(&lock_b);
	omp_init_nest_lock(&nest_a);
	omp_init_nest_lock(&nest_b);
	for (int i = 0; i < RING; i++)
		omp_init_lock(&ring[i]);
	return RUN_ONE(scenarios, argc, argv);
}
