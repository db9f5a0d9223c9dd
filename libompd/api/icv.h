/* SPDX-License-Identifier: Apache-2.0
 *
 * What each ICV is called and whose it is, for OMPD's routines and ours.
 */
#ifndef API_ICV_H
#define API_ICV_H

#include <stdbool.h>

#include "address_space.h"
#include "runtime/icv.h"

struct icv_row {
	enum icv icv;
	const char *name;
	ompd_scope_t scope;
	ompd_word_t since;
	ompd_word_t until; /* 0: to this day */
};

/* NULL: the tool's version knows no ICV with this id. */
const struct icv_row *icv_row(ompd_icv_id_t id);

/* The id of the next one that it knows, ompd_icv_undefined: of the first; ompd_icv_undefined behind the last. */
ompd_icv_id_t icv_next(ompd_icv_id_t id);

/* Those that no number stands for: strings, and kinds of schedules with their modifiers and sizes. */
bool icv_is_text(enum icv icv);

/* The ICV of the thread, region or task that its own scope asks for; as runtime->icv. */
ompd_rc_t icv_ask(struct address_space *space, enum icv icv, struct entity entity,
		  struct icv_value *value);

/* Whose value stands for the process: the program's first thread's, or that of its initial task. unavailable: there is
 * none of this scope. */
ompd_rc_t icv_entity_of_process(struct address_space *space, ompd_scope_t scope,
				struct entity *ret);

/* The name under which the tool's version knows it; NULL: it does not. */
const char *icv_name(enum icv icv);

/* Appends the text of what the ICV is for the process: for its initial task, where each task has its own. */
ompd_rc_t icv_of_process(struct address_space *space, enum icv icv, struct vector *text);

#endif /* API_ICV_H */
