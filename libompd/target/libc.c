/* SPDX-License-Identifier: Apache-2.0
 */
#include "target/libc.h"

#include <elf.h>

#include "target/limits.h"

/* glibc publishes for libthread_db where its members lie, each as three 32-bit words: bits, elements, offset. */
static ompd_rc_t published_offset(const struct target *target, const char *symbol, uint64_t bits,
				  uint64_t *offset)
{
	uint8_t words[12];
	target_addr address;
	ompd_rc_t rc = target_symbol(target, symbol, NULL, &address);

	if (rc == ompd_rc_ok)
		rc = target_read(target, address, sizeof(words), words);
	if (rc != ompd_rc_ok)
		return rc;
	if (target_decode(target, words, 4) != bits || target_decode(target, words + 4, 4) != 1)
		return ompd_rc_error;
	*offset = target_decode(target, words + 8, 4);
	return ompd_rc_ok;
}

ompd_rc_t libc_lwp_offset(const struct target *target, struct diagnostics *diagnostics,
			  uint64_t *offset)
{
	static const char symbol[] = "_thread_db_pthread_tid";
	const ompd_rc_t rc = published_offset(target, symbol, 32, offset);

	if (rc != ompd_rc_unavailable && rc != ompd_rc_error)
		return rc;
	diagnostics_note(diagnostics, DIAGNOSTIC_lwp_unproven, symbol);
	return ompd_rc_unsupported;
}

ompd_rc_t libc_thread_pointer(const struct target *target, uint16_t machine, uint64_t *distance)
{
	target_addr address;
	ompd_rc_t rc;

	if (machine == EM_X86_64) {
		*distance = 0;
		return ompd_rc_ok;
	}
	if (machine != EM_AARCH64)
		return ompd_rc_unsupported;
	rc = target_symbol(target, "_thread_db_sizeof_pthread", NULL, &address);
	if (rc == ompd_rc_ok)
		rc = target_read_unsigned(target, address, 4, distance);
	if (rc == ompd_rc_ok && (*distance == 0 || *distance > STRUCTURE_BYTES_MAX))
		rc = ompd_rc_error;
	return rc == ompd_rc_unavailable || rc == ompd_rc_error ? ompd_rc_unsupported : rc;
}

ompd_rc_t libc_start_routine_offset(const struct target *target, uint64_t *offset)
{
	const uint64_t bits = 8 * (uint64_t)target->sizes.sizeof_pointer;
	const ompd_rc_t rc =
		published_offset(target, "_thread_db_pthread_start_routine", bits, offset);

	return rc == ompd_rc_unavailable || rc == ompd_rc_error ? ompd_rc_unsupported : rc;
}

/* Since glibc 2.34 both lists are members of the dynamic linker's _rtld_global. */
static ompd_rc_t find_in_linker(const struct target *target, uint64_t bits, struct libc_lists *ret)
{
	uint64_t user, used;
	target_addr global;
	ompd_rc_t rc =
		published_offset(target, "_thread_db_rtld_global__dl_stack_user", bits, &user);

	if (rc == ompd_rc_ok)
		rc = published_offset(target, "_thread_db_rtld_global__dl_stack_used", bits, &used);
	if (rc == ompd_rc_ok)
		rc = target_symbol(target, "_rtld_global", NULL, &global);
	if (rc != ompd_rc_ok)
		return rc;
	ret->heads[0] = global + user;
	ret->heads[1] = global + used;
	return ompd_rc_ok;
}

/* Before they were variables of libpthread, and still are variables in programs that are linked statically. */
static ompd_rc_t find_variables(const struct target *target, struct libc_lists *ret)
{
	static const char *const names[][2] = {{"__stack_user", "stack_used"},
					       {"_dl_stack_user", "_dl_stack_used"}};
	ompd_rc_t rc = ompd_rc_unavailable;

	for (size_t i = 0; i < 2 && (rc == ompd_rc_unavailable || rc == ompd_rc_error); i++) {
		rc = target_symbol(target, names[i][0], NULL, &ret->heads[0]);
		if (rc == ompd_rc_ok)
			rc = target_symbol(target, names[i][1], NULL, &ret->heads[1]);
	}
	return rc;
}

ompd_rc_t libc_lists_find(const struct target *target, struct libc_lists *ret)
{
	/* A list_t: two pointers. */
	const uint64_t bits = 2 * 8 * (uint64_t)target->sizes.sizeof_pointer;
	ompd_rc_t rc = published_offset(target, "_thread_db_pthread_list", bits, &ret->node);

	if (rc == ompd_rc_ok) {
		rc = find_in_linker(target, bits, ret);
		if (rc == ompd_rc_unavailable)
			rc = find_variables(target, ret);
	}
	return rc == ompd_rc_unavailable || rc == ompd_rc_error ? ompd_rc_unsupported : rc;
}

ompd_rc_t libc_listed(const struct target *target, const struct libc_lists *lists, uint64_t pthread)
{
	const size_t size = target->sizes.sizeof_pointer;
	const target_addr node = pthread + lists->node;
	target_addr next, previous, back = 0, forth = 0;
	ompd_rc_t rc = target_read_pointer(target, node, &next);

	if (rc == ompd_rc_ok)
		rc = target_read_pointer(target, node + size, &previous);
	if (rc == ompd_rc_ok)
		rc = target_read_pointer(target, next + size, &back);
	if (rc == ompd_rc_ok)
		rc = target_read_pointer(target, previous, &forth);
	if (rc == ompd_rc_error || (rc == ompd_rc_ok && (back != node || forth != node)))
		return ompd_rc_unavailable;
	return rc;
}

/* *last: the last of the list; 0: it is empty. */
static ompd_rc_t add_list(const struct target *target, const struct libc_lists *lists,
			  target_addr head, struct vector *threads, uint64_t *last)
{
	target_addr node;
	ompd_rc_t rc = target_read_pointer(target, head, &node);

	*last = 0;
	while (rc == ompd_rc_ok && node != head) {
		void *item;

		if (threads->count == THREADS_MAX)
			return ompd_rc_incomplete;
		rc = vector_add(threads, 1, THREADS_MAX, &item);
		if (rc != ompd_rc_ok)
			return rc;
		*last = node - lists->node;
		*(uint64_t *)item = *last;
		rc = target_read_pointer(target, node, &node);
	}
	return rc == ompd_rc_error ? ompd_rc_incomplete : rc;
}

ompd_rc_t libc_threads(const struct target *target, const struct libc_lists *lists,
		       struct vector *threads, uint64_t *initial)
{
	uint64_t last;
	const ompd_rc_t user = add_list(target, lists, lists->heads[0], threads, initial);
	ompd_rc_t rc;

	/* The program's first thread is the first of its list, and new ones come in front of it. */
	if (user != ompd_rc_ok)
		*initial = 0;
	if (user != ompd_rc_ok && user != ompd_rc_incomplete)
		return user;
	rc = add_list(target, lists, lists->heads[1], threads, &last);
	/* A child of fork has only the thread that made it. */
	if (rc == ompd_rc_ok && user == ompd_rc_ok && threads->count == 1)
		*initial = *(uint64_t *)vector_at(threads, 0);
	return rc == ompd_rc_ok ? user : rc;
}
