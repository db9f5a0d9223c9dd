/* SPDX-License-Identifier: Apache-2.0
 *
 * The system's settings that decide what a sampler may do.
 */
#ifndef SAMPLER_SETTINGS_H
#define SAMPLER_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NOT_THERE (-1000)

struct settings {
	int perf_event_paranoid; /* NOT_THERE: this kernel has no such setting */
	int yama_ptrace_scope;
	uint64_t memlock_bytes; /* UINT64_MAX: unlimited */
	uid_t uid;
	bool perf_privileged; /* perf_event_paranoid is not for us */
	long processors;
};

void settings_read(struct settings *settings);

/* May the process's memory be read? */
bool memory_allowed(pid_t pid);

#endif /* SAMPLER_SETTINGS_H */
