/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/builds.h"

#include <string.h>

#include "runtime/common/bytes.h"

enum build_variable {
#define VARIABLE(function, operand) BUILD_##function,
#include "runtime/gomp/builds.def"
#undef VARIABLE
	BUILD_VARIABLE_COUNT
};

static const struct {
	const char *function;
	enum operand operand;
} variables[] = {
#define VARIABLE(function, operand) [BUILD_##function] = {#function, operand},
#include "runtime/gomp/builds.def"
#undef VARIABLE
};

struct build {
	int32_t release;
	unsigned build_id_length;
	uint8_t build_id[BUILD_ID_MAX];
	uint64_t thread_word;
	uint64_t variables[BUILD_VARIABLE_COUNT]; /* 0: not known */
};

static const struct build builds[] = {
#include "runtime/gomp/builds.inc"
};

static ompd_rc_t find(struct image *image, const struct build **ret)
{
	ompd_rc_t rc = ompd_rc_ok;

	if (image->extent.end == 0)
		rc = image_read_headers(image);
	if (rc == ompd_rc_error || rc == ompd_rc_incompatible)
		return ompd_rc_unavailable;
	if (rc != ompd_rc_ok)
		return rc;
	for (size_t i = 0; i < COUNT(builds); i++) {
		if (image->build_id_length != builds[i].build_id_length ||
		    memcmp(image->build_id, builds[i].build_id, image->build_id_length) != 0)
			continue;
		*ret = &builds[i];
		return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}

ompd_rc_t build_release(struct image *image, int32_t *ret)
{
	const struct build *build;
	const ompd_rc_t rc = find(image, &build);

	if (rc == ompd_rc_ok)
		*ret = build->release;
	return rc;
}

ompd_rc_t build_thread_word(struct image *image, target_addr *ret)
{
	const struct build *build;
	const ompd_rc_t rc = find(image, &build);

	if (rc == ompd_rc_ok)
		*ret = image->bias + build->thread_word;
	return rc;
}

ompd_rc_t build_variable(struct image *image, const char *function, enum operand kind,
			 target_addr *ret)
{
	const struct build *build;
	const ompd_rc_t rc = find(image, &build);

	if (rc != ompd_rc_ok)
		return rc;
	for (size_t i = 0; i < COUNT(variables); i++) {
		if (variables[i].operand != kind || build->variables[i] == 0 ||
		    strcmp(variables[i].function, function) != 0)
			continue;
		*ret = image->bias + build->variables[i];
		return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}
