/* SPDX-License-Identifier: Apache-2.0
 *
 * One construct, entered with 4, 2, 8 and 3 threads: the runtime keeps and reuses the team. `reused all`
 * stops every time, `reused` the last time only.
 * Truth: everything of those in the region, and which threads were in an earlier one and are idle now.
 */
#include "truth.h"

int main(int argc, char **argv)
{
	static const int sizes[] = {4, 2, 8, 3};
	const int all = argc > 1 && strcmp(argv[1], "all") == 0;
	int i;

	for (i = 0; i < 4; i++) {
		truth_begin();
		TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(sizes[i])
		{
			truth_seen();
			if (all || i == 3) {
				truth_record();
				truth_stop(sizes[i]);
			}
		}
	}
	return 0;
}
