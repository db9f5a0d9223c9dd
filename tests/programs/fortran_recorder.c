/* SPDX-License-Identifier: Apache-2.0
 *
 * Records the truth for whole_fortran.F90: everything at the innermost level.
 */
#include "truth.h"

void construct(int level, int line);
void record_and_stop(void);

void construct(int level, int line)
{
	omp_set_max_active_levels(8);
	truth_source = "whole_fortran.F90";
	truth_lines[level] = line;
}

void record_and_stop(void)
{
	truth_record();
	truth_stop(4);
}
