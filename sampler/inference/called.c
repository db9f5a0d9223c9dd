/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/called.h"

static const struct code *at(const struct called_stack *stack, uint32_t frame)
{
	return code_of(stack->codes, stack->frames[frame]);
}

/* Behind it there is nothing but what the C library starts threads with. */
static bool begins_thread(const struct called_stack *stack, uint32_t frame)
{
	for (uint32_t i = frame + 1; i < stack->count; i++)
		if (at(stack, i)->frame.code != ompdx_code_system)
			return false;
	return stack->whole;
}

/* libgomp's entry points and threads call a region's code themselves. LLVM's has a function for that, and one more of its
 * own around the code that gcc compiled. */
static bool calls_region(const struct called_stack *stack, uint32_t caller)
{
	const struct code *code = at(stack, caller);

	if (code->frame.runtime_kind == ompdx_runtime_gomp)
		return code_is_entry(code) ? code_has_role(code, OMPDX_ROLE_FORKS)
					   : begins_thread(stack, caller);
	return code_has_role(code, OMPDX_ROLE_INVOKES) ||
	       (!code_is_entry(code) && caller + 1 < stack->count &&
		code_is_runtime(at(stack, caller + 1)) &&
		code_has_role(at(stack, caller + 1), OMPDX_ROLE_INVOKES));
}

bool called_as_region(const struct called_stack *stack, uint32_t frame)
{
	return frame + 1 < stack->count && code_is_runtime(at(stack, frame + 1)) &&
	       at(stack, frame + 1)->frame.direct_call == 0 && calls_region(stack, frame + 1);
}

bool begins_region(const struct called_stack *stack, uint32_t frame)
{
	if (!code_is_runtime(at(stack, frame)) || frame + 1 == stack->count ||
	    code_is_runtime(at(stack, frame + 1)))
		return false;
	if (code_is_entry(at(stack, frame)) && code_has_role(at(stack, frame), OMPDX_ROLE_FORKS))
		return true;
	const struct code *caller = at(stack, frame + 1);

	return caller->is_called && caller->called.roles & OMPDX_ROLE_FORKS &&
	       !(caller->called.roles & OMPDX_ROLE_BEFORE_REGION);
}

/* It executes tasks: when it is given one, or while it waits. At a reduction the runtime also calls what adds. */
static bool executes_tasks(const ompdx_function_t *function)
{
	if (function->code_argument >= 0)
		return true;
	switch (function->wait) {
	case ompdx_wait_barrier:
	case ompdx_wait_workshare:
	case ompdx_wait_region:
	case ompdx_wait_taskwait:
	case ompdx_wait_taskgroup:
	case ompdx_wait_depend:
		return true;
	default:
		return function->roles & (OMPDX_ROLE_EXECUTES_AT_ONCE | OMPDX_ROLE_EXECUTES_TASKS);
	}
}

enum called what_called(const struct called_stack *stack, uint32_t frame)
{
	uint32_t outer = frame + 1;

	if (calls_region(stack, outer))
		return CALLED_REGION;
	/* The innermost that the program called, or that the runtime calls constructs' code with. */
	for (; outer < stack->count && code_is_runtime(at(stack, outer)); outer++) {
		if (code_is_entry(at(stack, outer)))
			return executes_tasks(&at(stack, outer)->described) ? CALLED_TASK
									    : CALLED_FOR_SOMETHING;
		if (code_has_role(at(stack, outer), OMPDX_ROLE_INVOKES))
			return CALLED_TASK;
	}
	if (outer < stack->count && at(stack, outer)->is_called)
		return executes_tasks(&at(stack, outer)->called) ? CALLED_TASK
								 : CALLED_FOR_SOMETHING;
	return begins_thread(stack, outer - 1) ? CALLED_TASK : CALLED_FOR_SOMETHING;
}
