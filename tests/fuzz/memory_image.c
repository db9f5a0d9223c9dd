/* SPDX-License-Identifier: Apache-2.0 */
#include "memory_image.h"

#include <stdlib.h>
#include <string.h>

/* Every seed has so many zeros, for counts that are too large: memory that is there, and costs nothing. */
#define ZEROS_ADDRESS 0x10000000u
#define ZEROS_LENGTH (UINT64_C(64) << 20)

struct cursor {
	const uint8_t *at;
	size_t left;
};

static bool take(struct cursor *cursor, unsigned size, uint64_t *ret)
{
	if (cursor->left < size)
		return false;
	*ret = 0;
	for (unsigned i = 0; i < size; i++)
		*ret |= (uint64_t)cursor->at[i] << (8 * i);
	cursor->at += size;
	cursor->left -= size;
	return true;
}

static void append(struct memory_range **ranges, size_t *count, struct memory_range range)
{
	/* Powers of two are the capacities. */
	if ((*count & (*count - 1)) == 0) {
		*ranges = realloc(*ranges, (*count ? *count * 2 : 1) * sizeof(range));
		if (!*ranges)
			abort();
	}
	(*ranges)[(*count)++] = range;
}

static int by_address(const void *a, const void *b)
{
	const struct memory_range *left = a, *right = b;

	return left->address < right->address ? -1 : left->address > right->address;
}

static void drop_overlaps(struct memory_image *image)
{
	size_t kept = 0;

	if (image->range_count)
		qsort(image->ranges, image->range_count, sizeof(*image->ranges), by_address);
	for (size_t i = 0; i < image->range_count; i++) {
		const struct memory_range *last = kept ? &image->ranges[kept - 1] : NULL;
		const struct memory_range range = image->ranges[i];

		if (!last || range.address - last->address >= last->length)
			image->ranges[kept++] = range;
	}
	image->range_count = kept;
}

static bool parse_range(struct cursor *cursor, bool with_bytes, struct memory_range *ret)
{
	uint64_t address, length;

	if (!take(cursor, 8, &address) || !take(cursor, 4, &length))
		return false;
	if (with_bytes && length > cursor->left)
		length = cursor->left;
	if (length > UINT64_MAX - address)
		length = UINT64_MAX - address;
	ret->address = address;
	ret->length = length;
	ret->bytes = with_bytes ? cursor->at : NULL;
	ret->place = 0;
	if (with_bytes) {
		cursor->at += length;
		cursor->left -= length;
	}
	return length != 0;
}

static bool parse_symbol(struct memory_image *image, struct cursor *cursor)
{
	struct image_symbol *symbol = &image->symbols[image->symbol_count];
	uint64_t length;

	if (image->symbol_count == IMAGE_SYMBOLS_MAX || !take(cursor, 8, &symbol->address) ||
	    !take(cursor, 1, &length) || length >= IMAGE_NAME_SIZE || length > cursor->left)
		return false;
	memcpy(symbol->name, cursor->at, length);
	symbol->name[length] = '\0';
	cursor->at += length;
	cursor->left -= length;
	image->symbol_count++;
	return true;
}

static bool parse_item(struct memory_image *image, struct cursor *cursor)
{
	struct image_thread *thread = &image->threads[image->thread_count];
	struct memory_range range;
	uint64_t tag, flags;

	if (!take(cursor, 1, &tag))
		return false;
	switch (tag) {
	case 'F':
		if (!take(cursor, 1, &flags))
			return false;
		image->flags = (unsigned)flags;
		return true;
	case 'M':
	case 'Z':
		if (!parse_range(cursor, tag == 'M', &range))
			return false;
		append(&image->ranges, &image->range_count, range);
		return true;
	case 'H':
		if (!parse_range(cursor, false, &range))
			return false;
		append(&image->read_at_once, &image->read_count, range);
		image->read_total += range.length;
		return true;
	case 'S':
		return parse_symbol(image, cursor);
	case 'T':
		if (image->thread_count == IMAGE_THREADS_MAX ||
		    !take(cursor, 8, &thread->pthread_id) || !take(cursor, 8, &thread->lwp))
			return false;
		image->thread_count++;
		return true;
	default:
		return false;
	}
}

void image_parse(struct memory_image *image, const uint8_t *data, size_t size)
{
	struct cursor cursor = {data, size};

	memset(image, 0, sizeof(*image));
	while (parse_item(image, &cursor))
		;
	drop_overlaps(image);
}

void image_parse_seed(struct memory_image *image, const uint8_t *data, size_t size)
{
	static const struct memory_range zeros = {.address = ZEROS_ADDRESS, .length = ZEROS_LENGTH};

	image_parse(image, data, size);
	append(&image->ranges, &image->range_count, zeros);
	drop_overlaps(image);
	for (size_t i = 0; i < image->range_count; i++) {
		if (image->ranges[i].bytes)
			image->memory_size += image->ranges[i].length;
	}
	image->memory = calloc(2, image->memory_size);
	if (!image->memory)
		abort();
	image->pristine = image->memory + image->memory_size;
	image->memory_size = 0;
	for (size_t i = 0; i < image->range_count; i++) {
		struct memory_range *range = &image->ranges[i];

		if (!range->bytes)
			continue;
		range->place = image->memory_size;
		memcpy(image->pristine + range->place, range->bytes, range->length);
		range->bytes = image->memory + range->place;
		image->memory_size += range->length;
	}
	image_undo_patches(image);
}

void image_deinit(struct memory_image *image)
{
	free(image->ranges);
	free(image->read_at_once);
	free(image->memory);
	memset(image, 0, sizeof(*image));
}

/* The range with address in it, or NULL. */
static const struct memory_range *range_of(const struct memory_image *image, uint64_t address)
{
	size_t first = 0, last = image->range_count;

	while (first < last) {
		const size_t middle = first + (last - first) / 2;
		const struct memory_range *range = &image->ranges[middle];

		if (address < range->address)
			last = middle;
		else if (address - range->address >= range->length)
			first = middle + 1;
		else
			return range;
	}
	return NULL;
}

static bool in_hole(const struct memory_image *image, uint64_t address, uint64_t length)
{
	for (size_t i = 0; i < image->hole_count; i++) {
		const struct memory_range *hole = &image->holes[i];

		if (address < hole->address + hole->length && hole->address < address + length)
			return true;
	}
	return false;
}

bool image_read(const struct memory_image *image, uint64_t address, uint64_t length, void *buffer)
{
	uint8_t *to = buffer;

	if (length > UINT64_MAX - address || in_hole(image, address, length))
		return false;
	while (length) {
		const struct memory_range *range = range_of(image, address);
		uint64_t inside, part;

		if (!range)
			return false;
		inside = address - range->address;
		part = range->length - inside < length ? range->length - inside : length;
		if (range->bytes)
			memcpy(to, range->bytes + inside, part);
		else
			memset(to, 0, part);
		to += part;
		address += part;
		length -= part;
	}
	return true;
}

/* ---- Patches ---- */

enum operation {
	OPERATION_BYTES,     /* the argument's four bytes */
	OPERATION_STRUCTURE, /* a pointer to the structure that was read as number `argument` */
	OPERATION_INSIDE,    /* a pointer into what was read */
	OPERATION_COPY,      /* the word that stands elsewhere in what was read */
	OPERATION_INT,       /* the argument as an int of 4 bytes, in the image's byte order */
	OPERATION_WORD,      /* the argument as a word, sign-extended */
	OPERATION_HOLE,      /* unreadable: up to 65,536 bytes */
	OPERATION_FILL,      /* up to 4,096 times the same byte */
	OPERATION_ZEROS,     /* a pointer into the zeros that every seed has */
	OPERATION_COUNT
};
/* The place is one of the whole memory, not of what libompd read when the seed was made. */
#define OPERATION_ANYWHERE 0x80u

/* Where byte number `place` of what was read stands. */
static uint64_t address_read(const struct memory_image *image, uint64_t place)
{
	if (image->read_total == 0)
		return 0;
	place %= image->read_total;
	for (size_t i = 0; i < image->read_count; i++) {
		if (place < image->read_at_once[i].length)
			return image->read_at_once[i].address + place;
		place -= image->read_at_once[i].length;
	}
	return 0;
}

static uint64_t address_anywhere(const struct memory_image *image, uint64_t place)
{
	if (image->memory_size == 0)
		return 0;
	place %= image->memory_size;
	for (size_t i = 0; i < image->range_count; i++) {
		const struct memory_range *range = &image->ranges[i];

		if (!range->bytes)
			continue;
		if (place < range->length)
			return range->address + place;
		place -= range->length;
	}
	return 0;
}

static void write_byte(struct memory_image *image, uint64_t address, uint8_t byte)
{
	const struct memory_range *range = range_of(image, address);

	if (range && range->bytes)
		image->memory[range->place + (address - range->address)] = byte;
}

static void write_number(struct memory_image *image, uint64_t address, unsigned size,
			 uint64_t value)
{
	address -= address % size;
	for (unsigned i = 0; i < size; i++) {
		const unsigned shift = image->flags & FLAG_BIG_ENDIAN ? size - 1 - i : i;

		write_byte(image, address + i, (uint8_t)(value >> (8 * shift)));
	}
}

static void apply(struct memory_image *image, const uint8_t *patch)
{
	const unsigned width = image->flags & FLAG_POINTERS_OF_4 ? 4 : 8;
	struct cursor cursor = {patch + 1, PATCH_SIZE - 1};
	uint64_t place = 0, argument = 0, address, from;

	(void)take(&cursor, 3, &place);
	(void)take(&cursor, 4, &argument);
	address = patch[0] & OPERATION_ANYWHERE ? address_anywhere(image, place)
						: address_read(image, place);
	switch ((enum operation)((patch[0] & 0x7fu) % OPERATION_COUNT)) {
	case OPERATION_BYTES:
		for (unsigned i = 0; i < 4; i++)
			write_byte(image, address + i, patch[4 + i]);
		break;
	case OPERATION_STRUCTURE:
		if (image->read_count)
			write_number(image, address, width,
				     image->read_at_once[argument % image->read_count].address);
		break;
	case OPERATION_INSIDE:
		write_number(image, address, width, address_read(image, argument));
		break;
	case OPERATION_COPY:
		from = address_read(image, argument);
		from -= from % width;
		address -= address % width;
		for (unsigned i = 0; i < width; i++) {
			uint8_t byte = 0;

			(void)image_read(image, from + i, 1, &byte);
			write_byte(image, address + i, byte);
		}
		break;
	case OPERATION_INT:
		write_number(image, address, 4, argument);
		break;
	case OPERATION_WORD:
		write_number(image, address, width, (uint64_t)(int64_t)(int32_t)argument);
		break;
	case OPERATION_HOLE:
		if (image->hole_count < IMAGE_HOLES_MAX) {
			image->holes[image->hole_count].address = address;
			image->holes[image->hole_count++].length = (argument & 0xffffu) + 1;
		}
		break;
	case OPERATION_FILL:
		for (uint64_t i = 0; i <= ((argument >> 8) & 0xfffu); i++)
			write_byte(image, address + i, (uint8_t)argument);
		break;
	case OPERATION_ZEROS:
		write_number(image, address, width, ZEROS_ADDRESS + argument % ZEROS_LENGTH);
		break;
	case OPERATION_COUNT:
		break;
	}
}

void image_patch(struct memory_image *image, const uint8_t *patches, size_t size)
{
	for (size_t at = 0; at + PATCH_SIZE <= size; at += PATCH_SIZE)
		apply(image, patches + at);
}

void image_undo_patches(struct memory_image *image)
{
	memcpy(image->memory, image->pristine, image->memory_size);
	image->hole_count = 0;
}
