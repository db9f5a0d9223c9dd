/* SPDX-License-Identifier: Apache-2.0
 *
 * A runtime that nobody has: it knows threads by their pthread ids, and that each of their ICVs is 42. It has no
 * answer to any other question.
 */
#ifndef MADE_UP_H
#define MADE_UP_H

#define MADE_UP_KIND ((ompdx_runtime_kind_t)77)
#define MADE_UP_ENTRY "made_up_fork"
#define MADE_UP_VERSION 3
#define MADE_UP_VALUE 42

#endif /* MADE_UP_H */
