/* SPDX-License-Identifier: Apache-2.0
 *
 * ompdx_*: what a debugger needs and OMPD has no routine for. Include it after ompd.h, or after an
 * ARB omp-tools.h; on its own it includes ompd.h.
 *
 * OMPD's rules hold here too (handles, return codes, one call at a time), and:
 *  - A struct begins with its size in bytes: in a struct that the tool fills, the tool sets it, in one
 *    that the library fills, the library does. Later versions only append members. An element of an
 *    array is found by the size of one: the second image is at (char *)images + images[0].size. Where the
 *    elements do not begin with it, it stands beside the array: the second level of a view is at
 *    (char *)levels + level_size.
 *  - A variable answer is one block from alloc_memory. What it points to lies inside it or is static in the
 *    library. The tool gives it back with free_memory, but what a snapshot shows is the snapshot's.
 *  - Text in answers is UTF-8, NUL-terminated, English; text that comes from the target may hold any byte.
 *  - -1 in a signed member, UINT32_MAX in an index and 0 in an address mean: none, or not known.
 */
#ifndef OMPD_EXT_H
#define OMPD_EXT_H

#if !defined(OMPD_H) && !defined(_OMP_TOOLS_H) && !defined(__OMPT__)
#include "ompd.h"
#endif

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef OMPD_API
#define OMPD_API
#endif

/* The version of these extensions: grows with every addition. */
#define OMPDX_VERSION 12

/* Writes OMPDX_VERSION of the library. Callable at any time, like ompd_get_api_version. */
OMPD_API ompd_rc_t ompdx_get_version(ompd_word_t *version);

/* ---- Runtimes: a process may hold several ----------------------------------------------------- */

typedef enum ompdx_runtime_kind_t {
	ompdx_runtime_llvm = 1, /* LLVM's libomp, and what is built from its source */
	ompdx_runtime_gomp = 2  /* GNU libgomp */
} ompdx_runtime_kind_t;

/* An ELF image in the target's memory. */
typedef struct ompdx_image_t {
	ompd_size_t size;
	ompd_addr_t load_bias; /* what is added to the addresses in the file (link_map.l_addr) */
	ompd_addr_t
		dynamic; /* address of its dynamic section (link_map.l_ld); 0: not known, or there is none: then
				   load_bias is where its ELF header lies */
	const char *path; /* NULL: not known */
} ompdx_image_t;

typedef struct ompdx_runtime_t {
	ompd_size_t size;
	ompdx_runtime_kind_t kind;
	int32_t version; /* major: LLVM's or GCC's, 6 also of GCC 7; -1: not known */
	ompdx_image_t image;
} ompdx_runtime_t;

typedef struct ompdx_runtimes_t {
	ompd_size_t size;
	ompd_size_t count;
	const ompdx_runtime_t *runtimes;
} ompdx_runtimes_t;

/* The OpenMP runtimes among the images that the tool brings along or, with images NULL, among those in
 * the dynamic linker's list (found by the symbol _r_debug). Frees: the tool, with free_memory.
 * unavailable: images is NULL and the list cannot be read (not running yet, or statically linked). */
OMPD_API ompd_rc_t ompdx_find_runtimes(ompd_address_space_context_t *context,
				       const ompdx_image_t *images, ompd_size_t image_count,
				       ompdx_runtimes_t **runtimes);

/* Opens one image, like ompd_process_initialize. incompatible: it holds no runtime. */
OMPD_API ompd_rc_t ompdx_process_initialize(ompd_address_space_context_t *context,
					    const ompdx_image_t *image,
					    ompd_address_space_handle_t **handle);

/* How the library learnt where the runtime keeps its data. */
typedef enum ompdx_descriptors_t {
	ompdx_descriptors_none = 0,      /* not yet: the runtime was loaded, but not started */
	ompdx_descriptors_symbols = 1,   /* the symbols that an OMPD-enabled runtime publishes */
	ompdx_descriptors_recovered = 2, /* the same table, found in a stripped runtime's memory */
	ompdx_descriptors_record = 3     /* a record that this library ships */
} ompdx_descriptors_t;

typedef struct ompdx_runtime_info_t {
	ompd_size_t size;
	ompdx_runtime_kind_t kind;
	ompdx_descriptors_t descriptors;
	int32_t version; /* major, as the exported names tell, the first of several; -1: not known */
	int32_t initialized; /* 1: the program has used OpenMP; 0: not yet; -1: not known */
	int32_t state_tracking; /* 1: the runtime records states (OMP_DEBUG=enabled); 0: not; -1: not known */
	uint32_t build_id_length;
	uint8_t build_id[32];
	char version_text[64]; /* for people, such as "LLVM libomp 19" */
	char record[32];   /* the shipped record that completes the descriptors; empty: none fits */
	ompd_addr_t start; /* the image's addresses: start <= pc < end; 0, 0: not known */
	ompd_addr_t end;
} ompdx_runtime_info_t;

/* Fills *info, up to the info->size that the tool set. */
OMPD_API ompd_rc_t ompdx_get_runtime_info(ompd_address_space_handle_t *handle,
					  ompdx_runtime_info_t *info);

/* ---- Images: what is loaded in a process ------------------------------------------------------ */

/* Why facts are missing; the sentence stands in the diagnostics. */
typedef enum ompdx_problem_t {
	ompdx_problem_none = 0,
	ompdx_problem_unreadable = 1, /* memory that could not be read */
	ompdx_problem_inconsistent =
		2, /* the structures contradict each other: being changed, or damaged */
	ompdx_problem_limit = 3 /* a walk was cut at its limit */
} ompdx_problem_t;

/* What the kernel told the program when it started it, by getauxval(3)'s numbers; 0: not known. */
typedef struct ompdx_auxv_t {
	ompd_size_t size;
	ompd_addr_t headers;   /* AT_PHDR */
	uint64_t header_count; /* AT_PHNUM */
	ompd_addr_t vdso;      /* AT_SYSINFO_EHDR */
} ompdx_auxv_t;

#define OMPDX_IMAGE_PROGRAM UINT32_C(1)
#define OMPDX_IMAGE_STATIC UINT32_C(2) /* a program that asks for no dynamic linker */
#define OMPDX_IMAGE_VDSO UINT32_C(4)   /* the kernel's own, in no file */
#define OMPDX_IMAGE_NAMELESS                                                                       \
	UINT32_C(8) /* the names of its symbols cannot be read, as in a core file without them */

typedef struct ompdx_loaded_image_t {
	ompd_size_t size;
	ompd_addr_t load_bias; /* what is added to the addresses in the file (link_map.l_addr) */
	ompd_addr_t
		dynamic; /* of its dynamic section; 0: there is none. An ompdx_image_t has `start' for
				load_bias then */
	const char *path;  /* as the dynamic linker has it; NULL: not known, and of the program */
	ompd_addr_t start; /* its addresses: start <= pc < end; 0, 0: its headers cannot be read */
	ompd_addr_t end;
	uint32_t flags; /* OMPDX_IMAGE_... */
	uint32_t
		link_namespace; /* the first one that has it: 0, the program's, or one of dlmopen(3), in the
				    order of the linker's list; UINT32_MAX: it is in no list */
	uint32_t build_id_length; /* 0: there is none, or it cannot be read */
	uint8_t build_id
		[32]; /* as it is in memory: a file at `path' that has another was put there later */
} ompdx_loaded_image_t;

typedef struct ompdx_images_t {
	ompd_size_t size;
	ompd_size_t count;
	const ompdx_loaded_image_t *images;
	ompd_addr_t
		debug; /* of the dynamic linker's struct r_debug; 0: there is none yet, or it is not known */
	ompdx_problem_t problem; /* why there may be more images than these */
	uint32_t reserved;
} ompdx_images_t;

/* The images of a process or core file, by what is in its memory: those of the dynamic linker's list, in its order and
 * each once, then the program and the kernel's image where the list does not have them. The list is found by the
 * program's headers; auxv NULL, or without them: by the symbol _r_debug, and the list's first image is the program.
 * At most 8,192 images of the list, in 64 namespaces, and 16 MiB of paths. No runtime has to be there.
 * ok also where no list is found, or none that can be read: then what is known without it. bad_input: context or
 * images is NULL, or auxv too small. Frees: the tool, with free_memory. ompdx_get_diagnostics(NULL) tells what was
 * noted. */
OMPD_API ompd_rc_t ompdx_images(ompd_address_space_context_t *context, const ompdx_auxv_t *auxv,
				ompdx_images_t **images);

/* ---- Diagnostics: why something is not known -------------------------------------------------- */

typedef struct ompdx_diagnostic_t {
	ompd_size_t size;
	const char *code;    /* stable, such as "record_unknown" */
	const char *subject; /* what it is about: a symbol, a structure, an address; may be "" */
	const char *text;    /* one sentence: what was tried, why it was refused */
} ompdx_diagnostic_t;

typedef struct ompdx_diagnostics_t {
	ompd_size_t size;
	ompd_size_t count;
	const ompdx_diagnostic_t *diagnostics;
} ompdx_diagnostics_t;

/* What the library noted about an address space as it was opened, what kept the last snapshot from being made,
 * and what OMPD's own routines have met since then, the newest if there is much; or, with handle NULL, about the
 * last attempt to find or open one. What a snapshot's reading met: ompdx_snapshot_diagnostics. Frees: the tool,
 * with free_memory. */
OMPD_API ompd_rc_t ompdx_get_diagnostics(ompd_address_space_handle_t *handle,
					 ompdx_diagnostics_t **diagnostics);

/* ---- Frozen memory ------------------------------------------------------------------------------ */

/* From freeze to thaw the tool promises that the target's memory does not change: it neither runs nor is written
 * to. All routines then read what they have read before no more; up to 64 MiB of it are remembered, page by page,
 * and thaw forgets all. A tool that breaks its promise gets answers of two moments. Release of the handle thaws.
 * bad_input: it is frozen already; it is not frozen. */
OMPD_API ompd_rc_t ompdx_freeze(ompd_address_space_handle_t *handle);
OMPD_API ompd_rc_t ompdx_thaw(ompd_address_space_handle_t *handle);

/* ---- Snapshots: one runtime at one stop --------------------------------------------------------- */

/* A handle, as OMPD's are. Its parts (view, tasks, locks, arrivals, loops, ICVs) are read when they are first asked for,
 * and what has been read is remembered as by ompdx_freeze, so that they are of the same bytes. Threads are told by
 * their index in the view, in every part. */
typedef struct ompdx_snapshot_handle ompdx_snapshot_handle_t;

#define OMPDX_NATIVE_PTHREAD UINT32_C(1)
#define OMPDX_NATIVE_THREAD_POINTER UINT32_C(2)
#define OMPDX_NATIVE_LWP UINT32_C(4)

/* A native thread, as the tool knows it. A pthread id decides alone where it is known. Else the thread pointer
 * does, if it is some OpenMP thread's pthread id (elsewhere than on x86-64 it need not be one); else the LWP. */
typedef struct ompdx_native_thread_t {
	ompd_size_t size;
	uint32_t known; /* which of the following: OMPDX_NATIVE_... */
	uint32_t reserved;
	uint64_t pthread_id;
	uint64_t thread_pointer; /* on x86-64 with glibc the same number as pthread_id */
	uint64_t lwp;
} ompdx_native_thread_t;

/* Values of ompt_state_t and ompt_frame_flag_t that a tool meets without OMPT's header (OpenMP 6.0, 33.31 and
 * 33.15). ompd_enumerate_states names all states. */
#define OMPDX_STATE_WORK_SERIAL 0x000
#define OMPDX_STATE_WORK_PARALLEL 0x001
#define OMPDX_STATE_IDLE 0x100
#define OMPDX_STATE_OVERHEAD 0x101
#define OMPDX_STATE_UNDEFINED 0x102 /* ompd_enumerate_states begins with it */
#define OMPDX_FRAME_RUNTIME 0x00
#define OMPDX_FRAME_APPLICATION                                                                    \
	0x01 /* this bit: whose the frame is; the others: what the address is */
#define OMPDX_FRAME_CFA 0x10
#define OMPDX_FRAME_FRAMEPOINTER 0x20
#define OMPDX_FRAME_STACKADDRESS 0x30

/* Bits of ident_flags, as LLVM's compilers set them (kmp.h: KMP_IDENT_...). */
#define OMPDX_IDENT_BARRIER_EXPLICIT 0x0020
#define OMPDX_IDENT_BARRIER_MASK 0x01c0 /* which construct's end an implicit barrier is: */
#define OMPDX_IDENT_BARRIER_FOR 0x0040
#define OMPDX_IDENT_BARRIER_SECTIONS 0x00c0
#define OMPDX_IDENT_BARRIER_SINGLE 0x0140
#define OMPDX_IDENT_BARRIER_WORKSHARE 0x01c0
#define OMPDX_IDENT_WORK_LOOP 0x0200
#define OMPDX_IDENT_WORK_SECTIONS 0x0400
#define OMPDX_IDENT_WORK_DISTRIBUTE 0x0800

typedef enum ompdx_thread_kind_t {
	ompdx_thread_none =
		0, /* not a thread of this runtime; with a problem: not known to be one */
	ompdx_thread_initial =
		1, /* the first thread that the runtime met: the program's, as a rule */
	ompdx_thread_worker = 2, /* started by the runtime */
	ompdx_thread_root =
		3, /* another thread of the program that uses OpenMP on its own account */
	ompdx_thread_helper = 4 /* a hidden helper thread */
} ompdx_thread_kind_t;

typedef enum ompdx_task_kind_t {
	ompdx_task_none = 0,
	ompdx_task_initial = 1,
	ompdx_task_implicit = 2,
	ompdx_task_explicit = 3
} ompdx_task_kind_t;

/* One step of a thread's chain of regions. */
typedef struct ompdx_view_level_t {
	uint32_t region; /* index into regions */
	int32_t thread_num; /* the thread's number there (for an ancestor: that of the thread it descends from) */
} ompdx_view_level_t;

typedef struct ompdx_view_thread_t {
	ompd_size_t size;
	uint32_t
		native; /* index into the tool's list; UINT32_MAX: only the runtime knows this thread */
	ompdx_thread_kind_t kind;
	ompdx_problem_t problem;
	int32_t runtime_id;   /* the runtime's own number of the thread (libomp: gtid) */
	ompd_addr_t address;  /* of the runtime's structure for the thread (libomp: kmp_info_t) */
	uint64_t pthread_id;  /* as the runtime recorded it */
	uint32_t level_first; /* its regions, innermost first: levels[level_first ...] */
	uint32_t level_count; /* 0: in no region, which for a worker means idle */
	ompd_addr_t task;     /* address of the current task's structure */
	ompdx_task_kind_t task_kind;
	int32_t task_final;    /* 1, 0, or -1 */
	int32_t tracked_state; /* a value of ompt_state_t if the runtime records states, else -1 */
	uint32_t reserved;
	uint64_t tracked_wait_id;
	int32_t ident_flags; /* of the construct for which the thread called the runtime last, as the compiler
				recorded it (libomp: ident_t.flags, kmp.h); -1: not known */
	uint32_t
		has_team; /* 1: it belongs to a team, whose region may be over, or not begun. A worker
			      that has just been made has one, one that is about to end has none */
	const char *ident_source; /* where that construct is, as in ompdx_view_region_t.source */
} ompdx_view_thread_t;

typedef enum ompdx_cancelled_t {
	ompdx_cancelled_nothing = 0, /* or it is not known */
	ompdx_cancelled_parallel = 1,
	ompdx_cancelled_for = 2,
	ompdx_cancelled_sections = 3,
	ompdx_cancelled_worksharing = 4 /* one of those two: libgomp does not keep which */
} ompdx_cancelled_t;

typedef struct ompdx_view_region_t {
	ompd_size_t size;
	ompd_addr_t address; /* of the runtime's structure for the team (libomp: kmp_team_t) */
	uint32_t
		serial_depth; /* libomp keeps nested serialized regions in one team: which of them, outermost 0 */
	uint32_t parent;      /* index into regions; UINT32_MAX: an initial region */
	uint32_t generator;   /* ompd_team_generator_t: program, parallel, teams, target */
	int32_t serialized;   /* 1: executed by the encountering thread alone */
	int32_t level;        /* omp_get_level() */
	int32_t active_level; /* omp_get_active_level() */
	int32_t team_size;    /* omp_get_num_threads() */
	int32_t league_size;  /* omp_get_num_teams() in a teams region, else -1 */
	int32_t team_num;     /* omp_get_team_num() in a teams region, else -1 */
	ompdx_problem_t problem;
	ompd_addr_t function; /* of the outlined code; 0: not known */
	const char *
		source; /* what the compiler recorded of the construct, ";file;function;line;column;;",
				   as it stands in the target; NULL: nothing, or not known */
	uint32_t
		member_first; /* the threads by thread number: members[member_first ...], team_size of them; */
	uint32_t member_count; /* each an index into threads, or UINT32_MAX */
	int32_t helpers; /* 1: not of the program's: the team of the runtime's hidden helper threads */
	ompdx_cancelled_t
		cancelled; /* of what a thread has requested cancellation; it is over when all
					threads have come to the end of that */
	uint32_t
		barrier_round; /* libgomp: what each barrier adds to the word that its threads sleep on; 0: not told */
} ompdx_view_region_t;

typedef struct ompdx_view_t {
	ompd_size_t size;
	uint32_t
		thread_count; /* the tool's threads in its order, then those that only the runtime knows */
	uint32_t region_count; /* parents stand before their children */
	uint32_t level_count;
	uint32_t member_count;
	const ompdx_view_thread_t *threads;
	const ompdx_view_region_t *regions;
	const ompdx_view_level_t *levels;
	const uint32_t *members;
	uint32_t level_size; /* of one element of levels */
	uint32_t member_size;
	ompdx_problem_t problem; /* why there may be more regions than these */
	uint32_t reserved;
} ompdx_view_t;

/* Reads the runtime's threads and regions, for the tool's threads (NULL, 0: it brings none). The parts are made of
 * them, and of what else they need at the moment when they are asked for: until then the target has to stand still.
 * A part that the tool has stays as it is, whatever the target does.
 * A snapshot and all that it shows is gone with ompdx_snapshot_destroy, and with its address space.
 * bad_input: threads NULL with a count. unavailable: the runtime is not initialised, or it is not known
 * where it keeps its threads (ompdx_get_diagnostics says why). unsupported: this runtime kind.
 * A thread whose structures are unreadable does not fail a snapshot: it is marked, and so is each of the tool's
 * that it may be. nomem: also more than 131,072 threads, which no process has. */
OMPD_API ompd_rc_t ompdx_snapshot_create(ompd_address_space_handle_t *handle,
					 const ompdx_native_thread_t *threads,
					 ompd_size_t thread_count,
					 ompdx_snapshot_handle_t **snapshot);
OMPD_API ompd_rc_t ompdx_snapshot_destroy(ompdx_snapshot_handle_t *snapshot);

/* Threads and regions. What is more than 1,048,576 regions, or 4,194,304 levels or members, is left out and marked
 * (ompdx_problem_limit); of text what is more than 16 MiB. */
OMPD_API ompd_rc_t ompdx_snapshot_view(ompdx_snapshot_handle_t *snapshot,
				       const ompdx_view_t **view);

/* What reading the snapshot met so far, as ompdx_get_diagnostics. Valid until it is asked for again. */
OMPD_API ompd_rc_t ompdx_snapshot_diagnostics(ompdx_snapshot_handle_t *snapshot,
					      const ompdx_diagnostics_t **diagnostics);

/* ---- Tasks: all that the runtime knows of ------------------------------------------------------- */

typedef enum ompdx_task_state_t {
	ompdx_task_state_unknown = 0,
	ompdx_task_state_executing = 1, /* a thread's current task */
	ompdx_task_state_suspended = 2, /* begun, and its thread executes another task meanwhile */
	ompdx_task_state_ready = 3,     /* in a queue */
	ompdx_task_state_blocked = 4,   /* waits for tasks that it depends on */
	ompdx_task_state_detached =
		5, /* its code is done; the event of its detach clause is not fulfilled */
	ompdx_task_state_finished = 6 /* kept, because tasks that it made are not done */
} ompdx_task_state_t;

typedef struct ompdx_task_t {
	ompd_size_t size;
	ompd_addr_t address; /* of the runtime's structure for the task (libomp: kmp_taskdata_t) */
	ompdx_task_kind_t kind;
	ompdx_task_state_t state;
	uint32_t
		thread; /* that executes it, or whose queue it is in: an index into the view's threads */
	uint32_t creator;        /* the thread that created it: the same */
	ompd_addr_t team;        /* the team that it belongs to (ompdx_view_region_t.address) */
	uint32_t parent;         /* the task that generated it: an index into tasks; UINT32_MAX */
	int32_t children;        /* tasks that it generated and that are not complete; -1 */
	int32_t priority;        /* -1: none given */
	int32_t predecessors;    /* how many tasks it depends on are not complete; -1: not known */
	int32_t tied;            /* 1; 0: untied */
	int32_t final;           /* 1, 0 */
	int32_t undeferred;      /* 1: whoever created it executed it at once */
	int32_t taskwait;        /* 1: it is in a taskwait construct now */
	ompd_addr_t taskgroup;   /* the innermost taskgroup that it belongs to, or has begun; 0 */
	int32_t taskgroup_count; /* tasks in that group that are not complete; -1 */
	uint32_t taskgroup_cancelled; /* 1: a thread has requested that group's cancellation */
	ompd_addr_t function;         /* the task's code; 0: not known, or no explicit task */
	const char *
		source; /* where it was created, as in ompdx_view_region_t; NULL: nothing, or not known */
	const char *taskwait_source; /* the taskwait's place; NULL: none, or not known */
} ompdx_task_t;

/* One task cannot begin before another is complete. */
typedef struct ompdx_dependence_t {
	uint32_t task; /* who waits: an index into tasks */
	uint32_t predecessor;
} ompdx_dependence_t;

typedef struct ompdx_tasks_t {
	ompd_size_t size;
	uint32_t task_count;
	uint32_t dependence_count;
	const ompdx_task_t *tasks;
	const ompdx_dependence_t *dependences;
	uint32_t dependence_size; /* of one element of dependences */
	ompdx_problem_t problem;  /* why there may be more than these */
} ompdx_tasks_t;

/* The explicit tasks that can be found: those that threads execute, those in queues, those that depend on
 * them, and all that generated one of them; with these the implicit and initial tasks of threads in
 * regions. No list exists of suspended untied tasks and of detached ones: a task whose children are more
 * than those in the answer has others.
 * unavailable: it is not known where this build keeps tasks. */
OMPD_API ompd_rc_t ompdx_snapshot_tasks(ompdx_snapshot_handle_t *snapshot,
					const ompdx_tasks_t **tasks);

/* ---- Locks: those that are held or waited for --------------------------------------------------- */

typedef enum ompdx_lock_kind_t {
	ompdx_lock_unknown = 0,
	ompdx_lock_tas = 1,
	ompdx_lock_futex = 2,
	ompdx_lock_ticket = 3,
	ompdx_lock_queuing = 4,
	ompdx_lock_drdpa = 5
} ompdx_lock_kind_t;

/* A variable of the program's that the tool asks about: an omp_lock_t, an omp_nest_lock_t, or what a
 * compiler made for a critical construct. */
typedef struct ompdx_lock_variable_t {
	ompd_size_t size;
	ompd_addr_t address;
	int32_t critical; /* 1: a critical construct's */
	uint32_t reserved;
} ompdx_lock_variable_t;

typedef struct ompdx_lock_t {
	ompd_size_t size;
	ompd_addr_t
		address; /* of the runtime's structure, or of the variable that the lock lies in */
	ompdx_lock_kind_t kind;
	int32_t nested; /* 1: of omp_init_nest_lock */
	int32_t held;   /* 1; 0: free; -1: not known */
	uint32_t
		owner; /* the thread that holds it: an index into the view's threads; UINT32_MAX: not
			  recorded, or with owner_id a thread that the runtime does not have any more */
	int32_t owner_id;      /* the runtime's own number of it; -1: not recorded */
	int32_t depth;         /* how often the owner has set a nested lock; -1 */
	int32_t waiting;       /* how many wait; -1: this kind does not tell */
	uint32_t waiter_first; /* who waits, the next to get it first: waiters[waiter_first ...] */
	uint32_t waiter_count; /* 0 also for kinds that keep no queue */
	ompdx_problem_t problem; /* why there may be more waiters */
	uint64_t
		word; /* to compare with another stop's: it changes when the lock is taken, given up or
			  queued for, and has no other meaning */
} ompdx_lock_t;

typedef struct ompdx_locks_t {
	ompd_size_t size;
	uint32_t lock_count;
	uint32_t waiter_count;
	uint32_t variable_count;
	ompdx_problem_t problem; /* why there may be more locks */
	const ompdx_lock_t *locks;
	const uint32_t *waiters; /* indexes into the view's threads */
	const uint32_t *
		variables; /* for each variable that was asked about, the index of its lock; UINT32_MAX:
				      it holds none */
	uint32_t waiter_size; /* of one element of waiters */
	uint32_t variable_size;
} ompdx_locks_t;

/* The locks and critical constructs that are held or waited for, and those of the variables that the tool
 * asks about. Locks that the runtime keeps in the program's own variable (kinds tas and futex, but nested)
 * are known only by asking. libomp records the owner of nested locks, of those two kinds, and with
 * KMP_CONSISTENCY_CHECK=all of every lock.
 * Valid until locks are asked for again, about other variables perhaps.
 * bad_input: variables NULL with a count. unavailable: it is not known where this build keeps locks. */
OMPD_API ompd_rc_t ompdx_snapshot_locks(ompdx_snapshot_handle_t *snapshot,
					const ompdx_lock_variable_t *variables,
					ompd_size_t variable_count, const ompdx_locks_t **locks);

/* ---- Arrivals: what the barriers' own words tell ------------------------------------------------ */

/* The runtime has one barrier of each kind for a team, whichever construct it serves. */
#define OMPDX_BARRIER_PLAIN UINT32_C(1)  /* explicit, and at the end of a worksharing construct */
#define OMPDX_BARRIER_REGION UINT32_C(2) /* at the end of a region */
#define OMPDX_BARRIER_REDUCTION UINT32_C(4) /* in a reduction */

typedef struct ompdx_arrival_t {
	ompd_size_t size;
	uint32_t thread;  /* an index into the view's threads */
	uint32_t arrived; /* at which it has arrived, and not all others have: OMPDX_BARRIER_... Not
			     told of thread 0, and of threads that others report to */
	uint32_t released; /* from which it has been let go, and has not gone on yet */
	uint32_t
		complete; /* at which it sleeps although all have come: they are being let go, or tasks
			      keep them. Not told of REGION, where workers sleep between regions */
	/* How many barriers it and its team have come to, by kind (PLAIN, REGION, REDUCTION): to compare
	 * with another stop's. Thread 0 counts none of its own. */
	uint64_t steps[3];
	uint64_t team_steps[3];
} ompdx_arrival_t;

/* How many threads of a team have come to a barrier that not all have come to: where a runtime counts them, and keeps
 * no trace of who they are. */
typedef struct ompdx_team_arrivals_t {
	ompd_size_t size;
	ompd_addr_t team;       /* ompdx_view_region_t.address */
	int32_t awaits;         /* how many have to come */
	int32_t arrived;        /* at a barrier inside of the region; -1: not known */
	int32_t arrived_at_end; /* at the one at its end; -1 */
	int32_t waits_for_tasks; /* 1: all have come, and explicit tasks of the team are not complete */
	uint64_t
		steps; /* how many barriers the team has been through: to compare with another stop's */
	uint64_t
		regions; /* the same of the regions that its thread 0 has begun with the threads that it keeps
			     for them. A team that is made anew begins to count its barriers anew */
} ompdx_team_arrivals_t;

typedef struct ompdx_arrivals_t {
	ompd_size_t size;
	uint32_t count;
	ompdx_problem_t problem; /* why threads are missing */
	const ompdx_arrival_t *arrivals;
	uint32_t team_count; /* 0 for libomp, whose barriers count nobody */
	uint32_t reserved;
	const ompdx_team_arrivals_t *teams;
} ompdx_arrivals_t;

/* Tells a thread that waits at a barrier for others from one that has been let go and has not woken up yet:
 * on their stacks both look the same. Of libgomp's threads nothing is known, but of its teams.
 * unavailable: it is not known where this build keeps its barriers. */
OMPD_API ompd_rc_t ompdx_snapshot_arrivals(ompdx_snapshot_handle_t *snapshot,
					   const ompdx_arrivals_t **arrivals);

/* ---- Loops: which iterations the threads have --------------------------------------------------- */

typedef enum ompdx_schedule_t {
	ompdx_schedule_unknown = 0,
	ompdx_schedule_static = 1,
	ompdx_schedule_dynamic = 2,
	ompdx_schedule_guided = 3,
	ompdx_schedule_trapezoidal = 4,
	ompdx_schedule_static_steal =
		5 /* each thread has a part of its own, and takes from others' at its end: how
		     libomp executes nonmonotonic:dynamic */
} ompdx_schedule_t;

/* That the thread is in this loop: does the runtime's record alone say so? */
typedef enum ompdx_loop_evidence_t {
	ompdx_loop_recorded = 0,
	ompdx_loop_or_other = 1, /* it is in a worksharing construct: a loop, if its code says so */
	ompdx_loop_or_none =
		2 /* it is in the loop with which its region began, if its code says so */
} ompdx_loop_evidence_t;

/* One thread in one work-sharing loop that the runtime schedules. Iterations are counted from 0. */
typedef struct ompdx_loop_t {
	ompd_size_t size;
	ompd_addr_t team;   /* the team that shares the loop (ompdx_view_region_t.address) */
	uint32_t thread;    /* an index into the view's threads */
	int32_t thread_num; /* its number in that team */
	uint32_t
		loop; /* counts such loops within the region: threads that are in the same have the same number */
	ompdx_schedule_t schedule;
	ompdx_problem_t problem; /* why nothing of the following is known */
	int32_t ordered;         /* 1: the loop has the ordered clause; -1: not recorded */
	int32_t may_have_left; /* 1: the program can cancel loops (cancel-var), and then the runtime's record
				  stays: the thread may have left this one; -1: that is not known */
	int32_t sections; /* 1: no loop but a sections construct of gcc's, whose sections are counted */
	int64_t iterations; /* of the whole loop; -1: not recorded */
	int64_t chunk;      /* the schedule's size of chunks; -1: it has none */
	int64_t handed_out; /* how many iterations threads have got so far; -1: not recorded */
	int64_t first;      /* the chunk that the thread got last: first to last; -1, -1: not */
	int64_t last;       /* recorded, or it has not got one yet */
	int64_t left; /* how many are set aside for the thread that it has not got yet; -1: not recorded */
	int64_t ordered_turn; /* the iteration whose turn it is in ordered; -1: no ordered clause, or not
				 recorded */
	int64_t remaining; /* how many iterations no thread has got yet; -1: not recorded */
	ompdx_loop_evidence_t evidence;
	int32_t ordered_holder; /* if the loop has the ordered clause: the number of the thread whose turn it
				   is; -1: not recorded */
	int32_t completed; /* how many threads have left it without waiting at its end; -1: not recorded */
	int32_t reserved;
} ompdx_loop_t;

typedef struct ompdx_loops_t {
	ompd_size_t size;
	uint32_t count;
	ompdx_problem_t problem; /* why there may be more */
	const ompdx_loop_t *loops;
} ompdx_loops_t;

/* The threads in loops that the runtime hands out: those of schedule dynamic, guided, runtime and auto, and of
 * the ordered clause. Of a static schedule compilers compute the bounds in the program's code, and
 * of a team of one thread libomp records nothing: these are not in the answer. A thread is in its loop
 * from its beginning until it has been told that no iteration is left. libgomp keeps what is still to be handed out,
 * the same for sections, and nothing of who has got which iterations but of a static schedule.
 * unavailable: it is not known where this build keeps loops. */
OMPD_API ompd_rc_t ompdx_snapshot_loops(ompdx_snapshot_handle_t *snapshot,
					const ompdx_loops_t **loops);

/* ---- Doacross loops: who can post an iteration that a thread waits for? ------------------------- */

/* Where a member of the team is. */
typedef enum ompdx_doacross_member_t {
	ompdx_doacross_elsewhere = 0, /* not known to be in the loop, nor to have left it */
	ompdx_doacross_inside =
		1, /* in it. On libgomp also at its end and behind it, up to the next
				      worksharing construct */
	ompdx_doacross_left = 2
} ompdx_doacross_member_t;

typedef struct ompdx_doacross_t {
	ompd_size_t size;
	uint32_t dimensions; /* how many numbers an iteration has; 0: the loop never waits */
	int32_t posted; /* 1: nobody has to wait for the iteration: it was posted, or is none of the loop's;
			   0: it was not; -1: none was asked for */
	int32_t owner; /* the number of the thread that executes it; -1: not recorded */
	uint32_t member_count;
	ompd_addr_t loop;                       /* tells it from other doacross loops of the team */
	const ompdx_doacross_member_t *members; /* by their numbers in the team */
	uint32_t member_size;                   /* of one element of members */
	uint32_t reserved;
} ompdx_doacross_t;

/* Of the doacross loop that a member of a team is in: by the region's address in the view, and the thread's number
 * there. iteration: as the compiler numbers it, the outermost loop first; with dimensions 0 none is asked for.
 * unavailable: the member is in no such loop, or it is not known where this build keeps them. bad_input: there is no such
 * team or member, or an iteration of this loop has another number of dimensions. */
OMPD_API ompd_rc_t ompdx_snapshot_doacross(ompdx_snapshot_handle_t *snapshot, ompd_addr_t team,
					   int32_t thread_num, const int64_t *iteration,
					   ompd_size_t dimensions,
					   const ompdx_doacross_t **doacross);

/* ---- ICVs: those of all threads ----------------------------------------------------------------- */

/* An ICV, as ompd_enumerate_icvs tells it to a tool of this version. */
typedef struct ompdx_icv_t {
	ompd_size_t size;
	ompd_icv_id_t id;
	const char *name;
	ompd_scope_t scope;
	uint32_t reserved;
} ompdx_icv_t;

#define OMPDX_ICV_NUMBER UINT32_C(1)
#define OMPDX_ICV_TEXT UINT32_C(2)

typedef struct ompdx_icv_value_t {
	const char *text;   /* as of ompd_get_icv_string_from_scope; NULL: not known */
	ompd_word_t number; /* as of ompd_get_icv_from_scope: of a list its first item */
	uint32_t
		known; /* which of the two: OMPDX_ICV_...; 0: it could not be had, or the row has none */
	uint32_t reserved;
} ompdx_icv_value_t;

/* Row after row, one for each of the view's threads in its order, with a value for each of icvs. A thread's row has
 * what its scopes stand for: the thread, its current task and its current parallel region; if it is in no region, it
 * has no values. One more row, the last, is of the process: it has ICVs of the address space, and those of the
 * program's initial task and first thread. */
typedef struct ompdx_icvs_t {
	ompd_size_t size;
	uint32_t icv_count;
	uint32_t row_count;
	const ompdx_icv_t *icvs;
	const ompdx_icv_value_t *values;
	uint32_t value_size;     /* of one element of values */
	ompdx_problem_t problem; /* why there may be more values: lists beyond all measure */
} ompdx_icvs_t;

/* What OMPD's own routines tell of each, in one call, which allocates and reads a small part of what they do (256
 * threads of libomp have 7,000 values).
 * unsupported: this runtime kind. */
OMPD_API ompd_rc_t ompdx_snapshot_icvs(ompdx_snapshot_handle_t *snapshot,
				       const ompdx_icvs_t **icvs);

/* ---- Functions: what a name on a stack tells ---------------------------------------------------- */

/* More values of ompt_state_t (see OMPDX_STATE_...): what a thread can wait for. */
#define OMPDX_STATE_WAIT_BARRIER 0x010
#define OMPDX_STATE_WAIT_BARRIER_IMPLICIT_PARALLEL 0x011
#define OMPDX_STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE 0x012
#define OMPDX_STATE_WAIT_BARRIER_EXPLICIT 0x014
#define OMPDX_STATE_WAIT_BARRIER_IMPLEMENTATION 0x015
#define OMPDX_STATE_WAIT_BARRIER_TEAMS 0x016
#define OMPDX_STATE_WAIT_TASKWAIT 0x020
#define OMPDX_STATE_WAIT_TASKGROUP 0x021
#define OMPDX_STATE_WAIT_LOCK 0x041
#define OMPDX_STATE_WAIT_CRITICAL 0x042
#define OMPDX_STATE_WAIT_ATOMIC 0x043
#define OMPDX_STATE_WAIT_ORDERED 0x044
#define OMPDX_STATE_WAIT_TARGET 0x080
#define OMPDX_STATE_WAIT_TARGET_MAP 0x081
#define OMPDX_STATE_WAIT_TARGET_UPDATE 0x082

typedef enum ompdx_function_class_t {
	ompdx_function_other = 0, /* nothing is known of the name: the program's, or a library's */
	ompdx_function_entry = 1, /* what programs call of a runtime */
	ompdx_function_internal = 2, /* a runtime's own, as no program names its functions */
	ompdx_function_ambiguous =
		3, /* the same of a name that programs have as well: its source file, or the image that
		      it is in, tells whose it is */
	ompdx_function_outlined = 4, /* a construct's code, named by a compiler */
	ompdx_function_system = 5    /* the C library's, if it is in that library's image */
} ompdx_function_class_t;

/* What a thread waits for inside an entry point, if it waits. */
typedef enum ompdx_wait_t {
	ompdx_wait_none = 0,      /* for nothing, as a rule */
	ompdx_wait_barrier = 1,   /* which one, the compiler's mark tells, if any does */
	ompdx_wait_workshare = 2, /* the barrier at the end of a worksharing construct */
	ompdx_wait_reduction = 3, /* the barrier of a reduction, or the turn to add */
	ompdx_wait_region = 4,    /* the barrier at the end of a region */
	ompdx_wait_critical = 5,
	ompdx_wait_lock = 6,
	ompdx_wait_nest_lock = 7,
	ompdx_wait_atomic = 8,
	ompdx_wait_ordered = 9,
	ompdx_wait_doacross = 10,
	ompdx_wait_taskwait = 11,
	ompdx_wait_depend = 12, /* tasks that others depend on */
	ompdx_wait_taskgroup = 13,
	ompdx_wait_target = 14,     /* a device executes a target region */
	ompdx_wait_target_map = 15, /* data are mapped, or unmapped */
	ompdx_wait_target_update = 16
} ompdx_wait_t;

/* At the barrier of which construct does a thread wait? Later versions may know more. */
typedef enum ompdx_construct_t {
	ompdx_construct_none = 0, /* at no barrier, or it is not known */
	ompdx_construct_parallel = 1,
	ompdx_construct_teams = 2,
	ompdx_construct_reduction = 3,
	ompdx_construct_barrier = 4, /* an explicit one */
	ompdx_construct_for = 5,
	ompdx_construct_sections = 6,
	ompdx_construct_single = 7,
	ompdx_construct_workshare = 8,
	ompdx_construct_worksharing = 9 /* one of the last four, or a scope construct */
} ompdx_construct_t;

/* Of entry points: */
#define OMPDX_ROLE_FORKS UINT32_C(0x1)            /* it begins a region, and ends it */
#define OMPDX_ROLE_FORKS_BY_ANOTHER UINT32_C(0x2) /* by calling another one that does */
#define OMPDX_ROLE_LEAGUE UINT32_C(0x4)           /* that region is a teams region */
#define OMPDX_ROLE_SERIALIZES UINT32_C(0x8)       /* its caller alone executes the region */
#define OMPDX_ROLE_BEFORE_REGION UINT32_C(0x10)   /* after it, its caller calls the region's code */
#define OMPDX_ROLE_EXECUTES_AT_ONCE UINT32_C(0x20) /* it can execute the task that it is given */
#define OMPDX_ROLE_EXECUTES_TASKS UINT32_C(0x40)   /* it can execute tasks, and does not wait */
#define OMPDX_ROLE_ENDS_REDUCTION UINT32_C(0x80)   /* here all wait for all, not for a turn */
#define OMPDX_ROLE_CANCEL_BARRIER UINT32_C(0x100)  /* a barrier of a region that can be cancelled */
#define OMPDX_ROLE_UNNAMED_CRITICAL UINT32_C(0x200) /* the construct's variable is the runtime's */
#define OMPDX_ROLE_CONTENDED UINT32_C(0x400) /* it waits only while another thread is inside */
#define OMPDX_ROLE_WORKS UINT32_C(0x800)     /* it never waits: the thread is at work */
#define OMPDX_ROLE_NESTED UINT32_C(0x1000)   /* others of its kind may call it */
#define OMPDX_ROLE_UNMARKED                                                                        \
	UINT32_C(0x2000) /* a barrier of any construct: neither the call nor a mark tells which */
/* Of a runtime's own functions: */
#define OMPDX_ROLE_INVOKES UINT32_C(0x10000)       /* it calls the code of constructs */
#define OMPDX_ROLE_BEGINS_REGION UINT32_C(0x20000) /* it begins a region, and does not end it */
#define OMPDX_ROLE_ACQUIRES UINT32_C(0x40000)      /* it takes a lock of the runtime's own */
/* Of the C library's: */
#define OMPDX_ROLE_CREATES_THREAD UINT32_C(0x100000)
#define OMPDX_ROLE_STARTS_THREAD UINT32_C(0x200000) /* it is what a thread begins with */
#define OMPDX_ROLE_SLEEPS UINT32_C(0x400000) /* runtimes call it only while a thread has to wait */
/* Of outlined code: */
#define OMPDX_ROLE_OF_CLANG UINT32_C(0x1000000)

typedef struct ompdx_function_t {
	ompd_size_t size;
	ompdx_function_class_t function_class;
	ompdx_wait_t wait;
	uint32_t roles; /* OMPDX_ROLE_... */
	uint32_t state; /* what a thread in a region does, as a rule, that has called it: a value of
			   ompt_state_t; OMPDX_STATE_UNDEFINED: not told */
	int32_t code_argument; /* which argument, counted from 0, is the function of the construct that
				  it begins or makes a task of; -1: none */
	int32_t object_argument; /* which one is the lock, or the critical construct's variable; -1 */
	const char *entry; /* as programs call it, static in the library; NULL: not in the tables */
	ompdx_construct_t construct; /* of a barrier, where the call tells it */
	uint32_t reserved;
} ompdx_function_t;

/* What the name tells, as it stands in a symbol table or in debug information: with a version behind it, Fortran's
 * underscore, or what a runtime puts before its own copy. Whether the function is the runtime's, its address
 * decides where it can. Fills *function, up to the function->size that the tool set. Callable at any time;
 * reads nothing of the target. bad_input: an argument is NULL, or the size too small. */
OMPD_API ompd_rc_t ompdx_describe_function(const char *name, ompdx_function_t *function);

/* A function of a runtime. */
typedef struct ompdx_entry_point_t {
	ompd_size_t size;
	ompd_addr_t address;
	uint64_t code_size; /* in bytes; 0: not known */
	const char *name;   /* as its image or the tool's symbols spell it */
	ompdx_function_class_t function_class;
	uint32_t reserved;
} ompdx_entry_point_t;

typedef struct ompdx_entry_points_t {
	ompd_size_t size;
	ompd_size_t count;
	const ompdx_entry_point_t *entry_points; /* of one name there may be several, by versions */
} ompdx_entry_points_t;

/* The functions of the runtime that its image exports: what programs call, and what of its own has a name in every
 * build. A stripped runtime has no other names. For one that is linked into the program, the tool is asked for the
 * names that the library knows. Frees: the tool, with free_memory.
 * incomplete: these, and there may be more: the image's list cannot be read to its end, or has more than 65,536
 * symbols. unavailable: none was found. */
OMPD_API ompd_rc_t ompdx_entry_points(ompd_address_space_handle_t *handle,
				      ompdx_entry_points_t **entry_points);

/* ---- Offloading: what the host knows of devices ------------------------------------------------- */

/* The library that executes target constructs is an image of its own (LLVM's: libomptarget), beside the runtime. It
 * publishes nothing, so its structures are read by shipped records, each proven by what the structures say of
 * themselves before anything is told by it. */

typedef enum ompdx_layout_t {
	ompdx_layout_refused = 0, /* nothing is read by it: `reason' says why */
	ompdx_layout_likely =
		1, /* all that can be compared fits, but not everything can, or the release is one of
		      which there is no record: told with that doubt */
	ompdx_layout_proven =
		2 /* a record of this release, and every structure that was read fits it */
} ompdx_layout_t;

typedef enum ompdx_device_kind_t {
	ompdx_device_unknown =
		0, /* no image has been chosen for it, or its header cannot be read */
	ompdx_device_host =
		1, /* a plugin that executes kernels in threads of this process (LLVM's host plugin) */
	ompdx_device_cuda = 2, /* NVIDIA GPU */
	ompdx_device_hsa = 3,  /* AMD GPU */
	ompdx_device_other = 4 /* `machine' tells which */
} ompdx_device_kind_t;

typedef struct ompdx_device_t {
	ompd_size_t size;
	int32_t number;        /* as omp_get_device_num() counts */
	int32_t plugin_number; /* its number among the devices of its plugin */
	ompdx_device_kind_t kind;
	uint32_t machine;       /* e_machine of the image that was chosen for it; 0: not known */
	uint32_t machine_flags; /* e_flags of the same: the GPU's architecture */
	int32_t used;           /* 1: the program's code has been loaded onto it; 0: not yet; -1 */
	ompd_addr_t
		address; /* of the runtime's structure for it (libomptarget: DeviceTy), which its stack
				frames point to */
	ompd_addr_t plugin; /* of the structure for its plugin; 0 */
	ompd_addr_t mutex;  /* of the mutex of its mapping table: a pthread_mutex_t; 0: not known */
	int32_t locked;     /* 1: a thread holds that mutex; 0; -1: not known */
	uint32_t reserved;
	uint64_t owner;  /* the LWP that holds it; 0: none, or not known */
	uint64_t mapped; /* how many mappings the table says to have */
	uint32_t
		mapping_first; /* those that were read: mappings[mapping_first ...], by host address */
	uint32_t mapping_count;
	ompdx_problem_t problem; /* why there are fewer than `mapped' */
	uint32_t reserved2;
} ompdx_device_t;

/* A reference count that stays: declare target, omp_target_associate_ptr. */
#define OMPDX_COUNT_INFINITE UINT64_MAX

typedef struct ompdx_mapping_t {
	ompd_size_t size;
	uint32_t device;         /* index into devices */
	ompdx_problem_t problem; /* why the counts are not known: they are 0 then */
	ompd_addr_t address;     /* of the runtime's structure (libomptarget: HostDataToTargetTy) */
	ompd_addr_t host_base;   /* of the variable that host_begin is a part of */
	ompd_addr_t host_begin;  /* mapped is host_begin <= x < host_end */
	ompd_addr_t host_end;
	ompd_addr_t device_begin; /* where host_begin is on the device */
	ompd_addr_t
		device_allocation; /* where the device's block begins: at device_begin, or a little before
					  it; 0: not recorded (before libomptarget 17) */
	uint64_t
		dynamic_count; /* the dynamic reference count. 0 while a construct is about to remove it */
	uint64_t hold_count; /* of OpenACC's structured regions and ompx_hold */
	ompd_addr_t
		source_address; /* where `source' stands in the target; 0: the compiler recorded none */
	const char *
		source; /* what the compiler recorded of the map clause, ";variable;file;line;column;;" as it
			   stands there; of a declare target variable its name alone (since 17); NULL:
			   nothing, or not readable */
} ompdx_mapping_t;

typedef enum ompdx_offload_entry_kind_t {
	ompdx_offload_entry_other = 0,
	ompdx_offload_entry_kernel = 1,  /* a target construct's code */
	ompdx_offload_entry_variable = 2 /* declare target */
} ompdx_offload_entry_kind_t;

/* What a program or library registered for offloading. */
typedef struct ompdx_offload_entry_t {
	ompd_size_t size;
	ompd_addr_t
		address; /* of a variable; of a kernel what stands for it in calls (its region id) */
	ompdx_offload_entry_kind_t kind;
	uint32_t flags;      /* as the compiler wrote them (OpenMPOffloadMappingFlags of entries) */
	uint64_t bytes;      /* of a variable, else 0 */
	ompd_addr_t library; /* the same of all that one program or library registered */
	ompd_addr_t name_address;
	const char *name; /* as the device's symbols spell it; NULL: not readable */
} ompdx_offload_entry_t;

typedef struct ompdx_offload_t {
	ompd_size_t size;
	ompd_addr_t load_bias; /* of the offload runtime's image: as in ompdx_image_t */
	ompd_addr_t dynamic;
	const char *path;  /* NULL: not known */
	ompd_addr_t start; /* its addresses: start <= pc < end; 0, 0: not known */
	ompd_addr_t end;
	int32_t version; /* major, as the exported names tell; -1: not known */
	uint32_t build_id_length;
	uint8_t build_id[32];
	char version_text[64];         /* for people, such as "LLVM libomptarget 19" */
	char record[32];               /* the shipped record that was used; empty: none fits */
	ompdx_layout_t layout;         /* of devices and entries */
	ompdx_layout_t mapping_layout; /* of the mappings. proven also while there are none */
	const char
		*reason; /* why one of them is not proven: a code of diagnostics; NULL: both are */
	const char *reason_text;
	ompd_addr_t manager; /* of the structure that holds all (libomptarget: PluginManager); 0 */
	int32_t target_offload; /* target-offload-var as the offload runtime keeps it: 0 disabled, 1 default, 2
				   mandatory; -1: it does not (from libomptarget 18 on), or not known */
	uint32_t device_count;
	uint32_t entry_count;
	uint32_t mapping_count;
	ompdx_problem_t problem; /* why there may be more devices or entries */
	uint32_t reserved;
	const ompdx_device_t *devices; /* by number */
	const ompdx_offload_entry_t *entries;
	const ompdx_mapping_t *mappings;
} ompdx_offload_t;

/* Devices, mapping tables and offload entries of the process that the handle is of, whichever runtime it is, by the
 * offload runtime among the images that the tool brings along or, with images NULL, in the dynamic linker's list.
 * What the host knows only: no device is asked. All is read at this call, through a frozen space's memory where it is
 * frozen. Frees: the tool, with free_memory.
 * ok also where the layout is refused: then runtime and reason are told, and nothing else. unavailable: none of the
 * images is an offload runtime that we know, or the list cannot be read. nomem: also more than 16 MiB of text.
 * bad_input: as ompdx_find_runtimes. */
OMPD_API ompd_rc_t ompdx_get_offload(ompd_address_space_handle_t *handle,
				     const ompdx_image_t *images, ompd_size_t image_count,
				     ompdx_offload_t **offload);
/* ---- Classification: what a thread does, by its stack ------------------------------------------ */

/* Whose code is a frame in? The address decides, where the image is known. */
typedef enum ompdx_code_t {
	ompdx_code_unknown =
		0, /* neither an image nor a symbol is known there: it could be anybody's */
	ompdx_code_program = 1,
	ompdx_code_library = 2, /* of a library whose functions execute no constructs, as C++'s */
	ompdx_code_system = 3,  /* the C library's, the dynamic linker's, or the kernel's clocks' */
	ompdx_code_runtime = 4  /* an OpenMP runtime's */
} ompdx_code_t;

/* One frame. All of it but entry is the same whenever code is at this pc: a tool that looks at many stacks makes it
 * once for each. */
typedef struct ompdx_frame_t {
	ompdx_code_t code;
	ompdx_runtime_kind_t runtime_kind; /* of a runtime's: which kind */
	uint32_t runtime; /* and the tool's own number for it: a process may have several */
	int32_t direct_call; /* before pc the code calls a fixed address: 1; by pointer, or not at all: 0; not
				looked at: -1 (OMPDX_ASKS_DIRECT) */
	const ompdx_function_t *
		function; /* what ompdx_describe_function says of its name; NULL: it has none, or it is not
			     known. Must live as long as the call */
	const ompdx_function_t *
		called; /* the same of what is called before pc, as the code tells, through a PLT too; NULL:
			   not looked at (OMPDX_ASKS_CALLED), or not told */
	ompd_addr_t
		entry; /* where its function begins; 0: not known, or not asked for (OMPDX_ASKS_REST) */
} ompdx_frame_t;

/* A word on which a thread sleeps in the kernel, without a limit of time, until it is woken (futex(2)). */
typedef struct ompdx_sleep_t {
	ompd_size_t size;
	ompd_addr_t address;
	uint32_t expected;  /* what was there when it went to sleep */
	uint32_t now;       /* what is there */
	uint32_t now_known; /* 0: it cannot be read */
	uint32_t reserved;
} ompdx_sleep_t;

/* From a system call in which a thread is: /proc/PID/task/TID/syscall has the numbers, so have the registers. Fills
 * address and expected, now_known becomes 0. machine: e_machine of the program's image.
 * unavailable: this call does not sleep on a word, or has a limit of time. unsupported: this machine.
 * bad_input: an argument is NULL, or the size too small. Callable at any time; reads nothing of the target. */
OMPD_API ompd_rc_t ompdx_decode_sleep(uint32_t machine, uint64_t number,
				      const uint64_t arguments[6], ompdx_sleep_t *sleep);

typedef enum ompdx_extent_t {
	ompdx_extent_part = 0, /* there is more, which the tool gets if asked (OMPDX_ASKS_REST) */
	ompdx_extent_cut = 1,  /* there may be more, and it cannot be had */
	ompdx_extent_whole = 2 /* up to where the thread began */
} ompdx_extent_t;

typedef struct ompdx_stack_t {
	ompd_size_t size;
	const ompdx_frame_t *frames; /* innermost first, inlined functions too */
	uint32_t frame_count;
	uint32_t frame_size; /* of one element of frames */
	ompdx_extent_t extent;
	uint32_t reserved;
	const ompdx_sleep_t
		*sleep; /* NULL: it does not sleep on a word, or that was not looked at */
} ompdx_stack_t;

/* What is known of the thread: */
#define OMPDX_FACT_THREAD UINT32_C(1)  /* thread_kind and has_team */
#define OMPDX_FACT_REGIONS UINT32_C(2) /* the regions around it, be they none */

/* What a view tells of a thread. It need not be of the same moment as the stack: what contradicts it is not noticed.
 * Strings and arrays must live as long as the call. */
typedef struct ompdx_facts_t {
	ompd_size_t size;
	uint32_t known;   /* OMPDX_FACT_... */
	uint32_t runtime; /* whose the facts are: ompdx_frame_t.runtime */
	ompdx_runtime_kind_t runtime_kind;
	ompdx_thread_kind_t thread_kind;
	uint32_t has_team; /* ompdx_view_thread_t.has_team */
	int32_t ident_flags; /* of the construct for which the thread called the runtime last, from the view or from
				the code of the call; -1: not known */
	const char *ident_source;           /* the same construct's; NULL: not known */
	const ompdx_view_level_t *levels;   /* the thread's chain of regions, innermost first */
	const ompdx_view_region_t *regions; /* what the levels are indexes into */
	uint32_t level_count;
	uint32_t level_size; /* of one element of levels */
	uint32_t region_count;
	uint32_t region_size;
	const ompdx_team_arrivals_t
		*arrivals; /* of the innermost region's team; NULL: not known, or not told */
} ompdx_facts_t;

/* Fills *facts, up to the facts->size that the tool set, with what a view tells of a thread, by its index there. They
 * point into the view. runtime, and arrivals, stay the tool's to fill.
 * bad_input: an argument is NULL, no such thread, or the size too small. Callable at any time. */
OMPD_API ompd_rc_t ompdx_get_facts(const ompdx_view_t *view, uint32_t thread,
				   ompdx_runtime_kind_t runtime_kind, ompdx_facts_t *facts);

/* Whose place is that of the wait? */
typedef enum ompdx_place_t {
	ompdx_place_none = 0,
	ompdx_place_call = 1, /* that of the program's frame that called the runtime */
	ompdx_place_recorded =
		2, /* the construct's of ident_source, if that tells one; else the call's */
	ompdx_place_region = 3 /* that of the construct of the innermost region */
} ompdx_place_t;

/* Why a state is not certain or, where it is OMPDX_STATE_UNDEFINED, not known. Later versions may know more. */
typedef enum ompdx_doubt_t {
	ompdx_doubt_none = 0,
	ompdx_doubt_no_stack = 1,     /* the stack ends before whoever called the runtime */
	ompdx_doubt_unknown_code = 2, /* the innermost frame is in ompdx_code_unknown */
	ompdx_doubt_code_hidden =
		3, /* the region's code has made way for what it called last, and what that was is
					not known */
	ompdx_doubt_sleeps_elsewhere =
		4, /* on a word of which neither its stack nor its team tells what it is */
	ompdx_doubt_helper =
		5, /* what hidden helper threads wait for is the runtime's own affair */
	ompdx_doubt_no_thread = 6, /* the view knows it as no thread of this runtime */
	ompdx_doubt_idle_or_end =
		7, /* no code of the program's is on its stack: it has come to the end of its
					region, or is in none; the view's facts are missing */
	ompdx_doubt_inside = 8,       /* it is in an entry point that as a rule does not wait */
	ompdx_doubt_in_reduction = 9, /* it waits for the others, or for its turn to add */
	ompdx_doubt_in_atomic = 10, /* it waits only while another thread is in such a construct */
	ompdx_doubt_maybe_cancelled =
		11, /* who has given up a region that can be cancelled waits under the same
					     mark */
	ompdx_doubt_end_or_beginning =
		12, /* it has come to the end of its region, or has not begun it */
	ompdx_doubt_end_or_fork =
		13, /* it has come to the end of its region, or begins another inside of it */
	ompdx_doubt_no_facts =
		14, /* told by the stack alone: regions of one thread leave no trace there */
	ompdx_doubt_unmarked =
		15, /* the compiler calls the same for an explicit barrier and for those of constructs */
	ompdx_doubt_no_mark = 16 /* the compiler's mark of the barrier is missing, or not known */
} ompdx_doubt_t;

/* What else the stack says: */
#define OMPDX_TOLD_LET_GO UINT32_C(0x1) /* it waited for that, and has not woken up yet */
#define OMPDX_TOLD_ROUND UINT32_C(0x2)  /* round is told, which proves that it waits */
#define OMPDX_TOLD_SLEEPS                                                                          \
	UINT32_C(                                                                                  \
		0x4) /* in what runtimes call only while a thread has to wait, and not for a lock of
					   the runtime's own */
#define OMPDX_TOLD_STARTS UINT32_C(0x8)    /* it has not come to its own code yet */
#define OMPDX_TOLD_LAUNCHED UINT32_C(0x10) /* it has come to the runtime's, and no further */
#define OMPDX_TOLD_UNNAMED UINT32_C(0x20)  /* it waits for the critical construct without a name */
#define OMPDX_TOLD_ENTRY_CALLED                                                                    \
	UINT32_C(0x40) /* the entry point is what frames[entry_frame] calls */
#define OMPDX_TOLD_BEGINS_REGION                                                                   \
	UINT32_C(0x80) /* it is in an entry point that begins a region, and ends it */

/* What would tell more. The answer holds without it, as far as it goes: a tool asks again if it has got some. */
#define OMPDX_ASKS_CALLED UINT32_C(0x1) /* frames[caller_frame].called */
#define OMPDX_ASKS_DIRECT UINT32_C(0x2) /* frames[outermost_frame].direct_call */
#define OMPDX_ASKS_REST                                                                            \
	UINT32_C(                                                                                  \
		0x4) /* the rest of the stack, entry in its frames, and called in those that called a
					 function of a runtime's which is no entry point */
#define OMPDX_ASKS_SLEEP UINT32_C(0x8)     /* sleep: this runtime makes the kernel's calls itself */
#define OMPDX_ASKS_ARRIVALS UINT32_C(0x10) /* facts.arrivals */

typedef struct ompdx_classification_t {
	ompd_size_t size;
	uint32_t state;    /* a value of ompt_state_t; OMPDX_STATE_UNDEFINED: not known */
	ompdx_wait_t wait; /* of its several barriers, construct tells more */
	ompdx_construct_t construct;
	ompdx_place_t place;
	ompdx_doubt_t doubt;
	uint32_t told; /* OMPDX_TOLD_... */
	uint32_t asks; /* OMPDX_ASKS_... */
	uint32_t
		runtime; /* whose code is on top, below the C library: ompdx_frame_t.runtime; UINT32_MAX: nobody's */
	uint32_t
		entry_frame; /* index of the frame that tells what the program called; UINT32_MAX: none does */
	uint32_t
		caller_frame; /* of the program's frame that called the runtime, or that is on top; UINT32_MAX */
	uint32_t
		outermost_frame; /* of the runtime's frame that the program called, or that its thread began with,
				     unless that is frame 0; UINT32_MAX: there is none */
	int32_t object_argument; /* which argument of the entry point is the lock, or the critical construct's
				    variable; -1: it waits for no such, or that is not passed */
	ompdx_doubt_t construct_doubt; /* why the construct of a barrier is not known */
	ompd_addr_t object;            /* its address, if the thread sleeps on it; 0: not told so */
	uint64_t round;                /* of the team's barrier, on whose word it sleeps */
} ompdx_classification_t;

/* What does a thread do, or wait for? facts: NULL, where nothing is known of it. Fills *classification, up to the
 * classification->size that the tool set. A pure function: allocates nothing, keeps nothing, calls nobody, reads
 * nothing of the target; callable at any time, and by several threads at once.
 * bad_input: stack or classification is NULL, frames NULL with a count, a size too small. */
OMPD_API ompd_rc_t ompdx_classify(const ompdx_stack_t *stack, const ompdx_facts_t *facts,
				  ompdx_classification_t *classification);

#ifdef __cplusplus
}
#endif

#endif /* OMPD_EXT_H */
