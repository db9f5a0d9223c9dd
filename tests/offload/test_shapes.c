/* SPDX-License-Identifier: Apache-2.0
 *
 * Trees, lists and mutexes as libstdc++, LLVM and glibc make them, and such that hostile memory makes up.
 */
#include "api_test.h"

#include "offload/list.h"
#include "offload/mutex.h"
#include "offload/tree.h"
#include "target/callbacks.h"

enum { MEMORY = 0x10000, SIZE = 0x40000, TREE = MEMORY, HEADER = TREE + 8, NODES = MEMORY + 0x100 };
enum { NODE_SIZE = 64, PARENT = 8, LEFT = 16, RIGHT = 24, VALUE = 32, NODE_COUNT = 32 };
enum { MAX = 300 };

static struct fake_target *process;
static struct diagnostics diagnostics;
static struct target target;

static int open_process(void **state)
{
	(void)state;
	process = fake_target_create((struct fake_machine){8, false});
	fake_map(process, MEMORY, SIZE);
	callbacks_use(fake_callbacks());
	return target_init(&target, fake_context(process), &diagnostics) != ompd_rc_ok;
}

static int close_process(void **state)
{
	(void)state;
	callbacks_forget();
	fake_target_destroy(process);
	return 0;
}

static uint64_t node(unsigned number)
{
	return NODES + (uint64_t)number * NODE_SIZE;
}

/* The nodes first to end - 1 below `parent'; returns the root. */
static uint64_t put_nodes(unsigned first, unsigned end, uint64_t parent, bool black)
{
	const unsigned middle = first + (end - first) / 2;
	const uint64_t at = node(middle);

	if (first == end)
		return 0;
	fake_put(process, at, 4, black);
	fake_put_pointer(process, at + PARENT, parent);
	fake_put_pointer(process, at + LEFT, put_nodes(first, middle, at, !black));
	fake_put_pointer(process, at + RIGHT, put_nodes(middle + 1, end, at, !black));
	return at;
}

static void put_tree(unsigned count)
{
	fake_put_pointer(process, HEADER, 0);
	fake_put_pointer(process, HEADER + PARENT, put_nodes(0, count, HEADER, true));
	fake_put_pointer(process, HEADER + LEFT, count ? node(0) : HEADER);
	fake_put_pointer(process, HEADER + RIGHT, count ? node(count - 1) : HEADER);
	fake_put_pointer(process, HEADER + NODE_COUNT, count);
}

/* How the walk ends, and how many values it came to, which are in order. */
static ompd_rc_t walk(unsigned *steps)
{
	struct tree_walk at;
	struct tree tree;
	target_addr value;
	ompd_rc_t rc = tree_open(&tree, &target, TREE);

	*steps = 0;
	if (rc != ompd_rc_ok)
		return rc;
	tree_first(&at, &target, &tree);
	for (;;) {
		rc = tree_next(&at, &value);
		if (rc != ompd_rc_ok)
			return rc;
		assert_true(*steps < MAX);
		assert_int_equal(value, node(*steps) + VALUE);
		(*steps)++;
	}
}

static void test_trees(void **state)
{
	unsigned steps;

	(void)state;
	for (unsigned count = 0; count < MAX; count++) {
		put_tree(count);
		assert_rc(walk(&steps), ompd_rc_unavailable);
		assert_int_equal(steps, count);
	}
}

/* A word of a tree of 100 is another: the walk is over at once or soon, and never takes it for whole. */
static void refused(uint64_t address, uint64_t word)
{
	const uint64_t before = fake_get_pointer(process, address);
	unsigned steps;
	ompd_rc_t rc;

	fake_put_pointer(process, address, word);
	rc = walk(&steps);
	assert_true(rc == ompd_rc_incompatible || rc == ompd_rc_error);
	assert_true(steps <= 100);
	fake_put_pointer(process, address, before);
}

static void test_hostile_trees(void **state)
{
	const uint64_t root = node(50);
	static const uint64_t words[] = {1, 7, UINT64_MAX, MEMORY + SIZE, HEADER};

	(void)state;
	put_tree(100);
	refused(HEADER, 1);
	refused(root, 0);
	refused(HEADER + NODE_COUNT, 0);
	refused(HEADER + NODE_COUNT, 99);
	refused(HEADER + NODE_COUNT, 101);
	refused(HEADER + NODE_COUNT, UINT64_MAX);
	refused(HEADER + PARENT, node(3));
	refused(HEADER + LEFT, 0);
	for (unsigned i = 0; i < 100; i++) {
		refused(node(i) + PARENT, node(i));
		refused(node(i) + LEFT, node(i));
		refused(node(i) + RIGHT, node(i));
		refused(node(i) + LEFT, root);
		refused(node(i) + RIGHT, root);
		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
			refused(node(i) + LEFT, words[k]);
			refused(node(i) + RIGHT, words[k]);
		}
	}
	fake_put_pointer(process, HEADER + PARENT, 0);
	assert_rc(walk(&(unsigned){0}), ompd_rc_incompatible);
}

/* A list in a tree's place, which no balanced tree is: nodes that each have one on the left. */
static void test_deep_tree(void **state)
{
	unsigned steps;

	(void)state;
	put_tree(0);
	for (unsigned i = 0; i < MAX; i++) {
		fake_put(process, node(i), 4, 1);
		fake_put_pointer(process, node(i) + PARENT, i ? node(i - 1) : HEADER);
		fake_put_pointer(process, node(i) + LEFT, i + 1 < MAX ? node(i + 1) : 0);
	}
	fake_put_pointer(process, HEADER + PARENT, node(0));
	fake_put_pointer(process, HEADER + NODE_COUNT, MAX);
	assert_rc(walk(&steps), ompd_rc_incompatible);
	assert_int_equal(steps, 0);
}

static void test_hidden_nodes(void **state)
{
	unsigned steps;

	(void)state;
	put_tree(100);
	fake_hide(process, node(30), NODE_SIZE);
	assert_rc(walk(&steps), ompd_rc_error);
	fake_hide(process, node(50), NODE_SIZE);
	assert_rc(walk(&steps), ompd_rc_incompatible);
	fake_unhide_all(process);
}

static ompd_rc_t list_of(uint8_t form, uint64_t first, uint64_t second, uint64_t third,
			 uint64_t *count)
{
	const struct offload_list_place place = {0, form, 8};
	struct list list = {0};
	ompd_rc_t rc;

	fake_put_pointer(process, MEMORY, first);
	fake_put_pointer(process, MEMORY + 8, second);
	fake_put_pointer(process, MEMORY + 16, third);
	rc = list_open(&list, &target, &place, MEMORY, 4);
	*count = list.count;
	return rc;
}

static void test_lists(void **state)
{
	const uint8_t vector = OFFLOAD_LIST_VECTOR, small = OFFLOAD_LIST_SMALL;
	const uint64_t at = MEMORY + 64, six = UINT64_C(6) << 32;
	uint64_t count;

	(void)state;
	assert_rc(list_of(vector, 0, 0, 0, &count), ompd_rc_ok);
	assert_int_equal(count, 0);
	assert_rc(list_of(vector, at, at + 16, at + 32, &count), ompd_rc_ok);
	assert_int_equal(count, 2);
	assert_rc(list_of(vector, at, at + 40, at + 40, &count), ompd_rc_incompatible);
	assert_rc(list_of(vector, at, at + 9, at + 32, &count), ompd_rc_incompatible);
	assert_rc(list_of(vector, at + 8, at, at + 32, &count), ompd_rc_incompatible);
	assert_rc(list_of(vector, at, at + 16, at + 8, &count), ompd_rc_incompatible);
	assert_rc(list_of(vector, 0, 8, 16, &count), ompd_rc_incompatible);
	assert_rc(list_of(small, at, six | 3, 0, &count), ompd_rc_ok);
	assert_int_equal(count, 3);
	assert_rc(list_of(small, at, six | 7, 0, &count), ompd_rc_incompatible);
	assert_rc(list_of(small, at, six | 5, 0, &count), ompd_rc_incompatible);
	assert_rc(list_of(small, 0, six, 0, &count), ompd_rc_incompatible);
	assert_rc(list_of(small, at, UINT64_MAX, 0, &count), ompd_rc_incompatible);
}

static void test_mutexes(void **state)
{
	static const unsigned wrong[][2] = {{0, 3}, {4, 1}, {12, 2}, {16, 1}, {0, UINT32_MAX}};
	struct mutex mutex;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		fake_put(process, MEMORY + i * 4, 4, 0);
	fake_put(process, MEMORY + 8, 4, 4711);
	assert_rc(mutex_open(&mutex, &target, MEMORY), ompd_rc_ok);
	assert_true(!mutex.locked && mutex.owner == 0);
	fake_put(process, MEMORY, 4, 2);
	fake_put(process, MEMORY + 12, 4, 1);
	assert_rc(mutex_open(&mutex, &target, MEMORY), ompd_rc_ok);
	assert_true(mutex.locked && mutex.owner == 4711);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const uint64_t at = MEMORY + wrong[i][0], before = fake_get(process, at, 4);

		fake_put(process, at, 4, wrong[i][1]);
		assert_rc(mutex_open(&mutex, &target, MEMORY), ompd_rc_incompatible);
		fake_put(process, at, 4, before);
	}
	assert_rc(mutex_open(&mutex, &target, MEMORY + SIZE), ompd_rc_incompatible);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, open_process, close_process)
	const struct CMUnitTest tests[] = {
		OPENED(test_trees),        OPENED(test_hostile_trees), OPENED(test_deep_tree),
		OPENED(test_hidden_nodes), OPENED(test_lists),         OPENED(test_mutexes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
