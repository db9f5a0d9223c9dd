/* SPDX-License-Identifier: Apache-2.0
 *
 * A program without OpenMP that has a thread beside its own. Truth: none is needed.
 */
#include <pthread.h>
#include <unistd.h>

__attribute__((noinline)) static void *stop_here(void *unused)
{
	usleep(1000);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, stop_here, NULL);
	pthread_join(thread, NULL);
	return 0;
}
