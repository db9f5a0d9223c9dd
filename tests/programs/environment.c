/* SPDX-License-Identifier: Apache-2.0
 *
 * One variable of OpenMP's is set by the program itself, one taken away, the others are as it was started.
 * Truth: in OMPD_TRUTH_FILE.environment what getenv() says of each, NAME=VALUE.
 */
#include "truth.h"

int main(void)
{
	static const char *const names[] = {"OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND",
					    "KMP_CHECKS", "KMP_NOTE"};

	setenv("OMP_NUM_THREADS", "3", 1);
	unsetenv("OMP_PROC_BIND");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);

		if (value)
			truth_append("environment", "%s=%s\n", names[i], value);
	}
	TRUTH_CONSTRUCT(1);
#pragma omp parallel
	{
		truth_record();
		truth_stop(3);
	}
	return 0;
}
