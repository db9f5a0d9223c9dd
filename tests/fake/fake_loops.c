/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_loops.h"

#include "fake_libomp_internal.h"

enum { BUFFERS = 7, PRIVATE_SIZE = 192, SHARED_SIZE = 88 };

/* Members of the thread's part, as multiples of the variable's width; parm1 is aligned. */
enum { COUNT = 0, UB = 1, LB = 2, ST = 3, TC = 4 };

uint64_t fake_add_dispatch(struct fake_region *region, struct fake_libomp *omp)
{
	const uint64_t size = (uint64_t)region->team_size;
	const uint64_t dispatches = fake_allocate_block(omp, size * FAKE_DISP_SIZE);
	const uint64_t shared = fake_allocate_block(omp, BUFFERS * SHARED_SIZE);

	for (uint64_t i = 0; i < size; i++)
		fake_put_pointer(omp->target, dispatches + i * FAKE_DISP_SIZE + FAKE_DISP_BUFFER,
				 fake_allocate_block(omp, BUFFERS * PRIVATE_SIZE));
	for (uint64_t i = 0; i < BUFFERS; i++)
		fake_put(omp->target, shared + i * SHARED_SIZE + FAKE_SH_BUFFER_INDEX, 4, i);
	fake_put_pointer(omp->target, region->team + FAKE_T_DISPATCH, dispatches);
	fake_put_pointer(omp->target, region->team + FAKE_T_DISP_BUFFER, shared);
	return dispatches;
}

static void put(struct fake_libomp *omp, struct fake_thread_loop at, const struct fake_loop *loop,
		unsigned member, uint64_t value)
{
	fake_put(omp->target, at.private_info + (uint64_t)member * loop->width, loop->width, value);
}

struct fake_thread_loop fake_begin_loop(struct fake_libomp *omp, uint64_t dispatches,
					int thread_num, const struct fake_loop *loop)
{
	const uint64_t place = loop->index % BUFFERS;
	const uint64_t dispatch = dispatches + (uint64_t)thread_num * FAKE_DISP_SIZE;
	struct fake_thread_loop at = {.dispatch = dispatch};
	uint64_t shared = 0;

	for (const struct fake_region *region = omp->regions; region; region = region->next) {
		if (fake_get_pointer(omp->target, region->team + FAKE_T_DISPATCH) == dispatches)
			shared = fake_get_pointer(omp->target, region->team + FAKE_T_DISP_BUFFER);
	}
	at.private_info =
		fake_get_pointer(omp->target, dispatch + FAKE_DISP_BUFFER) + place * PRIVATE_SIZE;
	at.shared_info = shared + place * SHARED_SIZE;
	put(omp, at, loop, LB, (uint64_t)loop->lb);
	put(omp, at, loop, UB, (uint64_t)loop->ub);
	put(omp, at, loop, ST, (uint64_t)loop->st);
	put(omp, at, loop, TC, (uint64_t)loop->tc);
	fake_put(omp->target, at.private_info + 64, loop->width, (uint64_t)loop->chunk);
	fake_put(omp->target, at.private_info + FAKE_PR_SCHEDULE, 4, loop->schedule);
	fake_put(omp->target, at.private_info + FAKE_PR_FLAGS, 4, loop->flags);
	fake_put(omp->target, at.private_info + FAKE_PR_TYPE_SIZE, 4, loop->width);
	fake_set_ordered(omp, at, loop, 1, 0);
	fake_put(omp->target, at.shared_info, loop->width, loop->iteration);
	fake_put(omp->target, at.shared_info + (uint64_t)(2 * loop->width), loop->width,
		 loop->ordered_iteration);
	fake_put(omp->target, at.shared_info + FAKE_SH_BUFFER_INDEX, 4, loop->index);
	fake_put(omp->target, dispatch + FAKE_DISP_INDEX, 4, loop->index + 1);
	fake_put_pointer(omp->target, dispatch + FAKE_DISP_SH_CURRENT, at.shared_info);
	fake_put_pointer(omp->target, dispatch + FAKE_DISP_PR_CURRENT, at.private_info);
	return at;
}

void fake_set_count(struct fake_libomp *omp, struct fake_thread_loop at,
		    const struct fake_loop *loop, uint64_t count)
{
	put(omp, at, loop, COUNT, count);
}

void fake_set_ub(struct fake_libomp *omp, struct fake_thread_loop at, const struct fake_loop *loop,
		 uint64_t ub)
{
	put(omp, at, loop, UB, ub);
}

void fake_set_ordered(struct fake_libomp *omp, struct fake_thread_loop at,
		      const struct fake_loop *loop, uint64_t lower, uint64_t upper)
{
	const uint64_t place = at.private_info + (loop->width == 4 ? 32 : 48);

	fake_put(omp->target, place, loop->width, lower);
	fake_put(omp->target, place + loop->width, loop->width, upper);
}
