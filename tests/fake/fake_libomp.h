/* SPDX-License-Identifier: Apache-2.0
 *
 * A process on LLVM's libomp, as a debugger finds it: the image with its exports, the descriptors (with
 * or without symbols), the thread array, threads, teams and tasks in the memory of a fake target.
 *
 * The builder plays the program: fake_parallel(thread, 4) is what `#pragma omp parallel num_threads(4)`
 * leaves in memory when that thread meets it. Beside what it writes it keeps what the program would say
 * of itself: struct fake_thread and struct fake_region are the truth that tests compare with.
 */
#ifndef FAKE_LIBOMP_H
#define FAKE_LIBOMP_H

#include <stdbool.h>
#include <stdint.h>

#include "fake_elf.h"
#include "fake_target.h"
#include "ompd-ext.h"

/* Whose structures it has. There are records for the known ones; 4-byte pointers are always unknown. */
enum fake_layout { FAKE_LLVM_14, FAKE_LLVM_16, FAKE_LLVM_19, FAKE_LLVM_UNKNOWN };

/* How the program has it. */
enum fake_linkage {
	FAKE_SHARED,
	FAKE_IN_PIE,  /* linked into the program, which exports nothing */
	FAKE_IN_FIXED /* the same, and the program is no PIE */
};

struct fake_libomp_options {
	enum fake_layout layout;
	unsigned getters;       /* an enum fake_getters of fake_variables.h */
	bool published;         /* its symbols are there: not stripped */
	bool reversed;          /* gcc's order of the descriptors, instead of clang's */
	bool no_table;          /* link-time optimisation removed the descriptors */
	bool second_table;      /* another table lies in the data, as plausible as the first */
	bool threads_elsewhere; /* __kmp_threads is not at its usual distance from __kmp_thread_pool */
	bool tracks_states;     /* OMP_DEBUG=enabled */
	bool sysv_hash_only;
	bool unrelocated; /* see struct fake_elf */
	enum fake_linkage linkage;
	unsigned elf_machine; /* see struct fake_elf */
	unsigned capacity;    /* of the thread array; 0: 64 */
	const char *path;     /* NULL: FAKE_LIBOMP_PATH */
	uint64_t base;        /* 0: somewhere */
};

#define FAKE_LIBOMP_PATH "/usr/lib/x86_64-linux-gnu/libomp.so.5"
#define FAKE_EXECUTABLE_PATH "/home/user/program"

struct fake_libomp;
struct fake_region;

/* A thread that the runtime knows. */
struct fake_thread {
	struct fake_libomp *omp;
	int gtid;
	uint64_t pthread_id;
	uint64_t lwp;
	uint64_t address; /* of its kmp_info_t */
	ompdx_thread_kind_t kind;
	struct fake_region *region; /* innermost; NULL: none */
	int thread_num;
	uint64_t task; /* address of the current task's kmp_taskdata_t */
	ompdx_task_kind_t task_kind;
	bool task_final;
	uint64_t group; /* the contention group that keeps it; 0: none */
	bool pooled;
};

/* A region, as the program sees it. */
struct fake_region {
	struct fake_region *parent; /* NULL: an initial region */
	int primary_num;            /* number in the parent of the thread that became thread 0 */
	ompd_team_generator_t generator;
	bool serialized;
	int level;
	int active_level;
	int team_size;
	int league_size; /* -1: no teams region */
	int team_num;
	uint64_t team;     /* address of the kmp_team_t */
	uint64_t function; /* of the outlined code */
	char *source;      /* what the compiler recorded of the construct; NULL: nothing */
	struct fake_thread **members;
	bool ended; /* the program left it */
	struct fake_region *next;
};

/* ---- Processes ---- */

/* A process with an executable, a C library and, unless the executable has it, libomp, in this order in the
 * dynamic linker's list.
 * OpenMP is not used yet. */
struct fake_libomp *fake_process_create(struct fake_machine machine,
					struct fake_libomp_options options);
void fake_process_destroy(struct fake_libomp *omp);

/* The same in steps, for processes of another make. */
struct fake_image fake_executable_load(struct fake_target *target);
struct fake_image fake_libc_load(struct fake_target *target);
struct fake_libomp *fake_libomp_load(struct fake_target *target,
				     struct fake_libomp_options options);
/* Frees what the builder keeps; the target stays. */
void fake_libomp_forget(struct fake_libomp *omp);

struct fake_target *fake_libomp_target(const struct fake_libomp *omp);
const struct fake_image *fake_libomp_image(const struct fake_libomp *omp);

/* A thread of the process that has nothing to do with OpenMP; its pthread id. */
uint64_t fake_native_thread(struct fake_target *target);

/* ---- The program runs ---- */

/* A thread of the program uses OpenMP for the first time; the first of them also starts the runtime. */
struct fake_thread *fake_root(struct fake_libomp *omp);
struct fake_region *fake_parallel(struct fake_thread *primary, int team_size);
/* A parallel region that the thread executes alone: `if(0)`, or beyond max-active-levels-var. */
struct fake_region *fake_serialized(struct fake_thread *thread);
/* A league; returns the region of team 0, the others follow by fake_team_of_league. */
struct fake_region *fake_teams(struct fake_thread *thread, int league_size, int thread_limit);
struct fake_region *fake_team_of_league(struct fake_region *first, int team_num);
struct fake_thread *fake_member(const struct fake_region *region, int thread_num);
/* The innermost region of its primary thread ends. Its workers wait in the team that they were in. */
void fake_end(struct fake_region *region);
/* The same, and the workers go back to the pool. */
void fake_end_and_pool(struct fake_region *region);
/* The thread begins an explicit task. */
void fake_task(struct fake_thread *thread, bool final);
/* The runtime recorded this state (tracks_states). */
void fake_state(struct fake_thread *thread, int state, uint64_t wait_id);

/* ---- The truth ---- */

size_t fake_omp_thread_count(const struct fake_libomp *omp);
struct fake_thread *fake_omp_thread(const struct fake_libomp *omp, size_t gtid);
/* All regions that there have been, outer ones before inner ones. */
const struct fake_region *fake_regions(const struct fake_libomp *omp);
int fake_expected_version(const struct fake_libomp *omp);
bool fake_has_record(const struct fake_libomp *omp);

/* Memory of the runtime's own, zeroed. */
uint64_t fake_allocate_block(struct fake_libomp *omp, uint64_t size);

/* ---- For hostile tests: where things are, by the runtime's names ---- */

enum fake_table_word {
#define ACCESS(type, member, ...) FAKE_OFFSET_##type##__##member,
#include "fake_table.def"
#define ACCESS(type, member, ...) FAKE_SIZE_##type##__##member,
#include "fake_table.def"
#define BITFIELD(type, member, ...) FAKE_MASK_##type##__##member,
#include "fake_table.def"
#define SIZEOF(type, ...) FAKE_SIZEOF_##type,
#include "fake_table.def"
	FAKE_TABLE_WORDS
};

/* The symbol that publishes a word. */
const char *fake_table_name(enum fake_table_word word);
/* Address of a word of the table in memory. */
uint64_t fake_table_address(const struct fake_libomp *omp, enum fake_table_word word);
/* What belongs there. */
uint64_t fake_table_value(const struct fake_libomp *omp, enum fake_table_word word);
/* Address of the variable __kmp_threads, and of its array. */
uint64_t fake_threads_variable(const struct fake_libomp *omp);
uint64_t fake_threads_array(const struct fake_libomp *omp);
/* Overwrites a member of a structure; `offset` is a FAKE_OFFSET_ word. */
void fake_set_member(struct fake_libomp *omp, uint64_t structure, enum fake_table_word offset,
		     uint64_t value);
uint64_t fake_get_member(const struct fake_libomp *omp, uint64_t structure,
			 enum fake_table_word offset);

#endif /* FAKE_LIBOMP_H */
