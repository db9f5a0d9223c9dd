/* SPDX-License-Identifier: Apache-2.0
 *
 * What a debugger knows of a program that stands still: the objects that are loaded, their symbols, and
 * its native threads.
 */
#ifndef HOST_PROCESS_H
#define HOST_PROCESS_H

#include <thread_db.h>

#include "target.h"

struct symbol {
	char *name;
	uint64_t address; /* of a thread-local one: its offset in the object's TLS block */
	bool is_tls;
	bool local;
};

struct object {
	char *path;
	uint64_t bias;
	uint64_t link_map;
	bool symbols_read;
	struct symbol *symbols; /* by name, the global one of a name first */
	size_t symbol_count;
};

/* What OMPD calls a thread context. */
struct _ompd_thread_cont {
	uint64_t pthread;
	pid_t lwp;
	td_thrhandle_t handle;
};

struct process;

/* What libthread_db and OMPD call the process; both want to be the one that defines it. */
struct ps_prochandle {
	struct process *process;
};
struct _ompd_aspace_cont {
	struct process *process;
};

struct process {
	struct target *target;
	struct object *objects; /* the program first, then in load order */
	size_t object_count;
	struct _ompd_thread_cont *threads;
	size_t thread_count;
	td_thragent_t *agent; /* NULL: the program has no threads, or not yet */
	struct ps_prochandle for_thread_db;
	struct _ompd_aspace_cont for_ompd;
};

void process_open(struct process *process, struct target *target);
void process_close(struct process *process);

/* objects.c: the dynamic linker's list, or the program alone. */
void objects_read(struct process *process);

/* symbols.c */
/* The object's symbol of that name, from its file; NULL: none. */
const struct symbol *object_symbol(struct process *process, struct object *object,
				   const char *name);
/* Looks in the objects of that file name first, then in all; NULL: anywhere. */
const struct symbol *process_symbol(struct process *process, const char *file_name,
				    const char *name, struct object **ret);
/* The symbol that begins at the address; NULL: none. */
const struct symbol *process_symbol_at(struct process *process, uint64_t address);
void symbols_release(struct object *object);

/* threads.c: libthread_db */
void threads_read(struct process *process);
bool thread_local_address(const struct _ompd_thread_cont *thread, const struct object *object,
			  const struct symbol *symbol, uint64_t *ret);

#endif /* HOST_PROCESS_H */
