/* SPDX-License-Identifier: Apache-2.0
 *
 * Where are the threads' own data of a stripped libgomp, and is this build laid out as its release is known to be?
 * libgomp publishes neither. Its symbol versions tell the release; the size of its thread-local data and what its own
 * small functions read have to agree with the record of that release. A function that was compiled into another shape
 * is no evidence, a contradiction is one against all.
 */
#include <elf.h>

#include "runtime/gomp/builds.h"
#include "runtime/gomp/gomp.h"
#include "target/image_tables.h"

/* Behind gomp_tls_data lie libgomp's other thread-local variables: a number, and a pointer of OpenACC's. */
#define TLS_BEHIND 16

#define OF(type, member) (record->members[MEMBER_##type##__##member])
#define OF_STATE(member) member_nested(OF(gomp_thread, ts), OF(gomp_team_state, member))

static ompd_rc_t refuse(struct address_space *space, enum diagnostic_code code, const char *subject)
{
	diagnostics_note(&space->diagnostics, code, subject);
	return ompd_rc_unavailable;
}

static ompd_rc_t prove_accessors(struct address_space *space, const struct record *record,
				 target_addr word)
{
	const struct {
		const char *function;
		enum operand operand;
		bool known;
		uint64_t expected;
	} facts[] = {
#define MEMBER_OF(span) (span).size != 0, (span).offset
		{"omp_get_thread_num", OPERAND_WORD_VARIABLE, true, word},
		{"omp_get_thread_num", OPERAND_THREAD_INT, MEMBER_OF(OF_STATE(team_id))},
		{"omp_get_level", OPERAND_THREAD_INT, MEMBER_OF(OF_STATE(level))},
		{"omp_get_active_level", OPERAND_THREAD_INT, MEMBER_OF(OF_STATE(active_level))},
		{"omp_get_num_threads", OPERAND_THREAD_WORD, MEMBER_OF(OF_STATE(team))},
		{"omp_get_dynamic", OPERAND_THREAD_WORD, MEMBER_OF(OF(gomp_thread, task))},
		{"omp_get_dynamic", OPERAND_MEMBER_ADDRESS, MEMBER_OF(OF(gomp_task, icv))},
		{"omp_get_dynamic", OPERAND_MEMBER_BYTE, MEMBER_OF(OF(gomp_task_icv, dyn_var))},
		{"omp_in_final", OPERAND_MEMBER_BYTE, MEMBER_OF(OF(gomp_task, final_task))},
		{"omp_get_team_num", OPERAND_THREAD_INT, MEMBER_OF(OF(gomp_thread, team_num))},
#undef MEMBER_OF
	};

	bool checked = false;

	for (size_t i = 0; i < COUNT(facts); i++) {
		uint64_t found;
		const ompd_rc_t rc = accessor_operand(&space->image, facts[i].function,
						      facts[i].operand, &found);

		if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
			return rc;
		if (rc == ompd_rc_ok && (!facts[i].known || found != facts[i].expected))
			return refuse(space, DIAGNOSTIC_layout_refuted, facts[i].function);
		checked = checked || rc == ompd_rc_ok;
	}
	if (!checked)
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
