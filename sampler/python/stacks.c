/* SPDX-License-Identifier: Apache-2.0 */
#include "python/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/clocks.h"
#include "base/grow.h"
#include "names/names.h"

/* Threads of which it is tried whether a stack is theirs. */
#define STATES_MAX 256

/* A thread that runs is not read more often, and one of none that is known not again before this. */
#define READ_EVERY (20 * MILLISECOND)
#define SEARCH_EVERY SECOND

/* More of a stack is not compared. */
#define COMPARED_MAX (64 * 1024)

#define MAIN_CALLER "Py_BytesMain"

/* What the frames outside of a construct were when they were read last, and how many of them were the same each time. */
struct python_outer {
	uint64_t pc[FRAMES_MAX];
	uint32_t count, same_inner, same_outer;
	uint64_t native; /* of which native frames */
};

/* By native frames, the ones that were met last. */
#define OUTERS_MAX 8

struct python_thread {
	uint64_t state; /* 0: not known */
	uint64_t searched_at, read_at;
	struct python_outer *outers; /* OUTERS_MAX of them */
	uint32_t outer_count;        /* that were ever put in */
};

void python_init(struct python *python, struct images *images, struct memory *memory)
{
	*python = (struct python){.images = images, .memory = memory};
	python_objects_init(&python->objects, memory, &python->interpreter.layout);
}

void python_deinit(struct python *python)
{
	for (size_t i = 0; i < python->thread_count; i++)
		free(python->threads[i].outers);
	free(python->threads);
	python_objects_deinit(&python->objects);
}

static struct python_thread *thread_of(struct python *python, uint32_t number)
{
	while (number >= python->thread_count)
		python->threads = grow_array(python->threads, python->thread_count,
					     &python->thread_count, sizeof *python->threads);
	return &python->threads[number];
}

static bool is_interpreters(const struct python *python, uint64_t pc)
{
	return image_at(python->images, pc) == python->interpreter.image;
}

bool python_has(const struct python *python, uint32_t thread)
{
	return thread < python->thread_count && python->threads[thread].state;
}

/* Is the interpreter on the stack, from the frame on? */
static bool is_on(const struct python *python, const struct frames *frames, uint32_t from)
{
	for (uint32_t i = from; python->interpreter.image && i < frames->count; i++)
		if (is_interpreters(python, frames->pc[i]))
			return true;
	return false;
}

static bool put(struct frames *frames, uint64_t pc)
{
	if (frames->count == FRAMES_MAX)
		return false;
	frames->pc[frames->count++] = pc;
	return true;
}

/* The interpreter's program, where the interpreter is a library. */
static bool is_called_main(const struct python *python, const struct frames *native, uint32_t frame)
{
	struct image *inner = frame ? image_at(python->images, native->pc[frame - 1]) : NULL;

	if (!inner || inner != python->interpreter.image)
		return false;
	const char *symbol = name_function(inner, native->pc[frame - 1]).symbol;

	return symbol && strcmp(symbol, MAIN_CALLER) == 0;
}

/* Python's frames from the frame on: all of their marks have to be where calls of the interpreter's are. */
static bool join(const struct python *python, const struct frames *native, uint32_t from,
		 const struct python_stack *stack, struct frames *joined)
{
	uint32_t next = 0;

	joined->count = 0;
	while (next < stack->run_count && stack->runs[next].mark < native->sp[from])
		next++;
	if (next == stack->run_count)
		return false;
	for (uint32_t i = from; i < native->count; i++) {
		const struct python_run *run = next < stack->run_count ? &stack->runs[next] : NULL;
		const bool is_python = is_interpreters(python, native->pc[i]);

		if (run && run->mark < native->sp[i])
			return false;
		if (run && is_python && i + 1 < native->count && run->mark < native->sp[i + 1]) {
			for (uint32_t j = 0; j < run->count; j++)
				if (!put(joined, stack->places[run->first + j]))
					return false;
			next++;
		} else if (!is_python && !is_called_main(python, native, i) &&
			   !put(joined, native->pc[i])) {
			return false;
		}
	}
	return next == stack->run_count;
}

static bool read_and_join(struct python *python, uint64_t state, const struct frames *native,
			  uint32_t from, struct frames *joined)
{
	static struct python_stack stack;

	return python_read_stack(&python->objects, state, &stack) &&
	       join(python, native, from, &stack, joined);
}

/* Whose marks lie on the stack. */
static bool find_and_join(struct python *python, struct python_thread *thread,
			  const struct frames *native, uint32_t from, struct frames *joined)
{
	uint64_t states[STATES_MAX];

	if (thread->state && read_and_join(python, thread->state, native, from, joined))
		return true;
	if (now() - thread->searched_at < SEARCH_EVERY)
		return false;
	thread->searched_at = now();
	const uint32_t count =
		interpreter_states(&python->interpreter, python->memory, states, STATES_MAX);

	for (uint32_t i = 0; i < count; i++) {
		thread->state = states[i];
		if (read_and_join(python, states[i], native, from, joined))
			return true;
	}
	thread->state = 0;
	return false;
}

bool python_lay(struct python *python, uint32_t thread, struct frames *frames)
{
	static struct frames joined;

	if (!frames->whole || !is_on(python, frames, 0) ||
	    !find_and_join(python, thread_of(python, thread), frames, 0, &joined))
		return false;
	joined.whole = true;
	joined.beyond = false;
	*frames = joined;
	return true;
}

static uint64_t number_of(const struct frames *frames, uint32_t from)
{
	uint64_t number = frames->count - from;

	for (uint32_t i = from; i < frames->count; i++) {
		number = (number ^ frames->pc[i]) * UINT64_C(0x9E3779B97F4A7C15);
		number = (number ^ frames->sp[i] ^ number >> 32) * UINT64_C(0x9E3779B97F4A7C15);
	}
	return number;
}

/* From the frame's beginning on, up to where the outermost begins. */
static bool is_unchanged(const struct python *python, const struct frames *frames, uint32_t from,
			 const struct stack_copy *stack)
{
	static uint8_t bytes[COMPARED_MAX];
	const uint64_t begin = frames->sp[from], end = frames->sp[frames->count - 1];

	return begin >= stack->base && begin < end && end - begin <= sizeof bytes &&
	       end - stack->base <= stack->size &&
	       memory_read(python->memory, begin, end - begin, bytes) &&
	       memcmp(bytes, stack->bytes + (begin - stack->base), end - begin) == 0;
}

/* There are several ways by which it has come to the construct by the same native frames. */
static bool varies(const struct python_outer *outer)
{
	return outer->same_inner + outer->same_outer < outer->count || outer->same_outer;
}

static struct python_outer *outer_of(struct python_thread *thread, uint64_t native)
{
	for (uint32_t i = 0; i < OUTERS_MAX && i < thread->outer_count; i++)
		if (thread->outers[i].native == native)
			return &thread->outers[i];
	return NULL;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static struct python_outer *make_outer(struct python_thread *thread, uint64_t native)
{
	if (!thread->outers)
		thread->outers = take_memory(OUTERS_MAX, sizeof *thread->outers);
	struct python_outer *outer = &thread->outers[thread->outer_count++ % OUTERS_MAX];

	outer->native = native;
	outer->count = 0;
	return outer;
}

static void keep(struct python_outer *outer, const struct frames *joined)
{
	const uint32_t both = least(outer->count, joined->count);
	uint32_t inner = 0, out = 0;

	while (inner < both && outer->pc[inner] == joined->pc[inner])
		inner++;
	while (out < both - inner &&
	       outer->pc[outer->count - 1 - out] == joined->pc[joined->count - 1 - out])
		out++;
	if (!outer->count) {
		outer->same_inner = joined->count;
		outer->same_outer = 0;
	} else if (inner < both || outer->count != joined->count) {
		const bool varied = varies(outer);

		outer->same_inner = least(outer->same_inner, inner);
		outer->same_outer = varied ? least(outer->same_outer, out) : out;
	}
	memcpy(outer->pc, joined->pc, joined->count * sizeof *joined->pc);
	outer->count = joined->count;
}

/* is_read: of just this sample. */
static void lay_outer(const struct python_outer *outer, uint32_t from, bool is_read,
		      struct frames *frames)
{
	const bool whole = is_read || !varies(outer);
	const uint32_t inner = whole ? outer->count : outer->same_inner;

	if (from + outer->count + 1 > FRAMES_MAX)
		return;
	frames->count = from + inner;
	memcpy(frames->pc + from, outer->pc, inner * sizeof *outer->pc);
	if (whole)
		return;
	frames->pc[frames->count++] = PYTHON_UNTOLD;
	memcpy(frames->pc + frames->count, outer->pc + outer->count - outer->same_outer,
	       outer->same_outer * sizeof *outer->pc);
	frames->count += outer->same_outer;
}

void python_lay_behind(struct python *python, uint32_t number, uint32_t caller,
		       const struct stack_copy *stack, uint64_t at, struct frames *frames)
{
	static struct frames joined;
	const uint32_t from = caller + 1;

	if (!frames->whole || !is_on(python, frames, from))
		return;
	struct python_thread *thread = thread_of(python, number);
	const uint64_t native = number_of(frames, caller);
	struct python_outer *outer = outer_of(thread, native);
	bool is_read = false;

	if (at - thread->read_at >= READ_EVERY || (outer && varies(outer))) {
		thread->read_at = at;
		is_read = find_and_join(python, thread, frames, from, &joined) &&
			  is_unchanged(python, frames, from, stack);
	}
	if (is_read && !outer)
		outer = make_outer(thread, native);
	if (is_read)
		keep(outer, &joined);
	if (outer)
		lay_outer(outer, from, is_read, frames);
}
