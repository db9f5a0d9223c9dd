/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/picture.h"

#include "runtime/llvm/answers.h"
#include "target/callbacks.h"

void llvm_picture_free(void *block)
{
	struct picture *picture = block;

	for (size_t i = 0; i < picture->teams.count; i++)
		callback_free(picture_team(picture, i)->threads);
	vector_deinit(&picture->threads);
	vector_deinit(&picture->teams);
	vector_deinit(&picture->regions);
	vector_deinit(&picture->natives);
	vector_deinit(&picture->text);
	address_map_deinit(&picture->thread_of_address);
	address_map_deinit(&picture->thread_of_pthread);
	address_map_deinit(&picture->team_of_address);
	address_map_deinit(&picture->text_of_ident);
	address_map_deinit(&picture->flags_of_ident);
	callback_free(picture);
}

uint32_t picture_place_of(const struct picture *picture, target_addr info)
{
	const uint32_t index = address_map_get(&picture->thread_of_address, info);

	return index == ADDRESS_MAP_NONE ? PICTURE_NONE : picture_thread(picture, index)->place;
}

const struct seen_thread *picture_thread_of_gtid(const struct picture *picture, int32_t gtid)
{
	size_t first = 0, end = picture->threads.count;

	while (first < end) {
		const size_t middle = first + (end - first) / 2;
		const struct seen_thread *thread = picture_thread(picture, middle);

		if (thread->info.ds_gtid == gtid)
			return thread;
		if (thread->info.ds_gtid < gtid)
			first = middle + 1;
		else
			end = middle;
	}
	return NULL;
}

uint32_t picture_place_of_gtid(const struct picture *picture, int32_t gtid)
{
	const struct seen_thread *thread = picture_thread_of_gtid(picture, gtid);

	return thread ? thread->place : PICTURE_NONE;
}
