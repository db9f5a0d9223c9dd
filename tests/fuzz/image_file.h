/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes memory images, as memory_image.h describes them.
 */
#ifndef IMAGE_FILE_H
#define IMAGE_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline void image_put_flags(FILE *file, unsigned flags)
{
	fputc('F', file);
	fputc((int)flags, file);
}

/* An address and a number of that size; the bytes that an item has besides are the caller's. */
static inline void image_put_item(FILE *file, char tag, uint64_t address, uint64_t number,
				  unsigned size)
{
	fputc(tag, file);
	for (unsigned i = 0; i < 8; i++)
		fputc((int)(address >> (8 * i) & 0xff), file);
	for (unsigned i = 0; i < size; i++)
		fputc((int)(number >> (8 * i) & 0xff), file);
}

static inline void image_put_symbol(FILE *file, uint64_t address, const char *name)
{
	image_put_item(file, 'S', address, strlen(name), 1);
	fputs(name, file);
}

#endif /* IMAGE_FILE_H */
