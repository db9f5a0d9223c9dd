/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs to look at: each is a name and what it does until the debugger stops it.
 */
#ifndef FAKE_SCENARIOS_H
#define FAKE_SCENARIOS_H

#include "fake_libomp.h"

struct fake_scenario {
	const char *name;
	void (*run)(struct fake_libomp *omp);
};

extern const struct fake_scenario fake_scenarios[];
extern const size_t fake_scenario_count;

/* The one of that name. */
const struct fake_scenario *fake_scenario(const char *name);

/* Machines, and the runtimes that exist for them. */
struct fake_world {
	const char *name;
	struct fake_machine machine;
	struct fake_libomp_options options;
};

extern const struct fake_world fake_worlds[];
extern const size_t fake_world_count;

/* The process of a world, in which the scenario has run. */
struct fake_libomp *fake_world_create(const struct fake_world *world,
				      const struct fake_scenario *scenario);

#endif /* FAKE_SCENARIOS_H */
