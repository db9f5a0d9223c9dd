/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that is cut while it is mapped: its lost part reads as zeros, and any other SIGBUS ends the process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "names/cut_file.h"

#define PAGES 3

static void test_cut_file(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	FILE *file = tmpfile();
	uint8_t bytes[1 << 16];

	(void)state;
	assert_non_null(file);
	assert_true(page <= sizeof bytes);
	memset(bytes, 7, page);
	for (int i = 0; i < PAGES; i++)
		assert_int_equal(write(fileno(file), bytes, page), page);
	const uint8_t *mapped =
		mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file), 0);

	assert_ptr_not_equal(mapped, MAP_FAILED);
	assert_int_equal(ftruncate(fileno(file), (off_t)page), 0);
	cut_files_read_as_zeros();
	for (size_t i = 0; i < PAGES * page; i++)
		assert_int_equal(mapped[i], i < page ? 7 : 0);
	fclose(file);
}

static void test_other_errors(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		cut_files_read_as_zeros();
		raise(SIGBUS);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_file),
		cmocka_unit_test(test_other_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
