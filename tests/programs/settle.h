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
/* A thread that is still awake after so much processor time is one that spins; */
#define SETTLE_SPIN_NS 100000000
/* or after so many turns on a processor, one that spins and yields: Linux 6.18 takes a yielding thread's slice away, so
 * that beside others that do not yield it may get no more than two microseconds at a time. */
#define SETTLE_SPIN_TURNS 500

struct settle_use {
	unsigned long long ns, turns;
	int known;
};

/* Is a thread asleep, or has it spun for long? *first: what it had used of the processor at the first look. */
static inline int settle_stays(const char *tid, struct settle_use *first)
{
	struct settle_use now = {.known = 1};
	char path[64], line[512], state;
	const char *fields;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return 1; /* it has ended */
	fields = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	if (!fields || sscanf(fields, ") %c", &state) != 1)
		return 1; /* it has ended while it was read */
	snprintf(path, sizeof(path), "/proc/self/task/%.20s/schedstat", tid);
	file = fopen(path, "r");
	if (!file)
		return 1;
	fields = fgets(line, sizeof(line), file);
	fclose(file);
	if (!fields)
		return 1;
	if (sscanf(fields, "%llu %*u %llu", &now.ns, &now.turns) != 2)
		abort();
	if (!first->known)
		*first = now;
	return state == 'S' || now.ns - first->ns >= SETTLE_SPIN_NS ||
	       now.turns - first->turns >= SETTLE_SPIN_TURNS;
}

/* Waits until each of the other threads was found there in three looks in a row. */
static inline void settle(void)
{
	static struct settle_use first[SETTLE_MAX_THREADS];
	const long own = syscall(SYS_gettid);
	int looks = 0, all_stay, i;
	struct dirent *entry;
	DIR *threads;

	memset(first, 0, sizeof(first));
	while (looks < 3) {
		usleep(10000);
		threads = opendir("/proc/self/task");
		if (!threads)
			abort();
		all_stay = 1;
		for (i = 0; (entry = readdir(threads)) != NULL && i < SETTLE_MAX_THREADS;) {
			if (entry->d_name[0] == '.' || atol(entry->d_name) == own)
				continue;
			all_stay &= settle_stays(entry->d_name, &first[i++]);
		}
		closedir(threads);
		looks = all_stay ? looks + 1 : 0;
	}
}

#endif /* SETTLE_H */
