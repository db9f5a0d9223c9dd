/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/tellings.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "inference/called.h"
#include "inference/jumps.h"

void tellings_init(struct tellings *tellings, struct codes *codes, struct memory *memory)
{
	*tellings = (struct tellings){.codes = codes};
	interner_init(&tellings->stacks, sizeof(struct stack_node));
	interner_init(&tellings->told, sizeof(struct stack_told));
	sites_init(&tellings->sites, codes, memory);
}

void tellings_deinit(struct tellings *tellings)
{
	interner_deinit(&tellings->stacks);
	interner_deinit(&tellings->told);
	sites_deinit(&tellings->sites);
	free(tellings->of_stack);
}

uint64_t lock_told(struct tellings *tellings, const struct stack_told *told)
{
	if (told->wait != ompdx_wait_critical && told->wait != ompdx_wait_lock &&
	    told->wait != ompdx_wait_nest_lock)
		return 0;
	/* Read now in any case: the process may have ended when the construct is written. */
	const uint64_t passed =
		told->caller == NONE ? 0 : lock_of_site(&tellings->sites, told->caller);

	return told->object ? told->object : passed;
}

/* A stack, while it is looked at. */
struct looked {
	struct tellings *tellings;
	uint32_t code[FRAMES_MAX];
	uint32_t count;
	bool whole;
};

static const struct code *frame_code(const struct looked *looked, uint32_t frame)
{
	return code_of(looked->tellings->codes, looked->code[frame]);
}

static struct fork_call *fork_call_of(struct tellings *tellings, uint64_t function)
{
	for (size_t i = 0; i < tellings->fork_call_count; i++)
		if (tellings->fork_calls[i].function == function)
			return &tellings->fork_calls[i];
	return NULL;
}

static bool is_fork_of_libgomp(const struct code *code)
{
	return code_is_entry(code) && code_has_role(code, OMPDX_ROLE_FORKS) &&
	       code->frame.runtime_kind == ompdx_runtime_gomp;
}

/* A region's code was called from there. */
static void learn_fork_call(const struct looked *looked, uint32_t frame)
{
	struct tellings *tellings = looked->tellings;
	const struct code *code = frame_code(looked, frame);
	struct fork_call *known = fork_call_of(tellings, code->function);

	if (frame == 0 || !code_is_program(frame_code(looked, frame - 1)) || !code->function)
		return;
	if (!known && tellings->fork_call_count < FORK_CALLS_MAX)
		known = &tellings->fork_calls[tellings->fork_call_count++];
	if (known)
		*known = (struct fork_call){code->function, code->pc};
}

/* One that also calls the region's code. */
static bool calls_fork(const struct code *code)
{
	return code->is_called && code->called.roles & OMPDX_ROLE_FORKS &&
	       !(code->called.roles & OMPDX_ROLE_BEFORE_REGION);
}

/* libgomp's thread is in the runtime, and its own code tells on which side of the region's: its call for the end may be
 * its last, which leaves no frame of it. */
static void tell_end_from_beginning(const struct looked *looked, struct stack_told *told)
{
	uint32_t i = 0;

	while (i < looked->count && !is_fork_of_libgomp(frame_code(looked, i)) &&
	       !code_is_program(frame_code(looked, i)))
		i++;
	if (i == looked->count)
		return;
	if (is_fork_of_libgomp(frame_code(looked, i))) {
		const struct fork_call *known =
			fork_call_of(looked->tellings, frame_code(looked, i)->function);

		if (!known)
			return;
		if (frame_code(looked, i)->pc < known->pc) {
			told->state = OMPDX_STATE_OVERHEAD;
			told->wait = ompdx_wait_none;
			told->construct = ompdx_construct_none;
		}
	} else if (i == 0 || frame_code(looked, i - 1)->frame.runtime_kind != ompdx_runtime_gomp ||
		   !code_is_runtime(frame_code(looked, i - 1)) ||
		   !calls_fork(frame_code(looked, i))) {
		return;
	}
	told->doubt = ompdx_doubt_none;
}

static void add_fork(struct stack_told *told, uint32_t place, bool league)
{
	size_t i = 0;

	while (i < FORKS_TOLD && told->forks[i] != NONE)
		i++;
	if (i < FORKS_TOLD)
		told->forks[i] = place;
	if (i == 0)
		told->league = league;
}

static size_t bodies_known(const struct tellings *tellings)
{
	return tellings->body_count < BODIES_MAX ? tellings->body_count : BODIES_MAX;
}

/* What the call passes has jumped to the function. Of libraries that come and go the last ones are kept. */
static void learn_body(struct tellings *tellings, uint64_t function, uint64_t region)
{
	for (size_t i = 0; i < bodies_known(tellings); i++)
		if (tellings->bodies[i].function == function &&
		    tellings->bodies[i].region == region)
			return;
	tellings->bodies[tellings->body_count++ % BODIES_MAX] = (struct body){function, region};
}

/* Of the program's function that begins there; NULL: none does. */
static struct code *code_of_function(const struct tellings *tellings, uint64_t function)
{
	const uint32_t number = function ? code_at(tellings->codes, function) : NONE;
	struct code *code = number == NONE ? NULL : &tellings->codes->codes[number];

	return code && code->function == function && code_is_program(code) ? code : NULL;
}

/* By what the call at the place passes, and by what the runtime seems to have called; 0: not known. */
static uint64_t region_of_call(struct tellings *tellings, uint32_t place, uint64_t function)
{
	const uint64_t passed = code_of_site(&tellings->sites, place, function);

	if (passed == SEVERAL_JUMP)
		return 0;
	struct code *code = code_of_function(tellings, passed);

	if (!code && !code_of(tellings->codes, place)->call_unresolved)
		code = code_of_function(tellings, function);
	if (!code)
		return function;
	code->is_region = true;
	if (function && function != code->function)
		learn_body(tellings, function, code->function);
	return code->function;
}

static bool is_outlined(const struct code *code)
{
	return code->is_described && code->described.function_class == ompdx_function_outlined;
}

/* A call passes it, or the compiler's name of it tells. */
static bool is_region(const struct tellings *tellings, uint64_t function)
{
	const struct code *code = code_of_function(tellings, function);

	return code && (code->is_region || is_outlined(code));
}

uint64_t region_told(const struct tellings *tellings, uint64_t function, uint64_t likely)
{
	uint64_t found = is_region(tellings, function) ? function : 0;

	if (found && found == likely)
		return likely;
	for (size_t i = 0; i < bodies_known(tellings); i++) {
		const struct body *body = &tellings->bodies[i];

		if (body->function != function)
			continue;
		if (body->region == likely)
			return likely;
		if (found)
			return 0;
		found = body->region;
	}
	return found;
}

/* gcc makes several functions of one: main._omp_fn.0 calls main._omp_fn.0.part.1. */
static bool is_part_of(const struct code *code, const struct code *whole)
{
	const size_t length = is_outlined(whole) ? strlen(whole->symbol) : 0;

	return length && strncmp(code->symbol, whole->symbol, length) == 0 &&
	       code->symbol[length] == '.';
}

/* Until GCC 4.8 a program called its regions' code itself, between two calls of the runtime. */
static bool is_called_by_program(const struct looked *looked, uint32_t frame)
{
	const struct code *code = frame_code(looked, frame);

	return is_outlined(code) && !code_has_role(code, OMPDX_ROLE_OF_CLANG) &&
	       frame + 1 < looked->count && code_is_program(frame_code(looked, frame + 1)) &&
	       !is_part_of(code, frame_code(looked, frame + 1));
}

/* The innermost that is on the stack: whose code the runtime has called, or which a call begins. */
static void find_region(const struct looked *looked, struct stack_told *told)
{
	const struct called_stack stack = {looked->tellings->codes, looked->code, looked->count,
					   looked->whole};

	for (uint32_t i = 0; i < looked->count; i++) {
		const struct code *code = frame_code(looked, i);

		if (is_called_by_program(looked, i)) {
			if (!told->region && told->forks[0] == NONE)
				told->region = code->function;
			add_fork(told, looked->code[i + 1], false);
		}
		if (!code_is_runtime(code))
			continue;
		if (!told->region && told->forks[0] == NONE && i > 0 &&
		    code_is_program(frame_code(looked, i - 1)) &&
		    what_called(&stack, i - 1) == CALLED_REGION)
			told->region = frame_code(looked, i - 1)->function;
		if (is_fork_of_libgomp(code))
			learn_fork_call(looked, i);
		if (!begins_region(&stack, i))
			continue;
		const struct code *caller = frame_code(looked, i + 1);
		const bool league = code_has_role(code, OMPDX_ROLE_LEAGUE) ||
				    (caller->is_called && caller->called.roles & OMPDX_ROLE_LEAGUE);

		/* Other places may be looked at here, and they move. */
		if (told->forks[0] == NONE)
			told->region =
				region_of_call(looked->tellings, looked->code[i + 1], told->region);
		add_fork(told, looked->code[i + 1], league);
	}
}

static uint32_t number_of_stack(const struct looked *looked)
{
	uint32_t number = NONE;

	for (uint32_t i = looked->count; i-- > 0;) {
		struct stack_node node = {number, looked->code[i]};

		number = intern(&looked->tellings->stacks, &node, NULL);
		if (number == NONE)
			return NONE;
	}
	return number;
}

static ompdx_classification_t classify(const ompdx_stack_t *stack, const ompdx_facts_t *facts)
{
	ompdx_classification_t answer = {.size = sizeof answer};

	if (ompdx_classify(stack, facts, &answer) != ompd_rc_ok)
		answer = (ompdx_classification_t){.state = OMPDX_STATE_UNDEFINED,
						  .doubt = ompdx_doubt_no_stack,
						  .runtime = UINT32_MAX,
						  .caller_frame = UINT32_MAX};
	return answer;
}

/* A stack is of one moment, a picture of another: of a thread that runs only what the code itself tells is added. */
static ompdx_classification_t judge(const struct looked *looked, const ompdx_sleep_t *sleep,
				    const ompdx_facts_t *facts)
{
	static ompdx_frame_t frames[FRAMES_MAX];
	ompdx_stack_t stack = {.size = sizeof stack,
			       .frames = frames,
			       .frame_count = looked->count,
			       .frame_size = sizeof *frames,
			       .extent = looked->whole ? ompdx_extent_whole : ompdx_extent_cut,
			       .sleep = sleep};

	for (uint32_t i = 0; i < looked->count; i++)
		frames[i] = code_frame(looked->tellings->codes, looked->code[i]);
	if (facts)
		return classify(&stack, facts);
	ompdx_classification_t answer = classify(&stack, NULL);

	if (answer.wait != ompdx_wait_barrier || answer.caller_frame >= looked->count)
		return answer;
	const struct call_site *site =
		site_of(&looked->tellings->sites, looked->code[answer.caller_frame]);
	const ompdx_facts_t marks = {.size = sizeof marks,
				     .runtime = answer.runtime,
				     .ident_flags = site->flags,
				     .ident_source = site->source[0] ? site->source : NULL};

	return classify(&stack, &marks);
}

static bool is_inside(const struct looked *looked)
{
	for (uint32_t i = 0; i < looked->count; i++)
		if (code_is_program(frame_code(looked, i)))
			return true;
	return false;
}

/* Of the system's code that it is in. */
static uint32_t frames_in_system(const struct looked *looked)
{
	uint32_t i = 0;

	while (i < looked->count && frame_code(looked, i)->frame.code == ompdx_code_system)
		i++;
	return i;
}

/* What has called the system's code. The rest of the stack does not matter for that. */
static bool is_in_call(const struct looked *looked)
{
	const uint32_t i = frames_in_system(looked);

	return i > 0 && i < looked->count && code_is_program(frame_code(looked, i));
}

/* A region's code whose last call is of the system has no frame. */
static bool made_way_for_system(const struct looked *looked)
{
	const struct called_stack stack = {looked->tellings->codes, looked->code, looked->count,
					   looked->whole};
	const uint32_t i = frames_in_system(looked);

	return i > 0 && called_as_region(&stack, i - 1);
}

static uint32_t conclude(const struct looked *looked, uint32_t stack, const ompdx_sleep_t *sleep,
			 const ompdx_facts_t *facts)
{
	const ompdx_classification_t answer = judge(looked, sleep, facts);
	struct stack_told told = {.object = answer.object,
				  .stack = stack,
				  .caller = NONE,
				  .forks = NO_FORKS,
				  .state = (uint16_t)answer.state,
				  .wait = (uint8_t)answer.wait,
				  .construct = (uint8_t)answer.construct,
				  .doubt = (uint8_t)answer.doubt,
				  .whole = looked->whole,
				  .inside = is_inside(looked),
				  .in_call = is_in_call(looked)};

	if (answer.runtime != UINT32_MAX && answer.caller_frame < looked->count)
		told.caller = looked->code[answer.caller_frame];
	find_region(looked, &told);
	if (made_way_for_system(looked)) {
		told.state = OMPDX_STATE_WORK_PARALLEL;
		told.wait = ompdx_wait_none;
		told.construct = ompdx_construct_none;
		told.doubt = ompdx_doubt_none;
		told.caller = NONE;
	}
	if (told.doubt == ompdx_doubt_end_or_beginning)
		tell_end_from_beginning(looked, &told);
	return intern(&looked->tellings->told, &told, NULL);
}

/* Who is called is known, or never will be. */
static bool knows_calls(const struct looked *looked)
{
	for (uint32_t i = 0; i < looked->count; i++)
		if (frame_code(looked, i)->call_unresolved)
			return false;
	return true;
}

uint32_t tell(struct tellings *tellings, const struct frames *frames, const ompdx_sleep_t *sleep,
	      const ompdx_facts_t *facts)
{
	static struct looked looked;

	looked.tellings = tellings;
	looked.whole = frames->whole;
	looked.count = frames->count;
	for (uint32_t i = 0; i < frames->count; i++) {
		looked.code[i] = code_at(tellings->codes, frames->pc[i]);
		if (looked.code[i] == NONE)
			return NONE;
	}
	uint32_t stack = number_of_stack(&looked);

	if (stack == NONE)
		return NONE;
	if (sleep || facts)
		return conclude(&looked, stack, sleep, facts);
	/* Numbers grow one by one; a whole stack and a cut one with the same frames are not told apart here: which of them
	 * it is follows from its outermost place. */
	while (stack >= tellings->of_stack_capacity)
		tellings->of_stack =
			grow_array(tellings->of_stack, tellings->of_stack_capacity,
				   &tellings->of_stack_capacity, sizeof *tellings->of_stack);
	if (!tellings->of_stack[stack]) {
		const uint32_t number = conclude(&looked, stack, NULL, NULL);

		if (number == NONE)
			return NONE;
		/* Where libgomp calls a region's code is learnt from other stacks. */
		if (told_of(tellings, number)->doubt == ompdx_doubt_end_or_beginning ||
		    !knows_calls(&looked))
			return number;
		tellings->of_stack[stack] = number + 1;
	}
	return tellings->of_stack[stack] - 1;
}
