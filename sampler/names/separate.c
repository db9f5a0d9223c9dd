/* SPDX-License-Identifier: Apache-2.0 */
#include "names/separate.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"

/* What proves that a file is the one that is looked for. */
struct proof {
	const unsigned char *build_id;
	int build_id_size;  /* 0: by the checksum */
	GElf_Word checksum; /* 0: none, it is believed */
};

/* As .gnu_debuglink has it: a CRC-32 of the whole file. */
static GElf_Word checksum_of(int fd)
{
	static unsigned char bytes[1 << 16];
	GElf_Word table[256], sum = 0xffffffff;
	off_t at = 0;
	ssize_t size;

	for (GElf_Word i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	for (; (size = pread(fd, bytes, sizeof bytes, at)) > 0; at += size)
		for (ssize_t i = 0; i < size; i++)
			sum = table[(sum ^ bytes[i]) & 0xff] ^ sum >> 8;
	return ~sum;
}

static bool has_build_id(int fd, const unsigned char *wanted, int wanted_size)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *id;
	const bool is_same = elf && dwelf_elf_gnu_build_id(elf, &id) == wanted_size &&
			     memcmp(id, wanted, (size_t)wanted_size) == 0;

	elf_end(elf);
	return is_same;
}

static bool is_meant(int fd, const struct proof *proof)
{
	if (proof->build_id_size > 0)
		return has_build_id(fd, proof->build_id, proof->build_id_size);
	return !proof->checksum || checksum_of(fd) == proof->checksum;
}

static int open_meant(const char *path, const struct proof *proof, char **found)
{
	const int fd = open_regular(path);

	if (fd < 0)
		return -1;
	if (is_meant(fd, proof)) {
		*found = strdup(path);
		return fd;
	}
	close(fd);
	return -1;
}

/* In the folders where debuggers look. */
static int open_beside(const char *file, const char *name, const struct proof *proof, char **found)
{
	static const char *const patterns[] = {"%.*s/%s", "%.*s/.debug/%s",
					       "/usr/lib/debug%.*s/%s"};
	const char *slash = strrchr(file, '/');
	const int folder = slash ? (int)(slash - file) : 0;
	char path[2 * PATH_MAX];
	int fd = -1;

	if (*name == '/')
		return open_meant(name, proof, found);
	for (size_t i = 0; fd < 0 && i < sizeof patterns / sizeof *patterns; i++) {
		snprintf(path, sizeof path, patterns[i], folder, file, name);
		fd = open_meant(path, proof, found);
	}
	return fd;
}

/* Of what is shared by several debug files, which is named without a checksum: then the module's own is open. It is asked
 * for while it is not, where a file says a checksum of 0: that would go on without end. */
static struct proof proof_of_shared(Dwfl_Module *module)
{
	static bool is_asked;
	struct proof proof = {NULL, -1, 0};
	Dwarf_Addr bias;
	const char *name;
	const void *id;

	if (is_asked)
		return proof;
	is_asked = true;
	Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);

	is_asked = false;
	const ssize_t size = dwarf ? dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) : -1;

	if (size > 0) {
		proof.build_id = id;
		proof.build_id_size = (int)size;
	}
	return proof;
}

/* Not elfutils' own, dwfl_standard_find_debuginfo: it opens whatever has the name, and would load a client of HTTP, and the
 * thirty libraries that this needs, to ask nobody. */
int separate_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		       const char *file, const char *link, GElf_Word link_checksum, char **found)
{
	int fd = dwfl_build_id_find_debuginfo(module, userdata, name, base, NULL, NULL, 0, found);
	struct proof proof = {.checksum = link_checksum};
	char usual[PATH_MAX];
	GElf_Addr address;

	if (fd >= 0 || !file)
		return fd;
	if (link && !link_checksum)
		proof = proof_of_shared(module);
	else
		proof.build_id_size = dwfl_module_build_id(module, &proof.build_id, &address);
	if (proof.build_id_size < 0)
		return -1;
	const char *slash = strrchr(file, '/');

	snprintf(usual, sizeof usual, "%s.debug", slash ? slash + 1 : file);
	char *real = realpath(file, NULL);

	fd = open_beside(file, link ? link : usual, &proof, found);
	if (fd < 0 && real)
		fd = open_beside(real, link ? link : usual, &proof, found);
	free(real);
	return fd;
}
