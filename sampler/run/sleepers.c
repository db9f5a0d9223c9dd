/* SPDX-License-Identifier: Apache-2.0
 *
 * Why threads sleep: no clock samples them, their system call and their memory tell.
 */
#include <string.h>

#include "base/clocks.h"
#include "run/session.h"

/* Threads that are asleep are not looked at before they have slept that long: shorter sleeps are told by those that
 * happen to be met. */
#define SLEEP_LEAST (2 * MILLISECOND)

/* Before the budget tells how many may be. */
#define LOOKS_AT_ONCE 32

/* Of a sleeping thread's stack, from its pointer on. */
#define STACK_PAGES 16

/* A few words of it are wanted, and often far apart: pages are read when they are. */
struct live_stack {
	struct memory *memory;
	uint64_t first; /* its first page's address */
	uint32_t known, tried;
	uint8_t bytes[STACK_PAGES * PAGE_BYTES];
	struct stack_word words[KNOWN_WORDS_MAX]; /* that were read of it, if all could be */
	uint32_t word_count;
	bool missed;
};

static bool know_page(struct live_stack *stack, size_t page)
{
	const uint32_t bit = UINT32_C(1) << page;

	if (!(stack->tried & bit) && memory_read(stack->memory, stack->first + page * PAGE_BYTES,
						 PAGE_BYTES, stack->bytes + page * PAGE_BYTES))
		stack->known |= bit;
	stack->tried |= bit;
	return stack->known & bit;
}

static bool read_live_word(void *context, uint64_t address, uint64_t *value)
{
	struct live_stack *stack = context;
	const uint64_t at = address - stack->first;

	if (at > sizeof stack->bytes - sizeof *value || !know_page(stack, at / PAGE_BYTES) ||
	    !know_page(stack, (at + sizeof *value - 1) / PAGE_BYTES))
		return memory_read(stack->memory, address, sizeof *value, value);
	memcpy(value, stack->bytes + at, sizeof *value);
	return true;
}

static bool read_and_note(void *context, uint64_t address, uint64_t *value)
{
	struct live_stack *stack = context;

	if (!read_live_word(stack, address, value)) {
		stack->missed = true;
		return false;
	}
	stack->missed |= stack->word_count == KNOWN_WORDS_MAX;
	if (!stack->missed)
		stack->words[stack->word_count++] = (struct stack_word){address, *value};
	return true;
}

static bool read_word_now(void *context, uint64_t address, uint64_t *value)
{
	return memory_read(context, address, sizeof *value, value);
}

static bool sleeps_still(const struct session *session, struct thread *thread,
			 const struct system_call *call)
{
	struct system_call again;

	return process_call(&session->process, thread->lwp, &thread->files, &again) ==
		       CALL_SLEEPS &&
	       again.pc == call->pc && again.sp == call->sp && again.number == call->number &&
	       memcmp(again.arguments, call->arguments, sizeof again.arguments) == 0;
}

/* It sleeps in a function without a frame. What is found has to lead to the stack's end by the way that was seen, and the
 * thread has to have slept while that was copied. */
static void look_behind_leaf(struct session *session, struct thread *thread,
			     const struct system_call *call, struct registers registers,
			     struct frames *frames)
{
	static struct frames behind;
	static uint8_t bytes[8192];
	const struct word_source live = {read_word_now, &session->memory};
	const struct stack_copy stack = {
		bytes, call->sp, memory_read_some(&session->memory, call->sp, sizeof bytes, bytes),
		&live};
	uint64_t outer;

	if (stack.size < LEAF_CALLER_BYTES || !sleeps_still(session, thread, call) ||
	    !leaf_caller(&session->leaf_callers, call->pc, bytes, &registers.value[this_machine.pc],
			 &outer))
		return;
	unwind_behind(session->unwinder, call->pc, registers, &stack, &behind);
	if (behind.whole && behind.count > 2 && behind.pc[2] == outer - 1)
		*frames = behind;
}

static void look_at_stack(struct session *session, struct thread *thread,
			  const struct system_call *call, struct frames *frames)
{
	static struct live_stack stack;
	const struct word_source live = {read_and_note, &stack};
	const struct stack_copy none = {NULL, call->sp, 0, &live};
	struct registers registers = {.known = UINT64_C(1) << this_machine.sp |
					       UINT64_C(1) << this_machine.pc};

	/* Where Python's frames belong, the places of native frames alone do not tell. */
	if (!python_has(&session->python, thread->number) &&
	    known_stack_holds(&thread->stack, call->sp, call->pc, session->images.fingerprint,
			      &session->memory)) {
		frames->count = thread->stack.frame_count;
		frames->whole = true;
		frames->beyond = false;
		memcpy(frames->pc, thread->stack.frames, frames->count * sizeof *frames->pc);
		return;
	}
	stack.memory = &session->memory;
	stack.word_count = 0;
	stack.missed = false;
	stack.first = call->sp - call->sp % PAGE_BYTES;
	stack.known = stack.tried = 0;
	registers.value[this_machine.sp] = call->sp;
	registers.value[this_machine.pc] = call->pc;
	unwind(session->unwinder, registers, &none, frames);
	if (frames->whole && !stack.missed)
		known_stack_keep(&thread->stack,
				 (struct known_stack){.sp = call->sp,
						      .pc = call->pc,
						      .images = session->images.fingerprint,
						      .words = stack.words,
						      .frames = frames->pc,
						      .word_count = stack.word_count,
						      .frame_count = frames->count});
	if (frames->count == 1 && !frames->whole)
		look_behind_leaf(session, thread, call, registers, frames);
}

/* What libgomp's threads sleep on tells more than their stacks. false: it has to be looked at later. */
static bool sleep_of(struct session *session, const struct thread *thread,
		     const struct system_call *call, ompdx_sleep_t *sleep, ompdx_facts_t *facts,
		     const ompdx_sleep_t **used)
{
	uint32_t word;

	*used = NULL;
	if (thread->runtime == NONE || !pictures_facts(&session->pictures, thread, facts) ||
	    facts->runtime_kind != ompdx_runtime_gomp)
		return true;
	if (session->pictures.taken_at < thread->timeline.sleep_began)
		return false;
	sleep->size = sizeof *sleep;
	if (ompdx_decode_sleep(this_machine.elf_machine, (uint64_t)call->number, call->arguments,
			       sleep) != ompd_rc_ok)
		return true;
	if (memory_read(&session->memory, sleep->address, sizeof word, &word)) {
		sleep->now = word;
		sleep->now_known = 1;
	}
	*used = sleep;
	return true;
}

/* How far back a look tells. */
static uint64_t reach(const struct session *session)
{
	return REACH_SLEEP * session->tick * session->sleeper_turns;
}

/* What is read of a thread that has awoken meanwhile is not of one moment. */
static void look_at_python(struct session *session, struct thread *thread,
			   const struct system_call *call, struct frames *frames)
{
	static struct frames laid;

	laid = *frames;
	if (python_lay(&session->python, thread->number, &laid) &&
	    sleeps_still(session, thread, call))
		*frames = laid;
}

/* Its system call, its stack: nothing is stopped. */
static void look_at_sleeper(struct session *session, struct thread *thread, uint64_t at)
{
	static struct frames frames;
	struct system_call call;
	ompdx_sleep_t sleep = {0};
	ompdx_facts_t facts;
	const ompdx_sleep_t *used;

	if (process_call(&session->process, thread->lwp, &thread->files, &call) != CALL_SLEEPS ||
	    !sleep_of(session, thread, &call, &sleep, &facts, &used))
		return;
	look_at_stack(session, thread, &call, &frames);
	session_count_stack(session, thread, &frames);
	look_at_python(session, thread, &call, &frames);
	uint32_t told = tell(&session->tellings, &frames, used, used ? &facts : NULL);

	if (told == NONE)
		return;
	session_learn(session, thread, at, told);
	thread->asleep_samples++;
	timeline_sample(&thread->timeline, at, PIECE_ASLEEP, told, reach(session), reach(session));
}

/* Its memory may not be read: it sleeps in what it was met in last, if that was waiting. */
static void guess_sleeper(struct session *session, struct thread *thread, uint64_t at)
{
	if (thread->last_told == NONE ||
	    told_of(&session->tellings, thread->last_told)->wait == ompdx_wait_none)
		return;
	timeline_sample(&thread->timeline, at, PIECE_ASLEEP, thread->last_told, reach(session),
			reach(session));
}

void session_begin_looks(struct session *session)
{
	const uint32_t turns = 1 + session->threads.living_count / LOOKS_AT_ONCE;

	session->sleeper_turns = turns < SLEEPER_TURNS_MOST ? turns : SLEEPER_TURNS_MOST;
}

static bool has_slept(const struct timeline *timeline, uint64_t at)
{
	return timeline->kind == PIECE_ASLEEP && at - timeline->sleep_began >= SLEEP_LEAST;
}

static void look(struct session *session, struct thread *thread, uint64_t at)
{
	thread->missed_look = false;
	if (session->memory.readable)
		look_at_sleeper(session, thread, at);
	else
		guess_sleeper(session, thread, at);
}

/* Those that were awake when it was their turn: else they would stay untold for two rounds. Returns how many looks are left. */
static uint32_t look_at_missed(struct session *session, uint64_t at, uint32_t looks)
{
	const struct threads *threads = &session->threads;

	for (uint32_t i = 0; i < threads->living_count; i++) {
		struct thread *thread = threads->all[threads->living[i]];

		if (!has_slept(&thread->timeline, at))
			continue;
		if (thread->timeline.sleep_told != NONE) {
			session_want_lock(session, thread, at, thread->timeline.sleep_told);
		} else if (looks && thread->missed_look) {
			look(session, thread, at);
			looks--;
		}
	}
	return looks;
}

/* The next ones in turn, of those of which it is not known yet why they sleep. */
static void look_in_turn(struct session *session, uint64_t at, uint32_t looks)
{
	const struct threads *threads = &session->threads;

	for (uint32_t i = 0; looks && i < threads->living_count; i++) {
		const uint32_t turn = session->sleeper_turn++ % threads->living_count;
		struct thread *thread = threads->all[threads->living[turn]];

		if (thread->timeline.sleep_told != NONE)
			continue;
		if (!has_slept(&thread->timeline, at)) {
			thread->missed_look = true;
			continue;
		}
		look(session, thread, at);
		looks--;
	}
}

void session_look_at_sleepers(struct session *session, uint64_t at)
{
	const uint64_t before = own_processor_time();
	const uint32_t turns = session->sleeper_turns;
	const uint32_t looks = (session->threads.living_count + turns - 1) / turns;

	look_in_turn(session, at, look_at_missed(session, at, looks));
	session->sleeper_processor += own_processor_time() - before;
}
