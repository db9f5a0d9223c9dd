/* SPDX-License-Identifier: Apache-2.0
 *
 * The internal control variables that a runtime is asked for, and what it answers. Names and scopes are in
 * icv.def.
 */
#ifndef RUNTIME_ICV_H
#define RUNTIME_ICV_H

#include <stdbool.h>

#include "target/vector.h"

enum icv {
	ICV_ACTIVE_LEVELS,
	ICV_AFFINITY_FORMAT,
	ICV_AVAILABLE_DEVICES,
	ICV_BIND,
	ICV_CANCEL,
	ICV_DEBUG,
	ICV_DEF_ALLOCATOR,
	ICV_DEF_SCHED,
	ICV_DEFAULT_DEVICE,
	ICV_DEVICE_NUM,
	ICV_DISPLAY_AFFINITY,
	ICV_DYN,
	ICV_EXPLICIT_TASK,
	ICV_FINAL_TASK,
	ICV_FREE_AGENT,
	ICV_FREE_AGENT_THREAD_LIMIT,
	ICV_IMPLICIT_TASK,
	ICV_LEAGUE_SIZE,
	ICV_LEVELS,
	ICV_MAX_ACTIVE_LEVELS,
	ICV_MAX_TASK_PRIORITY,
	ICV_NTEAMS,
	ICV_NTHREADS,
	ICV_NUM_DEVICES,
	ICV_NUM_PROCS,
	ICV_PLACE_ASSIGNMENT,
	ICV_PLACE_PARTITION,
	ICV_RUN_SCHED,
	ICV_STACKSIZE,
	ICV_STRUCTURED_THREAD_LIMIT,
	ICV_TARGET_OFFLOAD,
	ICV_TEAM_GENERATOR,
	ICV_TEAM_NUM,
	ICV_TEAM_SIZE,
	ICV_TEAMS_THREAD_LIMIT,
	ICV_THREAD_LIMIT,
	ICV_THREAD_NUM,
	ICV_TOOL,
	ICV_TOOL_LIBRARIES,
	ICV_TOOL_VERBOSE_INIT,
	ICV_WAIT_POLICY,
};

/* Wait policies, offload policies and binding policies as numbers: those of OpenMP's omp.h where it has
 * them. */
enum { WAIT_POLICY_PASSIVE = 0, WAIT_POLICY_ACTIVE = 1 };
enum { TARGET_OFFLOAD_DISABLED = 0, TARGET_OFFLOAD_DEFAULT = 1, TARGET_OFFLOAD_MANDATORY = 2 };

enum icv_form {
	ICV_FORM_NUMBER, /* a number, or a list of them */
	ICV_FORM_TEXT,   /* text: no number stands for it */
};

struct icv_value {
	enum icv_form form;
	ompd_word_t number;    /* the first of a list */
	bool further_unknown;  /* whether the list has more items cannot be told */
	struct vector further; /* of ompd_word_t: its other items */
	struct vector text;    /* of char, without a NUL */
};

void icv_value_init(struct icv_value *value);
void icv_value_deinit(struct icv_value *value);

ompd_rc_t icv_value_add_item(struct icv_value *value, ompd_word_t number);
ompd_rc_t icv_value_add_text(struct icv_value *value, const char *text);

#endif /* RUNTIME_ICV_H */
