/* SPDX-License-Identifier: Apache-2.0
 *
 * The program has variables and functions that are called like the runtime's.
 * Truth: everything in a region of three.
 */
#include "truth.h"

/* Hidden: exported ones the runtime itself would use. */
#pragma GCC visibility push(hidden)
long __kmp_threads = 7, __kmp_thread_pool = 8, __kmp_gtid = 9;
unsigned long ompd_access__kmp_base_info_t__th_current_task = 3;
unsigned long ompd_sizeof__kmp_info_t = 1;
unsigned long long ompd_state = 1;
const char **ompd_dll_locations;
struct kmp_info {
	int th_team;
} kmp_info_t;
#pragma GCC visibility pop

__attribute__((used)) static void __kmpc_fork_call_of_mine(void)
{
}

int main(void)
{
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(3)
	{
		truth_record();
		truth_stop(3);
	}
	return (int)(__kmp_threads + ompd_state + kmp_info_t.th_team) == 0;
}
