/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/settings.h"

#include <string.h>

#include "runtime/common/bytes.h"

/* What is smaller the C library may have refused: the least that it takes depends on the processor. */
#define STACK_BYTES_SURE (UINT64_C(1) << 20)

struct word {
	const char *text; /* in lower case */
	ompd_word_t number;
};

static const struct word bindings[] = {
	{"false", 0}, {"true", 1}, {"master", 2}, {"primary", 2}, {"close", 3}, {"spread", 4},
};
static const struct word truths[] = {{"false", 0}, {"true", 1}};
static const struct word policies[] = {
	{"passive", WAIT_POLICY_PASSIVE},
	{"active", WAIT_POLICY_ACTIVE},
};
static const struct word offloads[] = {
	{"default", TARGET_OFFLOAD_DEFAULT},
	{"disabled", TARGET_OFFLOAD_DISABLED},
	{"mandatory", TARGET_OFFLOAD_MANDATORY},
};

/* ---- Reading text as libgomp does ---- */

static void skip_blanks(const char **at)
{
	while (**at == ' ' || (**at >= '\t' && **at <= '\r'))
		(*at)++;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool take_number(const char **at, uint64_t *ret)
{
	const char *const begin = *at;

	*ret = 0;
	for (; **at >= '0' && **at <= '9'; (*at)++) {
		if (*ret > INT32_MAX)
			return false;
		*ret = *ret * 10 + (uint64_t)(**at - '0');
	}
	return *at != begin;
}

static bool take_word(const char **at, const struct word *words, size_t count, ompd_word_t *ret)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = 0;

		while (words[i].text[length] && lower((*at)[length]) == words[i].text[length])
			length++;
		if (words[i].text[length])
			continue;
		*at += length;
		*ret = words[i].number;
		return true;
	}
	return false;
}

static bool take_item(const char **at, enum icv icv, ompd_word_t *ret)
{
	uint64_t number;

	if (icv == ICV_BIND)
		return take_word(at, bindings, COUNT(bindings), ret);
	if (!take_number(at, &number) || number == 0 || number > INT32_MAX)
		return false;
	*ret = (ompd_word_t)number;
	return true;
}

/* ---- Lists ---- */

/* Of a list of one or more items: the first, and those from a place on into the value. */
static ompd_rc_t take_list(const char *text, enum icv icv, int32_t from, ompd_word_t *first,
			   struct icv_value *value)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (int32_t i = 0; rc == ompd_rc_ok; i++) {
		ompd_word_t item;

		skip_blanks(&text);
		if (i == NESTED_LIST_MAX || !take_item(&text, icv, &item))
			return ompd_rc_unavailable;
		if (i == 0)
			*first = item;
		else if (i >= from)
			rc = icv_value_add_item(value, item);
		skip_blanks(&text);
		if (*text == '\0')
			return rc;
		if (*text++ != ',')
			return ompd_rc_unavailable;
	}
	return rc;
}

static ompd_rc_t variable(struct address_space *space, struct gomp *gomp, const char *name,
			  bool *set, char text[SETTING_LENGTH_MAX])
{
	ompd_rc_t rc = environment_find(&space->target, &gomp->environment);

	if (rc == ompd_rc_ok)
		rc = environment_value(&space->target, &gomp->environment, name, set, text);
	return rc;
}

ompd_rc_t settings_further(struct address_space *space, struct gomp *gomp, enum icv icv,
			   ompd_word_t first, int32_t level, struct icv_value *value)
{
	const char *const name = icv == ICV_BIND ? "OMP_PROC_BIND" : "OMP_NUM_THREADS";
	char text[SETTING_LENGTH_MAX];
	ompd_word_t listed = 0;
	bool set;
	ompd_rc_t rc = variable(space, gomp, name, &set, text);

	if (rc != ompd_rc_ok || !set)
		return rc;
	rc = take_list(text, icv, level + 1, &listed, value);
	if (rc == ompd_rc_ok && listed != first)
		rc = ompd_rc_unavailable;
	if (rc != ompd_rc_ok)
		value->further.count = 0;
	return rc;
}

/* ---- Single values ---- */

static ompd_rc_t one_word(const char *text, const struct word *words, size_t count,
			  ompd_word_t *ret)
{
	skip_blanks(&text);
	if (!take_word(&text, words, count, ret))
		return ompd_rc_unavailable;
	skip_blanks(&text);
	return *text ? ompd_rc_unavailable : ompd_rc_ok;
}

/* "3M": without a unit it is KiB. */
static ompd_rc_t stack_size(const char *text, ompd_word_t *ret)
{
	static const char units[] = "bkmg";
	const char *unit = units + 1;
	uint64_t number;

	skip_blanks(&text);
	if (!take_number(&text, &number))
		return ompd_rc_unavailable;
	skip_blanks(&text);
	if (*text) {
		unit = strchr(units, lower(*text++));
		skip_blanks(&text);
	}
	if (!unit || *unit == '\0' || *text)
		return ompd_rc_unavailable;
	number <<= 10 * (unsigned)(unit - units);
	if (number < STACK_BYTES_SURE || number > INT64_MAX)
		return ompd_rc_unavailable;
	*ret = (ompd_word_t)number;
	return ompd_rc_ok;
}

ompd_rc_t settings_value(struct address_space *space, struct gomp *gomp, enum icv icv,
			 ompd_word_t *ret)
{
	static const struct {
		enum icv icv;
		const char *name;
		const struct word *words; /* the first one holds where it is not set */
		size_t count;
		int32_t since; /* which GCC brought it */
	} settings[] = {
		{ICV_DISPLAY_AFFINITY, "OMP_DISPLAY_AFFINITY", truths, COUNT(truths), 9},
		{ICV_TARGET_OFFLOAD, "OMP_TARGET_OFFLOAD", offloads, COUNT(offloads), 11},
		{ICV_WAIT_POLICY, "OMP_WAIT_POLICY", policies, COUNT(policies), 0},
	};
	char text[SETTING_LENGTH_MAX];
	bool set;
	ompd_rc_t rc;

	for (size_t i = 0; i < COUNT(settings); i++) {
		if (settings[i].icv != icv)
			continue;
		/* An older one has no such ICV, whatever the environment says. */
		if (gomp->record->last < settings[i].since)
			return ompd_rc_unsupported;
		rc = variable(space, gomp, settings[i].name, &set, text);
		if (rc != ompd_rc_ok)
			return rc;
		*ret = settings[i].words[0].number;
		return set ? one_word(text, settings[i].words, settings[i].count, ret) : rc;
	}
	/* ICV_STACKSIZE: by default the C library's own, and GNU's variable holds where OpenMP's is not set. */
	rc = variable(space, gomp, "OMP_STACKSIZE", &set, text);
	if (rc == ompd_rc_ok && !set)
		rc = variable(space, gomp, "GOMP_STACKSIZE", &set, text);
	if (rc == ompd_rc_ok && !set)
		rc = ompd_rc_unavailable;
	return rc == ompd_rc_ok ? stack_size(text, ret) : rc;
}
