/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/offload.h"

#include <elf.h>
#include <string.h>

#include "offload/block.h"
#include "offload/image_search.h"
#include "offload/libraries.h"
#include "offload/manager.h"
#include "offload/mappings.h"
#include "target/text.h"

/* All of one call. */
struct question {
	struct address_space *space;
	struct memory_cache memory; /* unless the tool has frozen the space */
	bool own_memory;
	struct offload_image found;
	struct offload_reading reading; /* by the record that fits best */
	ompdx_offload_t head;
};

static void question_begin(struct question *question, struct address_space *space)
{
	memset(question, 0, sizeof(*question));
	question->space = space;
	question->own_memory = !space->target.cache;
	if (question->own_memory) {
		memory_cache_init(&question->memory);
		space->target.cache = &question->memory;
	}
	reading_init(&question->reading, &space->target, NULL, EM_NONE);
}

static void question_end(struct question *question)
{
	if (question->own_memory) {
		question->space->target.cache = NULL;
		memory_cache_deinit(&question->memory);
	}
	reading_deinit(&question->reading);
}

static void refuse(struct question *question, enum diagnostic_code code)
{
	diagnostics_note(&question->space->diagnostics, code, question->found.image.path);
	if (!question->head.reason) {
		question->head.reason = diagnostic_code_name(code);
		question->head.reason_text = diagnostic_text(code);
	}
}

/* Fewer is better: what contradicts the record, of what it led to. */
static uint64_t misfits(const struct offload_reading *reading)
{
	return reading->misfits + reading->entry_misfits;
}

/* Reads all by one record, and keeps it if it fits better than what was kept. */
static ompd_rc_t try_record(struct question *question, const struct offload_record *record,
			    bool all, enum manager_found *best)
{
	struct offload_reading reading;
	enum manager_found found = MANAGER_NONE;
	ompd_rc_t rc;

	reading_init(&reading, &question->space->target, record, question->found.image.machine);
	rc = manager_find(&reading, &question->found.image, &found);
	if (rc == ompd_rc_ok && found == MANAGER_ONE && all)
		rc = libraries_read(&reading);
	if (rc == ompd_rc_ok && found == MANAGER_ONE && all)
		rc = mappings_read(&reading);
	if (rc == ompd_rc_ok && found != MANAGER_NONE &&
	    (*best == MANAGER_NONE || misfits(&reading) < misfits(&question->reading))) {
		struct offload_reading worse = question->reading;

		*best = found;
		question->reading = reading;
		reading = worse;
	}
	reading_deinit(&reading);
	return rc;
}

/* Whether the pages that hold the variables are there at all. */
static bool data_readable(const struct question *question)
{
	const struct image *image = &question->found.image;
	uint8_t byte;

	for (unsigned i = 0; i < image->writable_count; i++) {
		const struct address_range *range = &image->writable[i];

		if (target_read(&question->space->target, range->end - 1, 1, &byte) == ompd_rc_ok)
			return true;
	}
	return false;
}

/* By the release's own record; where it is not known which one it is, by the one that fits best. */
static ompd_rc_t read_best(struct question *question, bool all)
{
	const struct offload_record *own = offload_record_of(question->found.version);
	enum manager_found found = MANAGER_NONE;
	ompd_rc_t rc = ompd_rc_ok;

	if (question->found.image.machine != EM_X86_64 ||
	    question->space->target.sizes.sizeof_pointer != sizeof(uint64_t)) {
		refuse(question, DIAGNOSTIC_machine_unsupported);
		return ompd_rc_ok;
	}
	if (own)
		rc = try_record(question, own, all, &found);
	for (size_t i = 0; !own && rc == ompd_rc_ok && i < offload_record_count; i++)
		rc = try_record(question, &offload_records[i], all, &found);
	if (rc != ompd_rc_ok)
		return rc;
	if (found == MANAGER_SEVERAL)
		refuse(question, DIAGNOSTIC_offload_ambiguous);
	else if (found == MANAGER_NONE)
		refuse(question, data_readable(question) ? DIAGNOSTIC_offload_unfit
							 : DIAGNOSTIC_data_unreadable);
	else if (!own)
		refuse(question, DIAGNOSTIC_offload_release_unknown);
	if (found == MANAGER_ONE)
		question->head.layout = own ? ompdx_layout_proven : ompdx_layout_likely;
	return ompd_rc_ok;
}

static void forget_mappings(struct offload_reading *reading)
{
	reading->mappings.count = 0;
	for (size_t i = 0; i < reading->devices.count; i++) {
		ompdx_device_t *device = vector_at(&reading->devices, i);

		device->mapping_first = device->mapping_count = 0;
		device->problem = ompdx_problem_inconsistent;
	}
}

/* A few that do not fit are damaged, or being changed; where most do not, they are laid out otherwise. So they are where
 * most are held: that is an extension for OpenACC (ompx_hold), and what stands there is likelier the count that a build
 * with a member more has there. */
static void judge_mappings(struct question *question)
{
	struct offload_reading *reading = &question->reading;

	question->head.mapping_layout = question->head.layout;
	if ((reading->misfits + reading->held) * 2 > reading->looked_at) {
		question->head.mapping_layout = ompdx_layout_refused;
		forget_mappings(reading);
		refuse(question, DIAGNOSTIC_offload_mappings_unfit);
	} else if (reading->misfits) {
		question->head.mapping_layout = ompdx_layout_likely;
		refuse(question, DIAGNOSTIC_offload_mappings_damaged);
	}
}

static void describe(struct question *question)
{
	const struct image *image = &question->found.image;
	ompdx_offload_t *head = &question->head;
	char number[TEXT_DECIMAL_SIZE];

	head->load_bias = image->dynamic ? image->bias : image->header;
	head->dynamic = image->dynamic;
	head->start = image->extent.start;
	head->end = image->extent.end;
	head->version = question->found.version;
	head->build_id_length = image->build_id_length;
	memcpy(head->build_id, image->build_id, image->build_id_length);
	text_copy(head->version_text, sizeof(head->version_text), "LLVM libomptarget");
	if (head->version >= 0) {
		text_append(head->version_text, sizeof(head->version_text), " ");
		text_append(head->version_text, sizeof(head->version_text),
			    text_decimal(number, head->version));
	} else {
		text_append(head->version_text, sizeof(head->version_text), ", unknown version");
	}
	head->target_offload = -1;
	if (head->layout == ompdx_layout_refused)
		return;
	text_copy(head->record, sizeof(head->record), question->reading.record->name);
	head->manager = question->reading.manager;
	head->target_offload = question->reading.policy;
	head->problem = question->reading.problem;
}

ompd_rc_t offload_read(struct address_space *space, const ompdx_image_t *images, ompd_size_t count,
		       ompdx_offload_t **ret)
{
	struct question question;
	ompd_rc_t rc;

	question_begin(&question, space);
	rc = offload_image_find(&question.found, &space->target, images, count, true);
	if (rc == ompd_rc_ok) {
		rc = read_best(&question, true);
		if (rc == ompd_rc_ok && question.head.layout != ompdx_layout_refused)
			judge_mappings(&question);
		describe(&question);
		if (rc == ompd_rc_ok)
			rc = offload_block_create(&question.reading, &question.head,
						  question.found.image.path, ret);
		image_close(&question.found.image);
	}
	question_end(&question);
	return rc;
}

ompd_rc_t offload_device_count(struct address_space *space, ompd_word_t *ret)
{
	struct question question;
	ompd_rc_t rc;

	question_begin(&question, space);
	rc = offload_image_find(&question.found, &space->target, NULL, 0, false);
	if (rc == ompd_rc_ok) {
		rc = read_best(&question, false);
		if (rc == ompd_rc_ok && question.head.layout != ompdx_layout_proven)
			rc = ompd_rc_unavailable;
		if (rc == ompd_rc_ok)
			*ret = (ompd_word_t)question.reading.devices.count;
		image_close(&question.found.image);
	}
	question_end(&question);
	return rc;
}
