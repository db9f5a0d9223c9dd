/* SPDX-License-Identifier: Apache-2.0
 *
 * Do the inputs that once were findings still do no harm? replay FILE...
 *
 * One of two bytes, for a tool of OpenMP 6.0 that knows symbols, is a seed without a patch: there, everything
 * has to be seen.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz_memory.h"
#include "image_debugger.h"

#define TOOL_OF_SEEDS 7

static bool sees_all(const struct sweep_seen *seen)
{
	return seen->images && seen->runtimes && seen->threads && seen->regions && seen->tasks &&
	       seen->values && seen->view_threads && seen->view_regions;
}

int main(int argc, char **argv)
{
	unsigned seeds = 0, seeds_with_tasks = 0, seeds_with_mappings = 0;

	if (argc < 2) {
		fputs("usage: replay FILE...\n", stderr);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		struct sweep_seen seen;
		size_t size;
		uint8_t *bytes = read_file(argv[i], &size);
		const bool is_seed = size == 2 && bytes[0] != 0 && bytes[1] == TOOL_OF_SEEDS;

		printf("%s: ", argv[i]);
		fflush(stdout);
		seen = fuzz_input(bytes, size);
		free(bytes);
		printf("handles of %u threads, %u regions, %u tasks, %u values; "
		       "view of %u threads, %u regions, %u tasks, %u locks; %u images, %u "
		       "mappings; %llu reads\n",
		       seen.threads, seen.regions, seen.tasks, seen.values, seen.view_threads,
		       seen.view_regions, seen.view_tasks, seen.locks, seen.images, seen.mappings,
		       (unsigned long long)debugger_reads());
		fflush(stdout);
		if (!is_seed)
			continue;
		if (!sees_all(&seen))
			finding("a seed in which something is not seen", argv[i]);
		seeds++;
		seeds_with_tasks += seen.view_tasks > 0;
		seeds_with_mappings += seen.mappings > 0;
	}
	/* Of builds without a shipped record it is not known where they keep tasks. */
	if (seeds && !seeds_with_tasks)
		finding("no seed has tasks", argv[0]);
	if (seeds && !seeds_with_mappings)
		finding("no seed has mappings on devices", argv[0]);
	return 0;
}
