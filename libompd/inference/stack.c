/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/stack.h"

#include <stddef.h>
#include <string.h>

#include "inference/function.h"

#define END_OF_FUNCTION                                                                            \
	(offsetof(ompdx_function_t, object_argument) +                                             \
	 sizeof(((ompdx_function_t *)0)->object_argument))

/* What a tool of an earlier version does not know of is zero. */
static ompdx_frame_t frame_at(const ompdx_stack_t *stack, uint32_t at)
{
	const size_t known = stack->frame_size;
	ompdx_frame_t frame = {.code = ompdx_code_unknown, .direct_call = -1};

	memcpy(&frame, (const char *)stack->frames + (size_t)at * known,
	       known < sizeof(frame) ? known : sizeof(frame));
	if (frame.function && frame.function->size < END_OF_FUNCTION)
		frame.function = NULL;
	if (frame.called && frame.called->size < END_OF_FUNCTION)
		frame.called = NULL;
	return frame;
}

static bool is_entry(const ompdx_function_t *function)
{
	return function && function->function_class == ompdx_function_entry;
}

static bool has_role(const ompdx_function_t *function, uint32_t role)
{
	return function && (function->roles & role);
}

bool function_waits(const ompdx_function_t *function)
{
	return function && function_state_of(function->wait) != OMPDX_STATE_UNDEFINED &&
	       !(function->roles & OMPDX_ROLE_CONTENDED);
}

ompdx_construct_t function_construct(const ompdx_function_t *function)
{
	const size_t end = offsetof(ompdx_function_t, construct) + sizeof(function->construct);

	return function->size >= end ? function->construct : ompdx_construct_none;
}

/* Entry points of libgomp, and what its threads begin with, call the code of constructs themselves. */
static bool calls_directly(ompdx_runtime_kind_t kind)
{
	return kind == ompdx_runtime_gomp;
}

/* The function that tells what the program called. Internal ones tell where they have names in every build: elsewhere
 * they would tell another thing in a stripped one. */
static const ompdx_function_t *told_by(const ompdx_frame_t *frame)
{
	if (calls_directly(frame->runtime_kind) && !is_entry(frame->function))
		return NULL;
	return frame->function;
}

/* An entry point, and the frame that tells it. */
struct telling {
	const ompdx_function_t *entry;
	uint32_t frame;
};

/* What is waited for: if the one that was called does not tell, one that it called does. One that begins a region calls
 * none but to end it, where the runtime calls the region's code itself: that made way for any other. */
static struct telling telling(struct telling outermost, struct telling inner, bool directly)
{
	if (!outermost.entry)
		return inner;
	if (!inner.entry)
		return outermost;
	if (directly && has_role(outermost.entry, OMPDX_ROLE_FORKS) &&
	    inner.entry->wait != ompdx_wait_region)
		return inner;
	if (function_waits(outermost.entry) || has_role(outermost.entry, OMPDX_ROLE_FORKS))
		return outermost;
	return inner;
}

static void set_entry(struct call *call, struct telling told)
{
	call->entry = told.entry;
	call->entry_frame = told.entry ? told.frame : NO_FRAME;
}

/* From the innermost frame to whoever called the runtime. */
static void read_call(const ompdx_stack_t *stack, struct call *call)
{
	struct telling entry = {NULL, NO_FRAME}, inner = {NULL, NO_FRAME};
	bool creates = false, in_system = false, started = false, on_top = false;
	uint32_t runtime_frames = 0;

	for (uint32_t at = 0; at < stack->frame_count; at++) {
		const ompdx_frame_t frame = frame_at(stack, at);
		const bool is_runtime = frame.code == ompdx_code_runtime;

		started = frame.code == ompdx_code_system;
		if (is_runtime && (!on_top || frame.runtime == call->runtime)) {
			if (has_role(frame.function, OMPDX_ROLE_INVOKES)) {
				/* The construct's code made way for the call that was its last. */
				set_entry(call, telling(entry, inner, false));
				call->known = !on_top || call->entry;
				call->creates_thread = creates;
				call->in_system = in_system;
				return;
			}
			on_top = true;
			runtime_frames++;
			call->runtime = frame.runtime;
			call->kind = frame.runtime_kind;
			call->directly = calls_directly(frame.runtime_kind);
			entry.entry = told_by(&frame);
			entry.frame = at;
			call->outermost = at ? at : NO_FRAME;
			if (function_waits(entry.entry) && has_role(entry.entry, OMPDX_ROLE_NESTED))
				inner = entry;
		} else if (is_runtime || !started) {
			call->caller = at;
			call->by_clang = has_role(frame.function, OMPDX_ROLE_OF_CLANG);
			if (!on_top) {
				call->known = frame.code != ompdx_code_unknown;
				return;
			}
			set_entry(call, telling(entry, inner, call->directly));
			/* No code calls a function without a name: the stack is damaged. */
			call->known = call->entry != NULL;
			call->creates_thread = creates;
			call->in_system = in_system;
			return;
		} else if (!on_top) {
			creates = creates || has_role(frame.function, OMPDX_ROLE_CREATES_THREAD);
			in_system = true;
		}
	}
	/* A worker's stack ends where its thread began; one that ends before was cut off. */
	call->launched = runtime_frames == 1 && call->outermost == NO_FRAME;
	call->known = started && on_top;
	if (call->directly)
		set_entry(call, inner); /* the code of its region made way for it */
}

/* What begins a region is also below the code of a league's teams. */
static bool read_begins(const ompdx_stack_t *stack, const struct call *call)
{
	if (!call_forks(call) || has_role(call->entry, OMPDX_ROLE_LEAGUE))
		return false;
	for (uint32_t at = 0; at < stack->frame_count && at != call->caller; at++) {
		const ompdx_frame_t frame = frame_at(stack, at);

		if (has_role(frame.function, OMPDX_ROLE_INVOKES))
			return false;
		if (frame.code == ompdx_code_runtime &&
		    has_role(frame.function, OMPDX_ROLE_BEGINS_REGION))
			return true;
	}
	return false;
}

static bool read_sleeps(const ompdx_stack_t *stack)
{
	bool sleeps = false, in_runtime = false;

	for (uint32_t at = 0; at < stack->frame_count; at++) {
		const ompdx_frame_t frame = frame_at(stack, at);

		if (frame.code == ompdx_code_runtime) {
			in_runtime = true;
			if (has_role(frame.function, OMPDX_ROLE_ACQUIRES))
				return false;
		} else if (frame.code == ompdx_code_system && !in_runtime) {
			sleeps = sleeps || has_role(frame.function, OMPDX_ROLE_SLEEPS);
		} else {
			break;
		}
	}
	return sleeps;
}

/* Is there nothing but what the C library starts a thread with? Below that debuggers may find an address that is
 * none. */
static bool read_starts(const ompdx_stack_t *stack)
{
	bool started = false;
	uint32_t at = 0;

	for (; at < stack->frame_count; at++) {
		const ompdx_frame_t frame = frame_at(stack, at);

		if (frame.code != ompdx_code_system)
			break;
		started = has_role(frame.function, OMPDX_ROLE_STARTS_THREAD);
	}
	for (; started && at < stack->frame_count; at++)
		started = frame_at(stack, at).code == ompdx_code_unknown;
	return started;
}

/* Entry points can make way for a function of the runtime's without a name: the call tells which one the program
 * called. And the code of a region can make way for what it called last: then that is called by its address, by what
 * it returns to. */
static void read_code(const ompdx_stack_t *stack, struct call *call)
{
	ompdx_frame_t frame;

	if (call->directly && call->outermost != NO_FRAME && (!call->entry || call_forks(call))) {
		frame = frame_at(stack, call->outermost);
		call->hidden = frame.direct_call == 0;
		if (frame.direct_call < 0)
			call->asks |= OMPDX_ASKS_DIRECT;
	}
	if (call->hidden || call->known || call->entry || call->caller == NO_FRAME)
		return;
	frame = frame_at(stack, call->caller);
	if (is_entry(frame.called)) {
		call->entry = frame.called;
		call->entry_frame = call->caller;
		call->by_call = call->known = true;
	} else if (!frame.called) {
		call->asks |= OMPDX_ASKS_CALLED;
	}
}

void stack_read(const ompdx_stack_t *stack, struct call *ret)
{
	const struct call nothing = {
		.runtime = UINT32_MAX,
		.entry_frame = NO_FRAME,
		.caller = NO_FRAME,
		.outermost = NO_FRAME,
	};

	*ret = nothing;
	read_call(stack, ret);
	ret->starts = read_starts(stack);
	if (ret->runtime == UINT32_MAX)
		return;
	ret->sleeps = read_sleeps(stack);
	ret->begins = read_begins(stack, ret);
	read_code(stack, ret);
}

bool call_forks(const struct call *call)
{
	return has_role(call->entry, OMPDX_ROLE_FORKS);
}

static bool is_own(ompdx_code_t code)
{
	return code == ompdx_code_program || code == ompdx_code_unknown;
}

/* The entry point that a frame is in, by its name or by the call. */
static const ompdx_function_t *entry_at(const ompdx_stack_t *stack, uint32_t at)
{
	const ompdx_frame_t frame = frame_at(stack, at);
	ompdx_frame_t outer;

	if (frame.code != ompdx_code_runtime)
		return NULL;
	if (is_entry(frame.function) || at + 1 >= stack->frame_count)
		return frame.function;
	outer = frame_at(stack, at + 1);
	return is_own(outer.code) && is_entry(outer.called) ? outer.called : frame.function;
}

int64_t stack_forks(const ompdx_stack_t *stack)
{
	int64_t forks = 0;
	bool inner = false;

	if (stack->extent != ompdx_extent_whole)
		return -1;
	for (uint32_t at = 0; at <= stack->frame_count; at++) {
		const ompdx_function_t *entry =
			at < stack->frame_count ? entry_at(stack, at) : NULL;

		if (inner && !has_role(entry, OMPDX_ROLE_FORKS_BY_ANOTHER))
			forks++;
		inner = has_role(entry, OMPDX_ROLE_FORKS);
	}
	return forks;
}

struct outward stack_outward(const ompdx_stack_t *stack, const struct call *call,
			     ompd_addr_t function)
{
	struct outward found = {.known = true};

	if (stack->extent == ompdx_extent_part)
		return found;
	for (uint32_t at = call->caller == NO_FRAME ? 0 : call->caller; at < stack->frame_count;
	     at++) {
		const ompdx_frame_t frame = frame_at(stack, at);

		if (!is_own(frame.code))
			continue;
		found.count++;
		found.entered += frame.entry && frame.entry == function;
		found.known = found.known && frame.entry;
	}
	return found;
}

bool stack_is_inside(const ompdx_stack_t *stack, const struct call *call)
{
	for (uint32_t at = call->caller == NO_FRAME ? 0 : call->caller; at < stack->frame_count;
	     at++) {
		const ompdx_frame_t frame = frame_at(stack, at);

		if (frame.code == ompdx_code_runtime ||
		    (frame.function && frame.function->function_class == ompdx_function_outlined))
			return true;
	}
	return false;
}
