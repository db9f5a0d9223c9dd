/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/nesting.h"

#include "runtime/llvm/reads.h"
#include "target/limits.h"

#include <string.h>

#define PART_LEAGUE (UINT64_C(1) << 32)

uint64_t part_of_level(int32_t level)
{
	return (uint32_t)level;
}

uint64_t part_of_league(uint32_t team_num)
{
	return PART_LEAGUE | team_num;
}

bool part_is_league(uint64_t part)
{
	return (part & PART_LEAGUE) != 0;
}

uint32_t part_number(uint64_t part)
{
	return (uint32_t)part;
}

static bool plausible(const struct team *team)
{
	return team->t_nproc > 0 && team->t_nproc <= THREADS_MAX && team->t_level >= 0 &&
	       team->t_active_level >= 0 && team->t_active_level <= team->t_level;
}

ompd_rc_t nesting_classify(const struct team *team, const struct team *parent,
			   const struct team *grandparent, struct nesting *ret)
{
	int64_t added;
	int64_t active;

	memset(ret, 0, sizeof(*ret));
	if (!plausible(team))
		return ompd_rc_error;
	if (!parent) {
		ret->kind = NESTING_INITIAL;
		return team->t_level == 0 ? ompd_rc_ok : ompd_rc_error;
	}
	if (team->t_master_tid < 0 || team->t_master_tid >= parent->t_nproc)
		return ompd_rc_error;
	added = (int64_t)team->t_level - parent->t_level;
	if (added == 0) {
		const bool in_league = grandparent && parent->t_level == grandparent->t_level;

		ret->kind = in_league ? NESTING_CONTENTION_GROUP : NESTING_LEAGUE;
		return ompd_rc_ok;
	}
	ret->kind = NESTING_REGIONS;
	active = (int64_t)team->t_active_level - parent->t_active_level;
	if (added < 0 || added > SERIAL_DEPTH_MAX || (added > 1 && team->t_nproc != 1))
		return ompd_rc_error;
	/* A region of one thread can count as active: in a league its size is cut after it was counted. */
	if (active < 0 || active > 1 || (active == 0 && team->t_nproc > 1))
		return ompd_rc_error;
	if (team->t_nproc == 1) {
		ret->serialized_regions = (uint32_t)added;
		ret->merged_league = team->t_serialized > added;
	}
	return ompd_rc_ok;
}

ompd_rc_t nesting_innermost(const struct team *team, const struct team *parent,
			    const struct nesting *nesting, int32_t tid, struct entity *ret)
{
	struct entity entity = {team->address, 0};

	switch (nesting->kind) {
	case NESTING_CONTENTION_GROUP:
		if (tid != 0)
			return ompd_rc_unavailable;
		entity.address = parent->address;
		entity.part = part_of_league((uint32_t)team->t_master_tid);
		break;
	case NESTING_LEAGUE:
		entity.part = part_of_league((uint32_t)tid);
		break;
	case NESTING_REGIONS:
	case NESTING_INITIAL:
		entity.part = part_of_level(team->t_level);
		break;
	}
	*ret = entity;
	return ompd_rc_ok;
}

/* A serialized region's t_pkfn is left over from another. With gcc's entry points it is a wrapper of libomp's
 * own, whose first argument is the function (kmp_gsupport.cpp). */
ompd_rc_t nesting_function(struct address_space *space, const struct team *team, target_addr *ret)
{
	const struct image *image = &space->image;
	ompd_rc_t rc;

	*ret = 0;
	if (!image_contains(image, team->t_pkfn)) {
		*ret = team->t_pkfn;
		return ompd_rc_ok;
	}
	if (team->t_argc < 2 || team->t_argv == 0)
		return ompd_rc_ok;
	rc = target_read_pointer(image->target, team->t_argv, ret);
	if (rc != ompd_rc_ok || image_contains(image, *ret))
		*ret = 0;
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

ompd_rc_t family_complete(struct address_space *space, const struct llvm *llvm, struct family *ret)
{
	ompd_rc_t rc = ompd_rc_ok;

	ret->has_parent = false;
	ret->has_grandparent = false;
	if (ret->team.t_parent) {
		rc = llvm_read_team(space, llvm, ret->team.t_parent, &ret->parent);
		ret->has_parent = true;
	}
	/* The grandparent matters only to tell a contention group from a league. */
	if (rc == ompd_rc_ok && ret->has_parent && ret->parent.t_parent &&
	    ret->team.t_level == ret->parent.t_level) {
		rc = llvm_read_team(space, llvm, ret->parent.t_parent, &ret->grandparent);
		ret->has_grandparent = true;
	}
	if (rc != ompd_rc_ok)
		return rc;
	rc = nesting_classify(&ret->team, ret->has_parent ? &ret->parent : NULL,
			      ret->has_grandparent ? &ret->grandparent : NULL, &ret->nesting);
	if (rc == ompd_rc_error)
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_team_inconsistent,
					 ret->team.address);
	return rc;
}

ompd_rc_t family_read(struct address_space *space, const struct llvm *llvm, target_addr team,
		      struct family *ret)
{
	const ompd_rc_t rc = llvm_read_team(space, llvm, team, &ret->team);

	return rc == ompd_rc_ok ? family_complete(space, llvm, ret) : rc;
}

static ompd_rc_t read_of_league(struct address_space *space, const struct llvm *llvm,
				struct entity entity, struct region *ret)
{
	const uint32_t number = part_number(entity.part);
	struct family family;
	const ompd_rc_t rc = family_read(space, llvm, entity.address, &family);

	if (rc != ompd_rc_ok)
		return rc;
	if (family.nesting.kind != NESTING_LEAGUE && !family.nesting.merged_league)
		return ompd_rc_stale_handle;
	if (number >= (uint32_t)family.team.t_nproc)
		return ompd_rc_stale_handle;
	ret->team = family.team;
	ret->parent = family.parent;
	ret->has_parent = family.has_parent;
	ret->of_league = true;
	ret->merged_league = family.nesting.merged_league;
	ret->generator = ompd_generator_teams;
	ret->level = family.team.t_level - (int32_t)family.nesting.serialized_regions;
	ret->active_level = family.team.t_active_level;
	ret->team_size = 1;
	ret->first_thread = (int32_t)number;
	return ompd_rc_ok;
}

/* Whether the team stands for a region of that level; the program may have gone on since a handle was made. */
static ompd_rc_t check_level(struct address_space *space, const struct llvm *llvm,
			     struct region *region, int32_t level)
{
	const struct team *team = &region->team;
	ompd_rc_t rc;

	/* A team without a level of its own is a league, or a contention group in one. */
	if (level < 0 || level > team->t_level || (level == 0) != (team->t_parent == 0))
		return ompd_rc_stale_handle;
	if (level == team->t_level)
		return ompd_rc_ok;
	if (team->t_nproc != 1)
		return ompd_rc_stale_handle;
	rc = llvm_read_team(space, llvm, team->t_parent, &region->parent);
	region->has_parent = rc == ompd_rc_ok;
	if (rc == ompd_rc_ok && level <= region->parent.t_level)
		return ompd_rc_stale_handle;
	if (rc == ompd_rc_ok &&
	    (int64_t)team->t_level - region->parent.t_level > SERIAL_DEPTH_MAX) {
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_team_inconsistent,
					 team->address);
		return ompd_rc_error;
	}
	return rc;
}

ompd_rc_t region_read(struct address_space *space, const struct llvm *llvm, struct entity entity,
		      struct region *ret)
{
	const int32_t level = (int32_t)part_number(entity.part);
	ompd_rc_t rc;

	memset(ret, 0, sizeof(*ret));
	if (part_is_league(entity.part))
		return read_of_league(space, llvm, entity, ret);
	rc = llvm_read_team(space, llvm, entity.address, &ret->team);
	if (rc == ompd_rc_ok && !plausible(&ret->team)) {
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_team_inconsistent,
					 entity.address);
		rc = ompd_rc_error;
	}
	if (rc == ompd_rc_ok)
		rc = check_level(space, llvm, ret, level);
	if (rc != ompd_rc_ok)
		return rc;
	ret->generator = level ? ompd_generator_parallel : ompd_generator_program;
	ret->level = level;
	ret->active_level = ret->team.t_active_level;
	ret->team_size = ret->team.t_nproc;
	return ompd_rc_ok;
}

/* The region outside of a team that nobody else in it is around. */
static ompd_rc_t read_outside(struct address_space *space, const struct llvm *llvm,
			      const struct region *region, struct entity *enclosing)
{
	struct family parent = {.team = region->parent};
	const ompd_rc_t rc = family_complete(space, llvm, &parent);

	if (rc != ompd_rc_ok)
		return rc;
	return nesting_innermost(&parent.team, &parent.parent, &parent.nesting,
				 region->team.t_master_tid, enclosing);
}

ompd_rc_t region_enclosing(struct address_space *space, const struct llvm *llvm,
			   struct region *region, struct entity *enclosing)
{
	struct nesting nesting;
	ompd_rc_t rc = ompd_rc_ok;

	if (region->team.t_parent == 0)
		return ompd_rc_unavailable;
	if (!region->has_parent) {
		rc = llvm_read_team(space, llvm, region->team.t_parent, &region->parent);
		region->has_parent = rc == ompd_rc_ok;
	}
	if (rc == ompd_rc_ok && !region->of_league) {
		rc = nesting_classify(&region->team, &region->parent, NULL, &nesting);
		if (rc == ompd_rc_error)
			diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_team_inconsistent,
						 region->team.address);
	}
	if (rc != ompd_rc_ok)
		return rc;
	enclosing->address = region->team.address;
	if (region->of_league)
		return read_outside(space, llvm, region, enclosing);
	if (nesting.kind != NESTING_REGIONS)
		return ompd_rc_stale_handle;
	if (region->level - 1 > region->parent.t_level) {
		enclosing->part = part_of_level(region->level - 1);
		return ompd_rc_ok;
	}
	if (nesting.merged_league) {
		enclosing->part = part_of_league(0);
		return ompd_rc_ok;
	}
	return read_outside(space, llvm, region, enclosing);
}
