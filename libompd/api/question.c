/* SPDX-License-Identifier: Apache-2.0 */
#include "api/question.h"

#include "handle.h"

ompd_rc_t ask(question_fn *question, struct address_space *space, struct entity about,
	      enum handle_kind kind, void **ret)
{
	struct entity answer;
	ompd_rc_t rc;

	if (!ret)
		return ompd_rc_bad_input;
	if (!question)
		return ompd_rc_unsupported;
	rc = question(space, about, &answer);
	return rc == ompd_rc_ok ? handle_create(space, kind, answer, ret) : rc;
}

ompd_rc_t ask_numbered(numbered_question_fn *question, struct address_space *space,
		       struct entity about, int thread_num, enum handle_kind kind, void **ret)
{
	struct entity answer;
	ompd_rc_t rc;

	if (!ret)
		return ompd_rc_bad_input;
	if (!question)
		return ompd_rc_unsupported;
	rc = question(space, about, thread_num, &answer);
	return rc == ompd_rc_ok ? handle_create(space, kind, answer, ret) : rc;
}
