/* SPDX-License-Identifier: Apache-2.0
 *
 * The tutorial's hang: two threads lock the same two accounts in different orders. If that goes well one day, it
 * does not the next.
 */
#include <omp.h>
#include <unistd.h>

#define ACCOUNTS 4
#define DAYS 1000

static struct account {
	omp_lock_t lock;
	double balance;
} accounts[ACCOUNTS];

static void transfer(struct account *from, struct account *to, double amount)
{
	omp_set_lock(&from->lock);
	usleep(100000); /* a bank is slow */
	omp_set_lock(&to->lock);
	from->balance -= amount;
	to->balance += amount;
	omp_unset_lock(&to->lock);
	omp_unset_lock(&from->lock);
}

int main(void)
{
	for (int i = 0; i < ACCOUNTS; i++)
		omp_init_lock(&accounts[i].lock);
#pragma omp parallel num_threads(8)
	{
		for (int day = 0; day < DAYS; day++) {
			if (omp_get_thread_num() == 2)
				transfer(&accounts[0], &accounts[1], 10);
			else if (omp_get_thread_num() == 5)
				transfer(&accounts[1], &accounts[0], 20);
#pragma omp barrier
		}
	}
	return 0;
}
