/* SPDX-License-Identifier: Apache-2.0 */
#include "run/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "base/say.h"

/* Nothing else wants it. It only ends what the sampler sleeps in. */
#define WAKE SIGUSR2

/* If the sampler has used no processor for so long, what it waits for may never come. */
#define STUCK_SECONDS 3

#define STACK_BYTES (64 << 10)

static atomic_bool asked;

static sigset_t taken_signals(void)
{
	sigset_t taken;

	sigemptyset(&taken);
	sigaddset(&taken, SIGINT);
	sigaddset(&taken, SIGTERM);
	sigaddset(&taken, SIGHUP);
	return taken;
}

static void on_wake(int number)
{
	(void)number;
}

static bool is_stuck(clockid_t clock)
{
	struct timespec before, after;

	clock_gettime(clock, &before);
	sleep(STUCK_SECONDS);
	clock_gettime(clock, &after);
	return before.tv_sec == after.tv_sec && before.tv_nsec == after.tv_nsec;
}

/* A thread of its own: the other one may be inside the kernel, in memory or a file that nobody serves, where only a signal
 * that kills is heard. */
static void *hear(void *sampler)
{
	const pthread_t *other = sampler;
	const sigset_t taken = taken_signals();
	clockid_t clock;
	int number;

	if (sigwait(&taken, &number) || pthread_getcpuclockid(*other, &clock))
		return NULL;
	atomic_store(&asked, true);
	pthread_kill(*other, WAKE);
	while (!is_stuck(clock))
		;
	say("It was told to end while it waited for memory or a file that nobody serves, and ended "
	    "there.");
	_exit(EXIT_STUCK);
}

void signals_take(void)
{
	static pthread_t own;
	const sigset_t taken = taken_signals();
	struct sigaction wake = {.sa_handler = on_wake};
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all, before;

	own = pthread_self();
	sigaction(WAKE, &wake, NULL);
	signal(SIGPIPE, SIG_IGN);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	const bool heard = pthread_create(&thread, &attributes, hear, &own) == 0;

	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	/* Without the thread each of them just ends the sampler. */
	if (heard)
		pthread_sigmask(SIG_BLOCK, &taken, NULL);
}

bool signals_ask_to_end(void)
{
	return atomic_load(&asked);
}
