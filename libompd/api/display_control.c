/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.10: display-control variables. They are made from what the ICVs are now: what libomp keeps of
 * its environment for OMPD (ompd_env_block) was written before it read the environment, and has defaults.
 */
#include <string.h>

#include "address_space.h"
#include "api/display_control.h"
#include "api/icv.h"
#include "handle.h"
#include "library.h"
#include "runtime/runtime.h"
#include "target/callbacks.h"
#include "target/limits.h"

struct control {
	const char *variable;
	enum icv icv;
};

static const struct control controls[] = {
#define CONTROL(variable, icv) {variable, icv},
#include "api/display_control.def"
#undef CONTROL
};

#define CONTROL_COUNT (sizeof(controls) / sizeof(controls[0]))

/* What a tool holds: known to the library, so that it frees nothing else. */
struct control_vars {
	struct control_vars *next;
	const char *strings[]; /* the last is NULL; their text stands behind */
};

void control_vars_free(void)
{
	while (library.control_vars) {
		struct control_vars *vars = library.control_vars;

		library.control_vars = vars->next;
		callback_free(vars);
	}
}

static ompd_rc_t append(struct vector *text, const char *more, size_t length)
{
	void *room;
	const ompd_rc_t rc = vector_add(text, length, CONTROL_COUNT * ICV_TEXT_MAX, &room);

	if (rc == ompd_rc_ok)
		memcpy(room, more, length);
	return rc;
}

/* Appends "name=value" and its NUL; of a setting that is not known, nothing. 5.x names the ICV, 6.0 the
 * environment variable. */
static ompd_rc_t append_setting(struct address_space *space, const struct control *control,
				struct vector *text, unsigned *count)
{
	const char *name =
		library.api_version >= OMPD_6_0 ? control->variable : icv_name(control->icv);
	struct vector value = {.item_size = 1};
	ompd_rc_t rc = icv_of_process(space, control->icv, &value);

	if (rc == ompd_rc_ok) {
		rc = append(text, name, strlen(name));
		if (rc == ompd_rc_ok)
			rc = append(text, "=", 1);
		if (rc == ompd_rc_ok && value.count)
			rc = append(text, value.items, value.count);
		/* A size without a unit is in KiB in the environment. */
		if (rc == ompd_rc_ok && control->icv == ICV_STACKSIZE && name == control->variable)
			rc = append(text, "B", 1);
		if (rc == ompd_rc_ok)
			rc = append(text, "", 1);
		(*count)++;
	} else if (rc == ompd_rc_unavailable || rc == ompd_rc_error) {
		rc = ompd_rc_ok;
	}
	vector_deinit(&value);
	return rc;
}

static ompd_rc_t publish(const struct vector *text, unsigned count, const char *const **ret)
{
	const size_t head = sizeof(struct control_vars) + (count + 1) * sizeof(char *);
	struct control_vars *vars;
	void *block = NULL;
	char *string;
	const ompd_rc_t rc = callback_alloc(1, head + text->count, &block);

	if (rc != ompd_rc_ok)
		return rc;
	vars = block;
	string = (char *)block + head;
	if (text->count)
		memcpy(string, text->items, text->count);
	for (unsigned i = 0; i < count; i++) {
		vars->strings[i] = string;
		string += strlen(string) + 1;
	}
	vars->next = library.control_vars;
	library.control_vars = vars;
	*ret = (const char *const *)vars->strings;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *address_space_handle,
					const char *const **control_vars)
{
	struct vector text = {.item_size = 1};
	struct address_space *space;
	unsigned count = 0;
	ompd_rc_t rc = handle_find(address_space_handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!control_vars)
		return ompd_rc_bad_input;
	if (!space->runtime->icv)
		return ompd_rc_unsupported;
	for (size_t i = 0; rc == ompd_rc_ok && i < CONTROL_COUNT; i++)
		rc = append_setting(space, &controls[i], &text, &count);
	if (rc == ompd_rc_ok)
		rc = publish(&text, count, control_vars);
	vector_deinit(&text);
	return rc;
}

ompd_rc_t ompd_rel_display_control_vars(const char *const **control_vars)
{
	if (!library.initialized)
		return ompd_rc_error;
	if (!control_vars || !*control_vars)
		return ompd_rc_bad_input;
	for (struct control_vars **link = &library.control_vars; *link; link = &(*link)->next) {
		struct control_vars *vars = *link;

		if ((const char *const *)vars->strings == *control_vars) {
			*link = vars->next;
			callback_free(vars);
			*control_vars = NULL;
			return ompd_rc_ok;
		}
	}
	return ompd_rc_bad_input;
}
