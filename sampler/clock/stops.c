/* SPDX-License-Identifier: Apache-2.0 */
#include "clock/stops.h"

#include <errno.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clocks.h"

/* A thread that the kernel holds longer is let go later. */
#define PATIENCE (5 * MILLISECOND)

#define STOPPED_BYTES 16384

/* A signal that was on its way goes on. */
static void let_go(pid_t lwp, int status)
{
	long number = status >> 16 == 0 ? WSTOPSIG(status) : 0;

	ptrace(PTRACE_DETACH, lwp, NULL, number);
}

/* 1: stopped, 0: not yet, -1: it has ended. */
static int has_stopped(pid_t lwp, int *status)
{
	pid_t answer = waitpid(lwp, status, __WALL | WNOHANG);

	if (answer == 0)
		return 0;
	return answer == lwp && WIFSTOPPED(*status) ? 1 : -1;
}

static int wait_for_stop(pid_t lwp, int *status)
{
	const uint64_t until = now() + PATIENCE;
	int answer;

	while ((answer = has_stopped(lwp, status)) == 0 && now() < until)
		sched_yield();
	return answer;
}

enum stop_answer stop_and_sample(struct stops *stops, pid_t lwp, struct sample *sample)
{
	static uint8_t bytes[STOPPED_BYTES];
	int status;

	if (stops->late_count == STOPS_LATE_MAX)
		return STOP_LATE;
	if (ptrace(PTRACE_SEIZE, lwp, NULL, NULL))
		return errno == ESRCH ? STOP_GONE : STOP_REFUSED;
	/* Without it, it is still let go by what comes next. */
	ptrace(PTRACE_INTERRUPT, lwp, NULL, NULL);
	int stopped = wait_for_stop(lwp, &status);

	if (stopped < 0)
		return STOP_GONE;
	if (stopped == 0) {
		stops->late[stops->late_count++] = lwp;
		return STOP_LATE;
	}
	bool known = machine_stopped_registers(lwp, &sample->registers);

	if (known)
		sample->stack_size =
			memory_read_some(stops->memory, sample->registers.value[this_machine.sp],
					 sizeof bytes, bytes);
	sample->time = now();
	let_go(lwp, status);
	sample->lwp = lwp;
	sample->stack = bytes;
	return known ? STOP_OK : STOP_GONE;
}

bool stops_release(struct stops *stops)
{
	size_t kept = 0;
	int status;

	for (size_t i = 0; i < stops->late_count; i++) {
		int stopped = has_stopped(stops->late[i], &status);

		if (stopped > 0)
			let_go(stops->late[i], status);
		else if (stopped == 0)
			stops->late[kept++] = stops->late[i];
	}
	stops->late_count = kept;
	return kept == 0;
}
