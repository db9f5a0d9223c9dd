/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <inttypes.h>
#include <stdlib.h>

/* Lines are for people who look: those of the outer containers only. */
#define LINES_DEPTH 3

static void put_text(struct json *json, const char *text)
{
	fputc('"', json->file);
	for (; *text; text++) {
		const unsigned char byte = (unsigned char)*text;

		/* Bytes of the target's need not be UTF-8. */
		if (byte < 0x20 || byte > 0x7e)
			fprintf(json->file, "\\u%04x", byte);
		else if (byte == '"' || byte == '\\')
			fprintf(json->file, "\\%c", byte);
		else
			fputc(byte, json->file);
	}
	fputc('"', json->file);
}

static void begin_value(struct json *json, const char *key)
{
	if (json->used[json->depth])
		fputs(", ", json->file);
	if (json->depth > 0 && json->depth <= LINES_DEPTH)
		fprintf(json->file, "\n%*s", (int)json->depth, "");
	json->used[json->depth] = true;
	if (key) {
		put_text(json, key);
		fputs(": ", json->file);
	}
}

static void begin_container(struct json *json, const char *key, char bracket)
{
	begin_value(json, key);
	fputc(bracket, json->file);
	if (++json->depth == JSON_DEPTH_MAX)
		abort();
	json->used[json->depth] = false;
}

void json_begin_object(struct json *json, const char *key)
{
	begin_container(json, key, '{');
}

void json_begin_array(struct json *json, const char *key)
{
	begin_container(json, key, '[');
}

static void end_container(struct json *json, char bracket)
{
	json->depth--;
	fputc(bracket, json->file);
	if (json->depth == 0)
		fputc('\n', json->file);
}

void json_end_object(struct json *json)
{
	end_container(json, '}');
}

void json_end_array(struct json *json)
{
	end_container(json, ']');
}

void json_string(struct json *json, const char *key, const char *text)
{
	begin_value(json, key);
	if (text)
		put_text(json, text);
	else
		fputs("null", json->file);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
	begin_value(json, key);
	fprintf(json->file, "%" PRId64, value);
}

void json_boolean(struct json *json, const char *key, bool value)
{
	begin_value(json, key);
	fputs(value ? "true" : "false", json->file);
}

void json_address(struct json *json, const char *key, uint64_t address)
{
	begin_value(json, key);
	fprintf(json->file, "\"0x%" PRIx64 "\"", address);
}
