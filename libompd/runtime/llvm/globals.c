/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/globals.h"

#include "runtime/llvm/getter.h"

static const char *const names[GLOBAL_COUNT] = {
#define GLOBAL(name) [GLOBAL_##name] = #name,
#include "runtime/llvm/globals.def"
};

static const struct {
	enum global global;
	const char *function;
	uint8_t size;
} getters[] = {
#define GETTER(name, function, size) {GLOBAL_##name, #function, size},
#include "runtime/llvm/globals.def"
};

/* Distances from the exported __kmp_thread_pool; 0: not known. */
struct distances {
	int32_t version;
	int32_t distances[GLOBAL_COUNT];
};

static const struct distances plain_builds[] = {
#include "runtime/llvm/globals.inc"
};

static target_addr at_distance(const struct distances *build, target_addr pool, enum global global)
{
	return pool + (uint64_t)(int64_t)build->distances[global];
}

/* Whether the build's data lies as this one's: the array of threads that its contents proved, ompd_state
 * beside the table that its contents proved, and whatever the getters' code told. */
static bool laid_out_alike(const struct llvm *llvm, const struct distances *build, target_addr pool)
{
	if (llvm->threads != at_distance(build, pool, GLOBAL___kmp_threads) ||
	    llvm->ompd_state == 0 ||
	    llvm->ompd_state != at_distance(build, pool, GLOBAL_ompd_state))
		return false;
	for (size_t i = 0; i < COUNT(getters); i++) {
		const enum global global = getters[i].global;

		if (llvm->globals[global] && build->distances[global] &&
		    llvm->globals[global] != at_distance(build, pool, global))
			return false;
	}
	return true;
}

static ompd_rc_t ask_getters(struct image *image, target_addr *addresses)
{
	for (size_t i = 0; i < COUNT(getters); i++) {
		target_addr *address = &addresses[getters[i].global];
		const ompd_rc_t rc =
			getter_variable(image, getters[i].function, getters[i].size, address);

		if (rc != ompd_rc_ok)
			*address = 0;
		if (rc != ompd_rc_ok && rc != ompd_rc_unavailable && rc != ompd_rc_error)
			return rc;
	}
	return ompd_rc_ok;
}

/* A stripped libomp. Its code and its layout do not change: looked at once. */
static ompd_rc_t locate_stripped(struct address_space *space, struct llvm *llvm)
{
	target_addr pool;
	ompd_rc_t rc = ask_getters(&space->image, llvm->globals);

	if (rc == ompd_rc_ok)
		rc = image_exported(&space->image, "__kmp_thread_pool", &pool);
	if (rc == ompd_rc_unavailable || rc == ompd_rc_error) {
		llvm->globals_located = true;
		return ompd_rc_ok;
	}
	if (rc != ompd_rc_ok)
		return rc;
	for (size_t i = 0; i < COUNT(plain_builds); i++) {
		const struct distances *build = &plain_builds[i];

		if (build->version != space->runtime_version || !laid_out_alike(llvm, build, pool))
			continue;
		for (unsigned global = 0; global < GLOBAL_COUNT; global++) {
			if (llvm->globals[global] == 0 && build->distances[global])
				llvm->globals[global] =
					at_distance(build, pool, (enum global)global);
		}
	}
	llvm->globals_located = true;
	return ompd_rc_ok;
}

ompd_rc_t global_address(struct address_space *space, struct llvm *llvm, enum global global,
			 target_addr *ret)
{
	ompd_rc_t rc = ompd_rc_ok;

	if (llvm->source == ompdx_descriptors_symbols && llvm->globals[global] == 0)
		rc = image_symbol(&space->image, names[global], &llvm->globals[global]);
	else if (!llvm->globals_located)
		rc = locate_stripped(space, llvm);
	if (rc == ompd_rc_ok && llvm->globals[global] == 0)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_unavailable || rc == ompd_rc_error) {
		llvm->globals[global] = 0;
		diagnostics_note(&space->diagnostics, DIAGNOSTIC_global_not_found, names[global]);
		return ompd_rc_unavailable;
	}
	if (rc == ompd_rc_ok)
		*ret = llvm->globals[global];
	return rc;
}

ompd_rc_t global_read_int(struct address_space *space, struct llvm *llvm, enum global global,
			  ompd_word_t *ret)
{
	target_addr address;
	uint64_t value;
	ompd_rc_t rc = global_address(space, llvm, global, &address);

	if (rc == ompd_rc_ok)
		rc = target_read_unsigned(&space->target, address, 4, &value);
	if (rc == ompd_rc_ok)
		*ret = (int32_t)value;
	return rc;
}

ompd_rc_t global_read_pointer(struct address_space *space, struct llvm *llvm, enum global global,
			      target_addr *ret)
{
	target_addr address;
	ompd_rc_t rc = global_address(space, llvm, global, &address);

	if (rc == ompd_rc_ok)
		rc = target_read_pointer(&space->target, address, ret);
	return rc;
}
