/* SPDX-License-Identifier: Apache-2.0
 *
 * Which part of a process does libompd look at? record_seed IMAGE SEED
 *
 * IMAGE is a memory image of all of it. SEED gets the pages of which anything was read, and what was read at
 * once. make_seeds.py calls this.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_memory.h"
#include "image_debugger.h"
#include "image_file.h"

#define PAGE 4096u
/* What is read at once and longer is searched, or a hash table: no structure. */
#define STRUCTURE_MAX 4096u

static const struct memory_image *whole;
static uint8_t *page_was_read; /* by the page's place in the whole memory */
static struct memory_range *reads;
static size_t read_count;

static size_t page_of(uint64_t address)
{
	size_t before = 0;

	for (size_t i = 0; i < whole->range_count; i++) {
		const struct memory_range *range = &whole->ranges[i];

		if (address - range->address < range->length)
			return before + (size_t)((address - range->address) / PAGE);
		before += (size_t)(range->length / PAGE) + 1;
	}
	fputs("record_seed: a read of what is not there\n", stderr);
	exit(1);
}

static void on_read(uint64_t address, uint64_t length)
{
	for (uint64_t at = address; at < address + length; at = (at / PAGE + 1) * PAGE)
		page_was_read[page_of(at)] = 1;
	if (length < 2 || length > STRUCTURE_MAX)
		return;
	for (size_t i = 0; i < read_count; i++) {
		if (reads[i].address <= address &&
		    address + length <= reads[i].address + reads[i].length)
			return;
	}
	reads = realloc(reads, (read_count + 1) * sizeof(*reads));
	if (!reads)
		exit(1);
	reads[read_count].address = address;
	reads[read_count++].length = length;
}

static void put_pages(FILE *file)
{
	size_t page = 0;

	for (size_t i = 0; i < whole->range_count; i++) {
		const struct memory_range *range = &whole->ranges[i];

		for (uint64_t at = 0; at < range->length; at += PAGE, page++) {
			const uint64_t left = range->length - at;

			if (!page_was_read[page])
				continue;
			image_put_item(file, 'M', range->address + at, left < PAGE ? left : PAGE,
				       4);
			fwrite(range->bytes + at, 1, left < PAGE ? left : PAGE, file);
		}
		page = page_of(range->address) + (size_t)(range->length / PAGE) + 1;
	}
}

/* Within others that were read later, a part is left out. */
static void put_reads(FILE *file)
{
	for (size_t i = 0; i < read_count; i++) {
		bool part = false;

		for (size_t k = i + 1; k < read_count; k++)
			part = part || (reads[k].address <= reads[i].address &&
					reads[i].address + reads[i].length <=
						reads[k].address + reads[k].length);
		if (!part)
			image_put_item(file, 'H', reads[i].address, reads[i].length, 4);
	}
}

int main(int argc, char **argv)
{
	struct memory_image image;
	size_t size, pages = 0;
	uint8_t *bytes;
	FILE *file;

	if (argc != 3) {
		fputs("usage: record_seed IMAGE SEED\n", stderr);
		return 2;
	}
	bytes = read_file(argv[1], &size);
	image_parse(&image, bytes, size);
	whole = &image;
	for (size_t i = 0; i < image.range_count; i++)
		pages += (size_t)(image.ranges[i].length / PAGE) + 1;
	page_was_read = calloc(pages, 1);
	if (!page_was_read)
		return 1;
	debugger_on_read = on_read;
	for (unsigned ways = 0; ways < 4; ways++) {
		const struct sweep_options options = {
			.api_version = 202411,
			.knows_symbols = (ways & 1) != 0,
			.finds_runtimes = (ways & 2) != 0,
		};

		(void)sweep(&image, options);
	}

	file = fopen(argv[2], "wb");
	if (!file) {
		perror(argv[2]);
		return 1;
	}
	image_put_flags(file, image.flags);
	for (size_t i = 0; i < image.thread_count; i++)
		image_put_item(file, 'T', image.threads[i].pthread_id, image.threads[i].lwp, 8);
	for (size_t i = 0; i < image.symbol_count; i++)
		image_put_symbol(file, image.symbols[i].address, image.symbols[i].name);
	put_reads(file);
	put_pages(file);
	return fclose(file) ? 1 : 0;
}
