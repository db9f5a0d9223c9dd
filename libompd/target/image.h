/* SPDX-License-Identifier: Apache-2.0
 *
 * A loaded ELF object, read from the target's memory: where it lies, what it exports, its build-id.
 * Nothing here needs the file, so it is the same for a remote target and for a second copy of a library
 * that a lookup by name would not find.
 */
#ifndef TARGET_IMAGE_H
#define TARGET_IMAGE_H

#include "target/target.h"

#define BUILD_ID_MAX 32
#define IMAGE_WRITABLE_MAX 4
#define IMAGE_PATH_MAX 512

struct address_range {
	target_addr start;
	target_addr end;
};

struct image {
	const struct target *target;
	target_addr bias;    /* what is added to the addresses in the file */
	target_addr dynamic; /* 0: it has none, or is known by the debugger's symbols only */
	target_addr header;  /* where its ELF header lies; 0: not known */
	bool embeds;         /* a runtime is part of it whose names only the debugger may know */
	uint16_t machine;    /* e_machine; 0 (EM_NONE): not known */
	struct address_range extent;
	struct address_range writable[IMAGE_WRITABLE_MAX];
	unsigned writable_count;
	uint8_t build_id[BUILD_ID_MAX];
	unsigned build_id_length;
	char path[IMAGE_PATH_MAX]; /* as the dynamic linker or the tool spelt it; may be empty */

	/* From the dynamic section; 0: absent. */
	target_addr symtab;
	target_addr strtab;
	uint64_t strtab_size;
	target_addr gnu_hash;
	target_addr sysv_hash;
	target_addr versions; /* definitions of symbol versions */
	uint64_t version_count;
	target_addr relocations; /* with addends */
	uint64_t relocations_size;
	target_addr
		debug; /* the dynamic linker's struct r_debug, of a program that it has started */

	bool interpreted; /* it asks for a dynamic linker, if the headers were read */
	uint64_t
		thread_local_size; /* of the thread-local variables; 0: none, or the headers were not read */

	/* The head of the GNU hash table, kept so that a name costs no read when it is not there. */
	uint64_t *hash_words;
	uint32_t bucket_count;
	uint32_t first_symbol;
	uint32_t bloom_count;
	uint32_t bloom_shift;
	uint32_t names_cost; /* see NAMES_COST_MAX */
};

/* Reads what the dynamic section says. dynamic may be 0: then the ELF header is expected at bias, and there may be no
 * such section, as in a program that is linked statically.
 * error: unreadable; incompatible: no ELF object of the target's kind there. image_close is due after
 * ompd_rc_ok only. */
ompd_rc_t image_open(struct image *image, const struct target *target, target_addr bias,
		     target_addr dynamic, const char *path);
void image_close(struct image *image);

/* The program, by its table of program headers, which the kernel has told it. Headers and dynamic section are read;
 * that one may be unreadable, as in a core file. error, incompatible: no program can be described by what is there. */
ompd_rc_t image_open_program(struct image *image, const struct target *target, target_addr table,
			     uint64_t count);

/* An image of which nothing is known but what the debugger's symbols tell: a static program, or memory
 * without any headers. */
void image_open_nameless(struct image *image, const struct target *target);

/* Reads the headers: machine, extent, writable ranges, build-id, size of the thread-local variables. Apart from image_open, since most objects of a
 * process are only asked for a name. */
ompd_rc_t image_read_headers(struct image *image);

/* The same; *pages of memory may be looked through for them, if they do not lie at the load bias. */
ompd_rc_t image_read_headers_within(struct image *image, unsigned *pages);

/* Whether the names of its symbols can be read. Also of one that has none: without a dynamic section. */
bool image_has_names(const struct image *image);

/* Address of an exported symbol that the image itself defines. unavailable: it defines none. */
ompd_rc_t image_exported(struct image *image, const char *name, target_addr *ret);

/* Address of any symbol: exported, or known to the debugger and inside the image. */
ompd_rc_t image_symbol(struct image *image, const char *name, target_addr *ret);

bool image_contains(const struct image *image, target_addr address);

/* Whether these bytes are in its writable data: a variable's can be. */
bool image_writable(const struct image *image, target_addr address, size_t size);

#endif /* TARGET_IMAGE_H */
