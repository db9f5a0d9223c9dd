/* SPDX-License-Identifier: Apache-2.0
 *
 * What do an image's lists say: the symbol versions that it defines, its relocations?
 */
#ifndef TARGET_IMAGE_TABLES_H
#define TARGET_IMAGE_TABLES_H

#include "target/image.h"
#include "target/limits.h"

struct version_walk {
	const struct image *image;
	target_addr next;
	uint64_t left;
};

/* The image's own name comes first, as linkers write it. */
void versions_first(struct version_walk *walk, const struct image *image);

/* ok and the name, which is cut where it is longer; or unavailable behind the last. */
ompd_rc_t versions_next(struct version_walk *walk, char name[SYMBOL_NAME_MAX]);

/* The word in which the dynamic linker stores how far the image's thread-local variable at this offset lies from
 * the thread pointer. unavailable: no relocation makes such a word, or the machine's are not known. */
ompd_rc_t image_thread_local_word(const struct image *image, uint64_t offset, target_addr *ret);

#endif /* TARGET_IMAGE_TABLES_H */
