/* SPDX-License-Identifier: Apache-2.0
 *
 * Native threads, and where each has its gomp_thread.
 */
#include "runtime/gomp/thread.h"

#include "runtime/gomp/answers.h"
#include "runtime/gomp/gomp.h"
#include "runtime/gomp/ready.h"
#include "target/limits.h"

/* What glibc's thread structure begins with on x86-64 (tcbhead_t): its own address, twice. */
enum { TCB_TCB = 0, TCB_SELF = 16, TCB_BYTES = 24 };

/* Where a thread has its kernel's id; unsupported: it is not known. */
static ompd_rc_t lwp_offset(struct address_space *space, struct gomp *gomp, uint64_t *ret)
{
	ompd_rc_t rc = ompd_rc_ok;

	if (!gomp->lwp_asked) {
		rc = libc_lwp_offset(&space->target, &space->diagnostics, &gomp->lwp_offset);
		gomp->lwp_asked = rc == ompd_rc_ok || rc == ompd_rc_unsupported;
		gomp->has_lwp = rc == ompd_rc_ok && gomp->lwp_offset >= TCB_BYTES &&
				gomp->lwp_offset <= STRUCTURE_BYTES_MAX - 4;
	}
	if (rc == ompd_rc_ok && !gomp->has_lwp)
		rc = ompd_rc_unsupported;
	if (rc == ompd_rc_ok)
		*ret = gomp->lwp_offset;
	return rc;
}

/* unsupported: it does not say. */
static ompd_rc_t find_lists(struct address_space *space, struct gomp *gomp)
{
	ompd_rc_t rc = ompd_rc_ok;

	if (!gomp->lists_asked) {
		rc = libc_lists_find(&space->target, &gomp->lists);
		gomp->has_lists = rc == ompd_rc_ok;
		gomp->lists_asked = rc == ompd_rc_ok || rc == ompd_rc_unsupported;
	}
	return rc == ompd_rc_ok && !gomp->has_lists ? ompd_rc_unsupported : rc;
}

/* By what it begins with. Where the thread pointer is elsewhere it does not begin with its own address: then by the
 * lists of threads. Nothing else in it is the same in all. */
static ompd_rc_t prove_structure(struct address_space *space, struct gomp *gomp, uint64_t pthread,
				 const uint8_t tcb[TCB_BYTES])
{
	const struct target *target = &space->target;
	ompd_rc_t rc;

	if (gomp->thread_pointer == 0)
		return target_decode(target, tcb + TCB_TCB, 8) == pthread &&
				       target_decode(target, tcb + TCB_SELF, 8) == pthread
			       ? ompd_rc_ok
			       : ompd_rc_unavailable;
	rc = find_lists(space, gomp);
	if (rc == ompd_rc_ok)
		rc = libc_listed(target, &gomp->lists, pthread);
	return rc == ompd_rc_unsupported ? ompd_rc_unavailable : rc;
}

/* Reads the head of the thread's structure and proves that it is one. unavailable: it is none, or no thread's now. */
static ompd_rc_t prove_thread(struct address_space *space, struct gomp *gomp, uint64_t pthread,
			      uint64_t *lwp)
{
	const struct target *target = &space->target;
	uint8_t tcb[STRUCTURE_BYTES_MAX];
	uint64_t offset = 0;
	size_t size = TCB_BYTES;
	ompd_rc_t rc = lwp_offset(space, gomp, &offset);

	if (rc == ompd_rc_ok)
		size = (size_t)offset + 4;
	else if (rc != ompd_rc_unsupported)
		return rc;
	*lwp = 0;
	rc = target_read(target, pthread, size, tcb);
	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error ? ompd_rc_unavailable : rc;
	rc = prove_structure(space, gomp, pthread, tcb);
	if (rc != ompd_rc_ok || size == TCB_BYTES)
		return rc;
	*lwp = target_decode(target, tcb + offset, 4);
	/* The kernel takes it away when the thread has ended; glibc keeps the rest for the next. */
	return *lwp ? ompd_rc_ok : ompd_rc_unavailable;
}

ompd_rc_t gomp_native_read(struct address_space *space, struct gomp *gomp, uint64_t pthread,
			   struct gomp_native *ret)
{
	ompd_rc_t rc = prove_thread(space, gomp, pthread, &ret->lwp);

	if (rc != ompd_rc_ok)
		return rc;
	ret->pthread = pthread;
	rc = gomp_thread_read(&space->target, gomp->record, pthread + gomp->tls_offset,
			      &ret->thread);
	if (rc == ompd_rc_error)
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_thread_unreadable,
					 pthread + gomp->tls_offset);
	return rc;
}

struct entity gomp_entity_of(const struct gomp_native *native)
{
	const struct entity entity = {native->thread.address, native->lwp};

	return entity;
}

/* *pthread: of the thread that a handle stands for. */
static ompd_rc_t read_entity(struct address_space *space, struct gomp *gomp, struct entity thread,
			     struct gomp_native *ret)
{
	const ompd_rc_t rc = gomp_native_read(space, gomp, thread.address - gomp->tls_offset, ret);

	if (rc == ompd_rc_unavailable || (rc == ompd_rc_ok && ret->lwp != thread.part))
		return ompd_rc_stale_handle;
	return rc;
}

ompd_rc_t gomp_thread_of_entity(struct address_space *space, struct gomp *gomp,
				struct entity thread, struct gomp_thread *ret)
{
	struct gomp_native native;
	const ompd_rc_t rc = read_entity(space, gomp, thread, &native);

	if (rc == ompd_rc_ok)
		*ret = native.thread;
	return rc;
}

ompd_rc_t gomp_pthreads(struct address_space *space, struct gomp *gomp, struct vector *pthreads,
			uint64_t *initial)
{
	ompd_rc_t rc = find_lists(space, gomp);

	if (rc == ompd_rc_unsupported)
		diagnostics_note(&space->diagnostics, DIAGNOSTIC_libc_threads_unknown, NULL);
	*initial = 0;
	if (rc == ompd_rc_ok) {
		rc = libc_threads(&space->target, &gomp->lists, pthreads, initial);
		if (rc == ompd_rc_incomplete)
			diagnostics_note(&space->diagnostics, DIAGNOSTIC_libc_threads_cut, NULL);
	}
	if (rc != ompd_rc_unsupported)
		return rc;
	for (size_t i = 0; i < gomp->seen.count; i++) {
		void *item;

		rc = vector_add(pthreads, 1, THREADS_MAX, &item);
		if (rc != ompd_rc_ok)
			return rc;
		*(uint64_t *)item = *(uint64_t *)vector_at(&gomp->seen, i);
	}
	return ompd_rc_incomplete;
}

ompd_rc_t gomp_initial_pthread(struct address_space *space, struct gomp *gomp, uint64_t *ret)
{
	struct vector pthreads = {.item_size = sizeof(uint64_t)};
	uint64_t initial;
	ompd_rc_t rc = gomp_pthreads(space, gomp, &pthreads, &initial);

	vector_deinit(&pthreads);
	if (rc == ompd_rc_incomplete)
		rc = ompd_rc_ok;
	if (rc == ompd_rc_ok && initial == 0)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		*ret = initial;
	return rc;
}

/* Where the C library lists no threads, those that a tool asked for stand in. */
static ompd_rc_t remember(struct gomp *gomp, uint64_t pthread)
{
	void *item;
	ompd_rc_t rc;

	if (gomp->has_lists || gomp->seen.count == THREADS_MAX)
		return ompd_rc_ok;
	for (size_t i = 0; i < gomp->seen.count; i++) {
		if (*(uint64_t *)vector_at(&gomp->seen, i) == pthread)
			return ompd_rc_ok;
	}
	rc = vector_add(&gomp->seen, 1, THREADS_MAX, &item);
	if (rc == ompd_rc_ok)
		*(uint64_t *)item = pthread;
	return rc;
}

ompd_rc_t gomp_thread_of_pthread(struct address_space *space, uint64_t pthread,
				 struct entity *thread)
{
	struct gomp_native native;
	struct gomp *gomp;
	ompd_rc_t rc = gomp_ready(space, &gomp);

	if (rc == ompd_rc_ok)
		rc = gomp_native_read(space, gomp, pthread, &native);
	if (rc != ompd_rc_ok)
		return rc;
	/* It has never used OpenMP, or is only being made. */
	if (native.thread.blank)
		return ompd_rc_unavailable;
	rc = remember(gomp, pthread);
	if (rc == ompd_rc_ok)
		*thread = gomp_entity_of(&native);
	return rc;
}

ompd_rc_t gomp_thread_of_lwp(struct address_space *space, uint64_t lwp, struct entity *thread)
{
	struct vector pthreads = {.item_size = sizeof(uint64_t)};
	uint64_t initial, offset, pthread = 0;
	bool incomplete;
	struct gomp *gomp;
	ompd_rc_t rc = gomp_ready(space, &gomp);

	if (rc == ompd_rc_ok)
		rc = lwp_offset(space, gomp, &offset);
	if (rc != ompd_rc_ok)
		return rc;
	rc = gomp_pthreads(space, gomp, &pthreads, &initial);
	incomplete = rc == ompd_rc_incomplete;
	if (incomplete)
		rc = ompd_rc_ok;
	for (size_t i = 0; rc == ompd_rc_ok && pthread == 0 && i < pthreads.count; i++) {
		const uint64_t at = *(uint64_t *)vector_at(&pthreads, i);
		uint64_t found;

		rc = target_read_unsigned(&space->target, at + offset, 4, &found);
		if (rc == ompd_rc_ok && found == lwp)
			pthread = at;
		incomplete = incomplete || rc == ompd_rc_error;
		if (rc == ompd_rc_error)
			rc = ompd_rc_ok;
	}
	vector_deinit(&pthreads);
	if (rc == ompd_rc_ok && pthread == 0)
		rc = incomplete ? ompd_rc_error : ompd_rc_unavailable;
	return rc == ompd_rc_ok ? gomp_thread_of_pthread(space, pthread, thread) : rc;
}

ompd_rc_t gomp_initial_thread(struct address_space *space, struct entity *thread)
{
	uint64_t initial;
	struct gomp *gomp;
	ompd_rc_t rc = gomp_ready(space, &gomp);

	if (rc == ompd_rc_ok)
		rc = gomp_initial_pthread(space, gomp, &initial);
	return rc == ompd_rc_ok ? gomp_thread_of_pthread(space, initial, thread) : rc;
}

ompd_rc_t gomp_pthread_of_thread(struct address_space *space, struct entity thread,
				 uint64_t *pthread)
{
	struct gomp_native native;
	struct gomp *gomp;
	ompd_rc_t rc = gomp_ready(space, &gomp);

	if (rc == ompd_rc_ok)
		rc = read_entity(space, gomp, thread, &native);
	if (rc == ompd_rc_ok)
		*pthread = native.pthread;
	return rc;
}

ompd_rc_t gomp_lwp_of_thread(struct address_space *space, struct entity thread, uint64_t *lwp)
{
	struct gomp_native native;
	struct gomp *gomp;
	uint64_t offset;
	ompd_rc_t rc = gomp_ready(space, &gomp);

	if (rc == ompd_rc_ok)
		rc = read_entity(space, gomp, thread, &native);
	if (rc == ompd_rc_ok)
		rc = lwp_offset(space, gomp, &offset);
	if (rc == ompd_rc_ok)
		*lwp = native.lwp;
	return rc;
}
