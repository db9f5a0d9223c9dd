/* SPDX-License-Identifier: Apache-2.0
 *
 * Is libomp just making this thread, or giving it to a team? What it has recorded then is not whole, and yet not
 * damaged. It does so in this order (__kmp_allocate_thread and who calls it, 13 to 23), one thread at a time:
 *
 *                                     ds_gtid  th_team  ds_tid  th_current_task  ds_thread  t_threads[ds_tid]
 *   __kmp_threads lists it               0        0       0            0             0
 *   __kmp_initialize_info                0      a team    0            0             0      another
 *                                        0      a team   tid     0, then its own     0      0
 *   __kmp_create_worker                 gtid    a team   tid          its own        0      0
 *   pthread_create has returned         gtid    a team   tid          its own        id     0
 *   its team lists it                   gtid    a team   tid          its own        id     itself
 *
 * A thread of the pool has its ds_gtid and ds_thread from the beginning, and the ds_tid of its last team until it
 * gets the new one. A team gets its threads in the order of their numbers.
 */
#include "runtime/llvm/picture.h"
#include "target/limits.h"

static bool is_next_of(const struct seen_team *seen, int32_t tid)
{
	for (int32_t i = 0; i < seen->team.t_nproc; i++) {
		if ((seen->threads[i] != 0) != (i < tid))
			return false;
	}
	return true;
}

bool picture_is_joining(const struct picture *picture, const struct seen_team *seen,
			const struct info *info, target_addr listed)
{
	const target_addr own = seen->team.t_implicit_task_taskdata +
				(target_addr)info->ds_tid * picture->llvm->structures.task.size;

	/* In a team that it has been in it has a task. */
	if (info->th_current_task == 0)
		return listed != info->address;
	return listed == 0 && info->th_current_task == own && is_next_of(seen, info->ds_tid);
}

static bool is_listed(const struct picture *picture, target_addr info)
{
	for (size_t i = 0; i < picture->teams.count; i++) {
		const struct seen_team *seen = picture_team(picture, i);

		for (int32_t k = 0; seen->alive && seen->threads && k < seen->team.t_nproc; k++) {
			if (seen->threads[k] == info)
				return true;
		}
	}
	return false;
}

static bool is_being_made(const struct seen_thread *thread)
{
	return thread->problem == ompdx_problem_none && thread->info.ds_thread == 0;
}

void picture_check_making(struct picture *picture)
{
	size_t count = 0;

	for (size_t i = 0; i < picture->threads.count; i++)
		count += is_being_made(picture_thread(picture, i));
	for (size_t i = 0; count && i < picture->threads.count; i++) {
		struct seen_thread *thread = picture_thread(picture, i);
		const bool root = thread->info.ds_tid == 0 && thread->info.th_team;

		if (!is_being_made(thread) ||
		    (count == 1 && (root || !is_listed(picture, thread->info.address))))
			continue;
		diagnostics_note_address(&picture->space->diagnostics,
					 DIAGNOSTIC_thread_inconsistent, thread->info.address);
		thread->problem = ompdx_problem_inconsistent;
	}
}

/* glibc keeps with a thread what it was created with, the function and behind it the argument, which libomp's
 * workers get their kmp_info_t as. Where in the pthread's structure is not published. */
static ompd_rc_t was_created_with(const struct picture *picture, uint64_t pthread,
				  target_addr argument, bool *ret)
{
	const struct image *image = &picture->space->image;
	target_addr words[PTHREAD_WORDS];
	ompd_rc_t rc = target_read_pointers(image->target, pthread, PTHREAD_WORDS, words);

	*ret = false;
	for (size_t i = 1; rc == ompd_rc_ok && i < PTHREAD_WORDS; i++)
		*ret = *ret || (words[i] == argument && image_contains(image, words[i - 1]));
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

ompd_rc_t picture_match_made(struct picture *picture, const ompdx_native_thread_t *natives,
			     size_t count, uint32_t *matched)
{
	const size_t thread_count = picture->threads.count;
	struct seen_thread *made;
	size_t index = 0;
	ompd_rc_t rc = ompd_rc_ok;

	while (index < thread_count && !is_being_made(picture_thread(picture, index)))
		index++;
	if (index == thread_count)
		return rc;
	made = picture_thread(picture, index);
	for (size_t i = 0; rc == ompd_rc_ok && made->info.ds_thread == 0 && i < count; i++) {
		const ompdx_native_thread_t *native =
			(const void *)((const char *)natives + i * natives->size);
		uint64_t pthread = 0;
		bool found = false;

		if (native->known & OMPDX_NATIVE_PTHREAD)
			pthread = native->pthread_id;
		else if (native->known & OMPDX_NATIVE_THREAD_POINTER)
			pthread = native->thread_pointer;
		if (matched[i] == PICTURE_NONE && pthread)
			rc = was_created_with(picture, pthread, made->info.address, &found);
		if (!found)
			continue;
		matched[i] = (uint32_t)index;
		made->info.ds_thread = pthread;
	}
	return rc;
}
