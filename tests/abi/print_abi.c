/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a header declare? Prints the size of every OMPD type, the offset of every member and the
 * value of every constant, one per line. Built once from our header and once from LLVM's, so that
 * compare_abi.py can lay the two side by side. Signatures have no number to print: they are compared
 * while this file is compiled, and a routine or callback whose type differs does not build.
 *
 * OMP_TOOLS_H names LLVM's header; PRINT_OURS stands for ours. What it guards is what LLVM's header does not declare; each line
 * then begins with the version that added it, and docs/ompd-versions.md has to list it.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#ifdef PRINT_OURS
#include "ompd.h"

#include "ompd-ext.h"
#else
#include OMP_TOOLS_H
#endif

#define TYPE(type) printf("sizeof " #type " %zu\n", sizeof(type))
#define MEMBER(type, member)                                                                       \
	printf("member " #type "." #member " %zu %zu\n", offsetof(type, member),                   \
	       sizeof(((type *)NULL)->member))
#define VALUE(name) printf("value " #name " %" PRIu64 "\n", (uint64_t)(name))
#define ADDED(version, name) printf(version " value " #name " %" PRIu64 "\n", (uint64_t)(name))

#define IS_TYPE(expression, type) _Generic((expression), type : 1)
#define ROUTINE(name, ...)                                                                         \
	do {                                                                                       \
		_Static_assert(IS_TYPE(&name, ompd_rc_t(*)(__VA_ARGS__)), #name);                  \
		puts("routine " #name);                                                            \
	} while (0)
#define ADDED_ROUTINE(version, name, ...)                                                          \
	do {                                                                                       \
		_Static_assert(IS_TYPE(&name, ompd_rc_t(*)(__VA_ARGS__)), #name);                  \
		puts(version " routine " #name);                                                   \
	} while (0)
#define CALLBACK(type, ...)                                                                        \
	do {                                                                                       \
		_Static_assert(IS_TYPE((type)NULL, ompd_rc_t(*)(__VA_ARGS__)), #type);             \
		puts("callback " #type);                                                           \
	} while (0)
#define BREAKPOINT(name)                                                                           \
	do {                                                                                       \
		_Static_assert(IS_TYPE(&name, void (*)(void)), #name);                             \
		puts("symbol " #name);                                                             \
	} while (0)
#define ADDED_BREAKPOINT(version, name)                                                            \
	do {                                                                                       \
		_Static_assert(IS_TYPE(&name, void (*)(void)), #name);                             \
		puts(version " symbol " #name);                                                    \
	} while (0)

static void print_types(void)
{
	TYPE(ompd_size_t);
	TYPE(ompd_wait_id_t);
	TYPE(ompd_addr_t);
	TYPE(ompd_word_t);
	TYPE(ompd_seg_t);
	TYPE(ompd_device_t);
	TYPE(ompd_thread_id_t);
	TYPE(ompd_icv_id_t);
	TYPE(ompd_rc_t);
	TYPE(ompd_scope_t);
	printf("signed ompd_word_t %d\n", (ompd_word_t)-1 < 0);

	TYPE(ompd_address_t);
	MEMBER(ompd_address_t, segment);
	MEMBER(ompd_address_t, address);

	TYPE(ompd_frame_info_t);
	MEMBER(ompd_frame_info_t, frame_address);
	MEMBER(ompd_frame_info_t, frame_flag);

	TYPE(ompd_device_type_sizes_t);
	MEMBER(ompd_device_type_sizes_t, sizeof_char);
	MEMBER(ompd_device_type_sizes_t, sizeof_short);
	MEMBER(ompd_device_type_sizes_t, sizeof_int);
	MEMBER(ompd_device_type_sizes_t, sizeof_long);
	MEMBER(ompd_device_type_sizes_t, sizeof_long_long);
	MEMBER(ompd_device_type_sizes_t, sizeof_pointer);

	TYPE(ompd_callbacks_t);
	MEMBER(ompd_callbacks_t, alloc_memory);
	MEMBER(ompd_callbacks_t, free_memory);
	MEMBER(ompd_callbacks_t, print_string);
	MEMBER(ompd_callbacks_t, sizeof_type);
	MEMBER(ompd_callbacks_t, symbol_addr_lookup);
	MEMBER(ompd_callbacks_t, read_memory);
	MEMBER(ompd_callbacks_t, write_memory);
	MEMBER(ompd_callbacks_t, read_string);
	MEMBER(ompd_callbacks_t, device_to_host);
	MEMBER(ompd_callbacks_t, host_to_device);
	MEMBER(ompd_callbacks_t, get_thread_context_for_thread_id);
}

static void print_values(void)
{
	VALUE(ompd_rc_ok);
	VALUE(ompd_rc_unavailable);
	VALUE(ompd_rc_stale_handle);
	VALUE(ompd_rc_bad_input);
	VALUE(ompd_rc_error);
	VALUE(ompd_rc_unsupported);
	VALUE(ompd_rc_needs_state_tracking);
	VALUE(ompd_rc_incompatible);
	VALUE(ompd_rc_device_read_error);
	VALUE(ompd_rc_device_write_error);
	VALUE(ompd_rc_nomem);
	VALUE(ompd_rc_incomplete);
	VALUE(ompd_rc_callback_error);

	VALUE(ompd_scope_global);
	VALUE(ompd_scope_address_space);
	VALUE(ompd_scope_thread);
	VALUE(ompd_scope_parallel);
	VALUE(ompd_scope_implicit_task);
	VALUE(ompd_scope_task);

	VALUE(ompd_segment_none);
}

static void check_callbacks(void)
{
	CALLBACK(ompd_callback_memory_alloc_fn_t, ompd_size_t, void **);
	CALLBACK(ompd_callback_memory_free_fn_t, void *);
	CALLBACK(ompd_callback_sizeof_fn_t, ompd_address_space_context_t *,
		 ompd_device_type_sizes_t *);
	CALLBACK(ompd_callback_symbol_addr_fn_t, ompd_address_space_context_t *,
		 ompd_thread_context_t *, const char *, ompd_address_t *, const char *);
	CALLBACK(ompd_callback_memory_read_fn_t, ompd_address_space_context_t *,
		 ompd_thread_context_t *, const ompd_address_t *, ompd_size_t, void *);
	CALLBACK(ompd_callback_memory_write_fn_t, ompd_address_space_context_t *,
		 ompd_thread_context_t *, const ompd_address_t *, ompd_size_t, const void *);
	CALLBACK(ompd_callback_device_host_fn_t, ompd_address_space_context_t *, const void *,
		 ompd_size_t, ompd_size_t, void *);
	CALLBACK(ompd_callback_print_string_fn_t, const char *, int);
	CALLBACK(ompd_callback_get_thread_context_for_thread_id_fn_t,
		 ompd_address_space_context_t *, ompd_thread_id_t, ompd_size_t, const void *,
		 ompd_thread_context_t **);
}

static void check_routines(void)
{
	ROUTINE(ompd_initialize, ompd_word_t, const ompd_callbacks_t *);
	ROUTINE(ompd_get_api_version, ompd_word_t *);
	ROUTINE(ompd_get_version_string, const char **);
	ROUTINE(ompd_finalize, void);

	ROUTINE(ompd_process_initialize, ompd_address_space_context_t *,
		ompd_address_space_handle_t **);
	ROUTINE(ompd_device_initialize, ompd_address_space_handle_t *,
		ompd_address_space_context_t *, ompd_device_t, ompd_size_t, void *,
		ompd_address_space_handle_t **);
	ROUTINE(ompd_rel_address_space_handle, ompd_address_space_handle_t *);
	ROUTINE(ompd_get_omp_version, ompd_address_space_handle_t *, ompd_word_t *);
	ROUTINE(ompd_get_omp_version_string, ompd_address_space_handle_t *, const char **);

	ROUTINE(ompd_get_thread_in_parallel, ompd_parallel_handle_t *, int,
		ompd_thread_handle_t **);
	ROUTINE(ompd_get_thread_handle, ompd_address_space_handle_t *, ompd_thread_id_t,
		ompd_size_t, const void *, ompd_thread_handle_t **);
	ROUTINE(ompd_rel_thread_handle, ompd_thread_handle_t *);
	ROUTINE(ompd_thread_handle_compare, ompd_thread_handle_t *, ompd_thread_handle_t *, int *);
	ROUTINE(ompd_get_thread_id, ompd_thread_handle_t *, ompd_thread_id_t, ompd_size_t, void *);

	ROUTINE(ompd_get_curr_parallel_handle, ompd_thread_handle_t *, ompd_parallel_handle_t **);
	ROUTINE(ompd_get_enclosing_parallel_handle, ompd_parallel_handle_t *,
		ompd_parallel_handle_t **);
	ROUTINE(ompd_get_task_parallel_handle, ompd_task_handle_t *, ompd_parallel_handle_t **);
	ROUTINE(ompd_rel_parallel_handle, ompd_parallel_handle_t *);
	ROUTINE(ompd_parallel_handle_compare, ompd_parallel_handle_t *, ompd_parallel_handle_t *,
		int *);

	ROUTINE(ompd_get_curr_task_handle, ompd_thread_handle_t *, ompd_task_handle_t **);
	ROUTINE(ompd_get_generating_task_handle, ompd_task_handle_t *, ompd_task_handle_t **);
	ROUTINE(ompd_get_scheduling_task_handle, ompd_task_handle_t *, ompd_task_handle_t **);
	ROUTINE(ompd_get_task_in_parallel, ompd_parallel_handle_t *, int, ompd_task_handle_t **);
	ROUTINE(ompd_rel_task_handle, ompd_task_handle_t *);
	ROUTINE(ompd_task_handle_compare, ompd_task_handle_t *, ompd_task_handle_t *, int *);
	ROUTINE(ompd_get_task_function, ompd_task_handle_t *, ompd_address_t *);
	ROUTINE(ompd_get_task_frame, ompd_task_handle_t *, ompd_frame_info_t *,
		ompd_frame_info_t *);

	ROUTINE(ompd_enumerate_states, ompd_address_space_handle_t *, ompd_word_t, ompd_word_t *,
		const char **, ompd_word_t *);
	ROUTINE(ompd_get_state, ompd_thread_handle_t *, ompd_word_t *, ompd_wait_id_t *);
	ROUTINE(ompd_get_display_control_vars, ompd_address_space_handle_t *, const char *const **);
	ROUTINE(ompd_rel_display_control_vars, const char *const **);
	ROUTINE(ompd_enumerate_icvs, ompd_address_space_handle_t *, ompd_icv_id_t, ompd_icv_id_t *,
		const char **, ompd_scope_t *, int *);
	ROUTINE(ompd_get_icv_from_scope, void *, ompd_scope_t, ompd_icv_id_t, ompd_word_t *);
	ROUTINE(ompd_get_icv_string_from_scope, void *, ompd_scope_t, ompd_icv_id_t, const char **);
	ROUTINE(ompd_get_tool_data, void *, ompd_scope_t, ompd_word_t *, ompd_address_t *);
}

static void check_symbols(void)
{
	BREAKPOINT(ompd_bp_parallel_begin);
	BREAKPOINT(ompd_bp_parallel_end);
	BREAKPOINT(ompd_bp_task_begin);
	BREAKPOINT(ompd_bp_task_end);
	BREAKPOINT(ompd_bp_thread_begin);
	BREAKPOINT(ompd_bp_thread_end);
	BREAKPOINT(ompd_bp_device_begin);
	BREAKPOINT(ompd_bp_device_end);
}

#ifdef PRINT_OURS
static void print_what_llvm_lacks(void)
{
	puts("5.0 symbol ompd_dll_locations");
	_Static_assert(IS_TYPE(ompd_dll_locations, const char **), "ompd_dll_locations");
	ADDED_BREAKPOINT("5.0", ompd_dll_locations_valid);
	ADDED("5.0", ompd_icv_undefined);

	ADDED("5.0", OMPD_TYPES_VERSION);
	ADDED("5.0", OMPD_THREAD_ID_PTHREAD);
	ADDED("5.0", OMPD_THREAD_ID_LWP);
	ADDED("5.0", OMPD_THREAD_ID_WINTHREAD);
	ADDED("5.0", OMPD_THREAD_ID_CUDALOGICAL);
	ADDED("5.0", OMPD_THREAD_ID_LO);
	ADDED("5.0", OMPD_THREAD_ID_HI);
	ADDED("5.0", OMPD_DEVICE_KIND_HOST);
	ADDED("5.0", OMPD_DEVICE_KIND_CUDA);
	ADDED("5.0", OMPD_DEVICE_IMPL_LO);
	ADDED("5.0", OMPD_DEVICE_IMPL_HI);
	ADDED("5.0", OMPD_SEGMENT_UNSPECIFIED);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_UNSPECIFIED);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_CODE);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_REG);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_SREG);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_CONST);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_GLOBAL);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_LOCAL);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_PARAM);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_SHARED);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_SURF);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_TEX);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_TEXSAMPLER);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_GENERIC);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_IPARAM);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_OPARAM);
	ADDED("5.0", OMPD_SEGMENT_CUDA_PTX_FRAME);
	printf("5.0 sizeof ompd_dim3_t %zu\n", sizeof(ompd_dim3_t));
	printf("5.0 sizeof ompd_cudathread_coord_t %zu\n", sizeof(ompd_cudathread_coord_t));

	ADDED_ROUTINE("5.2", ompd_get_device_thread_id_kinds, ompd_address_space_handle_t *,
		      ompd_thread_id_t **, ompd_size_t **, int *);
	ADDED_ROUTINE("5.2", ompd_get_device_from_thread, ompd_thread_handle_t *,
		      ompd_address_space_handle_t **);

	ADDED("6.0", ompd_rc_incompatible_handle);
	ADDED("6.0", ompd_scope_teams);
	ADDED("6.0", ompd_scope_target);
	ADDED("6.0", ompd_generator_program);
	ADDED("6.0", ompd_generator_parallel);
	ADDED("6.0", ompd_generator_teams);
	ADDED("6.0", ompd_generator_target);
	ADDED_BREAKPOINT("6.0", ompd_bp_teams_begin);
	ADDED_BREAKPOINT("6.0", ompd_bp_teams_end);
	ADDED_BREAKPOINT("6.0", ompd_bp_target_begin);
	ADDED_BREAKPOINT("6.0", ompd_bp_target_end);
}

#undef TYPE
#undef MEMBER
#undef VALUE
#undef ROUTINE
#define TYPE(type) printf("extension sizeof " #type " %zu\n", sizeof(type))
#define MEMBER(type, member)                                                                       \
	printf("extension member " #type "." #member " %zu %zu\n", offsetof(type, member),         \
	       sizeof(((type *)NULL)->member))
#define VALUE(name) printf("extension value " #name " %" PRIu64 "\n", (uint64_t)(name))
#define ROUTINE(name) puts("extension routine " #name)

static void print_extension_runtimes(void)
{
	ROUTINE(ompdx_get_version);
	ROUTINE(ompdx_find_runtimes);
	ROUTINE(ompdx_process_initialize);
	ROUTINE(ompdx_images);
	ROUTINE(ompdx_get_runtime_info);
	ROUTINE(ompdx_get_diagnostics);
	ROUTINE(ompdx_freeze);
	ROUTINE(ompdx_thaw);
	ROUTINE(ompdx_snapshot_create);
	ROUTINE(ompdx_snapshot_destroy);
	ROUTINE(ompdx_snapshot_view);
	ROUTINE(ompdx_snapshot_diagnostics);
	ROUTINE(ompdx_snapshot_tasks);
	ROUTINE(ompdx_snapshot_locks);
	ROUTINE(ompdx_snapshot_arrivals);
	ROUTINE(ompdx_snapshot_loops);
	ROUTINE(ompdx_snapshot_doacross);
	ROUTINE(ompdx_snapshot_icvs);
	ROUTINE(ompdx_describe_function);
	ROUTINE(ompdx_entry_points);
	ROUTINE(ompdx_get_offload);
	ROUTINE(ompdx_decode_sleep);
	ROUTINE(ompdx_get_facts);
	ROUTINE(ompdx_classify);

	VALUE(OMPDX_VERSION);
	VALUE(ompdx_runtime_llvm);
	VALUE(ompdx_runtime_gomp);
	VALUE(ompdx_descriptors_none);
	VALUE(ompdx_descriptors_symbols);
	VALUE(ompdx_descriptors_recovered);
	VALUE(ompdx_descriptors_record);

	TYPE(ompdx_image_t);
	MEMBER(ompdx_image_t, size);
	MEMBER(ompdx_image_t, load_bias);
	MEMBER(ompdx_image_t, dynamic);
	MEMBER(ompdx_image_t, path);

	TYPE(ompdx_runtime_t);
	MEMBER(ompdx_runtime_t, size);
	MEMBER(ompdx_runtime_t, kind);
	MEMBER(ompdx_runtime_t, version);
	MEMBER(ompdx_runtime_t, image);

	TYPE(ompdx_runtimes_t);
	MEMBER(ompdx_runtimes_t, size);
	MEMBER(ompdx_runtimes_t, count);
	MEMBER(ompdx_runtimes_t, runtimes);

	VALUE(OMPDX_IMAGE_PROGRAM);
	VALUE(OMPDX_IMAGE_STATIC);
	VALUE(OMPDX_IMAGE_VDSO);
	VALUE(OMPDX_IMAGE_NAMELESS);

	TYPE(ompdx_auxv_t);
	MEMBER(ompdx_auxv_t, size);
	MEMBER(ompdx_auxv_t, headers);
	MEMBER(ompdx_auxv_t, header_count);
	MEMBER(ompdx_auxv_t, vdso);

	TYPE(ompdx_loaded_image_t);
	MEMBER(ompdx_loaded_image_t, size);
	MEMBER(ompdx_loaded_image_t, load_bias);
	MEMBER(ompdx_loaded_image_t, dynamic);
	MEMBER(ompdx_loaded_image_t, path);
	MEMBER(ompdx_loaded_image_t, start);
	MEMBER(ompdx_loaded_image_t, end);
	MEMBER(ompdx_loaded_image_t, flags);
	MEMBER(ompdx_loaded_image_t, link_namespace);
	MEMBER(ompdx_loaded_image_t, build_id_length);
	MEMBER(ompdx_loaded_image_t, build_id);

	TYPE(ompdx_images_t);
	MEMBER(ompdx_images_t, size);
	MEMBER(ompdx_images_t, count);
	MEMBER(ompdx_images_t, images);
	MEMBER(ompdx_images_t, debug);
	MEMBER(ompdx_images_t, problem);
	MEMBER(ompdx_images_t, reserved);

	TYPE(ompdx_runtime_info_t);
	MEMBER(ompdx_runtime_info_t, size);
	MEMBER(ompdx_runtime_info_t, kind);
	MEMBER(ompdx_runtime_info_t, descriptors);
	MEMBER(ompdx_runtime_info_t, version);
	MEMBER(ompdx_runtime_info_t, initialized);
	MEMBER(ompdx_runtime_info_t, state_tracking);
	MEMBER(ompdx_runtime_info_t, build_id_length);
	MEMBER(ompdx_runtime_info_t, build_id);
	MEMBER(ompdx_runtime_info_t, version_text);
	MEMBER(ompdx_runtime_info_t, record);
	MEMBER(ompdx_runtime_info_t, start);
	MEMBER(ompdx_runtime_info_t, end);

	TYPE(ompdx_diagnostic_t);
	MEMBER(ompdx_diagnostic_t, size);
	MEMBER(ompdx_diagnostic_t, code);
	MEMBER(ompdx_diagnostic_t, subject);
	MEMBER(ompdx_diagnostic_t, text);

	TYPE(ompdx_diagnostics_t);
	MEMBER(ompdx_diagnostics_t, size);
	MEMBER(ompdx_diagnostics_t, count);
	MEMBER(ompdx_diagnostics_t, diagnostics);
}

static void print_extension_view(void)
{
	VALUE(OMPDX_NATIVE_PTHREAD);
	VALUE(OMPDX_NATIVE_THREAD_POINTER);
	VALUE(OMPDX_NATIVE_LWP);
	VALUE(ompdx_thread_none);
	VALUE(ompdx_thread_initial);
	VALUE(ompdx_thread_worker);
	VALUE(ompdx_thread_root);
	VALUE(ompdx_thread_helper);
	VALUE(ompdx_task_none);
	VALUE(ompdx_task_initial);
	VALUE(ompdx_task_implicit);
	VALUE(ompdx_task_explicit);
	VALUE(ompdx_schedule_unknown);
	VALUE(ompdx_schedule_static);
	VALUE(ompdx_schedule_dynamic);
	VALUE(ompdx_schedule_guided);
	VALUE(ompdx_schedule_trapezoidal);
	VALUE(ompdx_schedule_static_steal);
	VALUE(ompdx_loop_recorded);
	VALUE(ompdx_loop_or_other);
	VALUE(ompdx_loop_or_none);
	VALUE(ompdx_doacross_elsewhere);
	VALUE(ompdx_doacross_inside);
	VALUE(ompdx_doacross_left);
	VALUE(ompdx_problem_none);
	VALUE(ompdx_problem_unreadable);
	VALUE(ompdx_problem_inconsistent);
	VALUE(ompdx_problem_limit);

	TYPE(ompdx_native_thread_t);
	MEMBER(ompdx_native_thread_t, size);
	MEMBER(ompdx_native_thread_t, known);
	MEMBER(ompdx_native_thread_t, reserved);
	MEMBER(ompdx_native_thread_t, pthread_id);
	MEMBER(ompdx_native_thread_t, thread_pointer);
	MEMBER(ompdx_native_thread_t, lwp);

	TYPE(ompdx_view_level_t);
	MEMBER(ompdx_view_level_t, region);
	MEMBER(ompdx_view_level_t, thread_num);

	TYPE(ompdx_view_thread_t);
	MEMBER(ompdx_view_thread_t, size);
	MEMBER(ompdx_view_thread_t, native);
	MEMBER(ompdx_view_thread_t, kind);
	MEMBER(ompdx_view_thread_t, problem);
	MEMBER(ompdx_view_thread_t, runtime_id);
	MEMBER(ompdx_view_thread_t, address);
	MEMBER(ompdx_view_thread_t, pthread_id);
	MEMBER(ompdx_view_thread_t, level_first);
	MEMBER(ompdx_view_thread_t, level_count);
	MEMBER(ompdx_view_thread_t, task);
	MEMBER(ompdx_view_thread_t, task_kind);
	MEMBER(ompdx_view_thread_t, task_final);
	MEMBER(ompdx_view_thread_t, tracked_state);
	MEMBER(ompdx_view_thread_t, reserved);
	MEMBER(ompdx_view_thread_t, tracked_wait_id);
	MEMBER(ompdx_view_thread_t, ident_flags);
	MEMBER(ompdx_view_thread_t, has_team);
	MEMBER(ompdx_view_thread_t, ident_source);

	TYPE(ompdx_view_region_t);
	MEMBER(ompdx_view_region_t, size);
	MEMBER(ompdx_view_region_t, address);
	MEMBER(ompdx_view_region_t, serial_depth);
	MEMBER(ompdx_view_region_t, parent);
	MEMBER(ompdx_view_region_t, generator);
	MEMBER(ompdx_view_region_t, serialized);
	MEMBER(ompdx_view_region_t, level);
	MEMBER(ompdx_view_region_t, active_level);
	MEMBER(ompdx_view_region_t, team_size);
	MEMBER(ompdx_view_region_t, league_size);
	MEMBER(ompdx_view_region_t, team_num);
	MEMBER(ompdx_view_region_t, problem);
	MEMBER(ompdx_view_region_t, function);
	MEMBER(ompdx_view_region_t, source);
	MEMBER(ompdx_view_region_t, member_first);
	MEMBER(ompdx_view_region_t, member_count);
	MEMBER(ompdx_view_region_t, helpers);
	MEMBER(ompdx_view_region_t, cancelled);
	MEMBER(ompdx_view_region_t, barrier_round);

	TYPE(ompdx_view_t);
	MEMBER(ompdx_view_t, size);
	MEMBER(ompdx_view_t, thread_count);
	MEMBER(ompdx_view_t, region_count);
	MEMBER(ompdx_view_t, level_count);
	MEMBER(ompdx_view_t, member_count);
	MEMBER(ompdx_view_t, threads);
	MEMBER(ompdx_view_t, regions);
	MEMBER(ompdx_view_t, levels);
	MEMBER(ompdx_view_t, members);
	MEMBER(ompdx_view_t, level_size);
	MEMBER(ompdx_view_t, member_size);
	MEMBER(ompdx_view_t, problem);
	MEMBER(ompdx_view_t, reserved);
}

static void print_extension_tasks(void)
{
	VALUE(ompdx_task_state_unknown);
	VALUE(ompdx_task_state_executing);
	VALUE(ompdx_task_state_suspended);
	VALUE(ompdx_task_state_ready);
	VALUE(ompdx_task_state_blocked);
	VALUE(ompdx_task_state_detached);
	VALUE(ompdx_task_state_finished);

	TYPE(ompdx_task_t);
	MEMBER(ompdx_task_t, size);
	MEMBER(ompdx_task_t, address);
	MEMBER(ompdx_task_t, kind);
	MEMBER(ompdx_task_t, state);
	MEMBER(ompdx_task_t, thread);
	MEMBER(ompdx_task_t, creator);
	MEMBER(ompdx_task_t, team);
	MEMBER(ompdx_task_t, parent);
	MEMBER(ompdx_task_t, children);
	MEMBER(ompdx_task_t, priority);
	MEMBER(ompdx_task_t, predecessors);
	MEMBER(ompdx_task_t, tied);
	MEMBER(ompdx_task_t, final);
	MEMBER(ompdx_task_t, undeferred);
	MEMBER(ompdx_task_t, taskwait);
	MEMBER(ompdx_task_t, taskgroup);
	MEMBER(ompdx_task_t, taskgroup_count);
	MEMBER(ompdx_task_t, taskgroup_cancelled);
	MEMBER(ompdx_task_t, function);
	MEMBER(ompdx_task_t, source);
	MEMBER(ompdx_task_t, taskwait_source);

	TYPE(ompdx_dependence_t);
	MEMBER(ompdx_dependence_t, task);
	MEMBER(ompdx_dependence_t, predecessor);

	TYPE(ompdx_tasks_t);
	MEMBER(ompdx_tasks_t, size);
	MEMBER(ompdx_tasks_t, task_count);
	MEMBER(ompdx_tasks_t, dependence_count);
	MEMBER(ompdx_tasks_t, tasks);
	MEMBER(ompdx_tasks_t, dependences);
	MEMBER(ompdx_tasks_t, problem);
	MEMBER(ompdx_tasks_t, dependence_size);
}

static void print_extension_locks(void)
{
	VALUE(ompdx_lock_unknown);
	VALUE(ompdx_lock_tas);
	VALUE(ompdx_lock_futex);
	VALUE(ompdx_lock_ticket);
	VALUE(ompdx_lock_queuing);
	VALUE(ompdx_lock_drdpa);

	TYPE(ompdx_lock_variable_t);
	MEMBER(ompdx_lock_variable_t, size);
	MEMBER(ompdx_lock_variable_t, address);
	MEMBER(ompdx_lock_variable_t, critical);
	MEMBER(ompdx_lock_variable_t, reserved);

	TYPE(ompdx_lock_t);
	MEMBER(ompdx_lock_t, size);
	MEMBER(ompdx_lock_t, address);
	MEMBER(ompdx_lock_t, kind);
	MEMBER(ompdx_lock_t, nested);
	MEMBER(ompdx_lock_t, held);
	MEMBER(ompdx_lock_t, owner);
	MEMBER(ompdx_lock_t, depth);
	MEMBER(ompdx_lock_t, waiting);
	MEMBER(ompdx_lock_t, waiter_first);
	MEMBER(ompdx_lock_t, waiter_count);
	MEMBER(ompdx_lock_t, problem);
	MEMBER(ompdx_lock_t, owner_id);
	MEMBER(ompdx_lock_t, word);

	TYPE(ompdx_locks_t);
	MEMBER(ompdx_locks_t, size);
	MEMBER(ompdx_locks_t, lock_count);
	MEMBER(ompdx_locks_t, waiter_count);
	MEMBER(ompdx_locks_t, variable_count);
	MEMBER(ompdx_locks_t, problem);
	MEMBER(ompdx_locks_t, locks);
	MEMBER(ompdx_locks_t, waiters);
	MEMBER(ompdx_locks_t, variables);
	MEMBER(ompdx_locks_t, waiter_size);
	MEMBER(ompdx_locks_t, variable_size);

	TYPE(ompdx_arrival_t);
	MEMBER(ompdx_arrival_t, size);
	MEMBER(ompdx_arrival_t, thread);
	MEMBER(ompdx_arrival_t, arrived);
	MEMBER(ompdx_arrival_t, released);
	MEMBER(ompdx_arrival_t, complete);
	MEMBER(ompdx_arrival_t, steps);
	MEMBER(ompdx_arrival_t, team_steps);

	TYPE(ompdx_team_arrivals_t);
	MEMBER(ompdx_team_arrivals_t, size);
	MEMBER(ompdx_team_arrivals_t, team);
	MEMBER(ompdx_team_arrivals_t, awaits);
	MEMBER(ompdx_team_arrivals_t, arrived);
	MEMBER(ompdx_team_arrivals_t, arrived_at_end);
	MEMBER(ompdx_team_arrivals_t, waits_for_tasks);
	MEMBER(ompdx_team_arrivals_t, steps);
	MEMBER(ompdx_team_arrivals_t, regions);

	TYPE(ompdx_arrivals_t);
	MEMBER(ompdx_arrivals_t, size);
	MEMBER(ompdx_arrivals_t, count);
	MEMBER(ompdx_arrivals_t, problem);
	MEMBER(ompdx_arrivals_t, arrivals);
	MEMBER(ompdx_arrivals_t, team_count);
	MEMBER(ompdx_arrivals_t, reserved);
	MEMBER(ompdx_arrivals_t, teams);

	TYPE(ompdx_loop_t);
	MEMBER(ompdx_loop_t, size);
	MEMBER(ompdx_loop_t, team);
	MEMBER(ompdx_loop_t, thread);
	MEMBER(ompdx_loop_t, thread_num);
	MEMBER(ompdx_loop_t, loop);
	MEMBER(ompdx_loop_t, schedule);
	MEMBER(ompdx_loop_t, problem);
	MEMBER(ompdx_loop_t, ordered);
	MEMBER(ompdx_loop_t, may_have_left);
	MEMBER(ompdx_loop_t, sections);
	MEMBER(ompdx_loop_t, iterations);
	MEMBER(ompdx_loop_t, chunk);
	MEMBER(ompdx_loop_t, handed_out);
	MEMBER(ompdx_loop_t, first);
	MEMBER(ompdx_loop_t, last);
	MEMBER(ompdx_loop_t, left);
	MEMBER(ompdx_loop_t, ordered_turn);
	MEMBER(ompdx_loop_t, remaining);
	MEMBER(ompdx_loop_t, evidence);
	MEMBER(ompdx_loop_t, ordered_holder);
	MEMBER(ompdx_loop_t, completed);
	MEMBER(ompdx_loop_t, reserved);

	TYPE(ompdx_loops_t);
	MEMBER(ompdx_loops_t, size);
	MEMBER(ompdx_loops_t, count);
	MEMBER(ompdx_loops_t, problem);
	MEMBER(ompdx_loops_t, loops);

	TYPE(ompdx_doacross_t);
	MEMBER(ompdx_doacross_t, size);
	MEMBER(ompdx_doacross_t, dimensions);
	MEMBER(ompdx_doacross_t, posted);
	MEMBER(ompdx_doacross_t, owner);
	MEMBER(ompdx_doacross_t, member_count);
	MEMBER(ompdx_doacross_t, loop);
	MEMBER(ompdx_doacross_t, members);
	MEMBER(ompdx_doacross_t, member_size);
	MEMBER(ompdx_doacross_t, reserved);
}

static void print_extension_icvs(void)
{
	TYPE(ompdx_icv_t);
	MEMBER(ompdx_icv_t, size);
	MEMBER(ompdx_icv_t, id);
	MEMBER(ompdx_icv_t, name);
	MEMBER(ompdx_icv_t, scope);
	MEMBER(ompdx_icv_t, reserved);

	VALUE(OMPDX_ICV_NUMBER);
	VALUE(OMPDX_ICV_TEXT);

	TYPE(ompdx_icv_value_t);
	MEMBER(ompdx_icv_value_t, text);
	MEMBER(ompdx_icv_value_t, number);
	MEMBER(ompdx_icv_value_t, known);
	MEMBER(ompdx_icv_value_t, reserved);

	TYPE(ompdx_icvs_t);
	MEMBER(ompdx_icvs_t, size);
	MEMBER(ompdx_icvs_t, icv_count);
	MEMBER(ompdx_icvs_t, row_count);
	MEMBER(ompdx_icvs_t, icvs);
	MEMBER(ompdx_icvs_t, values);
	MEMBER(ompdx_icvs_t, value_size);
	MEMBER(ompdx_icvs_t, problem);
}

static void print_extension_functions(void)
{
	VALUE(OMPDX_STATE_WAIT_BARRIER);
	VALUE(OMPDX_STATE_WAIT_BARRIER_IMPLICIT_PARALLEL);
	VALUE(OMPDX_STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE);
	VALUE(OMPDX_STATE_WAIT_BARRIER_EXPLICIT);
	VALUE(OMPDX_STATE_WAIT_BARRIER_IMPLEMENTATION);
	VALUE(OMPDX_STATE_WAIT_BARRIER_TEAMS);
	VALUE(OMPDX_STATE_WAIT_TASKWAIT);
	VALUE(OMPDX_STATE_WAIT_TASKGROUP);
	VALUE(OMPDX_STATE_WAIT_LOCK);
	VALUE(OMPDX_STATE_WAIT_CRITICAL);
	VALUE(OMPDX_STATE_WAIT_ATOMIC);
	VALUE(OMPDX_STATE_WAIT_ORDERED);
	VALUE(OMPDX_STATE_WAIT_TARGET);
	VALUE(OMPDX_STATE_WAIT_TARGET_MAP);
	VALUE(OMPDX_STATE_WAIT_TARGET_UPDATE);
	VALUE(OMPDX_ROLE_FORKS);
	VALUE(OMPDX_ROLE_FORKS_BY_ANOTHER);
	VALUE(OMPDX_ROLE_LEAGUE);
	VALUE(OMPDX_ROLE_SERIALIZES);
	VALUE(OMPDX_ROLE_BEFORE_REGION);
	VALUE(OMPDX_ROLE_EXECUTES_AT_ONCE);
	VALUE(OMPDX_ROLE_EXECUTES_TASKS);
	VALUE(OMPDX_ROLE_ENDS_REDUCTION);
	VALUE(OMPDX_ROLE_CANCEL_BARRIER);
	VALUE(OMPDX_ROLE_UNNAMED_CRITICAL);
	VALUE(OMPDX_ROLE_CONTENDED);
	VALUE(OMPDX_ROLE_WORKS);
	VALUE(OMPDX_ROLE_NESTED);
	VALUE(OMPDX_ROLE_INVOKES);
	VALUE(OMPDX_ROLE_BEGINS_REGION);
	VALUE(OMPDX_ROLE_ACQUIRES);
	VALUE(OMPDX_ROLE_CREATES_THREAD);
	VALUE(OMPDX_ROLE_STARTS_THREAD);
	VALUE(OMPDX_ROLE_SLEEPS);
	VALUE(OMPDX_ROLE_OF_CLANG);
	VALUE(ompdx_function_other);
	VALUE(ompdx_function_entry);
	VALUE(ompdx_function_internal);
	VALUE(ompdx_function_ambiguous);
	VALUE(ompdx_function_outlined);
	VALUE(ompdx_function_system);
	VALUE(ompdx_wait_none);
	VALUE(ompdx_wait_barrier);
	VALUE(ompdx_wait_workshare);
	VALUE(ompdx_wait_reduction);
	VALUE(ompdx_wait_region);
	VALUE(ompdx_wait_critical);
	VALUE(ompdx_wait_lock);
	VALUE(ompdx_wait_nest_lock);
	VALUE(ompdx_wait_atomic);
	VALUE(ompdx_wait_ordered);
	VALUE(ompdx_wait_doacross);
	VALUE(ompdx_wait_taskwait);
	VALUE(ompdx_wait_depend);
	VALUE(ompdx_wait_taskgroup);
	VALUE(ompdx_wait_target);
	VALUE(ompdx_wait_target_map);
	VALUE(ompdx_wait_target_update);

	TYPE(ompdx_function_t);
	MEMBER(ompdx_function_t, size);
	MEMBER(ompdx_function_t, function_class);
	MEMBER(ompdx_function_t, wait);
	MEMBER(ompdx_function_t, roles);
	MEMBER(ompdx_function_t, state);
	MEMBER(ompdx_function_t, code_argument);
	MEMBER(ompdx_function_t, object_argument);
	MEMBER(ompdx_function_t, entry);
	MEMBER(ompdx_function_t, construct);
	MEMBER(ompdx_function_t, reserved);

	TYPE(ompdx_entry_point_t);
	MEMBER(ompdx_entry_point_t, size);
	MEMBER(ompdx_entry_point_t, address);
	MEMBER(ompdx_entry_point_t, code_size);
	MEMBER(ompdx_entry_point_t, name);
	MEMBER(ompdx_entry_point_t, function_class);
	MEMBER(ompdx_entry_point_t, reserved);

	TYPE(ompdx_entry_points_t);
	MEMBER(ompdx_entry_points_t, size);
	MEMBER(ompdx_entry_points_t, count);
	MEMBER(ompdx_entry_points_t, entry_points);
}

static void print_extension_offload(void)
{
	VALUE(ompdx_layout_refused);
	VALUE(ompdx_layout_likely);
	VALUE(ompdx_layout_proven);
	VALUE(ompdx_device_unknown);
	VALUE(ompdx_device_host);
	VALUE(ompdx_device_cuda);
	VALUE(ompdx_device_hsa);
	VALUE(ompdx_device_other);
	VALUE(ompdx_offload_entry_other);
	VALUE(ompdx_offload_entry_kernel);
	VALUE(ompdx_offload_entry_variable);
	VALUE(OMPDX_COUNT_INFINITE);

	TYPE(ompdx_device_t);
	MEMBER(ompdx_device_t, size);
	MEMBER(ompdx_device_t, number);
	MEMBER(ompdx_device_t, plugin_number);
	MEMBER(ompdx_device_t, kind);
	MEMBER(ompdx_device_t, machine);
	MEMBER(ompdx_device_t, machine_flags);
	MEMBER(ompdx_device_t, used);
	MEMBER(ompdx_device_t, address);
	MEMBER(ompdx_device_t, plugin);
	MEMBER(ompdx_device_t, mutex);
	MEMBER(ompdx_device_t, locked);
	MEMBER(ompdx_device_t, reserved);
	MEMBER(ompdx_device_t, owner);
	MEMBER(ompdx_device_t, mapped);
	MEMBER(ompdx_device_t, mapping_first);
	MEMBER(ompdx_device_t, mapping_count);
	MEMBER(ompdx_device_t, problem);
	MEMBER(ompdx_device_t, reserved2);

	TYPE(ompdx_mapping_t);
	MEMBER(ompdx_mapping_t, size);
	MEMBER(ompdx_mapping_t, device);
	MEMBER(ompdx_mapping_t, problem);
	MEMBER(ompdx_mapping_t, address);
	MEMBER(ompdx_mapping_t, host_base);
	MEMBER(ompdx_mapping_t, host_begin);
	MEMBER(ompdx_mapping_t, host_end);
	MEMBER(ompdx_mapping_t, device_begin);
	MEMBER(ompdx_mapping_t, device_allocation);
	MEMBER(ompdx_mapping_t, dynamic_count);
	MEMBER(ompdx_mapping_t, hold_count);
	MEMBER(ompdx_mapping_t, source_address);
	MEMBER(ompdx_mapping_t, source);

	TYPE(ompdx_offload_entry_t);
	MEMBER(ompdx_offload_entry_t, size);
	MEMBER(ompdx_offload_entry_t, address);
	MEMBER(ompdx_offload_entry_t, kind);
	MEMBER(ompdx_offload_entry_t, flags);
	MEMBER(ompdx_offload_entry_t, bytes);
	MEMBER(ompdx_offload_entry_t, library);
	MEMBER(ompdx_offload_entry_t, name_address);
	MEMBER(ompdx_offload_entry_t, name);

	TYPE(ompdx_offload_t);
	MEMBER(ompdx_offload_t, size);
	MEMBER(ompdx_offload_t, load_bias);
	MEMBER(ompdx_offload_t, dynamic);
	MEMBER(ompdx_offload_t, path);
	MEMBER(ompdx_offload_t, start);
	MEMBER(ompdx_offload_t, end);
	MEMBER(ompdx_offload_t, version);
	MEMBER(ompdx_offload_t, build_id_length);
	MEMBER(ompdx_offload_t, build_id);
	MEMBER(ompdx_offload_t, version_text);
	MEMBER(ompdx_offload_t, record);
	MEMBER(ompdx_offload_t, layout);
	MEMBER(ompdx_offload_t, mapping_layout);
	MEMBER(ompdx_offload_t, reason);
	MEMBER(ompdx_offload_t, reason_text);
	MEMBER(ompdx_offload_t, manager);
	MEMBER(ompdx_offload_t, target_offload);
	MEMBER(ompdx_offload_t, device_count);
	MEMBER(ompdx_offload_t, entry_count);
	MEMBER(ompdx_offload_t, mapping_count);
	MEMBER(ompdx_offload_t, problem);
	MEMBER(ompdx_offload_t, reserved);
	MEMBER(ompdx_offload_t, devices);
	MEMBER(ompdx_offload_t, entries);
	MEMBER(ompdx_offload_t, mappings);
}

static void print_extension_classification(void)
{
	VALUE(ompdx_code_unknown);
	VALUE(ompdx_code_program);
	VALUE(ompdx_code_library);
	VALUE(ompdx_code_system);
	VALUE(ompdx_code_runtime);
	VALUE(ompdx_extent_part);
	VALUE(ompdx_extent_cut);
	VALUE(ompdx_extent_whole);
	VALUE(OMPDX_FACT_THREAD);
	VALUE(OMPDX_FACT_REGIONS);
	VALUE(ompdx_construct_none);
	VALUE(ompdx_construct_parallel);
	VALUE(ompdx_construct_teams);
	VALUE(ompdx_construct_reduction);
	VALUE(ompdx_construct_barrier);
	VALUE(ompdx_construct_for);
	VALUE(ompdx_construct_sections);
	VALUE(ompdx_construct_single);
	VALUE(ompdx_construct_workshare);
	VALUE(ompdx_construct_worksharing);
	VALUE(ompdx_place_none);
	VALUE(ompdx_place_call);
	VALUE(ompdx_place_recorded);
	VALUE(ompdx_place_region);
	VALUE(ompdx_doubt_none);
	VALUE(ompdx_doubt_no_stack);
	VALUE(ompdx_doubt_unknown_code);
	VALUE(ompdx_doubt_code_hidden);
	VALUE(ompdx_doubt_sleeps_elsewhere);
	VALUE(ompdx_doubt_helper);
	VALUE(ompdx_doubt_no_thread);
	VALUE(ompdx_doubt_idle_or_end);
	VALUE(ompdx_doubt_inside);
	VALUE(ompdx_doubt_in_reduction);
	VALUE(ompdx_doubt_in_atomic);
	VALUE(ompdx_doubt_maybe_cancelled);
	VALUE(ompdx_doubt_end_or_beginning);
	VALUE(ompdx_doubt_end_or_fork);
	VALUE(ompdx_doubt_no_facts);
	VALUE(ompdx_doubt_unmarked);
	VALUE(ompdx_doubt_no_mark);
	VALUE(OMPDX_TOLD_LET_GO);
	VALUE(OMPDX_TOLD_ROUND);
	VALUE(OMPDX_TOLD_STARTS);
	VALUE(OMPDX_TOLD_LAUNCHED);
	VALUE(OMPDX_TOLD_UNNAMED);
	VALUE(OMPDX_ASKS_CALLED);
	VALUE(OMPDX_ASKS_DIRECT);
	VALUE(OMPDX_ASKS_SLEEP);
	VALUE(OMPDX_ASKS_ARRIVALS);

	TYPE(ompdx_frame_t);
	MEMBER(ompdx_frame_t, code);
	MEMBER(ompdx_frame_t, runtime_kind);
	MEMBER(ompdx_frame_t, runtime);
	MEMBER(ompdx_frame_t, direct_call);
	MEMBER(ompdx_frame_t, function);
	MEMBER(ompdx_frame_t, called);
	MEMBER(ompdx_frame_t, entry);

	TYPE(ompdx_sleep_t);
	MEMBER(ompdx_sleep_t, size);
	MEMBER(ompdx_sleep_t, address);
	MEMBER(ompdx_sleep_t, expected);
	MEMBER(ompdx_sleep_t, now);
	MEMBER(ompdx_sleep_t, now_known);
	MEMBER(ompdx_sleep_t, reserved);

	TYPE(ompdx_stack_t);
	MEMBER(ompdx_stack_t, size);
	MEMBER(ompdx_stack_t, frames);
	MEMBER(ompdx_stack_t, frame_count);
	MEMBER(ompdx_stack_t, frame_size);
	MEMBER(ompdx_stack_t, extent);
	MEMBER(ompdx_stack_t, reserved);
	MEMBER(ompdx_stack_t, sleep);

	TYPE(ompdx_facts_t);
	MEMBER(ompdx_facts_t, size);
	MEMBER(ompdx_facts_t, known);
	MEMBER(ompdx_facts_t, runtime);
	MEMBER(ompdx_facts_t, runtime_kind);
	MEMBER(ompdx_facts_t, thread_kind);
	MEMBER(ompdx_facts_t, has_team);
	MEMBER(ompdx_facts_t, ident_flags);
	MEMBER(ompdx_facts_t, ident_source);
	MEMBER(ompdx_facts_t, levels);
	MEMBER(ompdx_facts_t, regions);
	MEMBER(ompdx_facts_t, level_count);
	MEMBER(ompdx_facts_t, level_size);
	MEMBER(ompdx_facts_t, region_count);
	MEMBER(ompdx_facts_t, region_size);
	MEMBER(ompdx_facts_t, arrivals);

	TYPE(ompdx_classification_t);
	MEMBER(ompdx_classification_t, size);
	MEMBER(ompdx_classification_t, state);
	MEMBER(ompdx_classification_t, wait);
	MEMBER(ompdx_classification_t, construct);
	MEMBER(ompdx_classification_t, place);
	MEMBER(ompdx_classification_t, doubt);
	MEMBER(ompdx_classification_t, told);
	MEMBER(ompdx_classification_t, asks);
	MEMBER(ompdx_classification_t, runtime);
	MEMBER(ompdx_classification_t, entry_frame);
	MEMBER(ompdx_classification_t, caller_frame);
	MEMBER(ompdx_classification_t, outermost_frame);
	MEMBER(ompdx_classification_t, object_argument);
	MEMBER(ompdx_classification_t, construct_doubt);
	MEMBER(ompdx_classification_t, object);
	MEMBER(ompdx_classification_t, round);
}
#endif

int main(void)
{
	print_types();
	print_values();
	check_callbacks();
	check_routines();
	check_symbols();
#ifdef PRINT_OURS
	print_what_llvm_lacks();
	print_extension_runtimes();
	print_extension_view();
	print_extension_tasks();
	print_extension_locks();
	print_extension_icvs();
	print_extension_functions();
	print_extension_offload();
	print_extension_classification();
#endif
	return 0;
}
