/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that the standard routines tell beside handles, of every thread, region and task, as a list
 * that can be compared with that of another time: states, functions, frames, tools' data, ICVs as numbers
 * and as text, display-control variables.
 */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "api_test.h"

struct answer {
	const char *routine;
	uint32_t subject; /* which thread, how far out, which ICV */
	ompd_rc_t rc;
	uint64_t value; /* of numbers; of text a hash */
};

struct answers {
	struct answer *list;
	size_t count, room;
};

/* Asks everything; follows at most so many regions and tasks outwards. answers_free is due. */
void answers_take(struct answers *answers, ompd_address_space_handle_t *handle,
		  struct fake_target *target);
void answers_free(struct answers *answers);

/* The first answer with ok or incomplete that is not in the truth; NULL: none. */
const struct answer *answers_untrue(const struct answers *answers, const struct answers *truth);

#endif /* ANSWERS_H */
