/* SPDX-License-Identifier: Apache-2.0
 *
 * The native threads, as libthread_db finds them in the C library's own lists; and what libthread_db asks
 * of a debugger for it (proc_service.h).
 */
#include <proc_service.h>
#include <thread_db.h>

#include "fail.h"
#include "process.h"

#define THREADS_MAX 131072

static int add_thread(const td_thrhandle_t *handle, void *argument)
{
	struct process *process = argument;
	td_thrinfo_t info;

	/* No thread id: it has ended, and nobody has joined it. */
	if (td_thr_get_info(handle, &info) != TD_OK || info.ti_lid <= 0)
		return 0;
	process->threads =
		grown(process->threads, process->thread_count + 1, sizeof(process->threads[0]));
	process->threads[process->thread_count++] =
		(struct _ompd_thread_cont){info.ti_tid, info.ti_lid, *handle};
	return process->thread_count >= THREADS_MAX;
}

void threads_read(struct process *process)
{
	td_err_e rc = td_init();

	if (rc == TD_OK)
		rc = td_ta_new(&process->for_thread_db, &process->agent);
	if (rc != TD_OK) {
		process->agent = NULL;
		warn("libthread_db finds no threads (error %d): is its C library the program's?",
		     (int)rc);
		return;
	}
	rc = td_ta_thr_iter(process->agent, add_thread, process, TD_THR_ANY_STATE,
			    TD_THR_LOWEST_PRIORITY, TD_SIGNO_MASK, TD_THR_ANY_USER_FLAGS);
	if (rc != TD_OK)
		warn("libthread_db cannot list the threads (error %d)", (int)rc);
}

bool thread_local_address(const struct _ompd_thread_cont *thread, const struct object *object,
			  const struct symbol *symbol, uint64_t *ret)
{
	psaddr_t address;

	if (td_thr_tls_get_addr(&thread->handle, (psaddr_t)(uintptr_t)object->link_map,
				(size_t)symbol->address, &address) != TD_OK)
		return false;
	*ret = (uint64_t)(uintptr_t)address;
	return true;
}

/* ---- proc_service.h: what libthread_db asks -------------------------------------------------- */

pid_t ps_getpid(struct ps_prochandle *handle)
{
	return handle->process->target->pid;
}

ps_err_e ps_pglobal_lookup(struct ps_prochandle *handle, const char *object_name, const char *name,
			   psaddr_t *ret)
{
	struct object *object;
	const struct symbol *found = process_symbol(handle->process, object_name, name, &object);

	if (!found || found->is_tls)
		return PS_NOSYM;
	*ret = (psaddr_t)(uintptr_t)found->address;
	return PS_OK;
}

ps_err_e ps_pdread(struct ps_prochandle *handle, psaddr_t address, void *buffer, size_t size)
{
	struct target *target = handle->process->target;

	return target->read(target, (uint64_t)(uintptr_t)address, size, buffer) ? PS_OK
										: PS_BADADDR;
}

/* This debugger only looks, and asks nothing that libthread_db would need registers for. */

ps_err_e ps_pdwrite(struct ps_prochandle *handle, psaddr_t address, const void *buffer, size_t size)
{
	(void)handle, (void)address, (void)buffer, (void)size;
	return PS_ERR;
}

ps_err_e ps_lgetregs(struct ps_prochandle *handle, lwpid_t lwp, prgregset_t registers)
{
	(void)handle, (void)lwp, (void)registers;
	return PS_ERR;
}

ps_err_e ps_lsetregs(struct ps_prochandle *handle, lwpid_t lwp, const prgregset_t registers)
{
	(void)handle, (void)lwp, (void)registers;
	return PS_ERR;
}

ps_err_e ps_lgetfpregs(struct ps_prochandle *handle, lwpid_t lwp, prfpregset_t *registers)
{
	(void)handle, (void)lwp, (void)registers;
	return PS_ERR;
}

ps_err_e ps_lsetfpregs(struct ps_prochandle *handle, lwpid_t lwp, const prfpregset_t *registers)
{
	(void)handle, (void)lwp, (void)registers;
	return PS_ERR;
}
