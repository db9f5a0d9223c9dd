/* SPDX-License-Identifier: Apache-2.0 */
#include "target/environment.h"

#include <string.h>

#define POINTERS_AT_ONCE 64

/* A list of strings, that a null ends. */
struct walk {
	const struct target *target;
	target_addr at;
	unsigned left;
	target_addr pointers[POINTERS_AT_ONCE];
	unsigned count, next;
};

static struct walk walk_begin(const struct target *target, target_addr at)
{
	return (struct walk){.target = target, .at = at, .left = ENVIRONMENT_MAX};
}

/* Where the list ends, memory may end: it is read as far as it can be. */
static ompd_rc_t walk_fill(struct walk *walk)
{
	const size_t size = walk->target->sizes.sizeof_pointer;
	unsigned count = POINTERS_AT_ONCE;
	ompd_rc_t rc = target_read_pointers(walk->target, walk->at, count, walk->pointers);

	if (rc == ompd_rc_error) {
		count = 1;
		rc = target_read_pointers(walk->target, walk->at, count, walk->pointers);
	}
	walk->at += count * size;
	walk->count = count;
	walk->next = 0;
	return rc;
}

/* The next string; 0: the list has ended. */
static ompd_rc_t walk_next(struct walk *walk, target_addr *ret)
{
	ompd_rc_t rc = ompd_rc_ok;

	if (walk->left == 0)
		return ompd_rc_error;
	if (walk->next == walk->count)
		rc = walk_fill(walk);
	if (rc != ompd_rc_ok)
		return rc;
	walk->left--;
	*ret = walk->pointers[walk->next++];
	return ompd_rc_ok;
}

static ompd_rc_t find(const struct target *target, const char *const names[2], target_addr *ret)
{
	ompd_rc_t rc = ompd_rc_unavailable;

	*ret = 0;
	for (unsigned i = 0; i < 2 && (rc == ompd_rc_unavailable || rc == ompd_rc_error); i++)
		rc = target_symbol(target, names[i], NULL, ret);
	if (rc != ompd_rc_unavailable && rc != ompd_rc_error)
		return rc;
	*ret = 0;
	return ompd_rc_ok;
}

ompd_rc_t environment_find(const struct target *target, struct environment *ret)
{
	static const char *const current[2] = {"environ", "__environ"};
	/* glibc's, of a static program, where the other one leads elsewhere, and of the dynamic linker: the kernel has
	 * put the environment behind the arguments. */
	static const char *const started[2] = {"__libc_argv", "_dl_argv"};
	ompd_rc_t rc = ompd_rc_ok;

	if (!ret->asked)
		rc = find(target, current, &ret->current);
	if (!ret->asked && rc == ompd_rc_ok)
		rc = find(target, started, &ret->started);
	ret->asked = rc == ompd_rc_ok;
	return rc;
}

/* What has been found: where the value lies, 0: nothing. */
struct found {
	const char *name;
	size_t length;
	target_addr value;
	bool several; /* or only their names begin so */
};

static void take(struct found *found, const char *text, target_addr at)
{
	if (strncmp(text, found->name, found->length) != 0)
		return;
	found->several = found->several || found->value || text[found->length] != '=';
	found->value = at + found->length + 1;
}

/* The list of strings that the program looks at, and may have changed. */
static ompd_rc_t look_up(const struct target *target, target_addr list, struct found *found)
{
	struct walk walk = walk_begin(target, list);
	char text[SYMBOL_NAME_MAX];
	target_addr string;
	ompd_rc_t rc = walk_next(&walk, &string);

	while (rc == ompd_rc_ok && string != 0) {
		rc = target_read_string(target, string, found->length + 2, text);
		if (rc == ompd_rc_ok || rc == ompd_rc_incomplete) {
			take(found, text, string);
			rc = walk_next(&walk, &string);
		}
	}
	return rc;
}

/* The strings as the kernel has put them at the end of the first thread's stack, whose last word is 0. Programs change
 * the list of these strings, and hardly ever the strings. */
static ompd_rc_t look_through(const struct target *target, target_addr from, target_addr *end,
			      struct found *found)
{
	enum { PAGE = 4096, WORD = 8 };
	/* Before each page what remains of the one before. */
	char bytes[SYMBOL_NAME_MAX + PAGE + 1];
	const size_t needed = found->length + 2;
	size_t kept = 0;

	for (unsigned pages = 0; pages < ENVIRONMENT_PAGES_MAX; pages++) {
		const size_t size = PAGE - (size_t)(from % PAGE);
		const bool last = pages && kept >= WORD &&
				  target_decode(target, bytes + kept - WORD, WORD) == 0;
		const size_t count = kept + size;
		ompd_rc_t rc;

		if (last && from == *end)
			return ompd_rc_ok;
		rc = target_read(target, from, size, bytes + kept);
		if (rc == ompd_rc_error && last)
			*end = from;
		if (rc == ompd_rc_error)
			return last ? ompd_rc_ok : ompd_rc_unavailable;
		if (rc != ompd_rc_ok)
			return rc;
		bytes[count] = '\0';
		for (size_t i = 0; i + needed <= count; i++) {
			if (bytes[i] == '\0')
				take(found, bytes + i + 1, from - kept + i + 1);
		}
		from += size;
		kept = count < needed - 1 ? count : needed - 1;
		memmove(bytes, bytes + count - kept, kept);
	}
	return ompd_rc_unavailable;
}

/* The same text: the two lists may share their strings. */
static ompd_rc_t same_text(const struct target *target, target_addr one, target_addr other,
			   char text[SETTING_LENGTH_MAX])
{
	char second[SETTING_LENGTH_MAX];
	ompd_rc_t rc = target_read_string(target, one, SETTING_LENGTH_MAX, text);

	if (rc == ompd_rc_ok && other != one) {
		rc = target_read_string(target, other, sizeof(second), second);
		if (rc == ompd_rc_ok && strcmp(text, second) != 0)
			rc = ompd_rc_unavailable;
	}
	return rc == ompd_rc_incomplete ? ompd_rc_unavailable : rc;
}

ompd_rc_t environment_value(const struct target *target, struct environment *environment,
			    const char *name, bool *set, char value[SETTING_LENGTH_MAX])
{
	struct found now = {.name = name, .length = strlen(name)}, before = now;
	target_addr list, arguments;
	ompd_rc_t rc;

	if (environment->current == 0 || environment->started == 0 ||
	    now.length + 2 > SYMBOL_NAME_MAX || now.length < sizeof(uint64_t))
		return ompd_rc_unavailable;
	rc = target_read_pointer(target, environment->current, &list);
	if (rc == ompd_rc_ok)
		rc = target_read_pointer(target, environment->started, &arguments);
	if (rc == ompd_rc_ok && list != 0)
		rc = look_up(target, list, &now);
	if (rc == ompd_rc_ok)
		rc = look_through(target, arguments, &environment->end, &before);
	if (rc == ompd_rc_ok && (now.several || before.several || !now.value != !before.value))
		rc = ompd_rc_unavailable;
	*set = now.value != 0;
	if (rc == ompd_rc_ok && *set)
		rc = same_text(target, before.value, now.value, value);
	return rc == ompd_rc_error ? ompd_rc_unavailable : rc;
}
