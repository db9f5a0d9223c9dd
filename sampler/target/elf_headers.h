/* SPDX-License-Identifier: Apache-2.0
 *
 * What an ELF file's program headers tell, read from the file or from where it is mapped.
 */
#ifndef SAMPLER_ELF_HEADERS_H
#define SAMPLER_ELF_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

#include "target/images.h"

/* Fills bias, build_id, relro and cfi of an image, of which the part of the file from `offset' on is mapped at `address'. */
void elf_headers_read(struct image *image, struct memory *memory, uint64_t address,
		      uint64_t offset);

/* Is that part of the file mapped elsewhere than it belongs? As of a library that maps its code once more. */
bool elf_headers_contradict(const struct image *image, struct memory *memory, uint64_t address,
			    uint64_t offset);

void elf_headers_release(struct image *image);

#endif /* SAMPLER_ELF_HEADERS_H */
