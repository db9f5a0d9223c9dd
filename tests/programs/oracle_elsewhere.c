/* SPDX-License-Identifier: Apache-2.0
 *
 * Another file of the programs of oracle.h, with variables of its own that are called like theirs.
 */
#define _GNU_SOURCE
#include "oracle.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int stops;

static void write_line(const char *who, const char *name, const char *value)
{
	static int file = -1;
	char line[512];
	int length;

#pragma omp critical(oracle_file)
	if (file == -1)
		file = open(getenv("OMPD_TRUTH_FILE"), O_WRONLY | O_CREAT | O_APPEND, 0666);
	length = snprintf(line, sizeof(line), "%d\t%s\t%s\t%s\n", stops, who, name, value);
	if (length >= (int)sizeof(line) || write(file, line, (size_t)length) != length)
		abort();
}

void say_text(const char *name, const char *value)
{
	char who[16];

	snprintf(who, sizeof(who), "%ld", syscall(SYS_gettid));
	write_line(who, name, value);
}

void say_integer(const char *name, long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", value);
	say_text(name, text);
}

void say_real(const char *name, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.17g", value);
	say_text(name, text);
}

void say_sharing(const char *names, const char *kind)
{
	char copy[256], *left = NULL;
	const char *name;

	snprintf(copy, sizeof(copy), "%s", names);
	for (name = strtok_r(copy, " ", &left); name; name = strtok_r(NULL, " ", &left))
		write_line("sharing", name, kind);
}

/* What Fortran passes. */
void say_integer_(const char *name, const int *value, size_t length)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%.*s", (int)length, name);
	say_integer(copy, *value);
}

void say_real_(const char *name, const double *value, size_t length)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%.*s", (int)length, name);
	say_real(copy, *value);
}

void say_text_(const char *name, const char *value, size_t length, size_t value_length)
{
	char copy[64], text[64];

	snprintf(copy, sizeof(copy), "%.*s", (int)length, name);
	snprintf(text, sizeof(text), "%.*s", (int)value_length, value);
	say_text(copy, text);
}

void say_sharing_(const char *names, const char *kind, size_t length, size_t kind_length)
{
	char copy[256], text[32];

	snprintf(copy, sizeof(copy), "%.*s", (int)length, names);
	snprintf(text, sizeof(text), "%.*s", (int)kind_length, kind);
	say_sharing(copy, text);
}

__attribute__((noinline)) void stop_here(void)
{
	__atomic_add_fetch(&stops, 1, __ATOMIC_SEQ_CST);
}

void stop_here_(void)
{
	stop_here();
}

/* They are no one's but this file's. */
static int count = 9001, mine = 9002, rest = 9003, list[3] = {9004, 9005, 9006};
static double part = 9007.5, total = 9008.5;
static const char *label = "elsewhere";

int use_elsewhere(int by)
{
	count += by;
	mine += count;
	rest += mine;
	list[by % 3] += rest;
	part += total;
	total += part;
	label += by;
	return *label;
}
