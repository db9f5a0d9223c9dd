/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/schedule.h"

#include <stddef.h>

#include "library.h"
#include "target/text.h"

enum { MODIFIER_MONOTONIC = 1 << 29, MODIFIER_NONMONOTONIC = 1 << 30 };

static const struct {
	uint32_t number;
	const char *name;
	bool chunked; /* a chunk size belongs to it */
} schedules[] = {
	{33, "static", true},  /* kmp_sch_static_chunked */
	{34, "static", false}, /* kmp_sch_static */
	{35, "dynamic", true}, /* kmp_sch_dynamic_chunked */
	{36, "guided", true},  /* kmp_sch_guided_chunked */
	{38, "auto", false},   /* kmp_sch_auto */
	/* KMP_SCHEDULE's own */
	{39, "trapezoidal", true},
	{40, "static", false}, /* kmp_sch_static_greedy */
	{41, "static", false}, /* kmp_sch_static_balanced */
	{42, "guided", true},  /* kmp_sch_guided_iterative_chunked */
	{43, "guided", true},  /* kmp_sch_guided_analytical_chunked */
	{44, "static_steal", true},
};

ompd_rc_t schedule_text(uint32_t r_sched_type, int32_t chunk, struct icv_value *value)
{
	const uint32_t kind =
		r_sched_type & ~(uint32_t)(MODIFIER_MONOTONIC | MODIFIER_NONMONOTONIC);
	char digits[TEXT_DECIMAL_SIZE];
	size_t row = 0;
	ompd_rc_t rc = ompd_rc_ok;

	while (row < sizeof(schedules) / sizeof(schedules[0]) && schedules[row].number != kind)
		row++;
	if (row == sizeof(schedules) / sizeof(schedules[0]))
		return ompd_rc_error;
	if (!schedules[row].chunked)
		chunk = 0;
	value->form = ICV_FORM_TEXT;
	if (r_sched_type & MODIFIER_MONOTONIC)
		rc = icv_value_add_text(value, "monotonic:");
	else if (r_sched_type & MODIFIER_NONMONOTONIC)
		rc = icv_value_add_text(value, "nonmonotonic:");
	if (rc == ompd_rc_ok)
		rc = icv_value_add_text(value, schedules[row].name);
	/* Tools of 5.0 were written for LLVM's library, which always has a second word. */
	if (rc != ompd_rc_ok || (chunk <= 0 && library.api_version > OMPD_5_0))
		return rc;
	rc = icv_value_add_text(value, ",");
	if (rc == ompd_rc_ok)
		rc = icv_value_add_text(value, text_decimal(digits, chunk));
	return rc;
}
