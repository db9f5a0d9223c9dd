/* SPDX-License-Identifier: Apache-2.0 */
#include "record/source_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "names/names.h"

void source_text_deinit(struct source_text *text)
{
	free(text->function);
	free(text->file);
	*text = (struct source_text){0};
}

static char *part(const char *from, const char *to)
{
	size_t size = (size_t)(to - from);
	char *copy = take_memory(size + 1, 1);

	memcpy(copy, from, size);
	return copy;
}

/* flang writes its module's name in place of the file's. */
static bool is_no_file(const char *text)
{
	return strcmp(text, "FIRModule") == 0 || strcmp(text, "LLVMDialectModule") == 0;
}

/* Where the field before this one ends, which ends at `end'. NULL: there is none. */
static const char *field_before(const char *text, const char *end)
{
	while (end > text && end[-1] != ';')
		end--;
	return end > text ? end - 1 : NULL;
}

/* A file's name may hold a semicolon: the fields are counted from the end. */
bool source_text_recorded(const char *source, struct source_text *text)
{
	const char *ends[4]; /* of the column, the line, the function, the file */

	*text = (struct source_text){0};
	if (!source || source[0] != ';' || strlen(source) < 3)
		return false;
	source++;
	ends[0] = source + strlen(source) - 2;
	if (strcmp(ends[0], ";;") != 0)
		return false;
	for (size_t i = 0; i < 3; i++) {
		ends[i + 1] = field_before(source, ends[i]);
		if (!ends[i + 1])
			return false;
	}
	long line = strtol(ends[2] + 1, NULL, 10);

	/* Without -g it is ";unknown;unknown;0;0;;". */
	if (line <= 0 || line > INT32_MAX)
		return false;
	text->file = part(source, ends[3]);
	if (is_no_file(text->file)) {
		free(text->file);
		text->file = NULL;
	}
	char *symbol = part(ends[3] + 1, ends[2]);

	text->function = demangled(symbol);
	free(symbol);
	text->line = (int)line;
	return true;
}

/* What compilers append to the name of the function that holds a construct. */
static const char *const outlined[] = {".omp_outlined", "._omp_fn.", "..omp_par", ".omp_par"};

static char *holder(const char *symbol)
{
	for (size_t i = 0; i < sizeof outlined / sizeof *outlined; i++) {
		const char *end = strstr(symbol, outlined[i]);

		if (end && end > symbol) {
			char *name = part(symbol, end), *plain = demangled(name);

			free(name);
			return plain;
		}
	}
	/* clang's names up to 15 tell no function. */
	return strncmp(symbol, ".omp_", 5) == 0 ? NULL : demangled(symbol);
}

void source_text_of_code(const struct code *code, struct source_text *text)
{
	*text = (struct source_text){0};
	if (code->symbol)
		text->function = holder(code->symbol);
	/* Of the C library and of runtimes nobody asks for lines: their debug information, often compressed, takes most of
	 * a second to read. */
	if (!code->image || code->image->kind != IMAGE_USER)
		return;
	struct line_name line = name_line(code->image, code->pc);

	text->file = copy_text(line.file);
	text->line = line.file ? line.line : 0;
}
