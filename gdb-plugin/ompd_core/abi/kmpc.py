# SPDX-License-Identifier: Apache-2.0
"""What clang's, flang's and Intel's code calls (__kmpc_*)."""

from __future__ import annotations

from .base import AFTER, IDENT_SOURCE, Interface

_SERIALIZES = "__kmpc_serialized_parallel"
_TASK_ALLOC = "__kmpc_omp_task_alloc"
_TASK_PART = 16  # kmp_task_t.part_id (kmp.h)
_HANDS_ON = "__kmpc_omp_task"
_CANCEL_BARRIER = "__kmpc_cancel_barrier"
_END_REDUCE = "__kmpc_end_reduce"

_REGIONS = {"__kmpc_fork_call": 2, "__kmpc_fork_call_if": 2}
_LEAGUES = {"__kmpc_fork_teams": 2}
_TASKS = {_TASK_ALLOC: 5}
_LOOP_STATIC = tuple(f"__kmpc_for_static_init_{of}" for of in ("4", "4u", "8", "8u"))

INTERFACE = Interface(
    prefix="__kmpc_",
    nested=True,
    source_at=IDENT_SOURCE,
    forks={**_REGIONS, **_LEAGUES},
    forks_by_another=("__kmpc_fork_call_if",),
    functions=_TASKS,
    events={
        ("parallel", "begin"): {**_REGIONS, _SERIALIZES: AFTER},
        ("parallel", "end"): {
            **{name: AFTER for name in _REGIONS},
            "__kmpc_end_serialized_parallel": AFTER,
        },
        ("teams", "begin"): _LEAGUES,
        ("teams", "end"): {name: AFTER for name in _LEAGUES},
        ("task", "begin"): {**_TASKS, "__kmpc_omp_task_begin_if0": AFTER},
        ("task", "end"): {**_TASKS, "__kmpc_omp_task_complete_if0": AFTER},
        ("barrier", "all"): {
            "__kmpc_barrier": AFTER,
            _CANCEL_BARRIER: AFTER,
            "__kmpc_copyprivate": AFTER,
        },
    },
    cancellable=(_CANCEL_BARRIER,),
    cancels=("__kmpc_cancel",),
    cancellation_points=("__kmpc_cancellationpoint",),
    executes_at_once=(_HANDS_ON, "__kmpc_omp_task_parts", "__kmpc_omp_task_with_deps"),
    executes_tasks=("__kmpc_omp_taskyield",),
    waits={
        "__kmpc_barrier": "barrier",
        _CANCEL_BARRIER: "barrier",
        "__kmpc_barrier_master": "barrier",
        "__kmpc_copyprivate": "workshare",
        "__kmpc_reduce": "reduction",
        "__kmpc_reduce_nowait": "reduction",
        _END_REDUCE: "reduction",
        "__kmpc_critical": "critical",
        "__kmpc_critical_with_hint": "critical",
        "__kmpc_set_lock": "lock",
        "__kmpc_set_nest_lock": "nest_lock",
        "__kmpc_atomic_start": "atomic",
        "__kmpc_ordered": "ordered",
        "__kmpc_doacross_wait": "doacross",
        "__kmpc_omp_taskwait": "taskwait",
        "__kmpc_omp_taskwait_51": "taskwait",
        "__kmpc_omp_taskwait_deps_51": "depend",
        "__kmpc_omp_wait_deps": "depend",
        "__kmpc_end_taskgroup": "taskgroup",
    },
    object_argument={
        "__kmpc_critical": 2,
        "__kmpc_critical_with_hint": 2,
        "__kmpc_set_lock": 2,
        "__kmpc_set_nest_lock": 2,
    },
    iteration_argument={"__kmpc_doacross_wait": 2},
    parts_of={_TASK_ALLOC: _TASK_PART},
    hands_on=(_HANDS_ON,),
    serializes=(_SERIALIZES,),
    before_region=(_SERIALIZES,),
    construct_ends={
        "__kmpc_critical": ("__kmpc_end_critical",),
        "__kmpc_critical_with_hint": ("__kmpc_end_critical",),
        "__kmpc_ordered": ("__kmpc_end_ordered",),
        "__kmpc_taskgroup": ("__kmpc_end_taskgroup",),
        "__kmpc_single": ("__kmpc_end_single",),
        "__kmpc_master": ("__kmpc_end_master",),
        "__kmpc_masked": ("__kmpc_end_masked",),
        **{name: ("__kmpc_for_static_fini",) for name in _LOOP_STATIC},
    },
    conditional=("__kmpc_single", "__kmpc_master", "__kmpc_masked"),
    loop_static=_LOOP_STATIC,
    loop_next=tuple(f"__kmpc_dispatch_next_{of}" for of in ("4", "4u", "8", "8u")),
    loop_left=("__kmpc_for_static_fini", "__kmpc_dispatch_deinit"),
    begins={
        "__kmpc_critical": ("critical", 2),
        "__kmpc_critical_with_hint": ("critical", 2),
        "__kmpc_set_lock": ("lock", 2),
        "__kmpc_test_lock": ("lock", 2),
        "__kmpc_set_nest_lock": ("nest_lock", 2),
        "__kmpc_test_nest_lock": ("nest_lock", 2),
        "__kmpc_ordered": ("ordered", None),
        "__kmpc_atomic_start": ("atomic", None),
    },
    ends={
        "__kmpc_end_critical": ("critical", 2),
        "__kmpc_unset_lock": ("lock", 2),
        "__kmpc_unset_nest_lock": ("nest_lock", 2),
        "__kmpc_end_ordered": ("ordered", None),
        "__kmpc_atomic_end": ("atomic", None),
    },
    tests=("__kmpc_test_",),
)
