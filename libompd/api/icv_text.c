/* SPDX-License-Identifier: Apache-2.0 */
#include "api/icv_text.h"

#include <string.h>

#include "library.h"
#include "target/limits.h"
#include "target/text.h"

struct words {
	enum icv icv;
	ompd_word_t first; /* the number that the first word stands for */
	unsigned count;
	const char *words[12];
};

static const struct words vocabulary[] = {
	{ICV_BIND, 0, 5, {"false", "true", "primary", "close", "spread"}},
	{ICV_CANCEL, 0, 2, {"false", "true"}},
	{ICV_DEBUG, 0, 2, {"disabled", "enabled"}},
	{ICV_DEF_ALLOCATOR,
	 0,
	 9,
	 {"omp_null_allocator", "omp_default_mem_alloc", "omp_large_cap_mem_alloc",
	  "omp_const_mem_alloc", "omp_high_bw_mem_alloc", "omp_low_lat_mem_alloc",
	  "omp_cgroup_mem_alloc", "omp_pteam_mem_alloc", "omp_thread_mem_alloc"}},
	{ICV_DISPLAY_AFFINITY, 0, 2, {"false", "true"}},
	{ICV_DYN, 0, 2, {"false", "true"}},
	{ICV_EXPLICIT_TASK, 0, 2, {"false", "true"}},
	{ICV_FINAL_TASK, 0, 2, {"false", "true"}},
	{ICV_IMPLICIT_TASK, 0, 2, {"false", "true"}},
	{ICV_TARGET_OFFLOAD, TARGET_OFFLOAD_DISABLED, 3, {"disabled", "default", "mandatory"}},
	{ICV_TEAM_GENERATOR, 0, 4, {"program", "parallel", "teams", "target"}},
	{ICV_TOOL, 0, 2, {"disabled", "enabled"}},
	{ICV_WAIT_POLICY, WAIT_POLICY_PASSIVE, 2, {"passive", "active"}},
};

static const struct words *words_of(enum icv icv)
{
	for (size_t i = 0; i < sizeof(vocabulary) / sizeof(vocabulary[0]); i++) {
		if (vocabulary[i].icv == icv)
			return &vocabulary[i];
	}
	return NULL;
}

static ompd_rc_t append(struct vector *text, const char *more)
{
	void *room;
	const size_t length = strlen(more);
	const ompd_rc_t rc = length ? vector_add(text, length, ICV_TEXT_MAX, &room) : ompd_rc_ok;

	if (rc == ompd_rc_ok && length)
		memcpy(room, more, length);
	return rc;
}

/* A number without a word is shown as it is: an allocator of the program's own, a policy of the vendor's. */
static ompd_rc_t append_number(struct vector *text, enum icv icv, ompd_word_t number)
{
	const struct words *words = words_of(icv);
	char digits[TEXT_DECIMAL_SIZE], hex[TEXT_HEX_SIZE];

	/* Tools of 5.0 were written for LLVM's library, which has numbers here. */
	if (icv == ICV_BIND && library.api_version == OMPD_5_0)
		words = NULL;
	if (words && number >= words->first && number - words->first < words->count)
		return append(text, words->words[number - words->first]);
	if (icv == ICV_DEF_ALLOCATOR)
		return append(text, text_hex(hex, (uint64_t)number));
	return append(text, text_decimal(digits, number));
}

ompd_rc_t icv_text(enum icv icv, const struct icv_value *value, struct vector *text)
{
	const ompd_word_t *further = value->further.items;
	ompd_rc_t rc;

	if (value->form == ICV_FORM_TEXT) {
		void *room;

		if (value->text.count == 0)
			return ompd_rc_ok;
		rc = vector_add(text, value->text.count, ICV_TEXT_MAX, &room);
		if (rc == ompd_rc_ok)
			memcpy(room, value->text.items, value->text.count);
		return rc;
	}
	if (value->further_unknown)
		return ompd_rc_unavailable;
	rc = append_number(text, icv, value->number);
	for (size_t i = 0; rc == ompd_rc_ok && i < value->further.count; i++) {
		rc = append(text, ",");
		if (rc == ompd_rc_ok)
			rc = append_number(text, icv, further[i]);
	}
	return rc;
}
