/* SPDX-License-Identifier: Apache-2.0 */
#include "clock/stops.h"

#include <errno.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clocks.h"
#include "target/process.h"

/* A thread that the kernel holds longer is let go later. */
#define PATIENCE (5 * MILLISECOND)

#define STOPPED_BYTES 16384

/* A signal that was on its way goes on; an event of ptrace's is none. false: it has left its stop, since the program ends,
 * and its end has to be taken still. */
static bool let_go(pid_t lwp, int why)
{
	return ptrace(PTRACE_DETACH, lwp, NULL, (long)(why >> 8 == 0 ? why : 0)) == 0;
}

/* 1: stopped, and why; 0: not yet; -1: it has ended. */
static int has_stopped(const struct stops *stops, pid_t lwp, int *why)
{
	/* The program's own end stays to be told: who takes it here has the sampler wait for it for ever. That of another
	 * thread has to be taken: before, the kernel tells nobody that the program has ended. */
	const bool is_program = lwp == stops->program;
	const int ends = is_program ? 0 : WEXITED;
	siginfo_t news = {0};

	if (waitid(P_PID, (id_t)lwp, &news, WSTOPPED | ends | WNOHANG | __WALL))
		return -1;
	if (news.si_pid == lwp) {
		*why = news.si_status;
		return process_news_is_end(&news) ? -1 : 1;
	}
	if (is_program && waitid(P_PID, (id_t)lwp, &news, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    news.si_pid == lwp && process_news_is_end(&news))
		return -1;
	return 0;
}

static int wait_for_stop(const struct stops *stops, pid_t lwp, int *why)
{
	const uint64_t until = now() + PATIENCE;
	int answer;

	while ((answer = has_stopped(stops, lwp, why)) == 0 && now() < until)
		sched_yield();
	return answer;
}

void stops_init(struct stops *stops, struct memory *memory, pid_t program)
{
	*stops = (struct stops){.memory = memory, .program = program};
	rescue_init(&stops->rescue);
}

void stops_deinit(struct stops *stops)
{
	const uint64_t until = now() + SECOND;
	const struct timespec pause = {0, MILLISECOND};

	while (stops->late_count && now() < until) {
		stops_release(stops);
		nanosleep(&pause, NULL);
	}
	rescue_deinit(&stops->rescue);
}

/* Of a thread that is held from here on. */
static enum stop_answer sample_held(struct stops *stops, pid_t lwp, struct sample *sample)
{
	static uint8_t bytes[STOPPED_BYTES];
	int why;

	if (ptrace(PTRACE_SEIZE, lwp, NULL, NULL))
		return errno == ESRCH ? STOP_GONE : STOP_REFUSED;
	/* Without it, it is still let go by what comes next. */
	ptrace(PTRACE_INTERRUPT, lwp, NULL, NULL);
	int stopped = wait_for_stop(stops, lwp, &why);

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
	if (!let_go(lwp, why))
		stops->late[stops->late_count++] = lwp;
	sample->lwp = lwp;
	sample->stack = bytes;
	return known ? STOP_OK : STOP_GONE;
}

enum stop_answer stop_and_sample(struct stops *stops, pid_t lwp, struct sample *sample)
{
	if (stops->late_count == STOPS_LATE_MAX)
		return STOP_LATE;
	rescue_holds(&stops->rescue, true);
	const enum stop_answer answer = sample_held(stops, lwp, sample);

	rescue_holds(&stops->rescue, stops->late_count != 0);
	return answer;
}

void stops_release(struct stops *stops)
{
	size_t kept = 0;
	int why;

	if (!stops->late_count)
		return;
	for (size_t i = 0; i < stops->late_count; i++) {
		int stopped = has_stopped(stops, stops->late[i], &why);

		if (stopped > 0 ? !let_go(stops->late[i], why) : stopped == 0)
			stops->late[kept++] = stops->late[i];
	}
	stops->late_count = kept;
	rescue_holds(&stops->rescue, kept != 0);
}
