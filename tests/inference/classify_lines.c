/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks on stdin, one a line as tests/plugin/test_classify.py writes them: what ompdx_classify tells a caller in C, as the
 * sampler is one, on stdout. "-" is what is not known; texts begin with "=".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompd-ext.h"

#define FRAMES_MAX 64
#define LEVELS_MAX 16
#define NAMES_MAX 4096
#define LINE_BYTES (1 << 16)

static char *rest;

static _Noreturn void give_up(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(1);
}

static char *word(void)
{
	char *found = rest ? strsep(&rest, "\t") : NULL;

	if (!found)
		give_up("a line ends early");
	return found;
}

static const char *text(void)
{
	const char *found = word();

	return found[0] == '=' ? found + 1 : NULL;
}

static uint64_t number(void)
{
	return strtoull(word(), NULL, 10);
}

/* -1 for what is not known. */
static int32_t signed_number(void)
{
	const char *found = word();

	return strcmp(found, "-") == 0 ? -1 : (int32_t)strtol(found, NULL, 10);
}

static uint32_t count(uint32_t most)
{
	const uint64_t found = number();

	if (found > most)
		give_up("there is too much of something");
	return (uint32_t)found;
}

/* What its name tells, of each once. */
static const ompdx_function_t *function(void)
{
	static struct {
		char *name;
		ompdx_function_t told;
	} known[NAMES_MAX];
	static size_t known_count;
	const char *name = text();

	for (size_t i = 0; name && i < known_count; i++)
		if (strcmp(known[i].name, name) == 0)
			return &known[i].told;
	if (!name)
		return NULL;
	if (known_count == NAMES_MAX)
		give_up("there are too many names");
	known[known_count].name = strdup(name);
	known[known_count].told.size = sizeof known->told;
	if (ompdx_describe_function(name, &known[known_count].told) != ompd_rc_ok)
		give_up("a name is refused");
	return &known[known_count++].told;
}

static void classify(void)
{
	static ompdx_frame_t frames[FRAMES_MAX];
	static ompdx_view_level_t levels[LEVELS_MAX];
	static ompdx_view_region_t regions[LEVELS_MAX];
	ompdx_sleep_t sleep = {.size = sizeof sleep};
	ompdx_team_arrivals_t arrivals = {.size = sizeof arrivals};
	ompdx_stack_t stack = {
		.size = sizeof stack, .frames = frames, .frame_size = sizeof *frames};
	ompdx_facts_t facts = {.size = sizeof facts,
			       .known = OMPDX_FACT_THREAD | OMPDX_FACT_REGIONS,
			       .levels = levels,
			       .level_size = sizeof *levels,
			       .regions = regions,
			       .region_size = sizeof *regions};
	ompdx_classification_t told = {.size = sizeof told};

	stack.extent = (ompdx_extent_t)number();
	if (number()) {
		sleep.address = number();
		sleep.expected = (uint32_t)number();
		sleep.now_known = (uint32_t)number();
		sleep.now = (uint32_t)number();
		stack.sleep = &sleep;
	}
	facts.runtime = (uint32_t)number();
	facts.runtime_kind = (ompdx_runtime_kind_t)number();
	facts.thread_kind = (ompdx_thread_kind_t)number();
	facts.has_team = (uint32_t)number();
	facts.ident_flags = signed_number();
	facts.ident_source = text();
	if (number()) {
		arrivals.awaits = signed_number();
		arrivals.arrived = signed_number();
		arrivals.arrived_at_end = signed_number();
		facts.arrivals = &arrivals;
	}
	facts.level_count = facts.region_count = count(LEVELS_MAX);
	for (uint32_t i = 0; i < facts.level_count; i++) {
		levels[i].region = i;
		regions[i] = (ompdx_view_region_t){.size = sizeof *regions, .address = number()};
		regions[i].generator = (uint32_t)number();
		regions[i].serialized = (int32_t)number();
		regions[i].level = signed_number();
		regions[i].team_num = signed_number();
		regions[i].member_count = (uint32_t)number();
		regions[i].function = number();
		levels[i].thread_num = signed_number();
	}
	stack.frame_count = count(FRAMES_MAX);
	for (uint32_t i = 0; i < stack.frame_count; i++) {
		frames[i] = (ompdx_frame_t){.code = (ompdx_code_t)number()};
		frames[i].runtime_kind = (ompdx_runtime_kind_t)number();
		frames[i].runtime = (uint32_t)number();
		frames[i].function = function();
		frames[i].entry = number();
		frames[i].called = function();
		frames[i].direct_call = signed_number();
	}
	if (ompdx_classify(&stack, &facts, &told) != ompd_rc_ok)
		give_up("a stack is refused");
	printf("%u %u %u %u %u %u %u %u %u %u %u %u %" PRIu64 " %" PRIu64 "\n", told.state,
	       (unsigned)told.wait, (unsigned)told.construct, (unsigned)told.place,
	       (unsigned)told.doubt, (unsigned)told.construct_doubt, told.told, told.asks,
	       told.runtime, told.entry_frame, told.caller_frame, told.outermost_frame, told.object,
	       told.round);
}

int main(void)
{
	static char line[LINE_BYTES];

	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = 0;
		rest = line;
		classify();
	}
	return 0;
}
