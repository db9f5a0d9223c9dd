/* SPDX-License-Identifier: Apache-2.0 */
#include "run/options.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"

static const char usage[] =
	"usage: ompd-sampler [-o FILE | --fd N] [-d SECONDS] [-F HZ] [--budget PERCENT] [--flush "
	"SECONDS]\n"
	"                    [--clock perf|stops|memory] -p PID | -- PROGRAM [ARGUMENTS]\n"
	"Samples what the OpenMP threads of a program do, and writes a record: "
	"docs/record-format.md.\n";

static double number(const char *option, const char *text, double least, double most)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !isfinite(value) || value < least || value > most)
		fail(EXIT_USAGE, "%s takes a number from %.10g to %.10g, not \"%s\".", option,
		     least, most, text);
	return value;
}

static enum clock_kind clock_named(const char *name)
{
	if (strcmp(name, "perf") == 0)
		return CLOCK_PERF;
	if (strcmp(name, "stops") == 0)
		return CLOCK_STOPS;
	if (strcmp(name, "memory") == 0)
		return CLOCK_MEMORY;
	fail(EXIT_USAGE, "--clock takes perf, stops or memory, not \"%s\".", name);
}

static void take_option(struct options *options, const char *option, const char *value)
{
	if (strcmp(option, "-p") == 0)
		options->pid = (pid_t)number(option, value, 1, 4194304);
	else if (strcmp(option, "-o") == 0)
		options->file = value;
	else if (strcmp(option, "--fd") == 0)
		options->fd = (int)number(option, value, 0, 1048576);
	else if (strcmp(option, "-d") == 0)
		options->seconds = number(option, value, 0.01, 1e7);
	else if (strcmp(option, "-F") == 0)
		options->rate = number(option, value, 1, 10000);
	else if (strcmp(option, "--budget") == 0)
		options->budget = number(option, value, 0, 10000);
	else if (strcmp(option, "--flush") == 0)
		options->flush = number(option, value, 0.05, 3600);
	else if (strcmp(option, "--clock") == 0)
		options->clock = clock_named(value);
	else
		fail(EXIT_USAGE, "There is no option \"%s\": see --help.", option);
}

static void check(const struct options *options)
{
	if (!options->pid && !options->program)
		fail(EXIT_USAGE, "Say which process to sample: -p PID, or -- PROGRAM.");
	if (options->pid && options->program)
		fail(EXIT_USAGE, "Either -p PID or -- PROGRAM, not both.");
	if (options->file && options->fd >= 0)
		fail(EXIT_USAGE, "Either -o FILE or --fd N, not both.");
	if (options->program && !options->file && options->fd < 0)
		fail(EXIT_USAGE,
		     "With -- PROGRAM, stdout is the program's: say -o FILE or --fd N.");
	if (options->fd >= 0 && fcntl(options->fd, F_GETFD) < 0)
		fail(EXIT_USAGE, "--fd %d is no open descriptor.", options->fd);
}

void options_read(int argc, char **argv, struct options *options)
{
	*options = (struct options){.fd = -1, .rate = 100, .budget = 1, .flush = 0.5};
	for (int i = 1; i < argc; i += 2) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			fputs(usage, stdout);
			exit((int)EXIT_WHOLE);
		}
		if (strcmp(argv[i], "--") == 0) {
			options->program = argv[i + 1] ? argv + i + 1 : NULL;
			break;
		}
		if (argv[i][0] != '-')
			fail(EXIT_USAGE, "\"%s\" is no option: see --help.", argv[i]);
		if (!argv[i + 1])
			fail(EXIT_USAGE, "%s wants a value: see --help.", argv[i]);
		take_option(options, argv[i], argv[i + 1]);
	}
	check(options);
}
