/* SPDX-License-Identifier: Apache-2.0 */
#include "clock/rescue.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clocks.h"
#include "target/process.h"

/* A stop of a thread's lasts microseconds: whoever holds one so long has been stopped himself, or has lost the
 * processor, which the kernel's word tells apart. */
#define LOOK_EVERY (20 * MILLISECOND)

/* The record, the program's pipes: whoever waits for their end waits for the sampler's. */
static void close_all(void)
{
	struct rlimit limit = {.rlim_cur = 1024};

#ifdef SYS_close_range
	if (syscall(SYS_close_range, 0, ~0U, 0) == 0)
		return;
#endif
	getrlimit(RLIMIT_NOFILE, &limit);
	for (int fd = 0; fd < (int)limit.rlim_cur; fd++)
		close(fd);
}

static _Noreturn void help(struct rescue_words *words, pid_t sampler)
{
	const struct process process = {.pid = sampler};
	const struct timespec pause = {0, LOOK_EVERY};
	uint32_t before = 0;

	/* A terminal stops the sampler's group, and this is none of it. */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close_all();
	while (getppid() == sampler) {
		const uint32_t turn = __atomic_load_n(&words->turn, __ATOMIC_ACQUIRE);

		if (__atomic_load_n(&words->holds, __ATOMIC_ACQUIRE) && turn == before &&
		    process_thread_state(&process, sampler) == 'T') {
			__atomic_store_n(&words->woken, 1, __ATOMIC_RELEASE);
			kill(sampler, SIGCONT);
		}
		before = turn;
		nanosleep(&pause, NULL);
	}
	_exit(0);
}

void rescue_init(struct rescue *rescue)
{
	const pid_t sampler = getpid();
	void *words = mmap(NULL, sizeof(struct rescue_words), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*rescue = (struct rescue){0};
	if (words == MAP_FAILED)
		return;
	rescue->helper = fork();
	if (rescue->helper == 0)
		help(words, sampler);
	if (rescue->helper > 0)
		rescue->words = words;
	else
		munmap(words, sizeof(struct rescue_words));
}

void rescue_deinit(struct rescue *rescue)
{
	if (!rescue->words)
		return;
	rescue_holds(rescue, false);
	kill(rescue->helper, SIGKILL);
	waitpid(rescue->helper, NULL, 0);
	munmap(rescue->words, sizeof *rescue->words);
	rescue->words = NULL;
}

void rescue_holds(struct rescue *rescue, bool holds)
{
	struct rescue_words *words = rescue->words;

	if (!words)
		return;
	__atomic_fetch_add(&words->turn, 1, __ATOMIC_ACQ_REL);
	__atomic_store_n(&words->holds, holds, __ATOMIC_RELEASE);
	if (!holds && __atomic_exchange_n(&words->woken, 0, __ATOMIC_ACQ_REL))
		raise(SIGSTOP);
}
