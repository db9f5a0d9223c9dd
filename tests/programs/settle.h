/* SPDX-License-Identifier: Apache-2.0
 *
 * From what the other threads have announced to where they stay, however busy the machine is.
 */
#ifndef SETTLE_H
#define SETTLE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SETTLE_MAX_THREADS 1024
/* Of processor time: a thread that is still awake after so many is one that spins. */
#define SETTLE_SPIN_TICKS 10

/* Is a thread asleep, or has it spun for long? *ticks: what it had used of the processor at the first look, plus 1;
 * 0 before that. */
static inline int settle_stays(const char *tid, unsigned long *ticks)
{
	unsigned long user, system;
	char path[64], line[512], state;
	const char *fields;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return 1; /* it has ended */
	fields = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	if (!fields || sscanf(fields, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			      &state, &user, &system) != 3)
		abort();
	if (*ticks == 0)
		*ticks = user + system + 1;
	return state == 'S' || user + system >= *ticks + SETTLE_SPIN_TICKS;
}

/* Waits until each of the other threads was found there in three looks in a row. */
static inline void settle(void)
{
	static unsigned long ticks[SETTLE_MAX_THREADS];
	const long own = syscall(SYS_gettid);
	int looks = 0, all_stay, i;
	struct dirent *entry;
	DIR *threads;

	memset(ticks, 0, sizeof(ticks));
	while (looks < 3) {
		usleep(10000);
		threads = opendir("/proc/self/task");
		if (!threads)
			abort();
		all_stay = 1;
		for (i = 0; (entry = readdir(threads)) != NULL && i < SETTLE_MAX_THREADS;) {
			if (entry->d_name[0] == '.' || atol(entry->d_name) == own)
				continue;
			all_stay &= settle_stays(entry->d_name, &ticks[i++]);
		}
		closedir(threads);
		looks = all_stay ? looks + 1 : 0;
	}
}

#endif /* SETTLE_H */
