/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/facts.h"

#define OF(type, member) (record->members[MEMBER_##type##__##member])
#define SIZE(type) ((struct span){(uint16_t)record->sizes[STRUCTURE_##type], 1})
#define OF_STATE(member) member_nested(OF(gomp_thread, ts), OF(gomp_team_state, member))

/* The operand that has gomp_tls_data's place in it. */
static bool has_placed(enum operand operand, enum operand *ret)
{
	*ret = operand == OPERAND_THREAD_INT ? OPERAND_PLACED_INT : OPERAND_PLACED_WORD;
	return operand == OPERAND_THREAD_INT || operand == OPERAND_THREAD_WORD;
}

/* *agrees: with the functions that were read before. unavailable: there is no such number. */
static ompd_rc_t check_placed(struct image *image, const char *function, enum operand operand,
			      uint64_t offset, struct facts *facts, bool *agrees)
{
	uint64_t found;
	enum operand placed;
	ompd_rc_t rc = ompd_rc_unavailable;

	if (has_placed(operand, &placed))
		rc = accessor_operand(image, function, placed, &found);
	if (rc != ompd_rc_ok)
		return rc;
	*agrees = facts->placed == 0 || found - offset == facts->distance;
	facts->distance = found - offset;
	facts->placed++;
	/* One alone fits every layout. */
	facts->checked |= facts->placed > 1;
	return ompd_rc_ok;
}

ompd_rc_t facts_check(struct image *image, const struct record *record, struct facts *ret)
{
	const struct {
		const char *function;
		enum operand operand;
		struct span expected; /* size 0: there is no such member */
	} facts[] = {
		{"omp_get_thread_num", OPERAND_THREAD_INT, OF_STATE(team_id)},
		{"omp_get_level", OPERAND_THREAD_INT, OF_STATE(level)},
		{"omp_get_active_level", OPERAND_THREAD_INT, OF_STATE(active_level)},
		{"omp_get_num_threads", OPERAND_THREAD_WORD, OF_STATE(team)},
		{"omp_get_dynamic", OPERAND_THREAD_WORD, OF(gomp_thread, task)},
		{"omp_get_dynamic", OPERAND_MEMBER_ADDRESS, OF(gomp_task, icv)},
		{"omp_get_dynamic", OPERAND_MEMBER_BYTE, OF(gomp_task_icv, dyn_var)},
		{"omp_in_final", OPERAND_MEMBER_BYTE, OF(gomp_task, final_task)},
		{"omp_get_team_num", OPERAND_THREAD_INT, OF(gomp_thread, team_num)},
		{"GOMP_taskgroup_start", OPERAND_ARGUMENT, SIZE(gomp_taskgroup)}, /* allocates it */
	};

	*ret = (struct facts){0};
	for (size_t i = 0; i < COUNT(facts); i++) {
		const struct span expected = facts[i].expected;
		uint64_t found;
		bool agrees = false;
		ompd_rc_t rc = accessor_operand(image, facts[i].function, facts[i].operand, &found);

		if (rc == ompd_rc_ok) {
			ret->checked = true;
			agrees = found == expected.offset;
		} else if (rc == ompd_rc_unavailable) {
			rc = check_placed(image, facts[i].function, facts[i].operand,
					  expected.offset, ret, &agrees);
		}
		if (rc == ompd_rc_unavailable)
			continue;
		if (rc != ompd_rc_ok)
			return rc;
		if (expected.size == 0 || !agrees) {
			ret->contradicted = facts[i].function;
			return ompd_rc_ok;
		}
	}
	return ompd_rc_ok;
}
