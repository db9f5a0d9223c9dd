/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/words.h"

#include <stddef.h>

static const struct words all[] = {
#define WORDS(runtime, barrier, round, task_lock)                                                  \
	{ompdx_runtime_##runtime, barrier, round, task_lock},
#include "inference/words.def"
};

const struct words *words_of(ompdx_runtime_kind_t kind)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i].kind == kind)
			return &all[i];
	}
	return NULL;
}
