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

/* Behind gomp_tls_data lie libgomp's other thread-local variables: a number, and a pointer of OpenACC's. */
#define TLS_BEHIND 16

/* A program's thread-local variables end at the thread pointer, but for what their alignment takes. */
#define TLS_ALIGNMENT_MAX 4096

static ompd_rc_t refuse(struct address_space *space, enum diagnostic_code code, const char *subject)
{
	diagnostics_note(&space->diagnostics, code, subject);
	return ompd_rc_unavailable;
}

static ompd_rc_t prove_accessors(struct address_space *space, const struct record *record,
				 target_addr word)
{
	static const char function[] = "omp_get_thread_num";
	struct facts facts;
	uint64_t found;
	ompd_rc_t rc = accessor_operand(&space->image, function, OPERAND_WORD_VARIABLE, &found);

	if (rc == ompd_rc_ok && found != word)
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

/* gomp_tls_data is the first of libgomp's thread-local variables. */
static ompd_rc_t locate_tls(struct address_space *space, struct gomp *gomp, target_addr *word)
{
	ompd_rc_t rc = image_thread_local_word(&space->image, 0, word);

	if (rc == ompd_rc_error || rc == ompd_rc_unavailable)
		rc = build_thread_word(&space->image, word);
	if (rc == ompd_rc_ok)
		rc = target_read_unsigned(&space->target, *word, 8, &gomp->tls_offset);
	if (rc == ompd_rc_error || rc == ompd_rc_unavailable)
		return refuse(space, DIAGNOSTIC_tls_not_found, NULL);
	if (rc != ompd_rc_ok)
		return rc;
	gomp->not_started = gomp->tls_offset == 0;
	if (gomp->not_started)
		return refuse(space, DIAGNOSTIC_not_started, NULL);
	/* On x86-64 thread-local storage lies before the thread pointer. */
	if (gomp->tls_offset < (uint64_t)INT64_MIN || gomp->tls_offset % 8)
		return refuse(space, DIAGNOSTIC_layout_refuted, "gomp_tls_data");
	return ompd_rc_ok;
}

static ompd_rc_t resolve_embedded(struct address_space *space, struct gomp *gomp)
{
	const struct image *image = &space->image;
	const struct record *record;
	uint64_t offset, below;
	ompd_rc_t rc = embedded_record(&space->image, &record);

	if (rc == ompd_rc_unavailable)
		return refuse(space, DIAGNOSTIC_layout_untold, NULL);
	if (rc == ompd_rc_ok)
		rc = embedded_tls_offset(&space->image, &offset);
	if (rc == ompd_rc_unavailable)
		return refuse(space, DIAGNOSTIC_tls_not_found, NULL);
	if (rc != ompd_rc_ok)
		return rc;
	below = 0 - offset;
	if (offset % 8 || below < record->sizes[STRUCTURE_gomp_thread] ||
	    below > image->thread_local_size + TLS_ALIGNMENT_MAX)
		return refuse(space, DIAGNOSTIC_layout_refuted, "gomp_tls_data");
	rc = image_symbol(&space->image, "gomp_thread_start", &gomp->thread_start);
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable && rc != ompd_rc_error)
		return rc;
	gomp->tls_offset = offset;
	gomp->record = record;
	return ompd_rc_ok;
}

ompd_rc_t gomp_resolve(struct address_space *space, struct gomp *gomp)
{
	const struct record *record;
	target_addr word;
	ompd_rc_t rc = ompd_rc_ok;

	if (space->image.extent.end == 0)
		rc = image_read_headers(&space->image);
	if (rc == ompd_rc_error || rc == ompd_rc_incompatible)
		return refuse(space, DIAGNOSTIC_image_unreadable, space->image.path);
	if (rc != ompd_rc_ok)
		return rc;
	if (space->image.machine != EM_X86_64)
		return refuse(space, DIAGNOSTIC_machine_unsupported, NULL);
	if (space->image.embeds)
		return resolve_embedded(space, gomp);
	record = record_of_version(address_space_version(space));
	if (!record)
		return refuse(space, DIAGNOSTIC_version_unknown, NULL);
	rc = locate_tls(space, gomp, &word);
	if (rc != ompd_rc_ok)
		return rc;
	if (space->image.thread_local_size !=
	    record->sizes[STRUCTURE_gomp_thread] + (uint64_t)TLS_BEHIND)
		return refuse(space, DIAGNOSTIC_layout_refuted, "PT_TLS");
	rc = prove_accessors(space, record, word);
	if (rc == ompd_rc_ok)
		gomp->record = record;
	return rc;
}
