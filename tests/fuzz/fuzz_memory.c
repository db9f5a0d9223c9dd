/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer's target: what does libompd do when any of the process's memory is something else?
 *
 * Input: seed:1 tool:1 rest. Seed 0: the rest is a whole image (memory_image.h). Seed n: the rest is patches
 * to the nth image of the list below.
 */
#include "fuzz_memory.h"

#include <stdio.h>
#include <stdlib.h>

/* Regression inputs refer to a seed by its number and to its bytes by their place: the list only grows, and
 * a seed that is made anew gets a new name. */
static const char *const seed_names[] = {
	"nested-libomp-19",        "task_graph-libomp-19",
	"tasks-libomp-19-debug",   "tasks-libomp-14",
	"fake-nested-32-bit",      "fake-nested-32-bit-big-endian",
	"fake-teams-big-endian",   "teams-2-nested-libomp-19",
	"roots-libomp-16",         "nested-libomp-19-debug-tracked",
	"nested-libgomp-12",       "tasks-libgomp-12",
	"targets-libomptarget-19", "targets-libomptarget-14",
};

#define SEED_COUNT (sizeof(seed_names) / sizeof(seed_names[0]))

/* The bits of the tool's byte; the lowest two choose its version. */
enum {
	TOOL_VERSION = 3,
	TOOL_SYMBOLS = 1 << 2,
	TOOL_OTHER_WIDTH = 1 << 3,
	TOOL_OTHER_ORDER = 1 << 4,
	TOOL_FINDS_RUNTIMES = 1 << 5,
	TOOL_LEAVES_HANDLES = 1 << 6,
	TOOL_SEES_CHANGE = 1 << 7 /* the patches come when handles are there */
};

/* For the change in the middle of a sweep. */
static struct {
	struct memory_image *image;
	const uint8_t *patches;
	size_t size;
} change;

static void apply_change(void)
{
	image_patch(change.image, change.patches, change.size);
}

uint8_t *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long length = -1;

	if (file && fseek(file, 0, SEEK_END) == 0)
		length = ftell(file);
	if (length >= 0)
		bytes = malloc((size_t)length + 1);
	if (bytes) {
		rewind(file);
		*size = fread(bytes, 1, (size_t)length, file);
	}
	if (!bytes || *size != (size_t)length) {
		perror(path);
		exit(2);
	}
	fclose(file);
	return bytes;
}

static struct memory_image *seed(size_t number)
{
	static struct memory_image seeds[SEED_COUNT];
	struct memory_image *image = &seeds[number];

	if (!image->memory) {
		char path[4096];
		uint8_t *bytes;
		size_t size;

		snprintf(path, sizeof(path), "%s/%s.image", FUZZ_SEEDS, seed_names[number]);
		bytes = read_file(path, &size);
		image_parse_seed(image, bytes, size);
		free(bytes);
	}
	return image;
}

static struct sweep_seen look(struct memory_image *image, unsigned tool)
{
	static const ompd_word_t versions[] = {201811, 202011, 202111, 202411};
	const struct sweep_options options = {
		.api_version = versions[tool & TOOL_VERSION],
		.knows_symbols = (tool & TOOL_SYMBOLS) != 0,
		.finds_runtimes = (tool & TOOL_FINDS_RUNTIMES) != 0,
		.leaves_handles = (tool & TOOL_LEAVES_HANDLES) != 0,
		.change = tool & TOOL_SEES_CHANGE && image->memory ? apply_change : NULL,
	};
	const unsigned flags = image->flags;
	struct sweep_seen seen;

	if (tool & TOOL_OTHER_WIDTH)
		image->flags ^= FLAG_POINTERS_OF_4;
	if (tool & TOOL_OTHER_ORDER)
		image->flags ^= FLAG_BIG_ENDIAN;
	seen = sweep(image, options);
	image->flags = flags;
	return seen;
}

struct sweep_seen fuzz_input(const uint8_t *data, size_t size)
{
	struct sweep_seen seen = {0};
	struct memory_image *image, whole;

	if (size < 2 || data[0] > SEED_COUNT)
		return seen;
	if (data[0] == 0) {
		image_parse(&whole, data + 2, size - 2);
		seen = look(&whole, data[1]);
		image_deinit(&whole);
		return seen;
	}
	image = seed(data[0] - 1u);
	change.image = image;
	change.patches = data + 2;
	change.size = size - 2;
	if (!(data[1] & TOOL_SEES_CHANGE))
		apply_change();
	seen = look(image, data[1]);
	image_undo_patches(image);
	return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)fuzz_input(data, size);
	return 0;
}
