/* SPDX-License-Identifier: Apache-2.0
 *
 * A map of addresses keeps what was put into it, and whoever writes the target's memory cannot choose keys that
 * make it slow: with keys that meet in one place this test does not end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "target/address_map.h"
#include "target/callbacks.h"

enum { KEYS = 1 << 19 };

/* ---- In place of the debugger ---- */

ompd_rc_t callback_alloc(ompd_size_t count, ompd_size_t size, void **ret)
{
	*ret = calloc(count, size);
	return *ret ? ompd_rc_ok : ompd_rc_nomem;
}

void callback_free(void *block)
{
	free(block);
}

/* ---- Keys ---- */

/* Of an odd number, modulo 2^64: each step doubles the bits that are right. */
static uint64_t inverse(uint64_t number)
{
	uint64_t found = number;

	for (int i = 0; i < 6; i++)
		found *= 2 - number * found;
	return found;
}

static uint64_t unshift(uint64_t number, unsigned bits)
{
	uint64_t found = number;

	for (unsigned done = bits; done < 64; done += bits)
		found = number ^ (found >> bits);
	return found;
}

/* The key that a map without a seed puts to this place: what an attacker can work out. */
static uint64_t key_without_seed(uint64_t place)
{
	uint64_t key = unshift(place, 29) * inverse(UINT64_C(0xbf58476d1ce4e5b9));

	return unshift(key, 32) * inverse(UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t meeting(uint32_t i)
{
	return key_without_seed((uint64_t)i << 32);
}

/* What a plain multiplication puts into one place. */
static uint64_t multiplied(uint32_t i)
{
	return inverse(UINT64_C(0x9e3779b97f4a7c15)) * ((uint64_t)(i + 1) << 40);
}

static uint64_t aligned(uint32_t i)
{
	return (uint64_t)i << 44;
}

static void keeps_all(uint64_t (*key)(uint32_t))
{
	struct address_map map = {0};

	for (uint32_t i = 0; i < KEYS; i++)
		assert_int_equal(address_map_put(&map, key(i), i), ompd_rc_ok);
	for (uint32_t i = 0; i < KEYS; i++)
		assert_int_equal(address_map_get(&map, key(i)), i);
	assert_int_equal(map.used, KEYS);
	address_map_deinit(&map);
}

static void test_keys_chosen_to_meet(void **state)
{
	(void)state;
	keeps_all(meeting);
	keeps_all(multiplied);
	keeps_all(aligned);
}

static void test_last_value_counts(void **state)
{
	struct address_map map = {0};

	(void)state;
	assert_int_equal(address_map_get(&map, 7), ADDRESS_MAP_NONE);
	assert_int_equal(address_map_put(&map, 7, 1), ompd_rc_ok);
	assert_int_equal(address_map_put(&map, 7, 2), ompd_rc_ok);
	assert_int_equal(address_map_get(&map, 7), 2);
	assert_int_equal(address_map_get(&map, 8), ADDRESS_MAP_NONE);
	assert_int_equal(map.used, 1);
	address_map_deinit(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_chosen_to_meet),
		cmocka_unit_test(test_last_value_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
