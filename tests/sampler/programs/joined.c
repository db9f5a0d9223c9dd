/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that pass one of two locks, whichever way they are come to, and one that always passes the same. */
#include <omp.h>

static omp_lock_t a, b;

void work(void)
{
	__asm__ volatile("" ::: "memory");
}

void joined(int k)
{
	omp_lock_t *lock;

	if (k) {
		work();
		lock = &a;
	} else {
		lock = &b;
	}
	omp_set_lock(lock);
	work();
}

void chosen(int k)
{
	omp_set_lock(k ? &a : &b);
	work();
}

void looped(int k)
{
	omp_lock_t *lock = &a;

	for (int i = 0; i < k; i++) {
		omp_set_lock(lock);
		work();
		lock = &b;
	}
}

int main(int argc, char **argv)
{
	(void)argv;
	joined(argc), chosen(argc), looped(argc);
	omp_set_lock(&a);
	return 0;
}
