/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/frame_pointer.h"

#include <string.h>

#include "inference/call_target.h"
#include "inference/instruction.h"

#if defined __x86_64__

/* Of a longer function the rest is not looked at. */
#define CODE_BYTES 16384
/* Arguments that a call may have on the stack. */
#define ARGUMENTS_MAX 16
/* Of an instruction that calls. */
#define CALL_BYTES_MAX 7

struct beginning {
	struct frame_size frame;
	unsigned pushed; /* registers that a function keeps for its caller, a bit each */
	bool moved;
};

/* push %rbx, %r12 to %r15: other ones are arguments of a call. */
static bool pushes_kept(const uint8_t *code, size_t length, unsigned *bit)
{
	if (length == 1 && code[0] == 0x53) {
		*bit = 1;
		return true;
	}
	*bit = length == 2 && code[0] == 0x41 && code[1] >= 0x54 && code[1] <= 0x57
		       ? 1U << (code[1] & 7)
		       : 0;
	return *bit != 0;
}

/* sub or and $VALUE,%rsp, by its second and third byte. */
static bool changes_sp(const uint8_t *code, size_t length, uint8_t operation, int32_t *value)
{
	if (length < 4 || code[0] != 0x48 || code[2] != operation)
		return false;
	if (code[1] == 0x83 && length == 4) {
		*value = (int8_t)code[3];
		return true;
	}
	if (code[1] != 0x81 || length != 7)
		return false;
	memcpy(value, code + 3, sizeof *value);
	return true;
}

/* call, jmp, ret, and jumps on a condition: what follows them need not be executed. */
static bool leaves(const uint8_t *code)
{
	return code[0] == 0xe8 || code[0] == 0xe9 || code[0] == 0xeb || code[0] == 0xc3 ||
	       code[0] == 0xff || code[0] >> 4 == 7 || (code[0] == 0x0f && code[1] >> 4 == 8);
}

/* mov or sub REGISTER,%rsp, in both of their forms: room for what has a size that only the program knows. */
static bool moves_sp_by_register(const uint8_t *code, size_t length)
{
	if (length != 3 || (code[0] & 0xfa) != 0x48)
		return false;
	if (code[1] == 0x89 || code[1] == 0x29)
		return (code[0] & 1) == 0 && (code[2] & 0xc7) == 0xc4;
	return (code[1] == 0x8b || code[1] == 0x2b) && (code[0] & 4) == 0 &&
	       (code[2] & 0xf8) == 0xe0;
}

static void take(struct beginning *begun, const uint8_t *code, size_t length)
{
	unsigned bit;
	int32_t value;

	if (pushes_kept(code, length, &bit)) {
		begun->frame.least += begun->pushed & bit ? 0 : 8;
		begun->pushed |= bit;
	} else if (!begun->moved && changes_sp(code, length, 0xec, &value) && value > 0) {
		begun->frame.least += (uint32_t)value;
		begun->moved = true;
	} else if (!begun->frame.more && changes_sp(code, length, 0xe4, &value) && value < 0 &&
		   value >= -4096) {
		begun->frame.more = (uint32_t)-value;
	}
}

/* push %rbp; mov %rsp,%rbp, and how the stack is moved behind that. Compilers put other instructions in between. */
static struct frame_size size_of_frame(const uint8_t *code, size_t size)
{
	struct beginning begun = {.moved = false};
	bool pushed = false, left = false;

	for (size_t at = 0, length; (length = instruction_length(code + at, size - at));
	     at += length) {
		const uint8_t *one = code + at;

		if (moves_sp_by_register(one, length))
			return (struct frame_size){.known = false};
		left |= begun.frame.known && leaves(one);
		if (begun.frame.known && !left)
			take(&begun, one, length);
		pushed |= length == 1 && one[0] == 0x55;
		begun.frame.known |= pushed && length == 3 &&
				     (memcmp(one, "\x48\x89\xe5", 3) == 0 ||
				      memcmp(one, "\x48\x8b\xec", 3) == 0);
	}
	return begun.frame;
}

static const struct frame_place *place_at(struct frame_pointers *pointers, uint64_t pc)
{
	struct frame_place *place = &pointers->known[pc % FRAME_PLACES];
	static uint8_t code[CODE_BYTES];
	uint64_t end;

	if (place->pc == pc)
		return place;
	*place = (struct frame_place){.pc = pc};
	if (images_function(pointers->images, pc, &place->function, &end) &&
	    place->function <= pc) {
		const uint64_t size =
			pc - place->function < sizeof code ? pc - place->function : sizeof code;

		place->size =
			size_of_frame(code, memory_read_some(pointers->images->memory,
							     place->function, (size_t)size, code));
	}
	return place;
}

/* call ADDRESS, or by a register or by memory. */
static bool is_behind_call(const struct images *images, uint64_t returns)
{
	uint8_t code[CALL_BYTES_MAX];

	if (!image_at(images, returns - 1) ||
	    !memory_read(images->memory, returns - sizeof code, sizeof code, code))
		return false;
	if (code[sizeof code - 5] == 0xe8)
		return true;
	for (size_t length = 2; length <= sizeof code; length++) {
		const uint8_t *call = code + sizeof code - length;
		const size_t at = (call[0] & 0xf0) == 0x40; /* REX */

		if (length > at + 1 && call[at] == 0xff && (call[at + 1] >> 3 & 7) == 2 &&
		    instruction_length(call, length) == length)
			return true;
	}
	return false;
}

/* The first place that fits, from where the function's beginning puts it. Where the stack was aligned, words lie in between
 * that are left from before: there the only return address behind a call of this function is it. */
bool frame_pointer_find(void *context, uint64_t pc, uint64_t sp, const struct word_source *words,
			uint64_t *fp)
{
	struct frame_pointers *pointers = context;
	const struct frame_place *place = place_at(pointers, pc);
	const uint64_t most = place->size.least + place->size.more + 8 * ARGUMENTS_MAX;
	unsigned found = 0;
	uint64_t returns;

	if (!place->size.known)
		return false;
	for (uint64_t at = place->size.least; at <= most; at += 8) {
		if (!words->read(words->context, sp + at + 8, &returns))
			break;
		if (!is_behind_call(pointers->images, returns) ||
		    (place->size.more &&
		     call_target_read(pointers->images->memory, returns).address !=
			     place->function))
			continue;
		*fp = sp + at;
		found++;
		if (!place->size.more)
			break;
	}
	return found == 1;
}

#else

bool frame_pointer_find(void *context, uint64_t pc, uint64_t sp, const struct word_source *words,
			uint64_t *fp)
{
	(void)context;
	(void)pc;
	(void)sp;
	(void)words;
	(void)fp;
	return false;
}

#endif
