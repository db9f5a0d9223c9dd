/* SPDX-License-Identifier: Apache-2.0
 *
 * Which iterations of a doacross loop were posted (kmp_csupport.cpp: __kmpc_doacross_init, _wait, _post).
 *
 * A thread that begins such a loop counts it in th_doacross_buf_idx, and notes where the team has a bit for each
 * iteration, and the bounds: how many loops are nested, an address, and of each loop its first and last value and its step, with
 * how many iterations it has in front, but for the outermost. When it leaves it takes both notes back.
 */
#include "runtime/common/blocks.h"
#include "runtime/llvm/answers.h"
#include "runtime/llvm/loop_structures.h"
#include "runtime/llvm/picture.h"
#include "target/limits.h"

enum { DIMENSIONS = 0, BOUNDS = 2, WORDS_OF_LOOP = 4, BITS_OF_FLAGS = 32 };

struct bounds {
	uint64_t dimensions;
	uint64_t words[DOACROSS_DIMENSIONS_MAX]
		      [WORDS_OF_LOOP]; /* length (not of the first), lo, up, st */
};

static ompd_rc_t read_bounds(const struct target *target, target_addr info, struct bounds *ret)
{
	target_addr words[DOACROSS_DIMENSIONS_MAX * WORDS_OF_LOOP];
	ompd_rc_t rc = target_read_unsigned(target, info, 8, &ret->dimensions);

	if (rc != ompd_rc_ok)
		return rc;
	if (ret->dimensions == 0 || ret->dimensions > DOACROSS_DIMENSIONS_MAX)
		return ompd_rc_error;
	/* The address stands where the first loop's length would. */
	rc = target_read_pointers(target, info + (BOUNDS - 1) * 8, ret->dimensions * WORDS_OF_LOOP,
				  words);
	for (size_t i = 0; rc == ompd_rc_ok && i < ret->dimensions * WORDS_OF_LOOP; i++)
		ret->words[i / WORDS_OF_LOOP][i % WORDS_OF_LOOP] = words[i];
	return rc;
}

/* Which of all iterations it is, counted from 0. false: none of them. */
static bool number_of(const struct bounds *bounds, const int64_t *iteration, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < bounds->dimensions; i++) {
		const int64_t lo = (int64_t)bounds->words[i][1], up = (int64_t)bounds->words[i][2];
		const int64_t st = (int64_t)bounds->words[i][3], at = iteration[i];
		const uint64_t step = st < 0 ? 0 - (uint64_t)st : (uint64_t)st;

		if (step == 0 || (st > 0 ? at < lo || at > up : at > lo || at < up))
			return false;
		if (i)
			*ret *= bounds->words[i][0];
		*ret += (st > 0 ? (uint64_t)at - (uint64_t)lo : (uint64_t)lo - (uint64_t)at) / step;
	}
	return true;
}

static ompd_rc_t was_posted(const struct target *target, const struct dispatch *dispatch,
			    const struct bounds *bounds, const int64_t *iteration, int32_t *ret)
{
	uint64_t number, flags;
	ompd_rc_t rc;

	*ret = 1;
	if (!number_of(bounds, iteration, &number))
		return ompd_rc_ok;
	rc = target_read_unsigned(target, dispatch->th_doacross_flags + number / BITS_OF_FLAGS * 4,
				  4, &flags);
	*ret = (int32_t)(flags >> number % BITS_OF_FLAGS & 1);
	return rc;
}

static ompdx_doacross_member_t member(const struct dispatch *own, const struct dispatch *other)
{
	/* Unsigned counters, of which the one may have come round. */
	const uint32_t ahead = other->th_doacross_buf_idx - own->th_doacross_buf_idx;

	if (other->th_doacross_flags == own->th_doacross_flags && ahead == 0)
		return ompdx_doacross_inside;
	/* One that is just beginning the loop has counted it and noted the bounds, and no flags yet. */
	if (ahead == 0 && other->th_doacross_info != 0)
		return ompdx_doacross_elsewhere;
	return ahead <= INT32_MAX ? ompdx_doacross_left : ompdx_doacross_elsewhere;
}

/* Of a member of the team. */
static ompd_rc_t read_dispatch(const struct picture *picture, const struct team_loops *team,
			       int32_t number, struct dispatch *ret)
{
	const struct loop_structures *structures = &picture->llvm->loop_structures;

	return dispatch_read(&picture->space->target, structures,
			     team->t_dispatch + (uint64_t)number * structures->disp.size, ret);
}

static ompd_rc_t answer(const struct picture *picture, const struct doacross_question *question,
			const struct seen_team *seen, const struct team_loops *team, void **ret)
{
	const struct target *target = &picture->space->target;
	struct doacross_block block;
	struct dispatch own;
	struct bounds bounds;
	int32_t posted = -1;
	ompd_rc_t rc = read_dispatch(picture, team, question->thread_num, &own);

	if (rc != ompd_rc_ok)
		return rc;
	if (own.th_doacross_flags == 0 || own.th_doacross_info == 0)
		return ompd_rc_unavailable;
	rc = read_bounds(target, own.th_doacross_info, &bounds);
	if (rc != ompd_rc_ok)
		return rc;
	if (question->dimensions && question->dimensions != bounds.dimensions)
		return ompd_rc_bad_input;
	if (question->dimensions)
		rc = was_posted(target, &own, &bounds, question->iteration, &posted);
	if (rc == ompd_rc_ok)
		rc = doacross_block_create((uint32_t)seen->team.t_nproc, &block);
	if (rc != ompd_rc_ok)
		return rc;
	block.answer->dimensions = (uint32_t)bounds.dimensions;
	block.answer->posted = posted;
	block.answer->loop = own.th_doacross_buf_idx;
	for (int32_t i = 0; i < seen->team.t_nproc; i++) {
		struct dispatch other;

		if (read_dispatch(picture, team, i, &other) == ompd_rc_ok)
			block.members[i] = member(&own, &other);
	}
	*ret = block.answer;
	return ompd_rc_ok;
}

ompd_rc_t llvm_doacross(void *from, const struct doacross_question *question, void **ret)
{
	const struct picture *picture = from;
	const uint32_t index = address_map_get(&picture->team_of_address, question->team);
	const struct loop_structures *structures = &picture->llvm->loop_structures;
	const struct seen_team *seen;
	struct team_loops team;
	ompd_rc_t rc;

	if (!picture->llvm->knows_loops || structures->disp.th_doacross_buf_idx.size == 0 ||
	    structures->disp.th_doacross_flags.size == 0)
		return ompd_rc_unavailable;
	seen = index == ADDRESS_MAP_NONE ? NULL : picture_team(picture, index);
	if (!seen || question->thread_num < 0 || question->thread_num >= seen->team.t_nproc)
		return ompd_rc_bad_input;
	if (!seen->alive || seen->team.t_serialized)
		return ompd_rc_unavailable;
	rc = team_loops_read(&picture->space->target, structures, question->team, &team);
	return rc == ompd_rc_ok ? answer(picture, question, seen, &team, ret) : rc;
}
