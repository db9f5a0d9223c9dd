/* SPDX-License-Identifier: Apache-2.0
 *
 * Which iterations of a doacross loop were posted (ordered.c).
 *
 * Each entry of the loop's array has the number behind the iteration that was posted last: in one number, each loop's
 * shifted by shift_counts, or in one for each loop where they do not fit into it. A thread waits until the entry of whoever has
 * the iteration is beyond it.
 */
#include "runtime/common/blocks.h"
#include "runtime/gomp/answers.h"
#include "runtime/gomp/nesting.h"
#include "runtime/gomp/picture.h"
#include "target/limits.h"

enum { ALIGNMENT = 64 };

struct waited {
	const struct picture *picture;
	const struct doacross_question *question;
	const struct seen_team *seen;
	struct gomp_work_share share;
	struct gomp_doacross_work_share doacross;
};

static bool plausible(const struct gomp_doacross_work_share *doacross)
{
	return doacross->ncounts > 0 && doacross->ncounts <= DOACROSS_DIMENSIONS_MAX &&
	       doacross->elt_sz > 0 && doacross->elt_sz % ALIGNMENT == 0 &&
	       doacross->elt_sz <= DOACROSS_DIMENSIONS_MAX * 8 &&
	       doacross->array % ALIGNMENT == 0 && doacross->array > doacross->address;
}

/* Which entry is that of the iteration. *owner: whose it is, if it is one thread's. false: the words contradict each
 * other. */
static bool entry_of(const struct waited *waited, uint64_t *entry, int32_t *owner)
{
	const struct gomp_doacross_work_share *doacross = &waited->doacross;
	const uint64_t first = (uint64_t)waited->question->iteration[0];
	const uint64_t threads = (uint64_t)waited->seen->team.nthreads;
	const uint64_t chunk = (uint64_t)waited->share.chunk_size;

	*owner = -1;
	switch (waited->share.sched & ~GFS_MONOTONIC) {
	case GFS_STATIC:
		if (chunk)
			*entry = first / chunk % threads;
		else if (first < doacross->boundary)
			*entry = first / (doacross->chunk_size + 1);
		else if (doacross->chunk_size)
			*entry = (first - doacross->boundary) / doacross->chunk_size + doacross->t;
		else
			return false;
		*owner = (int32_t)*entry;
		return *entry < threads;
	case GFS_GUIDED:
		*entry = first;
		return true;
	case GFS_DYNAMIC:
		*entry = doacross->chunk_size ? first / doacross->chunk_size : 0;
		return doacross->chunk_size != 0;
	default:
		return false;
	}
}

static ompd_rc_t was_posted_in_one(const struct waited *waited, target_addr entry, int32_t *ret)
{
	const struct target *target = &waited->picture->space->target;
	const struct record *record = waited->picture->gomp->record;
	const target_addr shifts =
		waited->doacross.address +
		record->members[MEMBER_gomp_doacross_work_share__shift_counts].offset;
	uint64_t wanted = 0, posted;
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < waited->question->dimensions; i++) {
		uint64_t shift = 0;

		rc = target_read_unsigned(target, shifts + i * 4, 4, &shift);
		if (shift > 63)
			return ompd_rc_error;
		wanted |= (uint64_t)waited->question->iteration[i] << shift;
	}
	if (rc == ompd_rc_ok)
		rc = target_read_unsigned(target, entry, 8, &posted);
	if (rc == ompd_rc_ok)
		*ret = wanted < posted;
	return rc;
}

static ompd_rc_t was_posted_in_many(const struct waited *waited, target_addr entry, int32_t *ret)
{
	target_addr posted[DOACROSS_DIMENSIONS_MAX];
	const ompd_rc_t rc = target_read_pointers(&waited->picture->space->target, entry,
						  waited->question->dimensions, posted);

	*ret = 1;
	for (size_t i = 0; rc == ompd_rc_ok && i < waited->question->dimensions; i++) {
		const uint64_t behind = (uint64_t)waited->question->iteration[i] + 1;

		if (behind != posted[i]) {
			*ret = behind < posted[i];
			break;
		}
	}
	return rc;
}

static ompd_rc_t was_posted(const struct waited *waited, int32_t *owner, int32_t *ret)
{
	uint64_t number;
	target_addr entry;

	/* The work share counts the outermost loop. */
	if ((uint64_t)waited->question->iteration[0] >= (uint64_t)waited->share.end ||
	    !entry_of(waited, &number, owner))
		return ompd_rc_error;
	entry = waited->doacross.array + number * waited->doacross.elt_sz;
	return waited->doacross.flattened ? was_posted_in_one(waited, entry, ret)
					  : was_posted_in_many(waited, entry, ret);
}

static ompd_rc_t answer(const struct waited *waited, target_addr share, void **ret)
{
	struct doacross_block block;
	int32_t posted = -1, owner = -1;
	ompd_rc_t rc = ompd_rc_ok;

	if (waited->question->dimensions &&
	    waited->question->dimensions != waited->doacross.ncounts)
		return ompd_rc_bad_input;
	if (waited->question->dimensions)
		rc = was_posted(waited, &owner, &posted);
	if (rc == ompd_rc_ok)
		rc = doacross_block_create((uint32_t)waited->seen->team.nthreads, &block);
	if (rc != ompd_rc_ok)
		return rc;
	block.answer->dimensions = waited->doacross.ncounts;
	block.answer->posted = posted;
	block.answer->owner = owner;
	block.answer->loop = share;
	for (int32_t i = 0; i < waited->seen->team.nthreads; i++) {
		const uint32_t thread = gomp_picture_member(waited->picture, waited->seen, i);
		struct gomp_team_state ts;

		if (gomp_picture_state(waited->picture, waited->seen, thread, &ts) &&
		    ts.work_share == share)
			block.members[i] = ompdx_doacross_inside;
	}
	*ret = block.answer;
	return ompd_rc_ok;
}

/* Of a team of one, and where there is no iteration, nothing is waited for. */
static ompd_rc_t answer_nothing(void **ret)
{
	struct doacross_block block;
	const ompd_rc_t rc = doacross_block_create(0, &block);

	if (rc == ompd_rc_ok)
		*ret = block.answer;
	return rc;
}

/* Only a thread in the loop's code tells that its work share is that of a doacross loop. */
ompd_rc_t gomp_doacross(void *from, const struct doacross_question *question, void **ret)
{
	const struct picture *picture = from;
	const struct target *target = &picture->space->target;
	const struct record *record = picture->gomp->record;
	const uint32_t index = address_map_get(&picture->team_of_address, question->team);
	struct waited waited = {.picture = picture, .question = question};
	struct gomp_team_state ts;
	ompd_rc_t rc;

	if (index == ADDRESS_MAP_NONE)
		return ompd_rc_bad_input;
	waited.seen = picture_team(picture, index);
	if (question->thread_num < 0 || question->thread_num >= waited.seen->team.nthreads)
		return ompd_rc_bad_input;
	if (!gomp_picture_state(picture, waited.seen,
				gomp_picture_member(picture, waited.seen, question->thread_num),
				&ts) ||
	    ts.work_share == 0)
		return ompd_rc_unavailable;
	rc = gomp_work_share_read(target, record, ts.work_share, &waited.share);
	if (rc == ompd_rc_ok && waited.share.doacross == 0)
		return answer_nothing(ret);
	if (rc == ompd_rc_ok)
		rc = gomp_doacross_read(target, record, waited.share.doacross, &waited.doacross);
	if (rc == ompd_rc_ok && waited.doacross.array == 0)
		return answer_nothing(ret);
	if (rc == ompd_rc_ok && !plausible(&waited.doacross))
		return ompd_rc_unavailable;
	return rc == ompd_rc_ok ? answer(&waited, ts.work_share, ret) : rc;
}
