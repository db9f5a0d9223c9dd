/* SPDX-License-Identifier: Apache-2.0 */
#include "target/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/grow.h"

/* What one call of the kernel's takes. */
#define PIECES_MAX 1024

/* And as many a caller's few. */
#define PIECES_AT_ONCE 16

/* A picture that needs more than 64 MiB is not remembered. */
#define PAGES_MAX 16384

void memory_init(struct memory *memory, pid_t pid, bool readable)
{
	*memory = (struct memory){.pid = pid, .readable = readable};
}

void memory_deinit(struct memory *memory)
{
	free(memory->pages);
	free(memory->bytes);
	free(memory->missed);
}

static size_t read_pieces(const struct memory *memory, void *bytes, size_t size,
			  const struct iovec *pieces, size_t count)
{
	struct iovec here = {bytes, size};
	ssize_t done = process_vm_readv(memory->pid, &here, 1, pieces, count, 0);

	return done > 0 ? (size_t)done : 0;
}

static void *as_pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

size_t memory_read_some(struct memory *memory, uint64_t address, size_t size, void *bytes)
{
	struct iovec pieces[PIECES_MAX];
	size_t count = 0, planned = 0;

	if (!memory->readable)
		return 0;
	/* Page by page: what is readable of a piece that ends elsewhere is not told in parts. */
	while (planned < size && count < PIECES_MAX) {
		uint64_t at = address + planned;
		size_t part = PAGE_BYTES - (size_t)(at % PAGE_BYTES);

		if (part > size - planned)
			part = size - planned;
		pieces[count++] = (struct iovec){as_pointer(at), part};
		planned += part;
	}
	return read_pieces(memory, bytes, planned, pieces, count);
}

bool memory_read_pieces(struct memory *memory, const struct memory_piece *pieces, size_t count,
			void *bytes)
{
	struct iovec there[PIECES_AT_ONCE];
	size_t size = 0;

	if (!memory->readable || count > PIECES_AT_ONCE)
		return false;
	for (size_t i = 0; i < count; i++) {
		there[i] = (struct iovec){as_pointer(pieces[i].address), pieces[i].size};
		size += pieces[i].size;
	}
	return read_pieces(memory, bytes, size, there, count) == size;
}

static bool read_now(struct memory *memory, uint64_t address, size_t size, void *bytes)
{
	struct iovec piece = {as_pointer(address), size};

	return memory->readable && read_pieces(memory, bytes, size, &piece, 1) == size;
}

static int by_address(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static struct memory_page *page_at(struct memory *memory, uint64_t address)
{
	if (!memory->count)
		return NULL;
	return bsearch(&address, memory->pages, memory->count, sizeof *memory->pages, by_address);
}

/* The part of a page; what is not in the picture is read now, and will be in the next one. */
static bool read_page(struct memory *memory, uint64_t address, size_t size, uint8_t *bytes)
{
	uint64_t start = address - address % PAGE_BYTES;
	struct memory_page *page = page_at(memory, start);

	if (page && page->known) {
		page->used = true;
		memcpy(bytes, memory->bytes + (size_t)page->at * PAGE_BYTES + address % PAGE_BYTES,
		       size);
		return true;
	}
	if (!read_now(memory, address, size, bytes))
		return false;
	if (!page && memory->missed_count + memory->count < PAGES_MAX) {
		memory->missed = grow_array(memory->missed, memory->missed_count,
					    &memory->missed_capacity, sizeof *memory->missed);
		memory->missed[memory->missed_count++] = start;
	}
	return true;
}

bool memory_read(struct memory *memory, uint64_t address, size_t size, void *bytes)
{
	uint8_t *to = bytes;

	if (address + size < address)
		return false;
	if (!memory->in_picture)
		return read_now(memory, address, size, bytes);
	for (size_t done = 0; done < size;) {
		size_t part = PAGE_BYTES - (size_t)((address + done) % PAGE_BYTES);

		if (part > size - done)
			part = size - done;
		if (!read_page(memory, address + done, part, to + done))
			return false;
		done += part;
	}
	return true;
}

bool memory_read_text(struct memory *memory, uint64_t address, char *text, size_t size)
{
	for (size_t done = 0; done < size;) {
		size_t part = 128 - (size_t)((address + done) % 128);

		if (part > size - done)
			part = size - done;
		if (!memory_read(memory, address + done, part, text + done))
			return false;
		if (memchr(text + done, 0, part))
			return true;
		done += part;
	}
	return false;
}

/* The pages that were used last time, and those that were missing, without doubles. */
static void plan(struct memory *memory)
{
	size_t kept = 0;

	for (size_t i = 0; i < memory->count; i++)
		if (memory->pages[i].used)
			memory->pages[kept++] = memory->pages[i];
	for (size_t i = 0; i < memory->missed_count; i++) {
		memory->pages =
			grow_array(memory->pages, kept, &memory->capacity, sizeof *memory->pages);
		memory->pages[kept++] = (struct memory_page){.address = memory->missed[i]};
	}
	memory->missed_count = 0;
	if (kept)
		qsort(memory->pages, kept, sizeof *memory->pages, by_address);
	memory->count = 0;
	for (size_t i = 0; i < kept; i++) {
		if (memory->count &&
		    memory->pages[memory->count - 1].address == memory->pages[i].address)
			continue;
		memory->pages[memory->count] = memory->pages[i];
		memory->pages[memory->count].at = (uint32_t)memory->count;
		memory->pages[memory->count].known = memory->pages[memory->count].used = false;
		memory->count++;
	}
	if (memory->count > memory->byte_pages) {
		free(memory->bytes);
		memory->byte_pages = memory->count * 2;
		memory->bytes = take_memory(memory->byte_pages, PAGE_BYTES);
	}
}

void memory_picture_begin(struct memory *memory)
{
	struct iovec pieces[PIECES_MAX];

	plan(memory);
	memory->in_picture = true;
	for (size_t first = 0; first < memory->count && memory->readable;) {
		size_t count = 0;

		for (; count < PIECES_MAX && first + count < memory->count; count++)
			pieces[count] = (struct iovec){
				as_pointer(memory->pages[first + count].address), PAGE_BYTES};
		size_t done = read_pieces(memory, memory->bytes + first * PAGE_BYTES,
					  count * PAGE_BYTES, pieces, count) /
			      PAGE_BYTES;

		for (size_t i = 0; i < done; i++)
			memory->pages[first + i].known = true;
		/* The one that failed is passed over. */
		first += done < count ? done + 1 : count;
	}
}

void memory_picture_end(struct memory *memory)
{
	memory->in_picture = false;
}
