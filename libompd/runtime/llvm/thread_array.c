/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/thread_array.h"

#include <string.h>

#include "runtime/llvm/allocator.h"
#include "runtime/llvm/variable_search.h"
#include "target/callbacks.h"
#include "target/limits.h"

/* The array shares its block with that of the roots, which has as many entries; 64 bytes of the block are
 * padding. */
#define BLOCK_PADDING 64

/* Entries that are looked at to prove the array. libomp's smallest array has 32. */
#define PROOF_ENTRIES 32
#define PROOF_THREADS 2

/* In all clang-built libomp from 13 to 23 on 64 bit __kmp_threads lies here from the one variable of
 * this neighbourhood that is exported. A guess to start with, proven before it is used. */
#define THREADS_FROM_POOL 0x48

bool thread_array_is_making(const struct info *info, int32_t gtid)
{
	return info->ds_thread == 0 && (info->ds_gtid == gtid || info->ds_gtid == 0);
}

static bool holds_array(const target_addr *descriptor, target_addr block)
{
	return descriptor_fits(descriptor, block) &&
	       descriptor[DESCRIPTOR_GIVEN_SIZE] > BLOCK_PADDING;
}

static uint64_t capacity_of(const struct target *target, const target_addr *descriptor)
{
	const unsigned pair = 2 * target->sizes.sizeof_pointer;

	return (descriptor[DESCRIPTOR_GIVEN_SIZE] - BLOCK_PADDING) / pair;
}

/* The debugger's word that an entry is one of the process's threads, as far as it can tell. */
static ompd_rc_t known_to_debugger(struct address_space *space, uint64_t pthread, bool *ret)
{
	const struct target *target = &space->target;
	uint8_t id[8];
	ompd_rc_t rc;

	target_encode(target, pthread, target->sizes.sizeof_pointer, id);
	rc = callback_knows_thread(target->context, OMPD_THREAD_ID_PTHREAD,
				   target->sizes.sizeof_pointer, id, ret);
	if (rc == ompd_rc_unsupported) {
		*ret = true;
		return ompd_rc_ok;
	}
	return rc;
}

/* An array is proven when its entries carry their own index, and one of them is a thread of the process. */
static ompd_rc_t prove(struct address_space *space, const struct llvm *llvm, target_addr array,
		       bool *proven)
{
	const struct target *target = &space->target;
	target_addr words[DESCRIPTOR_WORDS + PROOF_ENTRIES];
	unsigned threads = 0, making = 0;
	uint64_t capacity;
	ompd_rc_t rc;

	*proven = false;
	if (!allocator_may_give(target, array))
		return ompd_rc_ok;
	rc = target_read_pointers(target, descriptor_of(target, array),
				  DESCRIPTOR_WORDS + PROOF_ENTRIES, words);
	if (rc == ompd_rc_error)
		return ompd_rc_ok;
	if (rc != ompd_rc_ok || !holds_array(words, array))
		return rc;
	capacity = capacity_of(target, words);
	for (unsigned i = 0; i < PROOF_ENTRIES && i < capacity && threads < PROOF_THREADS; i++) {
		const target_addr address = words[DESCRIPTOR_WORDS + i];
		struct info info;
		bool known;

		if (address == 0)
			continue;
		rc = info_read(target, &llvm->structures, address, &info);
		if (rc == ompd_rc_error)
			return ompd_rc_ok;
		if (rc != ompd_rc_ok)
			return rc;
		if (thread_array_is_making(&info, (int32_t)i) && making++ == 0)
			continue;
		if (info.ds_gtid != (int32_t)i || info.ds_thread == 0)
			return ompd_rc_ok;
		threads++;
		rc = known_to_debugger(space, info.ds_thread, &known);
		if (rc != ompd_rc_ok)
			return rc;
		*proven = *proven || known;
	}
	return ompd_rc_ok;
}

static ompd_rc_t prove_variable(struct address_space *space, const struct llvm *llvm,
				target_addr variable, bool *proven)
{
	target_addr array;
	const ompd_rc_t rc = target_read_pointer(&space->target, variable, &array);

	*proven = false;
	if (rc == ompd_rc_error)
		return ompd_rc_ok;
	return rc == ompd_rc_ok ? prove(space, llvm, array, proven) : rc;
}

/* Where the variable ought to be: by its own symbol, else from the exported one. */
static ompd_rc_t expected_variable(struct address_space *space, const struct llvm *llvm,
				   target_addr *ret, bool *certain)
{
	target_addr pool;
	ompd_rc_t rc = ompd_rc_unavailable;

	/* A table without symbols belongs to a runtime without any. */
	if (llvm->source != ompdx_descriptors_recovered)
		rc = image_symbol(&space->image, "__kmp_threads", ret);
	*certain = rc == ompd_rc_ok;
	if (rc != ompd_rc_unavailable)
		return rc;
	if (space->target.sizes.sizeof_pointer != 8)
		return ompd_rc_unavailable;
	rc = image_symbol(&space->image, "__kmp_thread_pool", &pool);
	if (rc == ompd_rc_ok)
		*ret = pool - THREADS_FROM_POOL;
	return rc;
}

ompd_rc_t thread_array_locate(struct address_space *space, const struct llvm *llvm,
			      target_addr *variable)
{
	bool certain;
	target_addr expected;
	ompd_rc_t rc = expected_variable(space, llvm, &expected, &certain);

	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable && rc != ompd_rc_error)
		return rc;
	if (rc == ompd_rc_ok) {
		bool proven;

		rc = prove_variable(space, llvm, expected, &proven);
		if (rc != ompd_rc_ok)
			return rc;
		if (proven) {
			*variable = expected;
			return ompd_rc_ok;
		}
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_threads_unproven,
					 expected);
	}
	/* What the search tries are any words, read as addresses: only where no symbol spares it. */
	rc = certain ? ompd_rc_unavailable : variable_search(space, llvm, prove_variable, variable);
	if (rc == ompd_rc_unavailable)
		diagnostics_note(&space->diagnostics, DIAGNOSTIC_threads_not_found,
				 "__kmp_threads");
	return rc;
}

ompd_rc_t thread_array_allocated(struct address_space *space, bool *ret)
{
	const struct target *target = &space->target;
	struct address_range ranges[IMAGE_WRITABLE_MAX];
	const unsigned count = recovery_ranges(&space->image, 0, ranges);
	unsigned candidates = 0;

	*ret = false;
	for (unsigned i = 0; i < count && !*ret; i++) {
		uint64_t *words;
		size_t number;
		ompd_rc_t rc = recovery_read(&space->image, ranges[i], &words, &number);

		if (rc != ompd_rc_ok)
			return rc;
		for (size_t at = 0; at < number && !*ret; at++) {
			uint64_t size;

			if (!allocator_may_give(target, words[at]) ||
			    image_contains(&space->image, words[at]))
				continue;
			if (candidates++ >= RECOVERY_CANDIDATES_MAX)
				break;
			rc = allocator_block_size(target, words[at], &size);
			if (rc != ompd_rc_ok)
				break;
			*ret = size > BLOCK_PADDING;
		}
		callback_free(words);
		if (rc != ompd_rc_ok)
			return rc;
	}
	return count ? ompd_rc_ok : ompd_rc_error;
}

ompd_rc_t thread_array_read(struct address_space *space, const struct llvm *llvm,
			    struct thread_array *ret)
{
	const struct target *target = &space->target;
	target_addr descriptor[DESCRIPTOR_WORDS];
	target_addr array;
	uint64_t count;
	void *infos = NULL;
	ompd_rc_t rc = target_read_pointer(target, llvm->threads, &array);

	if (rc == ompd_rc_ok)
		rc = target_read_pointers(target, descriptor_of(target, array), DESCRIPTOR_WORDS,
					  descriptor);
	if (rc == ompd_rc_ok && !holds_array(descriptor, array))
		rc = ompd_rc_error;
	if (rc != ompd_rc_ok) {
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_threads_not_found,
					 llvm->threads);
		return rc == ompd_rc_error ? ompd_rc_unavailable : rc;
	}
	count = capacity_of(target, descriptor);
	if (count > THREADS_MAX) {
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_threads_cut, array);
		count = THREADS_MAX;
	}
	rc = callback_alloc(count + 1, sizeof(target_addr), &infos);
	if (rc != ompd_rc_ok)
		return rc;
	rc = target_read_pointers(target, array, (size_t)count, infos);
	if (rc != ompd_rc_ok) {
		callback_free(infos);
		return rc;
	}
	ret->infos = infos;
	ret->count = (uint32_t)count;
	return ompd_rc_ok;
}

void thread_array_deinit(struct thread_array *array)
{
	callback_free(array->infos);
	array->infos = NULL;
}

ompd_rc_t thread_array_at(struct address_space *space, const struct llvm *llvm, int32_t gtid,
			  target_addr *info)
{
	const struct target *target = &space->target;
	target_addr array;
	ompd_rc_t rc;

	if (gtid < 0 || gtid >= THREADS_MAX)
		return ompd_rc_unavailable;
	rc = target_read_pointer(target, llvm->threads, &array);
	if (rc == ompd_rc_ok)
		rc = target_read_pointer(
			target, array + (target_addr)gtid * target->sizes.sizeof_pointer, info);
	return rc == ompd_rc_ok && *info == 0 ? ompd_rc_unavailable : rc;
}

ompd_rc_t thread_array_holds(struct address_space *space, const struct llvm *llvm, int32_t gtid,
			     target_addr info, bool *ret)
{
	target_addr entry = 0;
	const ompd_rc_t rc = thread_array_at(space, llvm, gtid, &entry);

	*ret = entry == info;
	return rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
}
