/* SPDX-License-Identifier: Apache-2.0
 *
 * The environment as the kernel put it at the end of a stack: where nothing is behind it, is asked for once, and a
 * pointer to its last bytes leads nowhere else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "target/environment.h"

enum {
	PAGE = 4096,
	END = 8 * PAGE,
	VARIABLES = PAGE,
	LIST = VARIABLES + 64,
	ARGUMENTS = 6 * PAGE + 512
};

/* ---- In place of the target ---- */

static uint8_t memory[END];
static unsigned beyond; /* reads behind all memory */

ompd_rc_t target_read(const struct target *target, target_addr address, size_t size, void *buffer)
{
	(void)target;
	if (address >= END || size > END - address) {
		beyond++;
		return ompd_rc_error;
	}
	memcpy(buffer, memory + address, size);
	return ompd_rc_ok;
}

uint64_t target_decode(const struct target *target, const void *bytes, size_t size)
{
	uint64_t value = 0;

	(void)target;
	memcpy(&value, bytes, size);
	return value;
}

ompd_rc_t target_read_pointer(const struct target *target, target_addr address, target_addr *ret)
{
	return target_read(target, address, sizeof(*ret), ret);
}

ompd_rc_t target_read_pointers(const struct target *target, target_addr address, size_t count,
			       target_addr *ret)
{
	return target_read(target, address, count * sizeof(*ret), ret);
}

ompd_rc_t target_read_string(const struct target *target, target_addr address, size_t room,
			     char *buffer)
{
	(void)target;
	for (size_t i = 0; i < room; i++) {
		if (target_read(target, address + i, 1, &buffer[i]) != ompd_rc_ok)
			return ompd_rc_error;
		if (!buffer[i])
			return ompd_rc_ok;
	}
	return ompd_rc_incomplete;
}

ompd_rc_t target_symbol(const struct target *target, const char *name, const char *file,
			target_addr *ret)
{
	(void)target;
	(void)file;
	*ret = strcmp(name, "environ") == 0 ? VARIABLES : VARIABLES + 8;
	return strcmp(name, "environ") == 0 || strcmp(name, "_dl_argv") == 0 ? ompd_rc_ok
									     : ompd_rc_unavailable;
}

/* ---- The environment ---- */

static void put(target_addr at, uint64_t value)
{
	memcpy(memory + at, &value, sizeof(value));
}

/* started: where the program's arguments are said to be. */
static struct environment environment_at(target_addr started)
{
	static const char *const settings[] = {"OMP_NUM_THREADS=4,3", "OMP_PROC_BIND=close"};
	struct environment environment = {0};
	const struct target target = {.sizes.sizeof_pointer = 8};
	target_addr at = END - 512;

	memset(memory, 0, sizeof(memory));
	memset(memory + ARGUMENTS, 'x', END - 512 - 1 - ARGUMENTS);
	for (size_t i = 0; i < 2; i++) {
		put(LIST + 8 * i, at);
		memcpy(memory + at, settings[i], strlen(settings[i]) + 1);
		at += strlen(settings[i]) + 1;
	}
	memset(memory + at, 'y', END - 9 - at);
	put(VARIABLES, LIST);
	put(VARIABLES + 8, started);
	beyond = 0;
	assert_int_equal(environment_find(&target, &environment), ompd_rc_ok);
	return environment;
}

static void expect(struct environment *environment, const char *name, const char *expected)
{
	const struct target target = {.sizes.sizeof_pointer = 8};
	char value[SETTING_LENGTH_MAX];
	bool set;

	assert_int_equal(environment_value(&target, environment, name, &set, value), ompd_rc_ok);
	assert_int_equal(set, expected != NULL);
	if (expected)
		assert_string_equal(value, expected);
}

static void test_end_is_asked_for_once(void **state)
{
	struct environment environment = environment_at(ARGUMENTS);

	(void)state;
	expect(&environment, "OMP_NUM_THREADS", "4,3");
	assert_int_equal(beyond, 1);
	expect(&environment, "OMP_PROC_BIND", "close");
	expect(&environment, "OMP_SCHEDULE", NULL);
	assert_int_equal(beyond, 1);
}

/* Any address can be said to be that of the arguments: so few bytes hold no word. */
static void test_last_bytes(void **state)
{
	const struct target target = {.sizes.sizeof_pointer = 8};

	(void)state;
	for (unsigned left = 1; left < 24; left++) {
		struct environment environment = environment_at(END - left);
		char value[SETTING_LENGTH_MAX];
		bool set;

		assert_int_equal(
			environment_value(&target, &environment, "OMP_NUM_THREADS", &set, value),
			ompd_rc_unavailable);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_end_is_asked_for_once),
		cmocka_unit_test(test_last_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
