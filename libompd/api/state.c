/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.9: thread states.
 */
#include "address_space.h"
#include "api/answer.h"
#include "handle.h"
#include "library.h"
#include "runtime/runtime.h"

struct state_row {
	const char *name;
	ompd_word_t value;
	ompd_word_t since;
};

static const struct state_row rows[] = {
#define STATE(name, value, since) {"ompt_state_" #name, value, since},
#include "api/states.def"
#undef STATE
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

enum {
	STATE_WAIT_BARRIER = 0x010,
	STATE_WAIT_BARRIER_TEAMS = 0x016,
	STATE_UNDEFINED = 0x102,
	/* From here on a runtime's own. */
	STATE_IMPLEMENTATION = 0x200,
};

static size_t next_visible(size_t row)
{
	while (row < ROW_COUNT && rows[row].since > library.api_version)
		row++;
	return row;
}

/* The row of a state that the tool's version has; ROW_COUNT: none. */
static size_t row_of(ompd_word_t state)
{
	size_t row = next_visible(0);

	while (row < ROW_COUNT && rows[row].value != state)
		row = next_visible(row + 1);
	return row;
}

/* The enumeration begins with the undefined state, and has it as its last. */
ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *address_space_handle,
				ompd_word_t current_state, ompd_word_t *next_state,
				const char **next_state_name, ompd_word_t *more_enums)
{
	struct address_space *space;
	size_t next;
	ompd_rc_t rc = handle_find(address_space_handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!next_state || !next_state_name || !more_enums)
		return ompd_rc_bad_input;
	if (row_of(current_state) == ROW_COUNT)
		return ompd_rc_bad_input;
	next = current_state == STATE_UNDEFINED ? next_visible(0)
						: next_visible(row_of(current_state) + 1);
	rc = answer_string(rows[next].name, next_state_name);
	if (rc != ompd_rc_ok)
		return rc;
	*next_state = rows[next].value;
	*more_enums = next_visible(next + 1) < ROW_COUNT;
	return ompd_rc_ok;
}

/* A newer version's kind of barrier is a barrier to a tool of an older one. error: no state. */
static ompd_rc_t as_known(ompd_word_t *state)
{
	if (*state >= STATE_IMPLEMENTATION || row_of(*state) < ROW_COUNT)
		return ompd_rc_ok;
	if (*state < STATE_WAIT_BARRIER || *state > STATE_WAIT_BARRIER_TEAMS)
		return ompd_rc_error;
	*state = STATE_WAIT_BARRIER;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread_handle, ompd_word_t *state,
			 ompd_wait_id_t *wait_id)
{
	struct address_space *space;
	struct entity thread;
	ompd_word_t found;
	ompd_wait_id_t wait;
	ompd_rc_t rc = handle_find(thread_handle, HANDLE_THREAD, &space, &thread);

	if (rc != ompd_rc_ok)
		return rc;
	if (!state)
		return ompd_rc_bad_input;
	if (!space->runtime->state_of_thread)
		return ompd_rc_unsupported;
	rc = space->runtime->state_of_thread(space, thread, &found, &wait);
	if (rc == ompd_rc_ok)
		rc = as_known(&found);
	if (rc != ompd_rc_ok)
		return rc;
	*state = found;
	if (wait_id)
		*wait_id = wait;
	return ompd_rc_ok;
}
