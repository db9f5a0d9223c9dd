/* SPDX-License-Identifier: Apache-2.0
 *
 * The single questions about regions.
 */
#include "runtime/gomp/answers.h"
#include "runtime/gomp/gomp.h"
#include "runtime/gomp/nesting.h"
#include "runtime/gomp/ready.h"
#include "runtime/gomp/thread.h"

static struct entity entity_of_region(target_addr region)
{
	const struct entity entity = {region, 0};

	return entity;
}

ompd_rc_t gomp_region_of_thread(struct address_space *space, struct entity entity,
				struct entity *region)
{
	struct gomp_thread thread;
	struct gomp *gomp;
	target_addr found;
	const ompd_rc_t rc = gomp_region_of_entity(space, entity, &gomp, &thread, &found);

	if (rc == ompd_rc_ok)
		*region = entity_of_region(found);
	return rc;
}

ompd_rc_t gomp_enclosing_region(struct address_space *space, struct entity region,
				struct entity *enclosing)
{
	struct gomp_native root;
	struct gomp_team team;
	struct gomp *gomp;
	ompd_rc_t rc = gomp_ready(space, &gomp);

	if (rc != ompd_rc_ok)
		return rc;
	if (gomp_region_kind(region.address) == REGION_INITIAL)
		return ompd_rc_unavailable;
	if (gomp_region_kind(region.address) == REGION_LEAGUE) {
		*enclosing =
			entity_of_region(gomp_initial_region(gomp_region_thread(region.address)));
		return ompd_rc_ok;
	}
	rc = gomp_team_at(space, gomp, region.address, &team);
	if (rc != ompd_rc_ok)
		return rc;
	if (gomp_in_region(&team.prev_ts)) {
		*enclosing = entity_of_region(team.prev_ts.team);
		return ompd_rc_ok;
	}
	rc = gomp_root(space, gomp, &team, &root);
	if (rc == ompd_rc_ok)
		*enclosing = entity_of_region(gomp_outer_region(&root.thread));
	return rc;
}

ompd_rc_t gomp_thread_in_region(struct address_space *space, struct entity region, int thread_num,
				struct entity *thread)
{
	struct gomp_native native;
	struct gomp_team team;
	struct gomp *gomp;
	ompd_rc_t rc = gomp_ready(space, &gomp);

	if (rc != ompd_rc_ok)
		return rc;
	if (gomp_region_kind(region.address) != REGION_TEAM) {
		if (thread_num != 0)
			return ompd_rc_bad_input;
		rc = gomp_native_read(space, gomp,
				      gomp_region_thread(region.address) - gomp->tls_offset,
				      &native);
	} else {
		rc = gomp_team_at(space, gomp, region.address, &team);
		if (rc == ompd_rc_ok && (thread_num < 0 || thread_num >= team.nthreads))
			return ompd_rc_bad_input;
		if (rc == ompd_rc_ok)
			rc = gomp_member(space, gomp, &team, thread_num, &native);
	}
	if (rc == ompd_rc_ok)
		*thread = gomp_entity_of(&native);
	return rc;
}

ompd_rc_t gomp_region_of_task(struct address_space *space, struct entity task,
			      struct entity *region)
{
	(void)space;
	*region = entity_of_region(task.part);
	return ompd_rc_ok;
}
