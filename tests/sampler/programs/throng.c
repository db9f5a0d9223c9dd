/* SPDX-License-Identifier: Apache-2.0
 *
 * throng alive COUNT SECONDS: so many threads that sleep, while two of a team work. It says "ready" with how many there are.
 * throng gone COUNT: so many that are gone again at once, one in fifty with a team of its own, one in a hundred after a
 * while; it says how many threads it has made.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STACK_BYTES 65536
#define AT_ONCE 16

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static volatile double sink;

static void work(double seconds)
{
	const double end = omp_get_wtime() + seconds;

	while (omp_get_wtime() < end)
		for (int i = 0; i < 1000; i++)
			sink = sink + 1;
}

static void *sleep_long(void *nothing)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return nothing;
}

static void *live_short(void *number)
{
	const long which = (long)number;

	if (which % 50 == 49) {
#pragma omp parallel num_threads(2)
		sink = sink + 1;
	}
	if (which % 100 == 99)
		usleep(120000);
	return NULL;
}

static void stay(pthread_attr_t *attributes, long count, double seconds)
{
	pthread_t thread;
	long made = 0;

	pthread_mutex_lock(&gate);
	while (made < count && pthread_create(&thread, attributes, sleep_long, NULL) == 0)
		made++;
	printf("ready %ld\n", made);
	fflush(stdout);
#pragma omp parallel num_threads(2)
	work(seconds);
}

static void go(pthread_attr_t *attributes, long count)
{
	pthread_t threads[AT_ONCE];
	long made = 0;

	while (made < count) {
		int some = 0;

		while (some < AT_ONCE && made + some < count &&
		       pthread_create(&threads[some], attributes, live_short,
				      (void *)(made + some)) == 0)
			some++;
		if (!some)
			break;
		for (int i = 0; i < some; i++)
			pthread_join(threads[i], NULL);
		made += some;
	}
	/* With the workers of those that had teams. */
	printf("made %ld\n", made + made / 50);
}

int main(int argc, char **argv)
{
	const long count = argc > 2 ? atol(argv[2]) : 100;
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	if (argc > 1 && strcmp(argv[1], "alive") == 0)
		stay(&attributes, count, argc > 3 ? atof(argv[3]) : 1);
	else
		go(&attributes, count);
	return 0;
}
