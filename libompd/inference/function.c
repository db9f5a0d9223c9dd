/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/function.h"

#include <string.h>

/* As the tables name them. */
enum role {
	FORKS = OMPDX_ROLE_FORKS,
	FORKS_BY_ANOTHER = OMPDX_ROLE_FORKS_BY_ANOTHER,
	LEAGUE = OMPDX_ROLE_LEAGUE,
	SERIALIZES = OMPDX_ROLE_SERIALIZES,
	BEFORE_REGION = OMPDX_ROLE_BEFORE_REGION,
	EXECUTES_AT_ONCE = OMPDX_ROLE_EXECUTES_AT_ONCE,
	EXECUTES_TASKS = OMPDX_ROLE_EXECUTES_TASKS,
	ENDS_REDUCTION = OMPDX_ROLE_ENDS_REDUCTION,
	CANCEL_BARRIER = OMPDX_ROLE_CANCEL_BARRIER,
	UNNAMED_CRITICAL = OMPDX_ROLE_UNNAMED_CRITICAL,
	CONTENDED = OMPDX_ROLE_CONTENDED,
	WORKS = OMPDX_ROLE_WORKS,
	NESTED = OMPDX_ROLE_NESTED,
	UNMARKED = OMPDX_ROLE_UNMARKED,
	INVOKES = OMPDX_ROLE_INVOKES,
	BEGINS_REGION = OMPDX_ROLE_BEGINS_REGION,
	ACQUIRES_OWN = OMPDX_ROLE_ACQUIRES,
	CREATES_THREAD = OMPDX_ROLE_CREATES_THREAD,
	STARTS_THREAD = OMPDX_ROLE_STARTS_THREAD,
	SLEEPS = OMPDX_ROLE_SLEEPS,
	OF_CLANG = OMPDX_ROLE_OF_CLANG,
};

/* A part of a name. */
struct span {
	const char *text;
	size_t length;
};

/* A row of a table. */
struct row {
	const char *name;
	ompdx_wait_t wait;
	int32_t code, object;
	uint32_t roles;
	ompdx_construct_t construct;
};

#define INTERFACE(prefix, roles)
#define ENTRY(name, wait, code, object, roles)
#define ENDS(name, construct)
#define BEGINNING(prefix, wait, roles)
#define ROUTINE(name)

static const struct row interfaces[] = {
#undef INTERFACE
#define INTERFACE(prefix, roles) {#prefix, ompdx_wait_none, -1, -1, roles, ompdx_construct_none},
#include "inference/entries.def"
#undef INTERFACE
#define INTERFACE(prefix, roles)
};

static const struct row entries[] = {
#undef ENTRY
#undef ENDS
#define ENTRY(name, wait, code, object, roles)                                                     \
	{#name, ompdx_wait_##wait, code, object, roles, ompdx_construct_none},
#define ENDS(name, construct) {#name, ompdx_wait_workshare, -1, -1, 0, ompdx_construct_##construct},
#include "inference/entries.def"
#undef ENTRY
#undef ENDS
#define ENTRY(name, wait, code, object, roles)
#define ENDS(name, construct)
};

static const struct row beginnings[] = {
#undef BEGINNING
#define BEGINNING(prefix, wait, roles)                                                             \
	{#prefix, ompdx_wait_##wait, -1, -1, roles, ompdx_construct_none},
#include "inference/entries.def"
#undef BEGINNING
#define BEGINNING(prefix, wait, roles)
};

static const struct row routines[] = {
#undef ROUTINE
#define ROUTINE(name) {#name, ompdx_wait_none, -1, -1, 0, ompdx_construct_none},
#include "inference/entries.def"
};

/* What stands in a table of own.def. */
struct own {
	enum {
		INTERNAL_ROW,
		AMBIGUOUS_ROW,
		OWN_ROW,
		ACQUIRES_ROW,
		SYSTEM_ROW,
		FAMILY_ROW,
		OUTLINED_ROW
	} kind;
	const char *name;
	const char *word;
	uint32_t roles;
};

static const struct own owns[] = {
#define INTERNAL(prefix) {INTERNAL_ROW, #prefix, NULL, 0},
#define AMBIGUOUS(prefix) {AMBIGUOUS_ROW, #prefix, NULL, 0},
#define OWN(name, roles) {OWN_ROW, #name, NULL, roles},
#define ACQUIRES(prefix, word) {ACQUIRES_ROW, #prefix, #word, ACQUIRES_OWN},
#define SYSTEM(name, roles) {SYSTEM_ROW, #name, NULL, roles},
#define SYSTEM_FAMILY(prefix, roles) {FAMILY_ROW, #prefix, NULL, roles},
#define OUTLINED(word, roles) {OUTLINED_ROW, #word, NULL, roles},
#include "inference/own.def"
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool begins(struct span name, const char *prefix)
{
	const size_t length = strlen(prefix);

	return name.length >= length && memcmp(name.text, prefix, length) == 0;
}

static bool is(struct span name, const char *other)
{
	return name.length == strlen(other) && begins(name, other);
}

static bool in_word(char one)
{
	return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') ||
	       (one >= '0' && one <= '9') || one == '_';
}

static struct span behind(struct span name, size_t count)
{
	const struct span rest = {name.text + count, name.length - count};

	return rest;
}

/* Without the version of the symbol. */
static struct span unversioned(const char *name)
{
	const struct span span = {name, strcspn(name, "@")};

	return span;
}

/* As programs call it: Fortran's omp_set_lock_ and the hidden __kmp_api_omp_set_lock are omp_set_lock. */
static struct span as_called(struct span name)
{
	static const char *const inside[] = {"__kmp_api_", "gomp_ialias_"};
	static const char also[] = "gomp_ordered_sync"; /* of two names for one address */
	static const char called[] = "GOMP_ordered_start";

	for (size_t i = 0; i < COUNT(inside); i++) {
		if (begins(name, inside[i]))
			name = behind(name, strlen(inside[i]));
	}
	if (is(name, also)) {
		name.text = called;
		name.length = sizeof(called) - 1;
	}
	if (begins(name, "omp_") || begins(name, "kmp_")) {
		while (name.length && name.text[name.length - 1] == '_')
			name.length--;
	}
	return name;
}

static const struct row *find(const struct row *rows, size_t count, struct span name)
{
	for (size_t i = 0; i < count; i++) {
		if (is(name, rows[i].name))
			return &rows[i];
	}
	return NULL;
}

static const struct row *find_beginning(const struct row *rows, size_t count, struct span name)
{
	for (size_t i = 0; i < count; i++) {
		if (begins(name, rows[i].name))
			return &rows[i];
	}
	return NULL;
}

uint32_t function_state_of(ompdx_wait_t wait)
{
	static const uint32_t states[] = {
#define WAIT(kind, state) [ompdx_wait_##kind] = OMPDX_STATE_##state,
#include "inference/waits.def"
	};

	return wait > ompdx_wait_none && (size_t)wait < COUNT(states) ? states[wait]
								      : OMPDX_STATE_UNDEFINED;
}

/* What a thread does that is in a region and has called this, as a rule. */
static uint32_t state_of(const ompdx_function_t *function)
{
	if (function->wait != ompdx_wait_none)
		return function_state_of(function->wait);
	if (function->roles & OMPDX_ROLE_WORKS)
		return OMPDX_STATE_WORK_PARALLEL;
	return function->function_class == ompdx_function_entry ? OMPDX_STATE_OVERHEAD
								: OMPDX_STATE_UNDEFINED;
}

static void take(ompdx_function_t *ret, const struct row *row)
{
	ret->wait = row->wait;
	ret->code_argument = row->code;
	ret->object_argument = row->object;
	ret->roles |= row->roles;
	ret->construct = row->construct;
}

static void describe_entry(struct span name, ompdx_function_t *ret)
{
	const struct row *interface = find_beginning(interfaces, COUNT(interfaces), name);
	const struct row *entry = find(entries, COUNT(entries), name);
	const struct row *routine = find(routines, COUNT(routines), name);
	const struct row *beginning = find_beginning(beginnings, COUNT(beginnings), name);

	if (interface || routine)
		ret->function_class = ompdx_function_entry;
	if (interface)
		ret->roles |= interface->roles;
	if (entry)
		take(ret, entry);
	if (entry || routine)
		ret->entry = entry ? entry->name : routine->name;
	if (beginning && ret->wait == ompdx_wait_none) {
		ret->wait = beginning->wait;
		ret->roles |= beginning->roles;
	}
}

static struct span without_underscores(struct span name)
{
	while (name.length && name.text[0] == '_')
		name = behind(name, 1);
	return name;
}

/* Some runtimes put any number of underscores before their names. */
static bool begins_with_underscores(struct span name, const char *prefix)
{
	const struct span bare = without_underscores(name);
	size_t underscores = 0;

	while (prefix[underscores] == '_')
		underscores++;
	return begins(name, prefix) ||
	       (strncmp(prefix + underscores, "kmp", 3) == 0 &&
		name.length - bare.length >= underscores && begins(bare, prefix + underscores));
}

/* The C library's __GI___libc_read is read. */
static struct span system_name(struct span name)
{
	const struct span gone = begins(name, "__GI_") ? behind(name, strlen("__GI_")) : name;
	struct span bare = without_underscores(gone);

	if (gone.length - bare.length < 2)
		return gone;
	if (begins(bare, "libc_"))
		bare = behind(bare, strlen("libc_"));
	return bare;
}

static bool is_of_family(struct span name, const char *prefix)
{
	const struct span bare = without_underscores(name);

	if (!begins(bare, prefix))
		return false;
	for (size_t i = 0; i < bare.length; i++) {
		if (!in_word(bare.text[i]))
			return false;
	}
	return true;
}

static bool has_word(struct span name, const char *prefix, const char *word)
{
	struct span rest;

	if (!begins(name, prefix))
		return false;
	for (rest = behind(name, strlen(prefix)); rest.length; rest = behind(rest, 1)) {
		if (begins(rest, word))
			return true;
		if (!in_word(rest.text[0]))
			return false;
	}
	return false;
}

/* At the beginning, or after a dot; one underscore may be between, and the name of another of clang's functions be
 * around all. */
static bool is_outlined(struct span name, const char *word)
{
	const char *start = name.text;

	for (struct span rest = name; rest.length; rest = behind(rest, 1)) {
		const char *before = rest.text;

		if (!begins(rest, word))
			continue;
		if (before > start && before[-1] == '_')
			before--;
		if (before == start || before[-1] == '.')
			return true;
	}
	return false;
}

static bool fits(const struct own *own, struct span name)
{
	switch (own->kind) {
	case INTERNAL_ROW:
		return begins_with_underscores(name, own->name);
	case AMBIGUOUS_ROW:
		return begins_with_underscores(name, own->name);
	case OWN_ROW:
		return is(name, own->name);
	case ACQUIRES_ROW:
		return has_word(name, own->name, own->word);
	case SYSTEM_ROW:
		return is(system_name(name), own->name);
	case FAMILY_ROW:
		return is_of_family(name, own->name);
	case OUTLINED_ROW:
		return is_outlined(name, own->name);
	}
	return false;
}

static ompdx_function_class_t class_of(const struct own *own)
{
	switch (own->kind) {
	case AMBIGUOUS_ROW:
		return ompdx_function_ambiguous;
	case SYSTEM_ROW:
	case FAMILY_ROW:
		return ompdx_function_system;
	case OUTLINED_ROW:
		return ompdx_function_outlined;
	case INTERNAL_ROW:
	case OWN_ROW:
	case ACQUIRES_ROW:
		break;
	}
	return ompdx_function_internal;
}

/* The first row that fits tells the class, since those that are surer stand first; each tells its roles. */
static void describe_own(struct span name, ompdx_function_t *ret)
{
	for (size_t i = 0; i < COUNT(owns); i++) {
		if (!fits(&owns[i], name))
			continue;
		if (ret->function_class == ompdx_function_other)
			ret->function_class = class_of(&owns[i]);
		ret->roles |= owns[i].roles;
	}
}

void function_describe(const char *name, ompdx_function_t *ret)
{
	const struct span plain = unversioned(name);

	memset(ret, 0, sizeof(*ret));
	ret->size = sizeof(*ret);
	ret->code_argument = ret->object_argument = -1;
	describe_entry(as_called(plain), ret);
	describe_own(plain, ret);
	ret->state = state_of(ret);
}

bool function_is_runtimes(const ompdx_function_t *function)
{
	return function->function_class == ompdx_function_entry ||
	       function->function_class == ompdx_function_internal;
}

const char *function_entry(size_t index)
{
	if (index < COUNT(entries))
		return entries[index].name;
	index -= COUNT(entries);
	return index < COUNT(routines) ? routines[index].name : NULL;
}
