/* SPDX-License-Identifier: Apache-2.0
 *
 * States, ICVs, display-control variables and tool data.
 */
#include <stdlib.h>

#include "callbacks.h"
#include "dump.h"
#include "fail.h"

#define ENUMERATION_MAX 1024
#define STATE_UNDEFINED 0x102 /* where enumerating the states begins */

void dump_rc(struct dump *dump, const char *key, ompd_rc_t rc)
{
	json_string(dump->json, key, rc_name(rc));
}

/* A list's place, when the library has none to give. */
static void dump_no_list(struct dump *dump, const char *key, ompd_rc_t rc)
{
	json_begin_object(dump->json, key);
	dump_rc(dump, "rc", rc);
	json_end_object(dump->json);
}

void dump_states(struct dump *dump)
{
	ompd_word_t state = STATE_UNDEFINED, more = 1;
	const char *name = NULL;
	ompd_rc_t rc = ASK(dump->ompd, enumerate_states, dump->space, state, &state, &name, &more);

	if (rc != ompd_rc_ok) {
		dump_no_list(dump, "states", rc);
		return;
	}
	json_begin_array(dump->json, "states");
	for (unsigned i = 0; rc == ompd_rc_ok && i < ENUMERATION_MAX; i++) {
		json_begin_object(dump->json, NULL);
		json_integer(dump->json, "value", state);
		json_string(dump->json, "name", name);
		json_end_object(dump->json);
		free_of_library(name);
		if (!more)
			break;
		rc = dump->ompd->enumerate_states(dump->space, state, &state, &name, &more);
	}
	if (rc != ompd_rc_ok)
		dump_no_list(dump, NULL, rc);
	json_end_array(dump->json);
}

void dump_icv_list(struct dump *dump)
{
	struct icv icv = {.id = ompd_icv_undefined};
	int more = 1;
	ompd_rc_t rc = ASK(dump->ompd, enumerate_icvs, dump->space, icv.id, &icv.id, &icv.name,
			   &icv.scope, &more);

	if (rc != ompd_rc_ok) {
		dump_no_list(dump, "icvs", rc);
		return;
	}
	json_begin_array(dump->json, "icvs");
	for (unsigned i = 0; rc == ompd_rc_ok && i < ENUMERATION_MAX; i++) {
		dump->icvs = grown(dump->icvs, dump->icv_count + 1, sizeof(dump->icvs[0]));
		dump->icvs[dump->icv_count++] = icv;
		json_begin_object(dump->json, NULL);
		json_integer(dump->json, "id", (int64_t)icv.id);
		json_string(dump->json, "name", icv.name);
		json_integer(dump->json, "scope", icv.scope);
		json_end_object(dump->json);
		if (!more)
			break;
		rc = dump->ompd->enumerate_icvs(dump->space, icv.id, &icv.id, &icv.name, &icv.scope,
						&more);
	}
	if (rc != ompd_rc_ok)
		dump_no_list(dump, NULL, rc);
	json_end_array(dump->json);
}

void dump_icvs_release(struct dump *dump)
{
	for (size_t i = 0; i < dump->icv_count; i++)
		free_of_library(dump->icvs[i].name);
	free(dump->icvs);
	dump->icvs = NULL;
	dump->icv_count = 0;
}

void dump_display_control_vars(struct dump *dump)
{
	const char *const *variables = NULL;
	const ompd_rc_t rc = ASK(dump->ompd, get_display_control_vars, dump->space, &variables);

	if (rc != ompd_rc_ok) {
		dump_no_list(dump, "display_control_vars", rc);
		return;
	}
	json_begin_array(dump->json, "display_control_vars");
	for (unsigned i = 0; i < ENUMERATION_MAX && variables[i]; i++)
		json_string(dump->json, NULL, variables[i]);
	json_end_array(dump->json);
	dump_rc(dump, "rel_display_control_vars",
		ASK(dump->ompd, rel_display_control_vars, &variables));
}

static void dump_icv(struct dump *dump, const struct icv *icv, void *handle)
{
	const char *text = NULL;
	ompd_word_t value = 0;
	ompd_rc_t rc = ASK(dump->ompd, get_icv_from_scope, handle, icv->scope, icv->id, &value);

	json_begin_object(dump->json, icv->name);
	dump_rc(dump, "rc", rc);
	if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)
		json_integer(dump->json, "value", value);
	rc = ASK(dump->ompd, get_icv_string_from_scope, handle, icv->scope, icv->id, &text);
	dump_rc(dump, "string_rc", rc);
	if (rc == ompd_rc_ok || rc == ompd_rc_incomplete) {
		json_string(dump->json, "string", text);
		free_of_library(text);
	}
	json_end_object(dump->json);
}

void dump_icvs(struct dump *dump, void *handle, unsigned scopes)
{
	json_begin_object(dump->json, "icvs");
	for (size_t i = 0; i < dump->icv_count; i++)
		if ((unsigned)dump->icvs[i].scope < 32 && scopes & 1u << dump->icvs[i].scope)
			dump_icv(dump, &dump->icvs[i], handle);
	json_end_object(dump->json);
}

void dump_tool_data(struct dump *dump, void *handle, ompd_scope_t scope)
{
	ompd_address_t pointer = {0, 0};
	ompd_word_t value = 0;
	const ompd_rc_t rc = ASK(dump->ompd, get_tool_data, handle, scope, &value, &pointer);

	json_begin_object(dump->json, "tool_data");
	dump_rc(dump, "rc", rc);
	if (rc == ompd_rc_ok) {
		json_integer(dump->json, "value", value);
		json_address(dump->json, "pointer", pointer.address);
	}
	json_end_object(dump->json);
}
