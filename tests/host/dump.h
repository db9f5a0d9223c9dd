/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that the standard routines tell of a process, as JSON.
 */
#ifndef HOST_DUMP_H
#define HOST_DUMP_H

#include "json.h"
#include "library.h"
#include "lines.h"
#include "process.h"

/* One ICV, as the library enumerates it. */
struct icv {
	ompd_icv_id_t id;
	const char *name; /* of the library's allocation */
	ompd_scope_t scope;
};

struct dump {
	const struct routines *ompd;
	struct process *process;
	ompd_address_space_handle_t *space;
	struct json *json;
	struct lines *lines;
	struct icv *icvs;
	size_t icv_count;
};

/* dump.c: the address space and all native threads. */
void dump_process(struct dump *dump);

/* dump_values.c: what every kind of handle has. */
void dump_rc(struct dump *dump, const char *key, ompd_rc_t rc);
void dump_states(struct dump *dump);
void dump_icv_list(struct dump *dump); /* fills dump->icvs */
void dump_icvs_release(struct dump *dump);
void dump_display_control_vars(struct dump *dump);
#define SCOPE(name) (1u << ompd_scope_##name)
void dump_icvs(struct dump *dump, void *handle, unsigned scopes);
void dump_tool_data(struct dump *dump, void *handle, ompd_scope_t scope);

/* dump_tasks.c */
void dump_tasks(struct dump *dump, ompd_thread_handle_t *thread,
		ompd_parallel_handle_t *region); /* region NULL: the thread is in none */
/* How many implicit tasks a region has. */
int64_t count_implicit_tasks(struct dump *dump, ompd_parallel_handle_t *region);

/* dump_regions.c: returns the innermost region, to be released; NULL: none. */
ompd_parallel_handle_t *dump_regions(struct dump *dump, ompd_thread_handle_t *thread);

/* Of every walk that follows the library's answers. */
#define DEPTH_MAX 4096
#define TEAM_MAX 65536

/* dump_offload.c: of ompd-ext.h, and the ICVs of the process. */
void dump_offload(struct dump *dump);

#endif /* HOST_DUMP_H */
