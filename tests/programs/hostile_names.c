/* SPDX-License-Identifier: Apache-2.0
 *
 * Crashes in a function whose name a browser would run, and a terminal obey, in a thread with such a name; without
 * debug information all that is known of the function is this name.
 */
#include <omp.h>
#include <sys/prctl.h>

__attribute__((noinline)) void crash_here(volatile int *place) __asm__(
	"<script>hacked=1</script><img src=x onerror=hacked=1>\033[31m");

void crash_here(volatile int *place)
{
	*place = 1;
}

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
			prctl(PR_SET_NAME, "<b>\033[31m\"'>&");
			crash_here((volatile int *)8192);
		}
	}
	return 0;
}
