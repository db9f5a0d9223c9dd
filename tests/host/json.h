/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes one JSON document. A key of NULL is for the items of an array.
 */
#ifndef HOST_JSON_H
#define HOST_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 16

struct json {
	FILE *file;
	unsigned depth;
	bool used[JSON_DEPTH_MAX]; /* whether the container has a member already */
};

void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *key);
void json_end_array(struct json *json);
void json_string(struct json *json, const char *key, const char *text); /* NULL: null */
void json_integer(struct json *json, const char *key, int64_t value);
void json_boolean(struct json *json, const char *key, bool value);
/* "0x.." */
void json_address(struct json *json, const char *key, uint64_t address);

#endif /* HOST_JSON_H */
