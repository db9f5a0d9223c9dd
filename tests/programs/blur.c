/* SPDX-License-Identifier: Apache-2.0
 *
 * Tiles of a picture are blurred, each by a team of its own inside the tiles' region. The last thread of the second
 * tile is led past the picture, when the others wait at the end of their rows, or are slow.
 * Truth: everything at the innermost level, and what each thread does there; OMPD_TRUTH_FILE.crash: a line
 * "LINE ADDRESS TID".
 */
#include "states.h"

enum { TILES = 2, THREADS = 3, ROWS = 6, COLUMNS = 64 };

static float picture[TILES][ROWS][COLUMNS], blurred[TILES][ROWS][COLUMNS];

static void blur_row(int tile, long row)
{
	const float *from = picture[tile][row];
	float *to = blurred[tile][row];

	if (row >= ROWS) {
		until(&declared, expected);
		settle();
		truth_write();
		truth_append("crash", "%d %p %ld\n", __LINE__ + 2, (const void *)from, truth_tid());
	}
	to[1] = (from[0] + from[1] + from[2]) / 3;
}

static void blur_tile(int tile)
{
	TRUTH_CONSTRUCT(2);
#pragma omp parallel num_threads(THREADS)
	{
		const int last = omp_get_thread_num() == THREADS - 1;

		truth_record();
		if (last && tile == 0)
			work("work_parallel");
		else if (last)
			going_to("work_parallel", 0);
		else
			going_to("wait_barrier_implicit_workshare", __LINE__ + 1);
#pragma omp for schedule(static, 2)
		for (long row = 0; row < ROWS; row++)
			blur_row(tile, last ? row + 100000000 : row);
		truth_seen();
	}
}

int main(void)
{
	omp_set_max_active_levels(2);
	expected = TILES * THREADS;
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(TILES)
	blur_tile(omp_get_thread_num());
	return 0;
}
