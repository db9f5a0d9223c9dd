# SPDX-License-Identifier: Apache-2.0
"""The routines of OpenMP's own interface (omp_*), which programs call themselves."""

from __future__ import annotations

from .base import Interface

# All of OpenMP 6.0's.
ROUTINES = frozenset(
    f"omp_{name}"
    for name in """
    alloc aligned_alloc aligned_calloc calloc realloc free init_allocator destroy_allocator
    set_default_allocator get_default_allocator init_mempartitioner destroy_mempartitioner
    mempartition_set_part mempartition_get_user_data get_memspace_num_resources get_submemspace
    get_devices_memspace get_device_memspace get_devices_and_host_memspace
    get_device_and_host_memspace
    get_devices_all_memspace get_devices_allocator get_device_allocator
    get_devices_and_host_allocator get_device_and_host_allocator get_devices_all_allocator
    set_num_threads get_num_threads get_max_threads get_thread_num in_parallel set_dynamic
    get_dynamic get_cancellation set_nested get_nested set_schedule get_schedule get_thread_limit
    get_supported_active_levels set_max_active_levels get_max_active_levels get_level
    get_ancestor_thread_num get_team_size get_active_level get_proc_bind get_num_places
    get_place_num_procs get_place_proc_ids get_place_num get_partition_num_places
    get_partition_place_nums set_affinity_format get_affinity_format display_affinity
    capture_affinity get_num_teams get_team_num set_num_teams get_max_teams set_teams_thread_limit
    get_teams_thread_limit get_max_task_priority in_explicit_task in_final is_free_agent
    ancestor_is_free_agent fulfill_event pause_resource pause_resource_all get_num_procs
    set_default_device get_default_device get_num_devices get_device_num get_device_from_uid
    get_uid_from_device is_initial_device get_initial_device target_alloc target_free
    target_is_present target_is_accessible target_memcpy target_memcpy_rect target_memcpy_async
    target_memcpy_rect_async target_memset target_memset_async target_associate_ptr
    target_disassociate_ptr get_mapped_ptr init_lock init_nest_lock init_lock_with_hint
    init_nest_lock_with_hint destroy_lock destroy_nest_lock set_lock set_nest_lock unset_lock
    unset_nest_lock test_lock test_nest_lock get_wtime get_wtick get_num_interop_properties
    get_interop_int get_interop_ptr get_interop_str get_interop_name get_interop_type_desc
    get_interop_rc_desc control_tool display_env
    """.split()
)

INTERFACE = Interface(
    prefix="omp_",
    waits={"omp_set_lock": "lock", "omp_set_nest_lock": "nest_lock"},
    object_argument={"omp_set_lock": 0, "omp_set_nest_lock": 0},
    begins={
        "omp_set_lock": ("lock", 0),
        "omp_test_lock": ("lock", 0),
        "omp_set_nest_lock": ("nest_lock", 0),
        "omp_test_nest_lock": ("nest_lock", 0),
    },
    ends={"omp_unset_lock": ("lock", 0), "omp_unset_nest_lock": ("nest_lock", 0)},
    tests=("omp_test_",),
)
