/* SPDX-License-Identifier: Apache-2.0
 *
 * The regions that a thread is in, innermost first, each with its team.
 */
#include "dump.h"

/* The native thread; an rc's name when there is none to tell. */
static void dump_member(struct dump *dump, ompd_thread_handle_t *thread)
{
	uint64_t pthread = 0;
	const ompd_rc_t rc = ASK(dump->ompd, get_thread_id, thread, OMPD_THREAD_ID_PTHREAD,
				 sizeof(pthread), &pthread);

	if (rc == ompd_rc_ok)
		json_address(dump->json, NULL, pthread);
	else
		dump_rc(dump, NULL, rc);
}

static void dump_team(struct dump *dump, ompd_parallel_handle_t *region)
{
	ompd_thread_handle_t *thread;
	ompd_rc_t rc = ompd_rc_ok;

	json_begin_array(dump->json, "threads");
	for (int number = 0; number < TEAM_MAX; number++) {
		rc = ASK(dump->ompd, get_thread_in_parallel, region, number, &thread);
		if (rc != ompd_rc_ok)
			break;
		dump_member(dump, thread);
		ASK(dump->ompd, rel_thread_handle, thread);
	}
	json_end_array(dump->json);
	dump_rc(dump, "threads_end", rc);
	json_integer(dump->json, "tasks", count_implicit_tasks(dump, region));
}

static void dump_region(struct dump *dump, ompd_parallel_handle_t *region)
{
	json_begin_object(dump->json, NULL);
	dump_icvs(dump, region, SCOPE(parallel) | SCOPE(teams) | SCOPE(target));
	dump_tool_data(dump, region, ompd_scope_parallel);
	dump_team(dump, region);
	json_end_object(dump->json);
}

ompd_parallel_handle_t *dump_regions(struct dump *dump, ompd_thread_handle_t *thread)
{
	ompd_parallel_handle_t *innermost = NULL, *region, *outer;
	ompd_rc_t rc = ASK(dump->ompd, get_curr_parallel_handle, thread, &region);

	json_begin_array(dump->json, "regions");
	for (unsigned depth = 0; rc == ompd_rc_ok && depth < DEPTH_MAX; depth++) {
		dump_region(dump, region);
		rc = ASK(dump->ompd, get_enclosing_parallel_handle, region, &outer);
		if (!innermost)
			innermost = region;
		else
			ASK(dump->ompd, rel_parallel_handle, region);
		region = outer;
	}
	if (rc == ompd_rc_ok)
		ASK(dump->ompd, rel_parallel_handle, region);
	json_end_array(dump->json);
	dump_rc(dump, "regions_end", rc);
	return innermost;
}
