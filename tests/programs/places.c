/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that are bound to places. Truth, in OMPD_TRUTH_FILE.places: a line "TID PLACE PARTITION" for each thread:
 * the place that it is bound to, and the numbers of those in its partition, with commas between.
 */
#include "truth.h"

#define THREADS 3
#define PLACES_MAX 64

int main(void)
{
	truth_begin();
#pragma omp parallel num_threads(THREADS)
	{
		const int count = omp_get_partition_num_places();
		int numbers[PLACES_MAX];
		char text[PLACES_MAX * 12] = "";

		if (count > PLACES_MAX)
			abort();
		omp_get_partition_place_nums(numbers);
		for (int i = 0; i < count; i++)
			sprintf(text + strlen(text), "%s%d", i ? "," : "", numbers[i]);
		truth_append("places", "%ld %d %s\n", truth_tid(), omp_get_place_num(), text);
		truth_record();
		truth_stop(THREADS);
	}
	return 0;
}
