/* SPDX-License-Identifier: Apache-2.0
 *
 * A region that is begun six times, and variables by which a breakpoint in it can be chosen: of the whole program, of the
 * function that begins it, and one of the function that hides one of the program.
 */
int turn;
static double part;
int hidden = -1;
unsigned char narrow;
int *pointer = &turn;
static _Thread_local int own = -1;

int main(void)
{
	int sum = 0;

	for (turn = 0; turn < 6; turn++) {
		int hidden = turn, twice = 2 * turn;

		part = turn / 2.0;
		narrow = (unsigned char)(250 + turn);
		own = turn;
#pragma omp parallel num_threads(2) reduction(+ : sum)
		sum += hidden + twice + own;
	}
	return sum == 0;
}
