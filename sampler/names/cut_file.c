/* SPDX-License-Identifier: Apache-2.0 */
#include "names/cut_file.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static uintptr_t page_bytes;

static void on_bus_error(int number, siginfo_t *news, void *context)
{
	void *page = (void *)((uintptr_t)news->si_addr & ~(page_bytes - 1));

	(void)context;
	if (news->si_code == BUS_ADRERR &&
	    mmap(page, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) != MAP_FAILED)
		return;
	/* Anything else ends the process, as it would have. */
	signal(number, SIG_DFL);
	raise(number);
}

void cut_files_read_as_zeros(void)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
