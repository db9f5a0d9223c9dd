/* SPDX-License-Identifier: Apache-2.0
 *
 * The shape that most routines share: what a handle stands for goes to the runtime, and what comes back
 * becomes a handle.
 */
#ifndef API_QUESTION_H
#define API_QUESTION_H

#include "address_space.h"

typedef ompd_rc_t question_fn(struct address_space *space, struct entity about, struct entity *ret);
typedef ompd_rc_t numbered_question_fn(struct address_space *space, struct entity about,
				       int thread_num, struct entity *ret);

/* Makes a handle of `kind` for the answer about `about`; a NULL question is unsupported. */
ompd_rc_t ask(question_fn *question, struct address_space *space, struct entity about,
	      enum handle_kind kind, void **ret);
ompd_rc_t ask_numbered(numbered_question_fn *question, struct address_space *space,
		       struct entity about, int thread_num, enum handle_kind kind, void **ret);

#endif /* API_QUESTION_H */
