/* SPDX-License-Identifier: Apache-2.0 */
#include "record/words.h"

#include <stddef.h>

static const struct {
	uint32_t state;
	const char *word;
} states[] = {
	{OMPDX_STATE_WORK_SERIAL, "work_serial"},
	{OMPDX_STATE_WORK_PARALLEL, "work_parallel"},
	{0x002, "work_reduction"},
	{OMPDX_STATE_WAIT_BARRIER, "wait_barrier"},
	{OMPDX_STATE_WAIT_BARRIER_IMPLICIT_PARALLEL, "wait_barrier_implicit_parallel"},
	{OMPDX_STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE, "wait_barrier_implicit_workshare"},
	{0x013, "wait_barrier_implicit"},
	{OMPDX_STATE_WAIT_BARRIER_EXPLICIT, "wait_barrier_explicit"},
	{OMPDX_STATE_WAIT_BARRIER_IMPLEMENTATION, "wait_barrier_implementation"},
	{OMPDX_STATE_WAIT_BARRIER_TEAMS, "wait_barrier_teams"},
	{OMPDX_STATE_WAIT_TASKWAIT, "wait_taskwait"},
	{OMPDX_STATE_WAIT_TASKGROUP, "wait_taskgroup"},
	{0x040, "wait_mutex"},
	{OMPDX_STATE_WAIT_LOCK, "wait_lock"},
	{OMPDX_STATE_WAIT_CRITICAL, "wait_critical"},
	{OMPDX_STATE_WAIT_ATOMIC, "wait_atomic"},
	{OMPDX_STATE_WAIT_ORDERED, "wait_ordered"},
	{0x080, "wait_target"},
	{0x081, "wait_target_map"},
	{0x082, "wait_target_update"},
	{OMPDX_STATE_IDLE, "idle"},
	{OMPDX_STATE_OVERHEAD, "overhead"},
	{STATE_PREEMPTED, "preempted"},
	{STATE_KERNEL, "kernel"},
	{STATE_ASLEEP, "asleep"},
	{STATE_OUTSIDE, "outside"},
};

const char *word_of_state(uint32_t state)
{
	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (states[i].state == state)
			return states[i].word;
	return "?";
}

const char *word_of_construct(ompdx_wait_t wait, ompdx_construct_t construct)
{
	switch (construct) {
	case ompdx_construct_for:
		return "for";
	case ompdx_construct_sections:
		return "sections";
	case ompdx_construct_single:
		return "single";
	case ompdx_construct_barrier:
		return "barrier";
	case ompdx_construct_workshare:
	case ompdx_construct_worksharing:
		return "workshare";
	default:
		break;
	}
	switch (wait) {
	case ompdx_wait_barrier:
		return "barrier";
	case ompdx_wait_workshare:
		return "workshare";
	case ompdx_wait_reduction:
		return "reduction";
	case ompdx_wait_region:
		return "region";
	case ompdx_wait_critical:
		return "critical";
	case ompdx_wait_lock:
		return "lock";
	case ompdx_wait_nest_lock:
		return "nest_lock";
	case ompdx_wait_atomic:
		return "atomic";
	case ompdx_wait_ordered:
		return "ordered";
	case ompdx_wait_doacross:
		return "doacross";
	case ompdx_wait_taskwait:
		return "taskwait";
	case ompdx_wait_depend:
		return "depend";
	case ompdx_wait_taskgroup:
		return "taskgroup";
	default:
		return NULL;
	}
}

const char *word_of_image(enum image_kind kind)
{
	switch (kind) {
	case IMAGE_RUNTIME:
		return "runtime";
	case IMAGE_SYSTEM:
	case IMAGE_LIBRARY:
		return "system";
	default:
		return "user";
	}
}

const char *word_of_thread(ompdx_thread_kind_t kind)
{
	switch (kind) {
	case ompdx_thread_initial:
		return "initial";
	case ompdx_thread_worker:
		return "worker";
	case ompdx_thread_root:
		return "root";
	case ompdx_thread_helper:
		return "helper";
	default:
		return "none";
	}
}

const char *word_of_runtime(ompdx_runtime_kind_t kind)
{
	return kind == ompdx_runtime_gomp ? "gomp" : "llvm";
}

const char *sentence_of_doubt(uint32_t doubt)
{
	switch (doubt) {
	case ompdx_doubt_no_stack:
		return "The stack could not be followed to whoever called the runtime.";
	case ompdx_doubt_unknown_code:
		return "It is in code of no file.";
	case ompdx_doubt_code_hidden:
		return "The region's code has made way for what it called last.";
	case ompdx_doubt_sleeps_elsewhere:
		return "It sleeps on a word of which nothing tells what it is.";
	case ompdx_doubt_helper:
		return "What hidden helper threads wait for is the runtime's own affair.";
	case ompdx_doubt_no_thread:
		return "The runtime does not know this thread.";
	case ompdx_doubt_idle_or_end:
		return "It has come to the end of its region, or is in none: no picture of the "
		       "runtime tells.";
	case ompdx_doubt_in_reduction:
		return "It waits for the others, or for its turn to add.";
	case ompdx_doubt_in_atomic:
		return "It waits only while another thread is in such a construct.";
	case ompdx_doubt_maybe_cancelled:
		return "Who has given up a region that can be cancelled waits under the same mark.";
	case ompdx_doubt_end_or_beginning:
		return "It has come to the end of its region, or begins it.";
	case ompdx_doubt_end_or_fork:
		return "It has come to the end of its region, or begins another inside of it.";
	case DOUBT_OF_LATER:
		return "Nobody looked at this sleep: a later one of the thread's was for that.";
	default:
		return NULL;
	}
}
