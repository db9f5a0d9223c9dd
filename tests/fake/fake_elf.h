/* SPDX-License-Identifier: Apache-2.0
 *
 * Loaded ELF objects in a fake target's memory, and the dynamic linker's list of them: headers, dynamic
 * section, symbol and hash tables, build-id, in the target's class and byte order.
 */
#ifndef FAKE_ELF_H
#define FAKE_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "fake_target.h"

/* A symbol that an object exports: the offset of its address from the object's base. */
struct fake_export {
	const char *name;
	uint64_t offset;
};

struct fake_elf {
	const char *path; /* kept, not copied */
	uint64_t base;
	const struct fake_export *exports;
	size_t export_count;
	/* Sizes of the two loaded segments; the first is enlarged when the tables need more. */
	uint64_t text_size;
	uint64_t data_size;
	const char *soname;
	/* Names of its symbol versions, NULL-terminated, or NULL. */
	const char *const *versions;
	bool no_gnu_hash; /* export by DT_HASH only */
	bool sysv_hash;   /* has DT_HASH */
	/* The dynamic linker left the dynamic section as it is in the file (MIPS, musl, the vDSO). */
	bool unrelocated;
	bool fixed;       /* ET_EXEC: the addresses in the file are those in memory */
	unsigned machine; /* e_machine; 0: the x86 of the class */
	const uint8_t *build_id;
	size_t build_id_size;
	/* Its thread-local variables, and where in the writable segment the dynamic linker stores how far the first
	 * of them lies from the thread pointer. 64 bit only; 0: it has none. */
	uint64_t tls_size;
	uint64_t tls_word;
};

/* Where it ended up. */
struct fake_image {
	const char *path;
	uint64_t base;
	uint64_t bias; /* what the dynamic linker added to the addresses in the file */
	uint64_t end;
	uint64_t dynamic;
	uint64_t
		data; /* the writable segment; the first FAKE_DATA_HEADER bytes are the dynamic section */
	uint64_t data_end;
};

#define FAKE_PAGE UINT64_C(0x1000)
#define FAKE_DATA_HEADER UINT64_C(0x400)

struct fake_image fake_elf_load(struct fake_target *target, const struct fake_elf *elf);

/* The distance from an object's base to its writable segment, if its tables fit into text_size. */
uint64_t fake_elf_data_offset(uint64_t text_size);

/* Makes the dynamic linker's list of these objects, and the symbol _r_debug in ld.so. Returns the
 * address of the list's first entry; they lie FAKE_LINK_MAP_STRIDE apart. */
#define FAKE_LINK_MAP_STRIDE UINT64_C(0x200)
uint64_t fake_link_map(struct fake_target *target, const struct fake_image *images, size_t count);

#endif /* FAKE_ELF_H */
