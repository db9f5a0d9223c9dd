/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/recovery.h"

#include <string.h>

#include "target/callbacks.h"
#include "target/limits.h"

#define WORD 8 /* the table's words are uint64_t, whatever the target's pointers are */

/* Behind the table (before it, when gcc laid it out in reverse) libomp defines ompd_dll_locations and
 * ompd_state. */
enum { AFTER_DLL_LOCATIONS, AFTER_STATE, AFTER_WORDS };

/* ompd_state is a set of flags of which libomp defines the lowest. */
#define OMPD_STATE_MAX 255

/* The exported __kmp_thread_pool, the table and the thread array's variable lie within 0x4fc0 to 0x5b58
 * bytes in the builds that were looked at. Used only when the image's own ranges are too large or unknown. */
#define WINDOW_BEFORE (64 * 1024)
#define WINDOW_AFTER (64 * 1024)

/* libomp makes a mask by setting the bit field in a zeroed 8-byte word: on a big-endian machine that is the
 * word's upper half. 0: no mask can be so. */
static uint64_t mask_in(const struct target *target, uint64_t word)
{
	if (!target->big_endian)
		return word;
	return (uint32_t)word ? 0 : word >> 32;
}

static void copy_table(const struct target *target, uint64_t *to, const uint64_t *from,
		       bool reversed)
{
	for (unsigned i = 0; i < TABLE_WORDS; i++)
		to[i] = from[reversed ? TABLE_WORDS - 1 - i : i];
	for (unsigned i = 0; i < BITFIELD_COUNT; i++)
		to[TABLE_MASKS + i] = mask_in(target, to[TABLE_MASKS + i]);
}

static bool all_zero(const uint64_t *words)
{
	for (unsigned i = 0; i < TABLE_WORDS; i++) {
		if (words[i])
			return false;
	}
	return true;
}

/* The masks in the middle refuse nearly every place at the cost of one word. */
static bool worth_a_look(const struct target *target, const uint64_t *at, bool reversed)
{
	const unsigned middle = TABLE_MASKS + BITFIELD_COUNT / 2;
	const uint64_t mask = mask_in(target, at[reversed ? TABLE_WORDS - 1 - middle : middle]);

	return mask != 0 && (mask & (mask - 1)) == 0 && mask <= UINT32_MAX;
}

/* The table at the published symbol of its first word, in either direction. */
static ompd_rc_t read_at_symbol(struct image *image, target_addr first, struct located_table *ret)
{
	const struct target *target = image->target;
	uint64_t words[TABLE_WORDS];
	bool empty = true;

	for (unsigned reversed = 0; reversed < 2; reversed++) {
		const target_addr start = reversed ? first - (TABLE_WORDS - 1) * WORD : first;
		const ompd_rc_t rc = target_read(target, start, sizeof(words), words);

		if (rc == ompd_rc_error)
			continue;
		if (rc != ompd_rc_ok)
			return rc;
		for (unsigned i = 0; i < TABLE_WORDS; i++)
			words[i] = target_decode(target, &words[i], WORD);
		copy_table(target, ret->words, words, reversed);
		if (table_plausible(ret->words, target->sizes.sizeof_pointer))
			return ompd_rc_ok;
		empty = empty && all_zero(words);
	}
	return empty ? ompd_rc_unavailable : ompd_rc_incompatible;
}

/* A linker may scatter what the source defines in a row: then each word by its own name. */
static ompd_rc_t read_by_symbols(struct image *image, struct located_table *ret)
{
	uint64_t words[TABLE_WORDS];

	for (unsigned i = 0; i < TABLE_WORDS; i++) {
		target_addr address;
		ompd_rc_t rc = image_symbol(image, table_symbol(i), &address);

		if (rc == ompd_rc_ok)
			rc = target_read_unsigned(image->target, address, WORD, &words[i]);
		if (rc != ompd_rc_ok)
			return rc;
	}
	if (all_zero(words))
		return ompd_rc_unavailable;
	copy_table(image->target, ret->words, words, false);
	return table_plausible(ret->words, image->target->sizes.sizeof_pointer)
		       ? ompd_rc_ok
		       : ompd_rc_incompatible;
}

/* incompatible: no symbols, or not of a table that can be right. */
static ompd_rc_t locate_published(struct image *image, struct located_table *ret)
{
	target_addr first;
	ompd_rc_t rc = image_symbol(image, table_symbol(0), &first);

	if (rc == ompd_rc_unavailable || rc == ompd_rc_error) {
		diagnostics_note(image->target->diagnostics, DIAGNOSTIC_symbols_absent,
				 table_symbol(0));
		return ompd_rc_incompatible;
	}
	if (rc != ompd_rc_ok)
		return rc;
	rc = read_at_symbol(image, first, ret);
	if (rc == ompd_rc_incompatible)
		rc = read_by_symbols(image, ret);
	if (rc == ompd_rc_unavailable) {
		diagnostics_note(image->target->diagnostics, DIAGNOSTIC_table_empty, NULL);
		ret->source = ompdx_descriptors_symbols;
		return rc;
	}
	if (rc == ompd_rc_incompatible || rc == ompd_rc_error) {
		diagnostics_note(image->target->diagnostics, DIAGNOSTIC_table_implausible, NULL);
		return ompd_rc_incompatible;
	}
	ret->source = ompdx_descriptors_symbols;
	return rc;
}

/* The part of the range around the address. */
static struct address_range window(struct address_range range, target_addr address)
{
	if (range.start + WINDOW_BEFORE < address)
		range.start = address - WINDOW_BEFORE;
	if (range.end > address + WINDOW_AFTER)
		range.end = address + WINDOW_AFTER;
	return range;
}

unsigned recovery_ranges(struct image *image, target_addr near, struct address_range *ranges)
{
	const struct address_range everything = {0, UINT64_MAX};
	const struct address_range *last;
	uint64_t total = 0;
	target_addr pool;

	for (unsigned i = 0; i < image->writable_count; i++) {
		const uint64_t size = image->writable[i].end - image->writable[i].start;

		ranges[i] = image->writable[i];
		/* Sizes are the target's: their sum may be more than a number holds. */
		total = size > UINT64_MAX - total ? UINT64_MAX : total + size;
	}
	if (image->writable_count && total <= RECOVERY_BYTES_MAX)
		return image->writable_count;
	for (unsigned i = 0; near && i < image->writable_count; i++) {
		if (near >= ranges[i].start && near < ranges[i].end) {
			ranges[0] = window(ranges[i], near);
			return 1;
		}
	}
	if (image_symbol(image, "__kmp_thread_pool", &pool) == ompd_rc_ok && pool > WINDOW_BEFORE) {
		ranges[0] = window(everything, pool);
		return 1;
	}
	if (image->writable_count == 0)
		return 0;
	/* A program that libomp is linked into: libraries come behind the program's own data. */
	last = &image->writable[image->writable_count - 1];
	ranges[0] = *last;
	if (last->end - last->start > EMBEDDED_BYTES_MAX)
		ranges[0].start = last->end - EMBEDDED_BYTES_MAX;
	return 1;
}

/* Page by page, since what was not dumped or not mapped may lie between what was. */
static ompd_rc_t read_readable_pages(struct image *image, target_addr start, size_t size,
				     uint8_t *bytes)
{
	const size_t page = 4096;
	bool read_any = false;
	size_t done = 0;

	while (done < size) {
		const size_t to_boundary = page - (size_t)((start + done) % page);
		const size_t part = to_boundary < size - done ? to_boundary : size - done;
		const ompd_rc_t rc = target_read(image->target, start + done, part, bytes + done);

		if (rc == ompd_rc_ok)
			read_any = true;
		else if (rc != ompd_rc_error)
			return rc;
		else
			memset(bytes + done, 0, part);
		done += part;
	}
	return read_any ? ompd_rc_ok : ompd_rc_error;
}

ompd_rc_t recovery_read(struct image *image, struct address_range range, uint64_t **words,
			size_t *count)
{
	const target_addr start = (range.start + WORD - 1) & ~(target_addr)(WORD - 1);
	const size_t number = range.end > start ? (size_t)(range.end - start) / WORD : 0;
	void *block = NULL;
	ompd_rc_t rc = callback_alloc(number + 1, WORD, &block);

	if (rc != ompd_rc_ok)
		return rc;
	rc = target_read(image->target, start, number * WORD, block);
	if (rc == ompd_rc_error) {
		diagnostics_note_address(image->target->diagnostics, DIAGNOSTIC_data_unreadable,
					 start);
		rc = read_readable_pages(image, start, number * WORD, block);
	}
	if (rc != ompd_rc_ok) {
		callback_free(block);
		return rc;
	}
	*words = block;
	*count = number;
	for (size_t i = 0; i < number; i++)
		(*words)[i] = target_decode(image->target, &(*words)[i], WORD);
	return ompd_rc_ok;
}

/* ompd_state stands beside the table; believed if what is there can be it. */
static target_addr state_beside(const uint64_t *words, size_t count, size_t at, target_addr start,
				bool reversed)
{
	const size_t after = reversed ? at : at + TABLE_WORDS;
	uint64_t dll_locations, state;
	size_t place;

	if (reversed ? at < AFTER_WORDS : after + AFTER_WORDS > count)
		return 0;
	place = reversed ? after - 1 - AFTER_STATE : after + AFTER_STATE;
	dll_locations =
		words[reversed ? after - 1 - AFTER_DLL_LOCATIONS : after + AFTER_DLL_LOCATIONS];
	state = words[place];
	if (dll_locations == 0 || state > OMPD_STATE_MAX)
		return 0;
	return start + place * WORD;
}

/* Counts the places in one range that can be the table; *ret is the last of them. */
static ompd_rc_t search_range(struct image *image, struct address_range range, unsigned *found,
			      struct located_table *ret)
{
	const target_addr start = (range.start + WORD - 1) & ~(target_addr)(WORD - 1);
	struct located_table candidate = {.source = ompdx_descriptors_recovered};
	uint64_t *words;
	size_t count;
	const ompd_rc_t rc = recovery_read(image, range, &words, &count);

	if (rc != ompd_rc_ok)
		return rc;
	for (size_t at = 0; at + TABLE_WORDS <= count; at++) {
		for (unsigned reversed = 0; reversed < 2; reversed++) {
			if (!worth_a_look(image->target, words + at, reversed))
				continue;
			copy_table(image->target, candidate.words, words + at, reversed);
			if (!table_plausible(candidate.words, image->target->sizes.sizeof_pointer))
				continue;
			candidate.ompd_state = state_beside(words, count, at, start, reversed);
			candidate.address = start + at * WORD;
			*ret = candidate;
			(*found)++;
		}
	}
	callback_free(words);
	return ompd_rc_ok;
}

static ompd_rc_t locate_recovered(struct image *image, struct located_table *ret)
{
	struct address_range ranges[IMAGE_WRITABLE_MAX];
	const unsigned count = recovery_ranges(image, 0, ranges);
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++) {
		const ompd_rc_t rc = search_range(image, ranges[i], &found, ret);

		if (rc != ompd_rc_ok && rc != ompd_rc_error)
			return rc;
	}
	if (found == 1)
		return ompd_rc_ok;
	diagnostics_note(image->target->diagnostics,
			 found ? DIAGNOSTIC_table_ambiguous : DIAGNOSTIC_table_not_found, NULL);
	return ompd_rc_unavailable;
}

ompd_rc_t table_locate(struct image *image, struct located_table *ret)
{
	ompd_rc_t rc;

	memset(ret, 0, sizeof(*ret));
	rc = locate_published(image, ret);
	if (rc == ompd_rc_incompatible)
		rc = locate_recovered(image, ret);
	return rc;
}

ompd_rc_t table_is_in(struct image *image)
{
	struct located_table table;

	return locate_recovered(image, &table);
}
