/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/embedded.h"

#include "runtime/gomp/facts.h"

ompd_rc_t embedded_record(struct image *image, const struct record **ret)
{
	const struct record *found = NULL, *record;
	unsigned fitting = 0;

	for (size_t i = 0; (record = record_number(i)) != NULL; i++) {
		struct facts facts;
		const ompd_rc_t rc = facts_check(image, record, &facts);

		if (rc != ompd_rc_ok)
			return rc;
		if (facts.contradicted)
			continue;
		found = record;
		fitting++;
	}
	if (fitting != 1)
		return ompd_rc_unavailable;
	*ret = found;
	return ompd_rc_ok;
}

/* The linker has put the number in the place of the word that would hold it. */
ompd_rc_t embedded_tls_offset(struct image *image, const struct record *record, uint64_t *ret)
{
	static const char *const functions[] = {"omp_get_thread_num", "omp_get_level",
						"omp_get_active_level", "omp_in_final"};
	struct facts facts;
	unsigned agreed = 0;
	ompd_rc_t rc;

	for (size_t i = 0; i < COUNT(functions); i++) {
		uint64_t found;

		rc = accessor_operand(image, functions[i], OPERAND_NUMBER, &found);
		if (rc == ompd_rc_unavailable)
			continue;
		if (rc != ompd_rc_ok)
			return rc;
		if (agreed && found != *ret)
			return ompd_rc_unavailable;
		*ret = found;
		agreed++;
	}
	if (agreed > 1)
		return ompd_rc_ok;
	rc = facts_check(image, record, &facts);
	if (rc != ompd_rc_ok)
		return rc;
	if (facts.placed < 2 || (agreed && facts.distance != *ret))
		return ompd_rc_unavailable;
	*ret = facts.distance;
	return ompd_rc_ok;
}
