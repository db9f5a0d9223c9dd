/* SPDX-License-Identifier: Apache-2.0 */
#include "python/frames.h"

#include <string.h>

/* Since 3.12: who has a frame that is none of Python's, but the interpreter's own. */
#define OWN_FRAME 3
/* Those that are hidden take no room: a list of them may be a circle. */
#define LISTED_MAX (2 * FRAMES_MAX)
/* Bits of a reference, since 3.14. */
#define REFERENCE_TAG UINT64_C(7)

struct reading {
	struct python_objects *objects;
	struct python_stack *stack;
	uint64_t marks[PYTHON_RUNS_MAX]; /* CFrames, where there are */
	uint32_t mark_count, next_mark;
};

/* A frame's members. */
struct frame {
	uint64_t caller, code, instruction;
	bool is_own, is_entry;
};

static bool read_word(const struct reading *reading, uint64_t address, uint64_t *word)
{
	return memory_read(reading->objects->memory, address, sizeof *word, word);
}

static bool read_frame(const struct reading *reading, uint64_t address, struct frame *frame)
{
	const struct python_layout *layout = reading->objects->layout;
	uint8_t bytes[PYTHON_MOST_OFFSET + 8];
	uint32_t end = layout->caller > layout->code ? layout->caller : layout->code;

	end = layout->instruction > end ? layout->instruction : end;
	end += 8;
	if (layout->owner != NO_MEMBER && layout->owner >= end)
		end = layout->owner + 1;
	if (!memory_read(reading->objects->memory, address, end, bytes))
		return false;
	memcpy(&frame->caller, bytes + layout->caller, sizeof frame->caller);
	memcpy(&frame->code, bytes + layout->code, sizeof frame->code);
	memcpy(&frame->instruction, bytes + layout->instruction, sizeof frame->instruction);
	frame->is_own = layout->minor >= 12 && bytes[layout->owner] >= OWN_FRAME;
	frame->is_entry = layout->is_entry != NO_MEMBER && bytes[layout->is_entry];
	if (layout->minor >= 14)
		frame->code &= ~REFERENCE_TAG;
	return true;
}

static bool put_frame(const struct reading *reading, const struct frame *frame)
{
	struct python_stack *stack = reading->stack;
	uint64_t place;

	switch (python_place_of(reading->objects, frame->code, frame->instruction, &place)) {
	case PYTHON_FOUND:
		if (stack->place_count == FRAMES_MAX)
			return false;
		stack->places[stack->place_count++] = place;
		return true;
	case PYTHON_HIDDEN:
		return true;
	default:
		return false;
	}
}

/* Of all places since the last one. */
static bool put_run(const struct reading *reading, uint64_t mark)
{
	struct python_stack *stack = reading->stack;
	const struct python_run *last = &stack->runs[stack->run_count - 1];
	const uint32_t first = stack->run_count ? last->first + last->count : 0;

	if (stack->run_count == PYTHON_RUNS_MAX)
		return false;
	stack->runs[stack->run_count++] =
		(struct python_run){mark, first, stack->place_count - first};
	return true;
}

/* The outermost one is in the thread's state, and no call's. */
static bool read_marks(struct reading *reading, uint64_t state)
{
	const struct python_layout *layout = reading->objects->layout;
	const uint64_t root = state + layout->root_cframe;
	uint64_t address;

	if (!read_word(reading, state + layout->cframe, &address))
		return false;
	while (address != root) {
		if (reading->mark_count == PYTHON_RUNS_MAX)
			return false;
		reading->marks[reading->mark_count++] = address;
		if (!read_word(reading, address + layout->cframe_previous, &address))
			return false;
	}
	return true;
}

static bool take_mark(struct reading *reading)
{
	return reading->next_mark < reading->mark_count &&
	       put_run(reading, reading->marks[reading->next_mark++]);
}

/* Each frame of the list, up to the end of the list, is put where its release says that it belongs. */
static bool read_list(struct reading *reading, uint64_t address)
{
	const struct python_layout *layout = reading->objects->layout;
	struct frame frame;

	for (uint32_t count = 0; address; count++) {
		if (count == LISTED_MAX || !read_frame(reading, address, &frame))
			return false;
		if (frame.is_own) {
			if (!put_run(reading, address))
				return false;
		} else if (!put_frame(reading, &frame) ||
			   ((layout->minor == 10 || frame.is_entry) && !take_mark(reading))) {
			return false;
		}
		address = frame.caller;
	}
	const struct python_stack *stack = reading->stack;

	/* Frames that no call has begun. */
	return stack->run_count
		       ? stack->place_count == stack->runs[stack->run_count - 1].first +
						       stack->runs[stack->run_count - 1].count
		       : !stack->place_count;
}

static uint32_t count_frames(const struct reading *reading, uint64_t address)
{
	uint32_t count = 0;

	while (address && count < FRAMES_MAX &&
	       read_word(reading, address + reading->objects->layout->caller, &address))
		count++;
	return count;
}

/* A call announces its CFrame before it has put its frame there, and takes it back before: what is there is believed only if it
 * leads to the frame of the next CFrame. */
static bool begins_at(const struct reading *reading, uint64_t address, uint64_t outer)
{
	struct frame frame;

	for (uint32_t i = 0; i < FRAMES_MAX && address; i++) {
		uint64_t place;

		if (!read_frame(reading, address, &frame))
			return false;
		if (frame.is_own)
			return frame.caller == outer;
		if (python_place_of(reading->objects, frame.code, frame.instruction, &place) ==
		    PYTHON_UNREADABLE)
			return false;
		if (frame.is_entry)
			return frame.caller == outer;
		address = frame.caller;
	}
	return false;
}

/* The innermost frame of 3.11 and 3.12. */
static bool find_innermost(struct reading *reading, uint64_t state, uint64_t *first)
{
	const struct python_layout *layout = reading->objects->layout;
	uint64_t outer = state + layout->root_cframe;

	if (!read_marks(reading, state))
		return false;
	if (!reading->mark_count)
		return read_word(reading, outer + layout->cframe_frame, first);
	if (reading->mark_count > 1)
		outer = reading->marks[1];
	if (!read_word(reading, outer + layout->cframe_frame, &outer))
		return false;
	if (read_word(reading, reading->marks[0] + layout->cframe_frame, first) &&
	    begins_at(reading, *first, outer))
		return true;
	*first = outer;
	reading->next_mark = 1;
	return true;
}

bool python_read_stack(struct python_objects *objects, uint64_t state, struct python_stack *stack)
{
	const struct python_layout *layout = objects->layout;
	struct reading reading = {.objects = objects, .stack = stack};
	uint64_t first;

	stack->place_count = stack->run_count = 0;
	if (layout->frame == NO_MEMBER || layout->minor > 10) {
		if (layout->cframe != NO_MEMBER
			    ? !find_innermost(&reading, state, &first)
			    : !read_word(&reading, state + layout->frame, &first))
			return false;
		return read_list(&reading, first);
	}
	/* 3.9 leaves no marks. In 3.10 each call executes one frame; the outermost ones belong together. */
	if (layout->cframe == NO_MEMBER || !read_marks(&reading, state) ||
	    !read_word(&reading, state + layout->frame, &first))
		return false;
	const uint32_t count = count_frames(&reading, first);

	if (reading.mark_count == count + 1)
		reading.next_mark = 1;
	return reading.mark_count - reading.next_mark == count && read_list(&reading, first);
}
