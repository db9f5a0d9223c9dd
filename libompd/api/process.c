/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.2 and 41.3: address spaces.
 */
#include <string.h>

#include "address_space.h"
#include "handle.h"
#include "library.h"
#include "opening/open.h"
#include "runtime/runtime.h"
#include "snapshot.h"
#include "target/callbacks.h"

ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context,
				  ompd_address_space_handle_t **host_handle)
{
	struct address_space *space;
	ompd_rc_t rc;

	if (!library.initialized)
		return ompd_rc_error;
	if (!context || !host_handle)
		return ompd_rc_bad_input;
	rc = open_first(context, &space);
	if (rc == ompd_rc_ok)
		*host_handle = handle_of_space(space);
	return rc;
}

ompd_rc_t ompd_device_initialize(ompd_address_space_handle_t *host_handle,
				 ompd_address_space_context_t *device_context, ompd_device_t kind,
				 ompd_size_t sizeof_id, void *id,
				 ompd_address_space_handle_t **device_handle)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(host_handle, HANDLE_SPACE, &space, NULL);

	(void)sizeof_id;
	if (rc != ompd_rc_ok)
		return rc;
	if (!device_context || !id || !device_handle)
		return ompd_rc_bad_input;
	diagnostics_note(&space->diagnostics,
			 kind == OMPD_DEVICE_KIND_HOST ? DIAGNOSTIC_device_is_host
						       : DIAGNOSTIC_device_tells_nothing,
			 NULL);
	return ompd_rc_unsupported;
}

ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc == ompd_rc_ok) {
		snapshots_destroy(space);
		address_space_destroy(space);
	}
	return rc;
}

ompd_rc_t ompd_get_device_thread_id_kinds(ompd_address_space_handle_t *device_handle,
					  ompd_thread_id_t **kinds, ompd_size_t **thread_id_sizes,
					  int *count)
{
	struct address_space *space;
	void *kind_block = NULL, *size_block = NULL;
	ompd_rc_t rc = handle_find(device_handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!kinds || !thread_id_sizes || !count)
		return ompd_rc_bad_input;
	if (!space->runtime->thread_of_pthread)
		return ompd_rc_unsupported;
	/* A kind has to map to and from any thread. The kernel's ids do so only where the C library tells where
	 * it keeps them. */
	rc = callback_alloc(1, sizeof(ompd_thread_id_t), &kind_block);
	if (rc == ompd_rc_ok)
		rc = callback_alloc(1, sizeof(ompd_size_t), &size_block);
	if (rc != ompd_rc_ok) {
		callback_free(kind_block);
		return rc;
	}
	*(ompd_thread_id_t *)kind_block = OMPD_THREAD_ID_PTHREAD;
	*(ompd_size_t *)size_block = space->target.sizes.sizeof_long;
	*kinds = kind_block;
	*thread_id_sizes = size_block;
	*count = 1;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *address_space, ompd_word_t *omp_version)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(address_space, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!omp_version)
		return ompd_rc_bad_input;
	if (!space->runtime->omp_version)
		return ompd_rc_unsupported;
	return space->runtime->omp_version(space, omp_version);
}

ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *address_space,
				      const char **string)
{
	ompdx_runtime_info_t info = {.size = sizeof(info)};
	struct address_space *space;
	void *block = NULL;
	ompd_rc_t rc = handle_find(address_space, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!string)
		return ompd_rc_bad_input;
	rc = space->runtime->info(space, &info);
	if (rc == ompd_rc_ok)
		rc = callback_alloc(1, sizeof(info.version_text), &block);
	if (rc != ompd_rc_ok)
		return rc;
	memcpy(block, info.version_text, sizeof(info.version_text));
	*string = block;
	return ompd_rc_ok;
}
