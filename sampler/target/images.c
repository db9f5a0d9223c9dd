/* SPDX-License-Identifier: Apache-2.0 */
#include "target/images.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/grow.h"
#include "base/search.h"
#include "target/elf_headers.h"
#include "unwind/entries.h"

/* Longer lists are cut. */
#define MAPPINGS_MAX 65536

static const struct {
	const char *pattern;
	enum image_kind kind;
} by_name[] = {
	{"libc.so*", IMAGE_SYSTEM},      {"libc-2*", IMAGE_SYSTEM},
	{"ld-linux*", IMAGE_SYSTEM},     {"ld-2*", IMAGE_SYSTEM},
	{"libpthread*", IMAGE_SYSTEM},   {"[[]vdso]", IMAGE_SYSTEM},
	{"ld64*", IMAGE_SYSTEM},         {"libomp.so*", IMAGE_RUNTIME},
	{"libomp5*", IMAGE_RUNTIME},     {"libiomp5*", IMAGE_RUNTIME},
	{"libgomp.so*", IMAGE_RUNTIME},  {"libm.so*", IMAGE_LIBRARY},
	{"libm-2*", IMAGE_LIBRARY},      {"libstdc++*", IMAGE_LIBRARY},
	{"libgcc_s*", IMAGE_LIBRARY},    {"libc++*", IMAGE_LIBRARY},
	{"libgfortran*", IMAGE_LIBRARY}, {"libquadmath*", IMAGE_LIBRARY},
	{"libgomp-*", IMAGE_RUNTIME},    {"libomp-*", IMAGE_RUNTIME}, /* copies in wheels */
};

static enum image_kind kind_of(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	for (size_t i = 0; i < sizeof by_name / sizeof *by_name; i++)
		if (fnmatch(by_name[i].pattern, name, 0) == 0)
			return by_name[i].kind;
	return IMAGE_USER;
}

void images_init(struct images *images, const struct process *process, struct memory *memory)
{
	*images = (struct images){.process = process, .memory = memory};
}

void images_deinit(struct images *images)
{
	for (size_t i = 0; i < images->count; i++) {
		elf_headers_release(images->all[i]);
		free(images->all[i]->path);
		free(images->all[i]->file);
		free(images->all[i]);
	}
	free(images->all);
	free(images->mappings);
}

struct line {
	uint64_t start, end, offset, device, inode;
	char path[4096];
};

/* Of hundreds of threads most lines are stacks. */
static bool is_code(const char *text)
{
	const char *permissions = strchr(text, ' ');

	return permissions && strlen(permissions) > 4 && permissions[3] == 'x';
}

static bool read_line(const char *text, struct line *line)
{
	unsigned major, minor;
	int path = 0;

	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %*7s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &line->start, &line->end, &line->offset, &major, &minor, &line->inode,
		   &path) < 6)
		return false;
	line->device = makedev(major, minor);
	snprintf(line->path, sizeof line->path, "%s", path ? text + path : "");
	line->path[strcspn(line->path, "\n")] = 0;
	return true;
}

/* The same file still lies at the path, as the process sees it or as we do. */
static char *reachable(const struct images *images, const struct line *line)
{
	char path[4200];
	const char *tries[] = {path, line->path};
	struct stat status;

	if (line->path[0] != '/')
		return NULL;
	snprintf(path, sizeof path, "/proc/%d/root%s", images->process->pid, line->path);
	for (size_t i = 0; i < 2; i++)
		if (stat(tries[i], &status) == 0 && S_ISREG(status.st_mode) &&
		    status.st_ino == line->inode && status.st_dev == line->device)
			return copy_text(tries[i]);
	/* Some file systems tell another device in the list than of the file. */
	for (size_t i = 0; i < 2; i++)
		if (stat(tries[i], &status) == 0 && S_ISREG(status.st_mode) &&
		    status.st_ino == line->inode)
			return copy_text(tries[i]);
	return NULL;
}

/* A file that is mapped anew elsewhere is another image: with dlclose and dlopen. */
static struct image *known(const struct images *images, const struct line *line)
{
	for (size_t i = 0; i < images->count; i++) {
		struct image *image = images->all[i];

		if (image->inode == line->inode && image->device == line->device &&
		    image->first == line->start && strcmp(image->path, line->path) == 0)
			return image;
	}
	return NULL;
}

/* Code may lie in several mappings of one image. */
static struct image *neighbour(const struct images *images, const struct line *line)
{
	if (!images->mapping_count || line->path[0] != '/')
		return NULL;
	struct image *last = images->mappings[images->mapping_count - 1].image;
	uint64_t bias_at = line->start - line->offset;

	return last->inode == line->inode && last->device == line->device &&
			       strcmp(last->path, line->path) == 0 && bias_at >= last->bias &&
			       bias_at - last->bias < (UINT64_C(1) << 32) &&
			       !elf_headers_contradict(last, images->memory, line->start,
						       line->offset)
		       ? last
		       : NULL;
}

static struct image *image_of(struct images *images, const struct line *line)
{
	struct image *image = known(images, line);

	if (!image)
		image = neighbour(images, line);
	if (image && image->released) {
		image->released = false;
		elf_headers_read(image, images->memory, line->start, line->offset);
	}
	if (image)
		return image;
	image = take_memory(1, sizeof *image);
	image->number = (uint32_t)images->count;
	image->path = copy_text(line->path);
	image->file = reachable(images, line);
	image->kind = kind_of(line->path);
	image->device = line->device;
	image->inode = line->inode;
	image->first = line->start;
	/* An estimate until the headers have been read. */
	image->bias = line->start - line->offset;
	images->all =
		grow_array(images->all, images->count, &images->capacity, sizeof(struct image *));
	images->all[images->count++] = image;
	elf_headers_read(image, images->memory, line->start, line->offset);
	return image;
}

static uint64_t fingerprint_of(uint64_t fingerprint, const struct line *line)
{
	const uint64_t words[] = {line->start, line->end, line->offset, line->inode};

	for (size_t i = 0; i < 4; i++)
		fingerprint = (fingerprint ^ words[i]) * UINT64_C(0x100000001b3);
	return fingerprint;
}

static void each_code_line(struct images *images,
			   void (*take_line)(struct images *, const struct line *))
{
	static char text[4600];
	static struct line line;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/maps", images->process->pid);
	FILE *file = fopen(path, "re");

	for (int i = 0; file && i < MAPPINGS_MAX && fgets(text, sizeof text, file); i++)
		if (is_code(text) && read_line(text, &line) && strcmp(line.path, "[vsyscall]") != 0)
			take_line(images, &line);
	if (file)
		fclose(file);
}

static void add_fingerprint(struct images *images, const struct line *line)
{
	images->fingerprint = fingerprint_of(images->fingerprint, line);
}

static void add_mapping(struct images *images, const struct line *line)
{
	/* Code that no file holds is nobody's: made at run time. */
	if (!line->path[0] || strncmp(line->path, "/memfd", 6) == 0 || line->path[0] == '[')
		if (strcmp(line->path, "[vdso]") != 0)
			return;
	struct image *image = image_of(images, line);

	image->mapped = true;
	images->mappings = grow_array(images->mappings, images->mapping_count,
				      &images->mapping_capacity, sizeof *images->mappings);
	images->mappings[images->mapping_count++] = (struct mapping){line->start, line->end, image};
}

bool images_refresh(struct images *images)
{
	const uint64_t before = images->fingerprint;

	images->fingerprint = 1;
	each_code_line(images, add_fingerprint);
	if (images->fingerprint == before || images->fingerprint == 1) {
		images->fingerprint = before;
		return false;
	}
	for (size_t i = 0; i < images->count; i++)
		images->all[i]->mapped = false;
	images->mapping_count = 0;
	each_code_line(images, add_mapping);
	for (size_t i = 0; i < images->count; i++)
		if (!images->all[i]->mapped && !images->all[i]->released) {
			elf_headers_release(images->all[i]);
			images->all[i]->released = true;
		}
	return true;
}

bool images_show_runtimes(const struct images *images)
{
	for (size_t i = 0; i < images->mapping_count; i++) {
		const struct image *image = images->mappings[i].image;

		if (image->kind == IMAGE_USER && image->cfi.begins_threads)
			return false;
	}
	return images->mapping_count != 0;
}

static uint64_t start_of(const void *mappings, uint64_t number)
{
	return ((const struct mapping *)mappings)[number].start;
}

struct image *image_at(const struct images *images, uint64_t address)
{
	const uint64_t behind =
		first_behind(0, images->mapping_count, address, start_of, images->mappings);
	const struct mapping *mapping = behind ? &images->mappings[behind - 1] : NULL;

	return mapping && address < mapping->end ? mapping->image : NULL;
}

struct image *image_of_bias(const struct images *images, uint64_t bias)
{
	for (size_t i = 0; i < images->mapping_count; i++)
		if (images->mappings[i].image->bias == bias)
			return images->mappings[i].image;
	return NULL;
}

const struct cfi *images_cfi(void *images, uint64_t address, uint64_t *bias)
{
	const struct image *image = image_at(images, address);

	if (!image || !image->cfi.frames)
		return NULL;
	*bias = image->bias;
	return &image->cfi;
}

bool images_function(const struct images *images, uint64_t address, uint64_t *start, uint64_t *end)
{
	uint64_t bias;
	const struct cfi *cfi = images_cfi((void *)(uintptr_t)images, address, &bias);
	struct entry entry;

	if (!cfi || !find_entry(cfi, address - bias, &entry))
		return false;
	*start = entry.begin + bias;
	*end = entry.end + bias;
	return true;
}
