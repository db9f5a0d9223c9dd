/* SPDX-License-Identifier: Apache-2.0
 *
 * Its link map names a library by memory of a userfaultfd that nobody serves: who reads that waits. As in a process that is
 * restored page by page, where the other side has died.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/userfaultfd.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIZE = 1 << 16 };

static volatile double sink;

static void work(void)
{
#pragma omp parallel num_threads(2)
	for (int i = 0; i < 100000; i++)
		sink += i;
}

static char *unserved(void)
{
	const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API};
	void *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register missing = {.range = {(unsigned long)at, SIZE},
					  .mode = UFFDIO_REGISTER_MODE_MISSING};

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &missing)) {
		perror("userfaultfd");
		exit(1);
	}
	return at;
}

int main(void)
{
	struct link_map *first;

	work();
	if (dlinfo(dlopen(NULL, RTLD_NOW), RTLD_DI_LINKMAP, &first) || !first->l_next->l_next)
		return 1;
	first->l_next->l_next->l_name = unserved();
	puts("ready");
	fflush(stdout);
	for (const double end = omp_get_wtime() + 60; omp_get_wtime() < end;)
		work();
	_exit(0);
}
