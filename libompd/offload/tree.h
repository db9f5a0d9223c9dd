/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree of libstdc++'s std::map and std::set. It proves itself: an empty one's header leads to itself, another's
 * root leads back to the header, and each node back to its parent. So a walk cannot go in a circle.
 */
#ifndef OFFLOAD_TREE_H
#define OFFLOAD_TREE_H

#include "target/limits.h"
#include "target/target.h"

struct tree {
	target_addr header; /* of the red-black tree, behind the comparison object */
	target_addr root;   /* 0: empty */
	uint64_t count;
};

/* incompatible: what lies there is none, or cannot be read. */
ompd_rc_t tree_open(struct tree *tree, const struct target *target, target_addr address);

struct tree_walk {
	const struct target *target;
	uint64_t left;             /* nodes that have to come yet */
	target_addr ahead, parent; /* what to go down to, and from where */
	unsigned depth;
	struct {
		target_addr node;
		target_addr right;
	} path[TREE_DEPTH_MAX]; /* whose left side has been walked, and they themselves not */
};

void tree_first(struct tree_walk *walk, const struct target *target, const struct tree *tree);

/* ok and where the next value lies, in order. unavailable: that was all. incompatible: the nodes contradict each other
 * or the count. error: unreadable. The walk is over with whatever is not ok. */
ompd_rc_t tree_next(struct tree_walk *walk, target_addr *value);

#endif /* OFFLOAD_TREE_H */
