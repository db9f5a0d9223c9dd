/* SPDX-License-Identifier: Apache-2.0
 *
 * Which iterations the threads have of loops that libomp schedules (kmp_dispatch.cpp).
 *
 * A thread that begins a loop takes the next of its team's buffers, by th_disp_index, and notes its own part
 * and the team's in its kmp_disp_t; when no iteration is left it takes the notes back. They are believed
 * only if the team's buffer is still of the loop that the thread has counted: buffers are used again, and
 * a cancelled loop leaves its notes behind.
 */
#include "runtime/common/blocks.h"
#include "runtime/llvm/answers.h"
#include "runtime/llvm/loop_structures.h"
#include "runtime/llvm/picture.h"

/* kmp.h: sched_type, those that a thread's part can hold. */
enum {
	STATIC_CHUNKED = 33,
	DYNAMIC_CHUNKED = 35,
	TRAPEZOIDAL = 39,
	STATIC_GREEDY = 40,
	STATIC_BALANCED = 41,
	GUIDED_ITERATIVE = 42,
	GUIDED_ANALYTICAL = 43,
	STATIC_STEAL = 44,
	GUIDED_SIMD = 46,
};

struct loops {
	const struct picture *picture;
	struct vector seen; /* ompdx_loop_t */
	ompdx_problem_t problem;
	int32_t may_have_left;
};

static ompdx_schedule_t schedule_kind(uint32_t schedule)
{
	switch (schedule) {
	case STATIC_CHUNKED:
	case STATIC_GREEDY:
	case STATIC_BALANCED:
		return ompdx_schedule_static;
	case DYNAMIC_CHUNKED:
		return ompdx_schedule_dynamic;
	case GUIDED_ITERATIVE:
	case GUIDED_ANALYTICAL:
	case GUIDED_SIMD:
		return ompdx_schedule_guided;
	case TRAPEZOIDAL:
		return ompdx_schedule_trapezoidal;
	case STATIC_STEAL:
		return ompdx_schedule_static_steal;
	default:
		return ompdx_schedule_unknown;
	}
}

/* ---- What the words mean ---- */

/* How many times the loop is executed, by its bounds: libomp computes the same. Words are as wide as the
 * program's type, and overflow as it does. */
static uint64_t trips(const struct loop *loop)
{
	const uint64_t mask = loop->width == 4 ? UINT32_MAX : UINT64_MAX;
	const bool down = loop->st >> (loop->width * 8 - 1) & 1;
	const uint64_t span = (down ? loop->lb - loop->ub : loop->ub - loop->lb) & mask;
	const uint64_t step = (down ? 0 - loop->st : loop->st) & mask;

	return step ? (span / step + 1) & mask : 0;
}

/* Whether the words can be those of a loop. Two schedules put something else into ub. */
static bool plausible(const struct loop *loop)
{
	const bool chunks = loop->schedule != STATIC_BALANCED;

	if (schedule_kind(loop->schedule) == ompdx_schedule_unknown || loop->use_hier)
		return false;
	if (loop->tc > INT64_MAX || (chunks && (loop->parm1 == 0 || loop->parm1 > INT64_MAX)))
		return false;
	/* A loop without iterations ends before it begins. */
	return loop->tc == 0 || loop->schedule == STATIC_BALANCED ||
	       loop->schedule == STATIC_STEAL || trips(loop) == loop->tc;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void set_chunk(ompdx_loop_t *ret, uint64_t first, uint64_t last)
{
	if (first > last || first >= (uint64_t)ret->iterations)
		return;
	ret->first = (int64_t)first;
	ret->last = (int64_t)least(last, (uint64_t)ret->iterations - 1);
}

/* The chunk of this number, of chunks of one size. */
static void set_numbered_chunk(ompdx_loop_t *ret, uint64_t number)
{
	const uint64_t chunk = (uint64_t)ret->chunk;

	if (number <= (uint64_t)ret->iterations / chunk)
		set_chunk(ret, number * chunk, number * chunk + chunk - 1);
}

/* The first of the items that a thread gets when as many are dealt out evenly: those with lower numbers get
 * what is left over. */
static uint64_t first_share(uint64_t items, uint64_t threads, uint64_t number)
{
	return number * (items / threads) + least(number, items % threads);
}

/* count: of the next chunk of the thread's own part; ub: where that part ends. */
static void set_own_part(const struct loop *loop, uint64_t threads, ompdx_loop_t *ret)
{
	const uint64_t chunks = (loop->tc - 1) / loop->parm1 + 1;
	const uint64_t begun = first_share(chunks, threads, (uint64_t)ret->thread_num);

	if (loop->ub > chunks || loop->count > chunks) {
		ret->problem = ompdx_problem_inconsistent;
		return;
	}
	ret->left = 0;
	if (loop->count < loop->ub)
		ret->left = (int64_t)(least(loop->ub * loop->parm1, loop->tc) -
				      loop->count * loop->parm1);
	/* At the beginning of its part the thread may have got nothing yet. */
	if (loop->count > 0 && loop->count != begun && !loop->use_hybrid)
		set_numbered_chunk(ret, loop->count - 1);
}

static void set_handed_out(const struct loop *loop, ompdx_loop_t *ret)
{
	const uint64_t all = loop->tc;

	if (loop->schedule == GUIDED_ITERATIVE || loop->schedule == GUIDED_SIMD)
		ret->handed_out = (int64_t)least(loop->iteration, all);
	else if (loop->schedule == DYNAMIC_CHUNKED)
		ret->handed_out = (int64_t)(loop->iteration > all / loop->parm1
						    ? all
						    : loop->iteration * loop->parm1);
}

static void interpret(const struct loop *loop, uint64_t threads, ompdx_loop_t *ret)
{
	const uint64_t number = (uint64_t)ret->thread_num;

	if (!plausible(loop)) {
		ret->problem = ompdx_problem_inconsistent;
		return;
	}
	ret->schedule = schedule_kind(loop->schedule);
	ret->ordered = loop->ordered;
	/* Only gcc's sections are handed out one by one also where one thread gets all. */
	ret->sections = loop->nomerge;
	ret->iterations = (int64_t)loop->tc;
	if (loop->schedule != STATIC_BALANCED)
		ret->chunk = (int64_t)loop->parm1;
	if (loop->tc == 0)
		return;
	set_handed_out(loop, ret);
	if (loop->schedule == STATIC_STEAL)
		set_own_part(loop, threads, ret);
	else if (loop->schedule == STATIC_BALANCED && loop->count && number < loop->tc)
		set_chunk(ret, first_share(loop->tc, threads, number),
			  first_share(loop->tc, threads, number + 1) - 1);
	else if (ret->schedule == ompdx_schedule_static && loop->count >= threads)
		set_numbered_chunk(ret, loop->count - threads + number);
	if (loop->ordered) {
		ret->ordered_turn = (int64_t)(loop->ordered_iteration & INT64_MAX);
		set_chunk(ret, loop->ordered_lower, loop->ordered_upper);
	}
}

/* ---- Reading them ---- */

/* *ret: a thread in a loop, of which nothing else is known. */
static ompd_rc_t add_thread(struct loops *loops, const struct seen_team *team, int32_t number,
			    uint32_t loop, ompdx_loop_t **ret)
{
	const struct picture *picture = loops->picture;
	ompdx_loop_t *added;
	void *place;
	const ompd_rc_t rc = vector_add(&loops->seen, 1, VIEW_MEMBERS_MAX, &place);

	if (rc != ompd_rc_ok)
		return rc;
	added = place;
	added->size = sizeof(*added);
	added->team = team->team.address;
	added->thread = picture_place_of(picture, team->threads[number]);
	added->thread_num = number;
	added->loop = loop;
	added->may_have_left = loops->may_have_left;
	added->iterations = added->chunk = added->handed_out = -1;
	added->first = added->last = added->left = added->ordered_turn = -1;
	added->remaining = added->ordered_holder = added->completed = -1;
	*ret = added;
	return ompd_rc_ok;
}

static ompd_rc_t add_loop(struct loops *loops, const struct seen_team *team, int32_t number,
			  const struct dispatch *dispatch)
{
	const struct target *target = &loops->picture->space->target;
	const uint32_t index = dispatch->th_disp_index - 1;
	ompdx_loop_t *added;
	struct loop loop;
	const ompd_rc_t read =
		loop_read(target, &loops->picture->llvm->loop_structures, dispatch, &loop);
	ompd_rc_t rc;

	if (read == ompd_rc_ok && loop.buffer_index != index)
		return ompd_rc_ok;
	if (read != ompd_rc_ok && read != ompd_rc_incompatible)
		return read;
	rc = add_thread(loops, team, number, index, &added);
	if (rc != ompd_rc_ok)
		return rc;
	if (read == ompd_rc_ok)
		interpret(&loop, (uint64_t)team->team.t_nproc, added);
	else
		added->problem = ompdx_problem_inconsistent;
	return ompd_rc_ok;
}

/* Whether the thread's notes can be those of a loop: both are there, in the buffers. */
static bool noted(const struct team_loops *team, const struct dispatch *dispatch)
{
	return dispatch->th_dispatch_pr_current && dispatch->th_dispatch_sh_current &&
	       dispatch->th_dispatch_pr_current >= dispatch->th_disp_buffer &&
	       dispatch->th_dispatch_sh_current >= team->t_disp_buffer &&
	       dispatch->th_disp_index != 0;
}

static ompd_rc_t add_team(struct loops *loops, const struct seen_team *seen)
{
	const struct target *target = &loops->picture->space->target;
	const struct loop_structures *structures = &loops->picture->llvm->loop_structures;
	struct team_loops team;
	ompd_rc_t rc = team_loops_read(target, structures, seen->team.address, &team);

	if (rc == ompd_rc_ok && team.t_dispatch == 0)
		rc = ompd_rc_error;
	for (int32_t i = 0; rc == ompd_rc_ok && i < seen->team.t_nproc; i++) {
		const target_addr address = team.t_dispatch + (uint64_t)i * structures->disp.size;
		struct dispatch dispatch;

		rc = dispatch_read(target, structures, address, &dispatch);
		if (rc == ompd_rc_ok && noted(&team, &dispatch))
			rc = add_loop(loops, seen, i, &dispatch);
		if (rc == ompd_rc_error) {
			loops->problem = ompdx_problem_unreadable;
			rc = ompd_rc_ok;
		}
	}
	if (rc == ompd_rc_error) {
		loops->problem = ompdx_problem_unreadable;
		rc = ompd_rc_ok;
	}
	return rc;
}

/* cancel-var, which is one for the whole program. */
static int32_t can_cancel(struct address_space *space)
{
	const struct entity nothing = {0};
	struct icv_value value;
	int32_t answer = -1;

	icv_value_init(&value);
	if (llvm_icv(space, ICV_CANCEL, nothing, &value) == ompd_rc_ok)
		answer = value.number != 0;
	icv_value_deinit(&value);
	return answer;
}

ompd_rc_t llvm_loops(void *from, void **ret)
{
	const struct picture *picture = from;
	struct loops loops = {.picture = picture, .seen.item_size = sizeof(ompdx_loop_t)};
	ompd_rc_t rc = ompd_rc_ok;

	if (!picture->llvm->knows_loops)
		return ompd_rc_unavailable;
	loops.may_have_left = can_cancel(picture->space);
	for (size_t i = 0; rc == ompd_rc_ok && i < picture->teams.count; i++) {
		const struct seen_team *team = picture_team(picture, i);

		if (team->alive && team->threads && team->team.t_serialized == 0)
			rc = add_team(&loops, team);
	}
	if (rc == ompd_rc_ok)
		rc = loops_block_create(&loops.seen, loops.problem, ret);
	vector_deinit(&loops.seen);
	return rc;
}
