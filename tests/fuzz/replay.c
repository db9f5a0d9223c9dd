/* SPDX-License-Identifier: Apache-2.0
 *
 * Do the inputs that once were findings still do no harm? replay FILE...
 *
 * An input of two bytes is a seed without a patch: there, everything has to be seen.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz_memory.h"
#include "image_debugger.h"

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("usage: replay FILE...\n", stderr);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		struct sweep_seen seen;
		size_t size;
		uint8_t *bytes = read_file(argv[i], &size);

		printf("%s: ", argv[i]);
		fflush(stdout);
		seen = fuzz_input(bytes, size);
		free(bytes);
		printf("handles of %u threads, %u regions, %u tasks, %u values; "
		       "view of %u threads, %u regions, %u tasks; %llu reads\n",
		       seen.threads, seen.regions, seen.tasks, seen.values, seen.view_threads,
		       seen.view_regions, seen.view_tasks, (unsigned long long)debugger_reads());
		if (size == 2 && (!seen.runtimes || !seen.threads || !seen.regions || !seen.tasks ||
				  !seen.values || !seen.view_regions || !seen.view_tasks))
			finding("a seed in which nothing is seen", argv[i]);
	}
	return 0;
}
