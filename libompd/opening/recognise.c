/* SPDX-License-Identifier: Apache-2.0 */
#include "opening/recognise.h"

#include "opening/runtimes.h"

/* Whether asking for the next runtime would tell nothing more. */
static bool is_answer(ompd_rc_t rc)
{
	return rc == ompd_rc_ok || rc == ompd_rc_stale_handle || rc == ompd_rc_callback_error ||
	       rc == ompd_rc_nomem;
}

static ompd_rc_t embeds(struct image *image, const struct runtime_ops *runtime,
			const struct runtime_ops **ret)
{
	image->embeds = true;
	*ret = runtime;
	return ompd_rc_ok;
}

/* By the build-id. */
static ompd_rc_t recognise_build(struct image *image, const struct runtime_ops **ret)
{
	for (size_t i = 0; i < runtime_count; i++) {
		int32_t version;
		ompd_rc_t rc = ompd_rc_unavailable;

		if (all_runtimes[i]->known_build)
			rc = all_runtimes[i]->known_build(image, &version);
		if (rc == ompd_rc_ok)
			*ret = all_runtimes[i];
		if (rc != ompd_rc_unavailable)
			return rc;
	}
	return ompd_rc_incompatible;
}

ompd_rc_t runtime_recognise(struct image *image, const struct runtime_ops **ret)
{
	bool readable = true;

	for (size_t i = 0; i < runtime_count; i++) {
		target_addr entry;
		ompd_rc_t rc = image_exported(image, all_runtimes[i]->entry_symbol, &entry);

		readable = readable && rc != ompd_rc_error && rc != ompd_rc_incompatible;
		/* Only an image whose own table cannot be read is worth the debugger's lookup. */
		if (rc == ompd_rc_error || image->dynamic == 0)
			rc = image_symbol(image, all_runtimes[i]->entry_symbol, &entry);
		if (rc == ompd_rc_ok && image->dynamic == 0)
			return embeds(image, all_runtimes[i], ret);
		if (rc == ompd_rc_ok)
			*ret = all_runtimes[i];
		if (is_answer(rc))
			return rc;
	}
	return readable ? ompd_rc_incompatible : recognise_build(image, ret);
}

ompd_rc_t runtime_recognise_embedded(struct image *image, const struct runtime_ops **ret)
{
	if (image->extent.end == 0 && image_read_headers(image) != ompd_rc_ok)
		return ompd_rc_incompatible;
	for (size_t i = 0; i < runtime_count; i++) {
		target_addr entry;
		ompd_rc_t rc = image_symbol(image, all_runtimes[i]->entry_symbol, &entry);

		/* Before the next one is asked for, whose entry point this one may have too: a debugger that fails
		 * once denies a name that is there. */
		if (!is_answer(rc) && all_runtimes[i]->embedded)
			rc = all_runtimes[i]->embedded(image);
		if (is_answer(rc))
			return rc == ompd_rc_ok ? embeds(image, all_runtimes[i], ret) : rc;
	}
	return ompd_rc_incompatible;
}
