/* SPDX-License-Identifier: Apache-2.0
 *
 * Where does a release of CPython keep what? Of the plugin's own table: tools/gen-python-layouts.
 */
#ifndef SAMPLER_PYTHON_LAYOUTS_H
#define SAMPLER_PYTHON_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "target/memory.h"

/* The release has no such member. */
#define NO_MEMBER UINT32_MAX

struct python_layout {
	uint32_t minor; /* of 3.x */
#define PYTHON_MEMBER(name) uint32_t name;
#include "python/layouts.inc"
#undef PYTHON_MEMBER
};

/* Of a release that does not tell. false: of none that is known. */
bool python_layout_of(uint32_t minor, struct python_layout *layout);

enum python_told { PYTHON_TELLS, PYTHON_TELLS_NOT, PYTHON_REFUSED };

/* By the table that begins _PyRuntime in later ones. */
enum python_told python_layout_told(struct memory *memory, uint64_t runtime,
				    struct python_layout *layout);

#endif /* SAMPLER_PYTHON_LAYOUTS_H */
