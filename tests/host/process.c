/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <stdlib.h>

void process_open(struct process *process, struct target *target)
{
	*process = (struct process){.target = target};
	process->for_thread_db.process = process;
	process->for_ompd.process = process;
	objects_read(process);
	threads_read(process);
}

void process_close(struct process *process)
{
	if (process->agent)
		td_ta_delete(process->agent);
	for (size_t i = 0; i < process->object_count; i++) {
		symbols_release(&process->objects[i]);
		free(process->objects[i].path);
	}
	free(process->objects);
	free(process->threads);
	process->target->close(process->target);
}
