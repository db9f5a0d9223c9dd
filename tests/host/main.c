/* SPDX-License-Identifier: Apache-2.0
 *
 * A debugger of its own for OMPD: neither GDB nor our plugin. It attaches to a program, starts one, or opens
 * its core, and prints what the standard routines of an OMPD library tell of it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callbacks.h"
#include "calls.h"
#include "dump.h"
#include "fail.h"

static const char usage[] =
	"usage: ompd-host [--library LIBOMPD] [--api VERSION] attach PID\n"
	"       ompd-host [--library LIBOMPD] [--api VERSION] calls PID\n"
	"       ompd-host [--library LIBOMPD] [--api VERSION] core CORE EXE\n"
	"       ompd-host [--library LIBOMPD] [--api VERSION] run PROG [ARGS...]\n"
	"With --print offload, what the library's own ompdx_get_offload tells is printed instead.\n"
	"`calls' counts what each routine asks of the debugger, instead of printing answers.\n"
	"VERSION is 201811, 202011, 202111 or 202411 (the default). `run' stops at SIGSTOP, "
	"SIGUSR1,\n"
	"SIGABRT, or where the program crashes.\n";

struct wishes {
	const char *library;
	ompd_word_t api;
	bool offload; /* of the extensions this one, in place of the standard routines */
	char **words; /* attach, core or run, and what follows */
	int count;
};

__attribute__((noreturn)) static void refuse(void)
{
	fputs(usage, stderr);
	exit(2);
}

static long number(const char *word)
{
	char *end;
	const long value = strtol(word, &end, 10);

	if (*end || end == word || value <= 0)
		refuse();
	return value;
}

static struct wishes read_wishes(int argc, char **argv)
{
	struct wishes wishes = {.library = OMPD_LIBRARY, .api = 202411};
	int at = 1;

	for (; at < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
		if (at + 1 == argc)
			refuse();
		if (strcmp(argv[at], "--library") == 0)
			wishes.library = argv[at + 1];
		else if (strcmp(argv[at], "--api") == 0)
			wishes.api = number(argv[at + 1]);
		else if (strcmp(argv[at], "--print") == 0 && strcmp(argv[at + 1], "offload") == 0)
			wishes.offload = true;
		else
			refuse();
	}
	if (argc - at < 2)
		refuse();
	wishes.words = argv + at;
	wishes.count = argc - at;
	return wishes;
}

static struct target *open_target(const struct wishes *wishes)
{
	char **words = wishes->words;

	if ((strcmp(words[0], "attach") == 0 || strcmp(words[0], "calls") == 0) &&
	    wishes->count == 2)
		return target_attach((pid_t)number(words[1]));
	if (strcmp(words[0], "core") == 0 && wishes->count == 3)
		return target_open_core(words[1], words[2]);
	if (strcmp(words[0], "run") == 0)
		return target_run(words + 1);
	refuse();
}

static void print_library(struct json *json, const struct routines *ompd, ompd_word_t api)
{
	const char *text = NULL;
	ompd_word_t newest = 0;

	json_integer(json, "api", api);
	if (ASK(ompd, get_api_version, &newest) == ompd_rc_ok)
		json_integer(json, "newest_api", newest);
	if (ASK(ompd, get_version_string, &text) == ompd_rc_ok)
		json_string(json, "library_version", text);
}

static void print_costs(struct json *json)
{
	json_begin_object(json, "cost");
	json_integer(json, "reads", (int64_t)costs.reads);
	json_integer(json, "bytes", (int64_t)costs.bytes);
	json_integer(json, "strings", (int64_t)costs.strings);
	json_integer(json, "writes", (int64_t)costs.writes);
	json_integer(json, "symbols", (int64_t)costs.symbols);
	json_integer(json, "symbols_not_found", (int64_t)costs.symbols_not_found);
	json_integer(json, "contexts", (int64_t)costs.contexts);
	json_integer(json, "conversions", (int64_t)costs.conversions);
	json_integer(json, "sizes", (int64_t)costs.sizes);
	json_integer(json, "texts", (int64_t)costs.texts);
	json_integer(json, "allocations", (int64_t)costs.allocations);
	json_integer(json, "frees", (int64_t)costs.frees);
	json_integer(json, "bad_frees", (int64_t)costs.bad_frees);
	json_integer(json, "live_allocations_at_end", (int64_t)costs.live_allocations);
	json_end_object(json);
}

int main(int argc, char **argv)
{
	const struct wishes wishes = read_wishes(argc, argv);
	struct json json = {.file = stdout};
	struct routines ompd;
	struct process process;
	struct dump dump = {.ompd = &ompd, .process = &process, .json = &json};
	ompd_rc_t rc;

	library_load(wishes.library, &ompd);
	rc = ompd.initialize(wishes.api, &callbacks);
	if (rc != ompd_rc_ok)
		fail("the library refuses API version %ld: %s", (long)wishes.api, rc_name(rc));
	process_open(&process, open_target(&wishes));
	rc = ompd.process_initialize(&process.for_ompd, &dump.space);
	json_begin_object(&json, NULL);
	print_library(&json, &ompd, wishes.api);
	json_integer(&json, "pid", process.target->pid);
	json_string(&json, "program", process.target->executable);
	json_string(&json, "process_initialize", rc_name(rc));
	if (rc == ompd_rc_ok) {
		if (strcmp(wishes.words[0], "calls") == 0)
			calls_count(&dump);
		else if (wishes.offload)
			dump_offload(&dump);
		else
			dump_process(&dump);
		ASK(&ompd, rel_address_space_handle, dump.space);
	}
	json_string(&json, "finalize", rc_name(ompd.finalize ? ompd.finalize() : RC_ABSENT));
	print_costs(&json);
	json_end_object(&json);
	process_close(&process);
	return fflush(stdout) == 0 ? 0 : 1;
}
