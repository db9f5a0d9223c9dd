/* SPDX-License-Identifier: Apache-2.0
 *
 * Where are the threads' own data of a stripped libgomp, and is this build laid out as its release is known to be?
 * libgomp publishes neither. Its symbol versions tell the release; the size of its thread-local data and what its own
 * small functions read have to agree with the record of that release. Of one that is linked into the program these
 * functions tell all, and have to tell enough.
 */
#include <elf.h>

#include "runtime/gomp/proof.h"

#include "runtime/gomp/builds.h"
#include "runtime/gomp/embedded.h"
#include "runtime/gomp/facts.h"
#include "runtime/gomp/gomp.h"
#include "target/image_tables.h"

/* A program's thread-local variables end at the thread pointer (x86-64), or begin behind two words there (AArch64),
 * but for what their alignment takes. */
#define TLS_ALIGNMENT_MAX 4096
#define TLS_HEAD 16

/* Where the dynamic linker may put those that are there from the start, from the thread pointer. */
#define TLS_DISTANCE_MAX INT32_MAX

static ompd_rc_t refuse(struct address_space *space, enum diagnostic_code code, const char *subject)
{
	diagnostics_note(&space->diagnostics, code, subject);
	return ompd_rc_unavailable;
}

/* Linkers may make several words of one distance. */
static ompd_rc_t prove_accessors(struct address_space *space, const struct record *record,
				 uint64_t distance)
{
	static const char function[] = "omp_get_thread_num";
	struct facts facts;
	uint64_t found;
	ompd_rc_t rc = accessor_operand(&space->image, function, OPERAND_WORD_VARIABLE, &found);

	if (rc == ompd_rc_ok)
		rc = target_read_unsigned(&space->target, found, 8, &found);
	if (rc == ompd_rc_error || (rc == ompd_rc_ok && found != distance))
		return refuse(space, DIAGNOSTIC_layout_refuted, function);
	if (rc == ompd_rc_ok || rc == ompd_rc_unavailable)
		rc = facts_check(&space->image, record, &facts);
	if (rc != ompd_rc_ok)
		return rc;
	if (facts.contradicted)
		return refuse(space, DIAGNOSTIC_layout_refuted, facts.contradicted);
	if (!facts.checked)
		diagnostics_note(&space->diagnostics, DIAGNOSTIC_code_not_checked, NULL);
	return ompd_rc_ok;
}

/* Thread-local storage lies before the thread pointer where a thread's structure begins there, else behind it.
 * most: of it. */
static bool is_thread_local(const struct gomp *gomp, uint64_t distance, uint64_t size,
			    uint64_t most)
{
	if (distance % 8)
		return false;
	if (gomp->thread_pointer == 0)
		return 0 - distance >= size && 0 - distance <= most;
	return distance >= TLS_HEAD && distance <= most && most - distance >= size;
}

/* gomp_tls_data is the first of libgomp's thread-local variables. *distance: from the thread pointer. */
static ompd_rc_t locate_tls(struct address_space *space, struct gomp *gomp, uint64_t *distance)
{
	const uint64_t size = space->image.thread_local_size;
	target_addr word;
	ompd_rc_t rc = image_thread_local_word(&space->image, 0, &word);

	if (rc == ompd_rc_error || rc == ompd_rc_unavailable)
		rc = build_thread_word(&space->image, &word);
	if (rc == ompd_rc_ok)
		rc = target_read_unsigned(&space->target, word, 8, distance);
	if (rc == ompd_rc_error || rc == ompd_rc_unavailable)
		return refuse(space, DIAGNOSTIC_tls_not_found, NULL);
	if (rc != ompd_rc_ok)
		return rc;
	gomp->not_started = *distance == 0;
	if (gomp->not_started)
		return refuse(space, DIAGNOSTIC_not_started, NULL);
	if (!is_thread_local(gomp, *distance, size, TLS_DISTANCE_MAX))
		return refuse(space, DIAGNOSTIC_layout_refuted, "gomp_tls_data");
	gomp->tls_offset = gomp->thread_pointer + *distance;
	return ompd_rc_ok;
}

static ompd_rc_t resolve_embedded(struct address_space *space, struct gomp *gomp)
{
	const struct image *image = &space->image;
	const struct record *record;
	uint64_t distance;
	ompd_rc_t rc = embedded_record(&space->image, &record);

	if (rc == ompd_rc_unavailable)
		return refuse(space, DIAGNOSTIC_layout_untold, NULL);
	if (rc == ompd_rc_ok)
		rc = embedded_tls_offset(&space->image, record, &distance);
	if (rc == ompd_rc_unavailable)
		return refuse(space, DIAGNOSTIC_tls_not_found, NULL);
	if (rc != ompd_rc_ok)
		return rc;
	if (!is_thread_local(gomp, distance, record->sizes[STRUCTURE_gomp_thread],
			     image->thread_local_size + TLS_ALIGNMENT_MAX))
		return refuse(space, DIAGNOSTIC_layout_refuted, "gomp_tls_data");
	rc = image_symbol(&space->image, "gomp_thread_start", &gomp->thread_start);
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable && rc != ompd_rc_error)
		return rc;
	gomp->tls_offset = gomp->thread_pointer + distance;
	gomp->record = record;
	return ompd_rc_ok;
}

ompd_rc_t gomp_resolve(struct address_space *space, struct gomp *gomp)
{
	const struct record *record;
	uint64_t distance;
	ompd_rc_t rc = ompd_rc_ok;

	if (space->image.extent.end == 0)
		rc = image_read_headers(&space->image);
	if (rc == ompd_rc_error || rc == ompd_rc_incompatible)
		return refuse(space, DIAGNOSTIC_image_unreadable, space->image.path);
	if (rc != ompd_rc_ok)
		return rc;
	rc = libc_thread_pointer(&space->target, space->image.machine, &gomp->thread_pointer);
	if (rc == ompd_rc_unsupported)
		return refuse(space,
			      space->image.machine == EM_AARCH64 ? DIAGNOSTIC_libc_threads_unknown
								 : DIAGNOSTIC_machine_unsupported,
			      NULL);
	if (rc != ompd_rc_ok)
		return rc;
	if (space->image.embeds)
		return resolve_embedded(space, gomp);
	record = record_of_version(address_space_version(space), space->image.thread_local_size);
	if (!record)
		return refuse(space, DIAGNOSTIC_version_unknown, NULL);
	rc = locate_tls(space, gomp, &distance);
	if (rc != ompd_rc_ok)
		return rc;
	if (!record_fits_tls(record, space->image.thread_local_size))
		return refuse(space, DIAGNOSTIC_layout_refuted, "PT_TLS");
	rc = prove_accessors(space, record, distance);
	if (rc == ompd_rc_ok)
		gomp->record = record;
	return rc;
}
