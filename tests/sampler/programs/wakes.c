/* SPDX-License-Identifier: Apache-2.0
 *
 * wakes COUNT SECONDS: one thread is always at work, and so many others fall asleep and wake up without end.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NAP_MICROSECONDS 25000

static void *nap(void *unused)
{
	(void)unused;
	for (;;)
		usleep(NAP_MICROSECONDS);
	return NULL;
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 4;
	const time_t end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 1);
	volatile long turns = 0;
	pthread_t thread;

	for (int i = 0; i < count; i++)
		if (pthread_create(&thread, NULL, nap, NULL) != 0)
			return 1;
	while (time(NULL) < end)
		turns = turns + 1;
	return 0;
}
