/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clocks.h"
#include "base/grow.h"
#include "names/names.h"

#define OMPD_VERSION 202411

/* A runtime's own, where it is linked into the program, and what the C library publishes for debuggers. The same few are
 * asked for again and again, also those that are nowhere. */
static uint64_t find_symbol(void *context, const char *name)
{
	struct pictures *pictures = context;
	const struct images *images = pictures->images;
	uint64_t address = 0;

	for (size_t i = 0; i < pictures->symbol_count; i++)
		if (strcmp(pictures->symbols[i].name, name) == 0)
			return pictures->symbols[i].address;
	for (size_t i = 0; i < images->count && !address; i++)
		if (images->all[i]->mapped)
			address = name_address(images->all[i], name);
	if (strlen(name) < sizeof pictures->symbols->name && pictures->symbol_count < SYMBOLS_MAX) {
		struct found_symbol *found = &pictures->symbols[pictures->symbol_count++];

		strcpy(found->name, name);
		found->address = address;
	}
	return address;
}

void pictures_init(struct pictures *pictures, const struct process *process, struct memory *memory,
		   struct images *images, struct threads *threads)
{
	*pictures = (struct pictures){
		.debugger = {.process = process,
			     .memory = memory,
			     .find_symbol = find_symbol,
			     .context = pictures},
		.images = images,
		.threads = threads,
	};
	ompd_initialize(OMPD_VERSION, debugger_callbacks());
}

static void drop_snapshot(struct runtime *runtime)
{
	if (runtime->snapshot)
		ompdx_snapshot_destroy(runtime->snapshot);
	runtime->snapshot = NULL;
	runtime->view = NULL;
	runtime->arrivals = NULL;
}

static void close_runtime(struct runtime *runtime)
{
	drop_snapshot(runtime);
	if (runtime->handle)
		ompd_rel_address_space_handle(runtime->handle);
	runtime->handle = NULL;
}

void pictures_forget(struct pictures *pictures)
{
	for (uint32_t i = 0; i < pictures->count; i++)
		close_runtime(&pictures->runtimes[i]);
	pictures->count = 0;
	pictures->code_count = 0;
	lock_holders_forget(&pictures->locks);
}

void pictures_deinit(struct pictures *pictures)
{
	pictures_forget(pictures);
	free(pictures->natives);
	free(pictures->native_threads);
	free(pictures->at_end);
	lock_holders_deinit(&pictures->locks);
	ompd_finalize();
}

static void describe(struct runtime *runtime)
{
	ompdx_runtime_info_t info = {.size = sizeof info};

	if (ompdx_get_runtime_info(runtime->handle, &info) != ompd_rc_ok)
		return;
	runtime->kind = info.kind;
	snprintf(runtime->version, sizeof runtime->version, "%s", info.version_text);
	for (uint32_t i = 0; i < info.build_id_length && i < sizeof info.build_id; i++)
		snprintf(runtime->build_id + 2 * i, 3, "%02x", info.build_id[i]);
}

static bool is_open(const struct pictures *pictures, const struct image *image)
{
	for (uint32_t i = 0; i < pictures->count; i++)
		if (pictures->runtimes[i].image == image)
			return true;
	return false;
}

static void keep(struct pictures *pictures, ompd_address_space_handle_t *handle,
		 struct image *image)
{
	struct runtime *runtime = &pictures->runtimes[pictures->count++];

	*runtime =
		(struct runtime){.number = pictures->numbers++, .handle = handle, .image = image};
	describe(runtime);
}

/* Those that are not mapped any more are gone. */
static bool close_unmapped(struct pictures *pictures)
{
	uint32_t kept = 0;
	const uint32_t before = pictures->count;

	for (uint32_t i = 0; i < pictures->count; i++) {
		struct runtime *runtime = &pictures->runtimes[i];

		if (runtime->image && !runtime->image->mapped)
			close_runtime(runtime);
		else
			pictures->runtimes[kept++] = *runtime;
	}
	pictures->count = kept;
	return kept != before;
}

static bool open_listed(struct pictures *pictures, const ompdx_runtimes_t *found)
{
	const uint32_t before = pictures->count;
	const char *at = (const char *)found->runtimes;

	for (size_t i = 0; i < found->count && pictures->count < RUNTIMES_MAX; i++) {
		const ompdx_runtime_t *one = (const void *)at;
		struct image *image = image_of_bias(pictures->images, one->image.load_bias);
		ompd_address_space_handle_t *handle;

		at += found->runtimes->size;
		if (!image || is_open(pictures, image) ||
		    ompdx_process_initialize(debugger_context(&pictures->debugger), &one->image,
					     &handle) != ompd_rc_ok)
			continue;
		keep(pictures, handle, image);
	}
	return pictures->count != before;
}

/* The only runtime's library that is mapped, or the program, which lies lowest; NULL: there are more. */
static struct image *only_holder(const struct images *images)
{
	struct image *program = NULL, *library = NULL;

	for (size_t i = 0; i < images->mapping_count; i++) {
		struct image *image = images->mappings[i].image;

		if (image->kind == IMAGE_USER && !program)
			program = image;
		if (image->kind != IMAGE_RUNTIME || image == library)
			continue;
		if (library)
			return NULL;
		library = image;
	}
	return library ? library : program;
}

static bool lies_in(ompd_address_space_handle_t *handle, const struct image *image)
{
	ompdx_runtime_info_t info = {.size = sizeof info};

	if (ompdx_get_runtime_info(handle, &info) != ompd_rc_ok)
		return false;
	/* A library whose bounds are not known yet is being loaded: it will be listed. */
	if (!info.end)
		return image->kind != IMAGE_RUNTIME;
	return image->first >= info.start && image->first < info.end;
}

/* There may be no list of images: of a static program, and while the dynamic linker is at work. Then the runtime that is
 * found may be in a library that has come since we looked, and not in the image that seemed to be the only one. */
static bool open_unlisted(struct pictures *pictures)
{
	struct image *image = only_holder(pictures->images);
	ompd_address_space_handle_t *handle;

	if (pictures->count || !image ||
	    ompd_process_initialize(debugger_context(&pictures->debugger), &handle) != ompd_rc_ok)
		return false;
	if (!lies_in(handle, image)) {
		ompd_rel_address_space_handle(handle);
		return false;
	}
	keep(pictures, handle, image);
	return true;
}

static void list_code(struct pictures *pictures)
{
	pictures->code_count = 0;
	for (uint32_t i = 0; i < pictures->count; i++) {
		const struct runtime *runtime = &pictures->runtimes[i];

		if (runtime->image)
			pictures->code[pictures->code_count++] = (struct runtime_code){
				runtime->number, runtime->kind, runtime->image,
				runtime->image->kind != IMAGE_RUNTIME};
	}
}

bool pictures_find(struct pictures *pictures)
{
	ompdx_runtimes_t *found = NULL;
	bool changed = close_unmapped(pictures);

	pictures->symbol_count = 0;
	if (pictures->debugger.memory->readable) {
		debugger_find_link_map(&pictures->debugger);
		if (ompdx_find_runtimes(debugger_context(&pictures->debugger), NULL, 0, &found) ==
		    ompd_rc_ok)
			changed |= open_listed(pictures, found);
		/* What is listed and not mapped has come since we looked. */
		if (!found || !found->count)
			changed |= open_unlisted(pictures);
		free(found);
	}
	list_code(pictures);
	return changed;
}

static void list_threads(struct pictures *pictures)
{
	const struct threads *threads = pictures->threads;

	for (uint32_t i = 0; i < threads->living_count; i++) {
		pictures->natives = grow_array(pictures->natives, i, &pictures->native_capacity,
					       sizeof *pictures->natives);
		pictures->native_threads =
			grow_array(pictures->native_threads, i, &pictures->native_thread_capacity,
				   sizeof *pictures->native_threads);
		struct thread *thread = threads->all[threads->living[i]];

		pictures->native_threads[i] = threads->living[i];
		thread->native = i;
		pictures->natives[i] = (ompdx_native_thread_t){
			.size = sizeof *pictures->natives,
			.known = OMPDX_NATIVE_LWP | (thread->pthread ? OMPDX_NATIVE_PTHREAD : 0),
			.lwp = (uint64_t)thread->lwp,
			.pthread_id = thread->pthread,
		};
	}
	pictures->native_count = threads->living_count;
}

static const ompdx_view_thread_t *view_thread(const ompdx_view_t *view, uint32_t index)
{
	return (const void *)((const char *)view->threads + (size_t)index * view->threads->size);
}

static const ompdx_view_level_t *view_level(const ompdx_view_t *view, uint32_t index)
{
	return (const void *)((const char *)view->levels + (size_t)index * view->level_size);
}

static const ompdx_view_region_t *view_region(const ompdx_view_t *view, uint32_t index)
{
	return index < view->region_count ? (const void *)((const char *)view->regions +
							   (size_t)index * view->regions->size)
					  : NULL;
}

/* Who began the region: its thread 0. */
static uint32_t team_of(const struct pictures *pictures, const ompdx_view_t *view,
			const ompdx_view_region_t *region)
{
	if (!region->member_count || region->member_first >= view->member_count)
		return NONE;
	uint32_t index =
		*(const uint32_t *)(const void *)((const char *)view->members +
						  (size_t)region->member_first * view->member_size);

	return index < pictures->native_count ? pictures->native_threads[index] : NONE;
}

static void list_arrivals(struct pictures *pictures, const struct runtime *runtime)
{
	/* libgomp's threads leave no trace of where they are: without code of the program's on its stack, a thread that is
	 * in a region is at its end. */
	const bool leave_traces = runtime->kind == ompdx_runtime_llvm && runtime->arrivals;

	for (uint32_t i = 0; i < pictures->native_count; i++) {
		pictures->at_end = grow_array(pictures->at_end, i, &pictures->at_end_capacity,
					      sizeof *pictures->at_end);
		pictures->at_end[i] = !leave_traces;
	}
	for (uint32_t i = 0; leave_traces && i < runtime->arrivals->count; i++) {
		const ompdx_arrival_t *arrival =
			(const void *)((const char *)runtime->arrivals->arrivals +
				       (size_t)i * runtime->arrivals->arrivals->size);

		if (arrival->thread < pictures->native_count)
			pictures->at_end[arrival->thread] = arrival->arrived & OMPDX_BARRIER_REGION;
	}
}

static void see_thread(struct pictures *pictures, const struct runtime *runtime, uint32_t index)
{
	struct thread *thread = pictures->threads->all[pictures->native_threads[index]];
	const ompdx_view_thread_t *one = view_thread(runtime->view, index);
	struct seen seen = {
		.time = pictures->taken_at, .where = SEEN_IDLE, .team = NONE, .thread_num = -1};

	if (one->problem != ompdx_problem_none || one->kind == ompdx_thread_none)
		return;
	if (thread->runtime != runtime->number || thread->kind != one->kind ||
	    thread->runtime_id != one->runtime_id)
		thread->told = false;
	thread->runtime = runtime->number;
	thread->kind = one->kind;
	thread->runtime_id = one->runtime_id;
	/* It was found by the kernel's id, in a page of its own, which need not be read again. libgomp's pictures read that
	 * in any case. */
	if (runtime->kind == ompdx_runtime_llvm)
		thread->pthread = one->pthread_id;
	if (one->level_count) {
		const ompdx_view_level_t *level = view_level(runtime->view, one->level_first);
		const ompdx_view_region_t *region = view_region(runtime->view, level->region);

		if (!region || region->problem != ompdx_problem_none)
			return;
		seen.where = pictures->at_end[index] ? SEEN_AT_END : SEEN_INSIDE;
		seen.thread_num = level->thread_num;
		seen.level = region->level;
		seen.region = region->function;
		seen.team = team_of(pictures, runtime->view, region);
		if (pictures->region_seen && region->function &&
		    (region->source || region->generator == ompd_generator_teams))
			pictures->region_seen(pictures->context, region->function,
					      region->generator == ompd_generator_teams,
					      region->source);
	}
	history_see(&thread->history, seen);
}

static bool take_one(struct pictures *pictures, struct runtime *runtime)
{
	drop_snapshot(runtime);
	if (ompdx_snapshot_create(runtime->handle, pictures->natives, pictures->native_count,
				  &runtime->snapshot) != ompd_rc_ok) {
		runtime->snapshot = NULL;
		return false;
	}
	if (ompdx_snapshot_view(runtime->snapshot, &runtime->view) != ompd_rc_ok) {
		drop_snapshot(runtime);
		return false;
	}
	if (ompdx_snapshot_arrivals(runtime->snapshot, &runtime->arrivals) != ompd_rc_ok)
		runtime->arrivals = NULL;
	list_arrivals(pictures, runtime);
	for (uint32_t i = 0; i < pictures->native_count && i < runtime->view->thread_count; i++)
		see_thread(pictures, runtime, i);
	return true;
}

static void look_at_locks(struct pictures *pictures)
{
	const uint64_t before = own_processor_time();

	for (uint32_t i = 0; i < pictures->count; i++)
		if (pictures->runtimes[i].snapshot)
			lock_holders_look(&pictures->locks, pictures->runtimes[i].number,
					  pictures->runtimes[i].snapshot, pictures->native_threads,
					  pictures->native_count, pictures->taken_at);
	lock_holders_looked(&pictures->locks, pictures->taken_at, own_processor_time() - before);
}

/* Every runtime tells whether the thread is one of its own. */
static bool is_clear(const struct pictures *pictures, uint32_t index)
{
	for (uint32_t i = 0; i < pictures->count; i++) {
		const ompdx_view_t *view = pictures->runtimes[i].view;

		if (!view || index >= view->thread_count ||
		    view_thread(view, index)->problem != ompdx_problem_none)
			return false;
	}
	return true;
}

bool pictures_take(struct pictures *pictures)
{
	bool failed = false;

	if (!pictures->debugger.memory->readable || !pictures->count)
		return false;
	list_threads(pictures);
	memory_picture_begin(pictures->debugger.memory);
	pictures->taken_at = now();
	for (uint32_t i = 0; i < pictures->count; i++)
		failed |= !take_one(pictures, &pictures->runtimes[i]);
	look_at_locks(pictures);
	memory_picture_end(pictures->debugger.memory);
	for (uint32_t i = 0; i < pictures->native_count; i++)
		pictures->threads->all[pictures->native_threads[i]]->seen |= is_clear(pictures, i);
	pictures->taken++;
	pictures->failed += failed;
	return true;
}

static const ompdx_team_arrivals_t *team_arrivals(const struct runtime *runtime,
						  const ompdx_facts_t *facts)
{
	if (!runtime->arrivals || !facts->level_count)
		return NULL;
	const ompdx_view_region_t *region = view_region(runtime->view, facts->levels->region);

	for (uint32_t i = 0; region && i < runtime->arrivals->team_count; i++) {
		const ompdx_team_arrivals_t *team =
			(const void *)((const char *)runtime->arrivals->teams +
				       (size_t)i * runtime->arrivals->teams->size);

		if (team->team == region->address)
			return team;
	}
	return NULL;
}

bool pictures_facts(const struct pictures *pictures, const struct thread *thread,
		    ompdx_facts_t *facts)
{
	for (uint32_t i = 0; i < pictures->count; i++) {
		const struct runtime *runtime = &pictures->runtimes[i];

		if (runtime->number != thread->runtime || !runtime->view)
			continue;
		const uint32_t native = thread->native;

		if (native >= pictures->native_count || native >= runtime->view->thread_count ||
		    pictures->native_threads[native] != thread->number)
			return false;
		*facts = (ompdx_facts_t){.size = sizeof *facts};
		if (ompdx_get_facts(runtime->view, native, runtime->kind, facts) != ompd_rc_ok)
			return false;
		facts->runtime = runtime->number;
		facts->arrivals = team_arrivals(runtime, facts);
		return true;
	}
	return false;
}
