/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/tree.h"

/* A node, and the header, in words: colour, parent, left, right; behind a node its value, behind the header the count. */
enum { COLOUR, PARENT, LEFT, RIGHT, COUNT_WORD, HEADER_WORDS };
enum { NODE_WORDS = RIGHT + 1 };
enum { RED = 0, BLACK = 1 };

/* An enumeration of 32 bits, with padding behind it. */
static uint32_t colour_of(target_addr word)
{
	return (uint32_t)word;
}

static bool aligned(target_addr address)
{
	return address && address % 8 == 0;
}

static ompd_rc_t read_words(const struct target *target, target_addr address, size_t count,
			    target_addr *ret)
{
	return aligned(address) ? target_read_pointers(target, address, count, ret) : ompd_rc_error;
}

ompd_rc_t tree_open(struct tree *tree, const struct target *target, target_addr address)
{
	const target_addr header = address + target->sizes.sizeof_pointer;
	target_addr words[HEADER_WORDS];
	target_addr root[NODE_WORDS];
	ompd_rc_t rc = read_words(target, header, HEADER_WORDS, words);

	if (rc == ompd_rc_ok && colour_of(words[COLOUR]) != RED)
		return ompd_rc_incompatible;
	if (rc == ompd_rc_ok && words[PARENT] == 0) {
		if (words[LEFT] != header || words[RIGHT] != header || words[COUNT_WORD])
			return ompd_rc_incompatible;
	} else if (rc == ompd_rc_ok) {
		rc = read_words(target, words[PARENT], NODE_WORDS, root);
		if (rc == ompd_rc_ok &&
		    (root[PARENT] != header || colour_of(root[COLOUR]) != BLACK ||
		     !aligned(words[LEFT]) || !aligned(words[RIGHT]) || words[COUNT_WORD] == 0))
			return ompd_rc_incompatible;
	}
	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error ? ompd_rc_incompatible : rc;
	tree->header = header;
	tree->root = words[PARENT];
	tree->count = words[COUNT_WORD];
	return ompd_rc_ok;
}

void tree_first(struct tree_walk *walk, const struct target *target, const struct tree *tree)
{
	walk->target = target;
	walk->left = tree->count;
	walk->ahead = tree->root;
	walk->parent = tree->header;
	walk->depth = 0;
}

/* Down to the leftmost node of what is ahead. */
static ompd_rc_t descend(struct tree_walk *walk)
{
	while (walk->ahead) {
		target_addr words[NODE_WORDS];
		const ompd_rc_t rc = read_words(walk->target, walk->ahead, NODE_WORDS, words);

		if (rc != ompd_rc_ok)
			return rc;
		if (words[PARENT] != walk->parent || colour_of(words[COLOUR]) > BLACK ||
		    walk->depth == TREE_DEPTH_MAX)
			return ompd_rc_incompatible;
		walk->path[walk->depth].node = walk->ahead;
		walk->path[walk->depth].right = words[RIGHT];
		walk->depth++;
		walk->parent = walk->ahead;
		walk->ahead = words[LEFT];
	}
	return ompd_rc_ok;
}

ompd_rc_t tree_next(struct tree_walk *walk, target_addr *value)
{
	target_addr node;
	const ompd_rc_t rc = descend(walk);

	if (rc != ompd_rc_ok)
		return rc;
	if (walk->depth == 0 || walk->left == 0)
		return walk->depth == 0 && walk->left == 0 ? ompd_rc_unavailable
							   : ompd_rc_incompatible;
	walk->depth--;
	walk->left--;
	node = walk->path[walk->depth].node;
	walk->ahead = walk->path[walk->depth].right;
	walk->parent = node;
	*value = node + NODE_WORDS * walk->target->sizes.sizeof_pointer;
	return ompd_rc_ok;
}
