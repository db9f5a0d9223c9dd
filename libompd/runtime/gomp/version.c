/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/version.h"

#include <string.h>

#include "runtime/gomp/builds.h"
#include "runtime/gomp/embedded.h"
#include "target/image_tables.h"

/* The versions of GOMP_ symbols, and which GCC brought them; 0: older than the releases that are known. That of
 * GCC 10 is OpenACC's. */
static const struct {
	const char *name;
	int32_t release;
} versions[] = {
	{"GOMP_1.0", 0},    {"GOMP_2.0", 0},    {"GOMP_3.0", 4},   {"GOMP_4.0", 4},
	{"GOMP_4.0.1", 5},  {"GOMP_4.5", 6},    {"OACC_2.0.1", 8}, {"GOMP_5.0", 9},
	{"OACC_2.6", 10},   {"GOMP_5.0.1", 11}, {"GOMP_5.1", 12},  {"GOMP_5.1.1", 13},
	{"GOMP_5.1.2", 14}, {"GOMP_5.1.3", 15}, {"GOMP_6.0", 15},  {"GOMP_6.0.1", 16},
};

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* *release: the later of itself and that of the version. false: a version of a release that is not known. */
static bool take(const char *name, int32_t *release)
{
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (strcmp(name, versions[i].name) != 0)
			continue;
		if (versions[i].release > *release)
			*release = versions[i].release;
		return true;
	}
	return !begins_with(name, "GOMP_") || begins_with(name, "GOMP_PLUGIN_");
}

/* As the library's own names tell. */
static ompd_rc_t release_by_versions(const struct image *image, int32_t *ret)
{
	char name[SYMBOL_NAME_MAX];
	struct version_walk walk;
	int32_t release = 0;
	bool known = true;
	ompd_rc_t rc;

	versions_first(&walk, image);
	rc = versions_next(&walk, name);
	/* LLVM's libomp has the versions of libgomp's symbols, too. */
	if (rc == ompd_rc_ok && !begins_with(name, "libgomp.so"))
		return ompd_rc_unavailable;
	while (rc == ompd_rc_ok) {
		rc = versions_next(&walk, name);
		if (rc == ompd_rc_ok)
			known = take(name, &release) && known;
	}
	if (rc != ompd_rc_unavailable)
		return rc;
	if (!known || release == 0)
		return ompd_rc_unavailable;
	*ret = release;
	return ompd_rc_ok;
}

/* Some layouts are of one release only. */
static ompd_rc_t release_by_code(struct image *image, int32_t *ret)
{
	const struct record *record;
	ompd_rc_t rc = ompd_rc_ok;

	if (image->extent.end == 0)
		rc = image_read_headers(image);
	if (rc == ompd_rc_ok)
		rc = embedded_record(image, &record);
	if (rc == ompd_rc_ok && record->first != record->last)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		*ret = record->first;
	return rc;
}

ompd_rc_t gomp_version(struct image *image, int32_t *ret)
{
	ompd_rc_t rc, by_build;

	if (image->embeds)
		return release_by_code(image, ret);
	rc = release_by_versions(image, ret);
	if (rc != ompd_rc_error && rc != ompd_rc_unavailable)
		return rc;
	by_build = build_release(image, ret);
	return by_build == ompd_rc_unavailable ? rc : by_build;
}
