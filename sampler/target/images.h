/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that the process has mapped to execute: which one is an address in, how is it unwound there.
 */
#ifndef SAMPLER_IMAGES_H
#define SAMPLER_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/memory.h"
#include "target/process.h"
#include "unwind/cfi.h"

enum image_kind { IMAGE_USER, IMAGE_LIBRARY, IMAGE_RUNTIME, IMAGE_SYSTEM };

struct image {
	uint32_t number; /* never used again for another */
	enum image_kind kind;
	char *path;    /* as the process names it */
	char *file;    /* how we reach it; NULL: not at all, or it is not the same file any more */
	uint64_t bias; /* address in the process less that in the file */
	uint64_t device, inode, first; /* which mapping it is known by */
	char build_id[65];             /* "": none, or not known */
	bool mapped;                   /* still */
	bool released; /* its headers' information, which nobody needs of what is gone */
	uint64_t relro, relro_size; /* in the file: what does not change once it is loaded */
	bool changed;               /* it was written to, and tells no names any more */
	bool changed_noted;         /* in the record */
	struct cfi cfi;
	void *names; /* names/names.c keeps there what it has opened */
};

struct mapping {
	uint64_t start, end;
	struct image *image;
};

struct images {
	const struct process *process;
	struct memory *memory;
	struct image **all; /* by number, those that are gone too */
	size_t count, capacity;
	struct mapping *mappings; /* executable ones, by address */
	size_t mapping_count, mapping_capacity;
	uint64_t fingerprint; /* of the list that was read last */
};

void images_init(struct images *images, const struct process *process, struct memory *memory);
void images_deinit(struct images *images);

/* Reads the list again: true: it has changed, and what was remembered of addresses is void. */
bool images_refresh(struct images *images);

/* A runtime in one of them would be seen. false: they are not known, or the program is a static one, of which a stripped
 * one does not say what is in it. */
bool images_show_runtimes(const struct images *images);

struct image *image_at(const struct images *images, uint64_t address);
struct image *image_of_bias(const struct images *images, uint64_t bias);

/* Where the function that the address is in begins and ends, by the image's unwind information: false: it does not say. */
bool images_function(const struct images *images, uint64_t address, uint64_t *start, uint64_t *end);

/* Its call frame information; NULL: none. For a struct cfi_source, whose context is the images. */
const struct cfi *images_cfi(void *images, uint64_t address, uint64_t *bias);

#endif /* SAMPLER_IMAGES_H */
