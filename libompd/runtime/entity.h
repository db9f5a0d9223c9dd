/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread, region or task of a runtime: what a handle stands for.
 */
#ifndef RUNTIME_ENTITY_H
#define RUNTIME_ENTITY_H

#include <stdint.h>

/* `part` tells apart what the runtime keeps in one structure (nested serialized
 * regions, the initial teams of a league); only the runtime's code looks into it. */
struct entity {
	uint64_t address;
	uint64_t part;
};

#endif /* RUNTIME_ENTITY_H */
