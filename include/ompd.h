/* SPDX-License-Identifier: Apache-2.0
 *
 * OMPD, the third-party tool interface of OpenMP: everything that the specifications 5.0, 5.1, 5.2
 * and 6.0 define for a debugger, in one self-contained header (C11 and C++17).
 *
 * The ABI did not change between the versions; what they added is marked with its version and listed
 * in docs/ompd-versions.md. Section names are those of the OpenMP 6.0 specification, chapters 38 to 42.
 *
 * Conventions that hold for every routine:
 *  - Result: an ompd_rc_t. Besides the codes that a routine names, each may return
 *      ompd_rc_stale_handle          a handle is NULL, released, or never was one of this library
 *      ompd_rc_bad_input             another argument is invalid
 *      ompd_rc_incompatible_handle   (6.0) a handle of the wrong kind
 *      ompd_rc_callback_error        a callback of the tool failed
 *      ompd_rc_needs_state_tracking  the runtime did not record the information
 *      ompd_rc_unsupported           this library, or the runtime in the target, cannot tell
 *      ompd_rc_error                 anything else
 *    Outputs are written only with ompd_rc_ok and ompd_rc_incomplete.
 *  - Sizes are in bytes.
 *  - Memory handed to the tool comes from the tool's alloc_memory and the tool frees it, unless the
 *    routine says otherwise. Handles are released with the ompd_rel_ routine of their kind.
 *  - The library is not reentrant: one call at a time.
 */
#ifndef OMPD_H
#define OMPD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define OMPD_API __attribute__((visibility("default")))
#else
#define OMPD_API
#endif

/* ---- Basic types (39.1 to 39.7) ------------------------------------------------------------- */

typedef uint64_t ompd_size_t;
typedef uint64_t ompd_wait_id_t; /* 0: no wait id */
typedef uint64_t ompd_addr_t;
typedef int64_t ompd_word_t;
typedef uint64_t ompd_seg_t;
typedef uint64_t ompd_device_t;    /* OMPD_DEVICE_KIND_... */
typedef uint64_t ompd_thread_id_t; /* OMPD_THREAD_ID_... */
typedef uint64_t ompd_icv_id_t;

#define ompd_segment_none ((ompd_seg_t)0)
#define ompd_icv_undefined ((ompd_icv_id_t)0)

typedef struct ompd_address_t {
	ompd_seg_t segment;
	ompd_addr_t address;
} ompd_address_t;

typedef struct ompd_frame_info_t {
	ompd_address_t frame_address;
	ompd_word_t frame_flag; /* a value of ompt_frame_flag_t */
} ompd_frame_info_t;

/* Sizes of the target's basic types, in bytes. */
typedef struct ompd_device_type_sizes_t {
	uint8_t sizeof_char;
	uint8_t sizeof_short;
	uint8_t sizeof_int;
	uint8_t sizeof_long;
	uint8_t sizeof_long_long;
	uint8_t sizeof_pointer;
} ompd_device_type_sizes_t;

/* Owned by the library. */
typedef struct _ompd_aspace_handle ompd_address_space_handle_t;
typedef struct _ompd_thread_handle ompd_thread_handle_t;
typedef struct _ompd_parallel_handle ompd_parallel_handle_t;
typedef struct _ompd_task_handle ompd_task_handle_t;

/* Owned by the tool. */
typedef struct _ompd_aspace_cont ompd_address_space_context_t;
typedef struct _ompd_thread_cont ompd_thread_context_t;

/* ---- Thread-id and device kinds (ompd-types.h, version 20180906) ----------------------------- */

#define OMPD_TYPES_VERSION 20180906

#define OMPD_THREAD_ID_PTHREAD ((ompd_thread_id_t)0) /* the bytes of the target's pthread_t */
#define OMPD_THREAD_ID_LWP ((ompd_thread_id_t)1) /* the kernel's thread id, an int of the target */
#define OMPD_THREAD_ID_WINTHREAD ((ompd_thread_id_t)2)
#define OMPD_THREAD_ID_CUDALOGICAL ((ompd_thread_id_t)3) /* ompd_cudathread_coord_t */
#define OMPD_THREAD_ID_LO ((ompd_thread_id_t)1000000)    /* implementation defined: from here ... */
#define OMPD_THREAD_ID_HI ((ompd_thread_id_t)1100000)    /* ... to here */

#define OMPD_DEVICE_KIND_HOST ((ompd_device_t)1)
#define OMPD_DEVICE_KIND_CUDA ((ompd_device_t)2)
#define OMPD_DEVICE_IMPL_LO ((ompd_device_t)1000000)
#define OMPD_DEVICE_IMPL_HI ((ompd_device_t)1100000)

#define OMPD_SEGMENT_UNSPECIFIED ((ompd_seg_t)0)
#define OMPD_SEGMENT_CUDA_PTX_UNSPECIFIED ((ompd_seg_t)0)
#define OMPD_SEGMENT_CUDA_PTX_CODE ((ompd_seg_t)1)
#define OMPD_SEGMENT_CUDA_PTX_REG ((ompd_seg_t)2)
#define OMPD_SEGMENT_CUDA_PTX_SREG ((ompd_seg_t)3)
#define OMPD_SEGMENT_CUDA_PTX_CONST ((ompd_seg_t)4)
#define OMPD_SEGMENT_CUDA_PTX_GLOBAL ((ompd_seg_t)5)
#define OMPD_SEGMENT_CUDA_PTX_LOCAL ((ompd_seg_t)6)
#define OMPD_SEGMENT_CUDA_PTX_PARAM ((ompd_seg_t)7)
#define OMPD_SEGMENT_CUDA_PTX_SHARED ((ompd_seg_t)8)
#define OMPD_SEGMENT_CUDA_PTX_SURF ((ompd_seg_t)9)
#define OMPD_SEGMENT_CUDA_PTX_TEX ((ompd_seg_t)10)
#define OMPD_SEGMENT_CUDA_PTX_TEXSAMPLER ((ompd_seg_t)11)
#define OMPD_SEGMENT_CUDA_PTX_GENERIC ((ompd_seg_t)12)
#define OMPD_SEGMENT_CUDA_PTX_IPARAM ((ompd_seg_t)13)
#define OMPD_SEGMENT_CUDA_PTX_OPARAM ((ompd_seg_t)14)
#define OMPD_SEGMENT_CUDA_PTX_FRAME ((ompd_seg_t)15)

typedef struct ompd_dim3_t {
	ompd_addr_t x;
	ompd_addr_t y;
	ompd_addr_t z;
} ompd_dim3_t;

typedef struct ompd_cudathread_coord_t {
	ompd_addr_t cudaDevId;
	ompd_addr_t cudaContext;
	ompd_addr_t warpSize;
	ompd_addr_t gridId;
	ompd_dim3_t gridDim;
	ompd_dim3_t blockDim;
	ompd_dim3_t blockIdx;
	ompd_dim3_t threadIdx;
} ompd_cudathread_coord_t;

/* ---- Enumerations (39.9, 39.11, 39.13) ----------------------------------------------------- */

typedef enum ompd_rc_t {
	ompd_rc_ok = 0,
	ompd_rc_unavailable = 1,          /* no such information in this context */
	ompd_rc_stale_handle = 2,         /* the handle is no longer valid */
	ompd_rc_bad_input = 3,            /* an argument other than a handle is invalid */
	ompd_rc_error = 4,                /* a fatal error */
	ompd_rc_unsupported = 5,          /* the operation is not supported */
	ompd_rc_needs_state_tracking = 6, /* the runtime's state tracking was off */
	ompd_rc_incompatible = 7,         /* library and program do not fit */
	ompd_rc_device_read_error = 8,
	ompd_rc_device_write_error = 9,
	ompd_rc_nomem = 10,
	ompd_rc_incomplete = 11,         /* 5.1: outputs are valid, and there is more */
	ompd_rc_callback_error = 12,     /* 5.1 */
	ompd_rc_incompatible_handle = 13 /* 6.0 */
} ompd_rc_t;

/* What the `void *handle` of the ICV and tool-data routines has to be. */
typedef enum ompd_scope_t {
	ompd_scope_global = 1,        /* the host's address-space handle */
	ompd_scope_address_space = 2, /* any address-space handle */
	ompd_scope_thread = 3,
	ompd_scope_parallel = 4,
	ompd_scope_implicit_task = 5, /* the handle of an implicit task */
	ompd_scope_task = 6,
	ompd_scope_teams = 7, /* 6.0: the parallel handle of a teams region */
	ompd_scope_target = 8 /* 6.0: the parallel handle of a target region */
} ompd_scope_t;

/* 6.0: the value of team-generator-var. */
typedef enum ompd_team_generator_t {
	ompd_generator_program = 0,
	ompd_generator_parallel = 1,
	ompd_generator_teams = 2,
	ompd_generator_target = 3
} ompd_team_generator_t;

/* ---- Callbacks: what the tool supplies (40) ------------------------------------------------- *
 * Every callback may return ompd_rc_ok and ompd_rc_stale_handle (the context is not valid any more);
 * further codes stand with each. Contexts belong to the tool. A thread context that
 * get_thread_context_for_thread_id returns has to stay valid until the OMPD routine returns.
 */

/* Allocate nbytes, aligned for any type, contents undefined. */
typedef ompd_rc_t (*ompd_callback_memory_alloc_fn_t)(ompd_size_t nbytes, void **ptr);
typedef ompd_rc_t (*ompd_callback_memory_free_fn_t)(void *ptr);

/* The sizes of the target's basic types. */
typedef ompd_rc_t (*ompd_callback_sizeof_fn_t)(ompd_address_space_context_t *address_space_context,
					       ompd_device_type_sizes_t *sizes);

/* Address of a symbol, by its unmangled name; thread_context only for thread-local ones, else NULL;
 * file_name NULL: the executable first, then its libraries in load order.
 * ompd_rc_error: not found; ompd_rc_bad_input: no name. */
typedef ompd_rc_t (*ompd_callback_symbol_addr_fn_t)(
	ompd_address_space_context_t *address_space_context, ompd_thread_context_t *thread_context,
	const char *symbol_name, ompd_address_t *symbol_addr, const char *file_name);

/* read_memory: nbytes raw bytes. ompd_rc_error: memory that is not there.
 * read_string: up to and with the NUL; ompd_rc_incomplete: no NUL within nbytes. */
typedef ompd_rc_t (*ompd_callback_memory_read_fn_t)(
	ompd_address_space_context_t *address_space_context, ompd_thread_context_t *thread_context,
	const ompd_address_t *addr, ompd_size_t nbytes, void *buffer);
typedef ompd_rc_t (*ompd_callback_memory_write_fn_t)(
	ompd_address_space_context_t *address_space_context, ompd_thread_context_t *thread_context,
	const ompd_address_t *addr, ompd_size_t nbytes, const void *buffer);

/* Convert count elements of unit_size bytes between the target's and the host's byte order. */
typedef ompd_rc_t (*ompd_callback_device_host_fn_t)(
	ompd_address_space_context_t *address_space_context, const void *input,
	ompd_size_t unit_size, ompd_size_t count, void *output);

/* Show text to the user; what category means is up to the implementation. */
typedef ompd_rc_t (*ompd_callback_print_string_fn_t)(const char *string, int category);

/* The tool's context of a native thread.
 * ompd_rc_bad_input: wrong size for the kind; ompd_rc_unsupported: this kind is unknown;
 * ompd_rc_unavailable: no such thread. */
typedef ompd_rc_t (*ompd_callback_get_thread_context_for_thread_id_fn_t)(
	ompd_address_space_context_t *address_space_context, ompd_thread_id_t kind,
	ompd_size_t sizeof_thread_id, const void *thread_id,
	ompd_thread_context_t **thread_context);

/* All are required, but for print_string. */
typedef struct ompd_callbacks_t {
	ompd_callback_memory_alloc_fn_t alloc_memory;
	ompd_callback_memory_free_fn_t free_memory;
	ompd_callback_print_string_fn_t print_string; /* may be NULL: no text */
	ompd_callback_sizeof_fn_t sizeof_type;
	ompd_callback_symbol_addr_fn_t symbol_addr_lookup;
	ompd_callback_memory_read_fn_t read_memory;
	ompd_callback_memory_write_fn_t write_memory;
	ompd_callback_memory_read_fn_t read_string;
	ompd_callback_device_host_fn_t device_to_host;
	ompd_callback_device_host_fn_t host_to_device;
	ompd_callback_get_thread_context_for_thread_id_fn_t get_thread_context_for_thread_id;
} ompd_callbacks_t;

/* ---- Library (41.1) ------------------------------------------------------------------------- */

/* Opens the library for a tool that was written to api_version (201811, 202011, 202111 or 202411) and
 * copies the callback table. Called again it takes the new version and table in place of the old ones, and the handles
 * that the tool has stay.
 * bad_input: a callback other than print_string and write_memory is NULL; unsupported: another version. */
OMPD_API ompd_rc_t ompd_initialize(ompd_word_t api_version, const ompd_callbacks_t *callbacks);

/* The newest API version that the library knows, 202411. Callable at any time. */
OMPD_API ompd_rc_t ompd_get_api_version(ompd_word_t *version);

/* The library's own name and version, with the commit that it was built of. Static, never freed. Callable at any time. */
OMPD_API ompd_rc_t ompd_get_version_string(const char **string);

/* Releases everything that is left; every handle is invalid afterwards.
 * unsupported: not initialized. */
OMPD_API ompd_rc_t ompd_finalize(void);

/* ---- Address spaces (41.2, 41.3) ------------------------------------------------------------ */

/* Opens the OpenMP runtime of a process or core file: the first one that the library recognises, also
 * when the program has not called it yet (then the thread routines return unavailable).
 * incompatible: no runtime that this library knows.
 * The handle is released with ompd_rel_address_space_handle; context stays valid until then. */
OMPD_API ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context,
					   ompd_address_space_handle_t **host_handle);

/* Opens a device's address space. unsupported: always (no runtime here keeps device-side state). */
OMPD_API ompd_rc_t ompd_device_initialize(ompd_address_space_handle_t *host_handle,
					  ompd_address_space_context_t *device_context,
					  ompd_device_t kind, ompd_size_t sizeof_id, void *id,
					  ompd_address_space_handle_t **device_handle);

/* Releases the address space and every thread, parallel and task handle that belongs to it. */
OMPD_API ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle);

/* 5.2: the thread-id kinds that can be mapped to and from OpenMP threads, with the size of each.
 * Two arrays of count entries, sizes in bytes; the tool frees both. Kernel ids (OMPD_THREAD_ID_LWP, int or
 * long) are accepted too, but not listed: the mapping depends on what the C library publishes. */
OMPD_API ompd_rc_t ompd_get_device_thread_id_kinds(ompd_address_space_handle_t *device_handle,
						   ompd_thread_id_t **kinds,
						   ompd_size_t **thread_id_sizes, int *count);

/* The OpenMP version that the target's runtime implements, in the form of _OPENMP. */
OMPD_API ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *address_space,
					ompd_word_t *omp_version);

/* The runtime's name and version in words; the tool frees it. */
OMPD_API ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *address_space,
					       const char **string);

/* ---- Threads (41.4) ------------------------------------------------------------------------- */

/* Thread thread_num of the region's team. bad_input: not in 0 .. team-size-var - 1. */
OMPD_API ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel_handle,
					       int thread_num,
					       ompd_thread_handle_t **thread_handle);

/* The OpenMP thread that a native thread is.
 * bad_input: sizeof_thread_id does not fit the kind; unsupported: the kind;
 * unavailable: not an OpenMP thread, or the runtime is not initialised; error: it may be one whose structure cannot
 * be read. */
OMPD_API ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle,
					  ompd_thread_id_t kind, ompd_size_t sizeof_thread_id,
					  const void *thread_id,
					  ompd_thread_handle_t **thread_handle);

OMPD_API ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *thread_handle);

/* *cmp_value < 0, 0, > 0: before, the same thread, behind, in an order of the library's. */
OMPD_API ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *thread_handle_1,
					      ompd_thread_handle_t *thread_handle_2,
					      int *cmp_value);

/* The native thread's id, written to the tool's buffer. bad_input: size; unsupported: kind. */
OMPD_API ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *thread_handle, ompd_thread_id_t kind,
				      ompd_size_t sizeof_thread_id, void *thread_id);

/* 5.2: the address space that the thread belongs to: the pointer that the initialize routine
 * returned, borrowed, not to be released once more. */
OMPD_API ompd_rc_t ompd_get_device_from_thread(ompd_thread_handle_t *thread_handle,
					       ompd_address_space_handle_t **device);

/* ---- Parallel regions (41.5; comparing 41.7, releasing 41.8) --------------------------------- */

/* The innermost region that the thread executes. unavailable: the thread is in no team. */
OMPD_API ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread_handle,
						 ompd_parallel_handle_t **parallel_handle);

/* The region that encloses a region. unavailable: there is none. */
OMPD_API ompd_rc_t
ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel_handle,
				   ompd_parallel_handle_t **enclosing_parallel_handle);

/* The region in which a task was generated or, for an implicit task, which it belongs to. */
OMPD_API ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task_handle,
						 ompd_parallel_handle_t **task_parallel_handle);

OMPD_API ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *parallel_handle);

OMPD_API ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
						ompd_parallel_handle_t *parallel_handle_2,
						int *cmp_value);

/* ---- Tasks (41.6) --------------------------------------------------------------------------- */

/* The task that the thread executes. unavailable: none. */
OMPD_API ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread_handle,
					     ompd_task_handle_t **task_handle);

/* The task that was executing when this one was created. unavailable: none (an initial task), or it
 * belongs to another team, in which region is not known. */
OMPD_API ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task_handle,
						   ompd_task_handle_t **generating_task_handle);

/* The task that waits on this thread's stack for this one. unavailable: none, as for every implicit
 * task; needs_state_tracking: the runtime records it for OMPT only. */
OMPD_API ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *task_handle,
						   ompd_task_handle_t **scheduling_task_handle);

/* The implicit task of thread thread_num. bad_input: not in 0 .. team-size-var - 1. */
OMPD_API ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *parallel_handle,
					     int thread_num, ompd_task_handle_t **task_handle);

OMPD_API ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *task_handle);

OMPD_API ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *task_handle_1,
					    ompd_task_handle_t *task_handle_2, int *cmp_value);

/* The address of the application's code of the task: the outlined function. unavailable: an initial
 * task's, or a serialized region's, which the runtime is not told. */
OMPD_API ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task_handle,
					  ompd_address_t *entry_point);

/* The frames at which the task left and entered the runtime, with OMPT's flags. Mind the order: exit,
 * enter. needs_state_tracking: the runtime records them for OMPT only; unavailable: the region began
 * before OMPT was on; incomplete: the flags (then 0) are not known of this build. */
OMPD_API ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task_handle,
				       ompd_frame_info_t *exit_frame,
				       ompd_frame_info_t *enter_frame);

/* ---- States, display-control variables, ICVs, tool data (41.9 to 41.11) -------------------- */

/* The next state after current_state, of those that the tool's API version has; begin with
 * ompt_state_undefined (0x102), which is also the last one. *more_enums is 0 together with the last one.
 * The tool frees the name. bad_input: current_state is no state. */
OMPD_API ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *address_space_handle,
					 ompd_word_t current_state, ompd_word_t *next_state,
					 const char **next_state_name, ompd_word_t *more_enums);

/* The state that the runtime tracked; wait_id may be NULL and means something only while the thread
 * waits for mutual exclusion. A barrier of a kind that is newer than the tool is wait_barrier.
 * needs_state_tracking: it tracked none; error: what it recorded is no state. */
OMPD_API ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread_handle, ompd_word_t *state,
				  ompd_wait_id_t *wait_id);

/* A NULL-terminated vector of "icv-name=value" (5.x) or "OMP_NAME=value" (6.0): what the settings are at
 * this moment, of those that the runtime keeps. Give it back with ompd_rel_display_control_vars, which
 * takes the address of the vector pointer and sets it to NULL. bad_input: a vector of somebody else's. */
OMPD_API ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *address_space_handle,
						 const char *const **control_vars);
OMPD_API ompd_rc_t ompd_rel_display_control_vars(const char *const **control_vars);

/* The next ICV after current; begin with ompd_icv_undefined. *more is 0 together with the last one.
 * The tool frees the name. bad_input: current is no ICV. */
OMPD_API ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current,
				       ompd_icv_id_t *next_id, const char **next_icv_name,
				       ompd_scope_t *next_scope, int *more);

/* An ICV's value as an integer. What is kept with each task can be asked of a thread too: then it is its
 * current task's. bad_input: no such ICV, or a scope that does not fit (5.x);
 * incompatible: it has no integer form, or (6.0) a scope that does not fit;
 * incomplete: the first item of a list that has more, or may have;
 * unavailable: the runtime does not keep it, or where is not known (see ompdx_get_diagnostics).
 * Integers: those of omp.h (omp_proc_bind_t, allocators); false and disabled 0, true and enabled 1; wait
 * policy passive 0, active 1; target offload disabled 0, default 1, mandatory 2; bytes. */
OMPD_API ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
					   ompd_word_t *icv_value);

/* An ICV's value in words, a list with commas; the tool frees it. Return codes as above, but no list is
 * incompatible or incomplete; unavailable: also a list of which only the first item is known. */
OMPD_API ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope,
						  ompd_icv_id_t icv_id, const char **icv_string);

/* The OMPT data of a scope, as both members of OMPT's union. needs_state_tracking: OMPT is off;
 * unavailable: the region or task began before it was on; the tool's own data (global, address space),
 * which no runtime publishes; unsupported: the runtime has no OMPT. */
OMPD_API ompd_rc_t ompd_get_tool_data(void *handle, ompd_scope_t scope, ompd_word_t *value,
				      ompd_address_t *ptr);

/* ---- What the OpenMP runtime offers to the debugger (38.3, 42) -------------------------------- *
 * These are symbols of the debugged program, for the debugger to look up or to break at; a tool never
 * links to them. Declared here so that they are spelt in one place:
 *   5.0  const char **ompd_dll_locations;   void ompd_dll_locations_valid(void);
 *        void ompd_bp_parallel_begin(void); void ompd_bp_parallel_end(void);
 *        void ompd_bp_task_begin(void);     void ompd_bp_task_end(void);
 *        void ompd_bp_thread_begin(void);   void ompd_bp_thread_end(void);
 *        void ompd_bp_device_begin(void);   void ompd_bp_device_end(void);
 *   6.0  void ompd_bp_teams_begin(void);    void ompd_bp_teams_end(void);
 *        void ompd_bp_target_begin(void);   void ompd_bp_target_end(void);
 */
extern const char **ompd_dll_locations;
void ompd_dll_locations_valid(void);
void ompd_bp_parallel_begin(void);
void ompd_bp_parallel_end(void);
void ompd_bp_task_begin(void);
void ompd_bp_task_end(void);
void ompd_bp_thread_begin(void);
void ompd_bp_thread_end(void);
void ompd_bp_device_begin(void);
void ompd_bp_device_end(void);
void ompd_bp_teams_begin(void);
void ompd_bp_teams_end(void);
void ompd_bp_target_begin(void);
void ompd_bp_target_end(void);

#ifdef __cplusplus
}
#endif

#endif /* OMPD_H */
