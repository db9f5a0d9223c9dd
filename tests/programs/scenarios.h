/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of a program's scenarios does an argument name?
 */
#ifndef SCENARIOS_H
#define SCENARIOS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIFE_SECONDS 1800 /* what outlives its test must not stay */
#define FOR_EVER for (;;)

/* The row of a table, whose rows begin with their name. */
static inline const void *scenario_named(const char *name, const void *table, size_t count,
					 size_t size)
{
	for (size_t i = 0; name && i < count; i++) {
		const char *row = (const char *)table + i * size;

		if (strcmp(*(const char *const *)row, name) == 0)
			return row;
	}
	fprintf(stderr, "which scenario?\n");
	exit(2);
}

#define SCENARIO_NAMED(name, table)                                                                \
	scenario_named(name, table, sizeof(table) / sizeof((table)[0]), sizeof((table)[0]))

#endif /* SCENARIOS_H */
