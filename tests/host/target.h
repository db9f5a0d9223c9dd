/* SPDX-License-Identifier: Apache-2.0
 *
 * Where bytes come from: a process that this one traces, or a core file. Nothing else knows which.
 */
#ifndef HOST_TARGET_H
#define HOST_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define AUXV_MAX 4096

struct target {
	pid_t pid;
	char executable[PATH_MAX];
	unsigned char auxv[AUXV_MAX];
	size_t auxv_size;
	/* All bytes, or false. */
	bool (*read)(struct target *target, uint64_t address, size_t size, void *buffer);
	void (*close)(struct target *target);
};

/* Each stops, or opens, all of it or ends this program with a sentence. */
struct target *target_attach(pid_t pid);
/* Starts the program and lets it run until a signal that means to stop, or kills. */
struct target *target_run(char **words);
struct target *target_open_core(const char *core, const char *executable);

/* The value of an entry of the auxiliary vector; 0: none. */
uint64_t target_auxiliary(const struct target *target, uint64_t type);

/* As many bytes as there are of a string, with its NUL; false: not readable, or longer. */
bool target_read_string(struct target *target, uint64_t address, size_t size, char *buffer);

#endif /* HOST_TARGET_H */
