/* SPDX-License-Identifier: Apache-2.0
 *
 * The variables of a fake libomp that ICVs are read from, and the functions that return them: with the
 * distances from __kmp_thread_pool, and in machine code of the shapes, that were found in Debian's builds.
 */
#ifndef FAKE_VARIABLES_H
#define FAKE_VARIABLES_H

#include "fake_libomp.h"

/* VARIABLE(name, size; 0: a pointer, distance in 14, in 19) */
#define FAKE_VARIABLES(VARIABLE)                                                                   \
	VARIABLE(ompt_enabled, 4, 20168, 20296)                                                    \
	VARIABLE(__kmp_all_nth, 4, -4, -4)                                                         \
	VARIABLE(__kmp_stksize, 0, 4096, 4096)                                                     \
	VARIABLE(__kmp_omp_cancellation, 4, -2472, -2408)                                          \
	VARIABLE(__kmp_max_task_priority, 4, -2316, -2292)                                         \
	VARIABLE(__kmp_library, 4, -2536, -2476)                                                   \
	VARIABLE(__kmp_target_offload, 4, 4112, 4112)                                              \
	VARIABLE(__kmp_nteams, 4, -2468, -2404)                                                    \
	VARIABLE(__kmp_teams_thread_limit, 4, -2464, -2400)                                        \
	VARIABLE(__kmp_avail_proc, 4, -2588, -2532)                                                \
	VARIABLE(__kmp_nested_nth, 16, -2496, -2432)                                               \
	VARIABLE(__kmp_nested_proc_bind, 16, -2352, -2328)                                         \
	VARIABLE(__kmp_display_affinity, 4, -2332, -2308)                                          \
	VARIABLE(__kmp_affinity_format, 0, -2328, -2304)                                           \
	VARIABLE(__kmp_tool, 4, 4128, 4128)                                                        \
	VARIABLE(__kmp_tool_libraries, 0, 432, 512)                                                \
	VARIABLE(__kmp_tool_verbose_init, 0, 440, 520)

enum fake_variable {
#define FAKE_VARIABLE(name, ...) FAKE_VARIABLE_##name,
	FAKE_VARIABLES(FAKE_VARIABLE)
#undef FAKE_VARIABLE
		FAKE_VARIABLE_COUNT
};

/* How the functions that return variables were compiled. */
enum fake_getters {
	FAKE_GETTERS_CLANG,  /* the address is loaded, then the variable; a register is restored */
	FAKE_GETTERS_GCC,    /* the same twice, the second time behind the start of the runtime */
	FAKE_GETTERS_DIRECT, /* the variable is loaded at once */
	FAKE_GETTERS_JUMP,   /* they end in a jump to functions of that kind */
	FAKE_GETTERS_JUMP_CET,  /* which begin with a landing pad */
	FAKE_GETTERS_ELSEWHERE, /* what they load lies in no writable memory */
	FAKE_GETTERS_OTHER,     /* no shape that is known */
	/* Of AArch64, with elf_machine. */
	FAKE_GETTERS_AARCH64,        /* the address is in the dynamic linker's table */
	FAKE_GETTERS_AARCH64_DIRECT, /* the linker has put it into the code */
	FAKE_GETTERS_AARCH64_KEPT,   /* it is kept over a call */
	FAKE_GETTERS_AARCH64_JUMP,
	FAKE_GETTERS_AARCH64_CALLED, /* a call may have changed it */
	FAKE_GETTERS_AARCH64_TWO,    /* one of two variables */
	FAKE_GETTERS_AARCH64_OTHER,
};

/* Their exports, of which *count is the number. */
const struct fake_export *fake_getter_exports(size_t *count);

/* Their code, and symbols of the variables if the runtime is published. */
void fake_variables_write(struct fake_libomp *omp);

uint64_t fake_variable(const struct fake_libomp *omp, enum fake_variable variable);
void fake_set_variable(struct fake_libomp *omp, enum fake_variable variable, uint64_t value);
/* Makes the variable point to text. */
void fake_set_text(struct fake_libomp *omp, enum fake_variable variable, const char *text);
/* Makes it a list of ints: kmp_nested_nthreads_t, kmp_nested_proc_bind_t, whose address may be given. */
void fake_set_list(struct fake_libomp *omp, uint64_t list, const int *items, int count);

#endif /* FAKE_VARIABLES_H */
