/* SPDX-License-Identifier: Apache-2.0
 *
 * ompd-sampler: samples what the threads of a running OpenMP program do, and writes a record.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "run/loop.h"
#include "run/signals.h"

static int open_record(const struct options *options)
{
	int fd = options->fd >= 0 ? options->fd : STDOUT_FILENO;

	if (options->file) {
		fd = open(options->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0)
			fail(EXIT_NOT_WRITTEN, "%s cannot be written: %s.", options->file,
			     strerror(errno));
	}
	/* The program's own descriptors are not to have it among them. */
	if (fd != STDOUT_FILENO)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

/* Each picture of the runtime takes memory and gives it back: more than the C library keeps by itself. The kernel would have
 * to clear its pages each time. */
#define KEPT_BYTES (64 << 20)

int main(int argc, char **argv)
{
	static struct session session;
	struct options options;
	struct launch launch;

	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES / 2);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	options_read(argc, argv, &options);
	int fd = open_record(&options);

	if (options.program)
		launch_prepare(&launch, options.program);
	signals_take();
	/* Names are looked for on this machine only: nothing is fetched while a program is sampled. */
	unsetenv("DEBUGINFOD_URLS");
	session_open(&session, &options, options.program ? launch.pid : options.pid, fd);
	enum exit_status status = loop_run(&session, options.program ? &launch : NULL);

	session_close(&session);
	return (int)status;
}
