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
 * beside the table that its contents proved, and what the getters' code told. Two builds that are alike in the first
 * two have been seen to differ in the rest: where no getter's code can be read, nothing is believed. */
static bool laid_out_alike(const struct llvm *llvm, const struct distances *build, target_addr pool)
{
	bool told = false;

	if (llvm->threads != at_distance(build, pool, GLOBAL___kmp_threads) ||
	    llvm->ompd_state == 0 ||
	    llvm->ompd_state != at_distance(build, pool, GLOBAL_ompd_state))
		return false;
	for (size_t i = 0; i < COUNT(getters); i++) {
		const enum global global = getters[i].global;

		if (llvm->globals[global] == 0 || build->distances[global] == 0)
			continue;
		if (llvm->globals[global] != at_distance(build, pool, global))
			return false;
		told = true;
	}
	return told;
}

/* What the code of a getter tells; 0: nothing. */
static ompd_rc_t ask_getter(struct image *image, size_t getter, target_addr *ret)
{
	const ompd_rc_t rc =
		getter_variable(image, getters[getter].function, getters[getter].size, ret);

	if (rc != ompd_rc_ok)
		*ret = 0;
	return rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
}

/* Of those whose variable is not known yet. error: not all could be read. */
static ompd_rc_t ask_getters(struct image *image, target_addr *addresses)
{
	ompd_rc_t result = ompd_rc_ok;

	for (size_t i = 0; i < COUNT(getters); i++) {
		target_addr *address = &addresses[getters[i].global];
		const ompd_rc_t rc = *address ? ompd_rc_ok : ask_getter(image, i, address);

		if (rc != ompd_rc_ok && rc != ompd_rc_error)
			return rc;
		if (rc == ompd_rc_error)
			result = rc;
	}
	return result;
}

static void take_distances(struct llvm *llvm, int32_t version, target_addr pool)
{
	for (size_t i = 0; i < COUNT(plain_builds); i++) {
		const struct distances *build = &plain_builds[i];

		if (build->version != version || !laid_out_alike(llvm, build, pool))
			continue;
		for (unsigned global = 0; global < GLOBAL_COUNT; global++) {
			if (llvm->globals[global] == 0 && build->distances[global])
				llvm->globals[global] =
					at_distance(build, pool, (enum global)global);
		}
	}
}

/* A stripped libomp. Its code and its layout do not change: looked at once, unless not all could be read. */
static ompd_rc_t locate_stripped(struct address_space *space, struct llvm *llvm)
{
	const ompd_rc_t asked = ask_getters(&space->image, llvm->globals);
	target_addr pool;
	ompd_rc_t rc;

	if (asked != ompd_rc_ok && asked != ompd_rc_error)
		return asked;
	rc = image_exported(&space->image, "__kmp_thread_pool", &pool);
	if (rc == ompd_rc_ok)
		take_distances(llvm, address_space_version(space), pool);
	else if (rc != ompd_rc_unavailable && rc != ompd_rc_error)
		return rc;
	llvm->globals_located = asked == ompd_rc_ok && rc != ompd_rc_error;
	return ompd_rc_ok;
}

ompd_rc_t global_address(struct address_space *space, struct llvm *llvm, enum global global,
			 target_addr *ret)
{
	ompd_rc_t rc = ompd_rc_ok;

	/* What one way has found is not looked for by the other. */
	if (llvm->globals[global] == 0 && llvm->source == ompdx_descriptors_symbols)
		rc = image_symbol(&space->image, names[global], &llvm->globals[global]);
	else if (llvm->globals[global] == 0 && !llvm->globals_located)
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

ompd_rc_t global_thread_count(struct address_space *space, struct llvm *llvm, ompd_word_t *ret)
{
	target_addr *address = &llvm->globals[GLOBAL___kmp_all_nth];
	uint64_t count;
	ompd_rc_t rc = ompd_rc_ok;

	*ret = -1;
	for (size_t i = 0; *address == 0 && i < COUNT(getters); i++) {
		if (getters[i].global == GLOBAL___kmp_all_nth)
			rc = ask_getter(&space->image, i, address);
		if (rc != ompd_rc_ok)
			return rc == ompd_rc_error ? ompd_rc_ok : rc;
	}
	if (*address == 0)
		return ompd_rc_ok;
	rc = target_read_unsigned(&space->target, *address, 4, &count);
	if (rc == ompd_rc_ok)
		*ret = (int32_t)count;
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
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
