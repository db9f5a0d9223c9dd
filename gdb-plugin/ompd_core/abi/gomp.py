# SPDX-License-Identifier: Apache-2.0
"""What gcc's and gfortran's code calls (GOMP_*): of GNU's libgomp, and of what stands in for it."""

from __future__ import annotations

from .base import AFTER, Interface

_SCHEDULES = ("static", "dynamic", "guided", "runtime")
# Until GCC 4.8 code calls one of these, the region's code, and GOMP_parallel_end.
_BEFORE_REGION = (
    "GOMP_parallel_start",
    "GOMP_parallel_sections_start",
    *(f"GOMP_parallel_loop_{schedule}_start" for schedule in _SCHEDULES),
)
_REGIONS = {
    name: 0
    for name in (
        *_BEFORE_REGION,
        "GOMP_parallel",
        "GOMP_parallel_sections",
        "GOMP_parallel_loop_static",
        "GOMP_parallel_loop_dynamic",
        "GOMP_parallel_loop_guided",
        "GOMP_parallel_loop_runtime",
        "GOMP_parallel_loop_nonmonotonic_dynamic",
        "GOMP_parallel_loop_nonmonotonic_guided",
        "GOMP_parallel_loop_nonmonotonic_runtime",
        "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
        "GOMP_parallel_reductions",
    )
}
_LEAGUES = {"GOMP_teams_reg": 0}
_TASKS = {"GOMP_task": 0, "GOMP_taskloop": 0, "GOMP_taskloop_ull": 0}

_LOOP_ENDS = ("GOMP_loop_end", "GOMP_loop_end_nowait", "GOMP_loop_end_cancel")
_SECTIONS_ENDS = ("GOMP_sections_end", "GOMP_sections_end_nowait", "GOMP_sections_end_cancel")
_KINDS = (*_SCHEDULES, *(f"nonmonotonic_{schedule}" for schedule in _SCHEDULES[1:]))
# The last of each kind of variable serves loops with task reductions.
_LOOPS = tuple(
    f"GOMP_loop_{variable}{kind}start"
    for variable in ("", "ull_")
    for kind in (*(f"{kind}_" for kind in _KINDS), "maybe_nonmonotonic_runtime_", "")
)
_ORDERED_LOOPS = tuple(
    f"GOMP_loop_{variable}ordered_{kind}_start" for variable in ("", "ull_") for kind in _SCHEDULES
)
_CANCELLABLE = ("GOMP_barrier_cancel", "GOMP_loop_end_cancel", "GOMP_sections_end_cancel")

INTERFACE = Interface(
    prefix="GOMP_",
    host_targets=("GOMP_target_ext", "GOMP_target"),
    nested=True,
    in_files=True,
    lined=False,
    forks={**_REGIONS, **_LEAGUES},
    forks_by_another=("GOMP_parallel_reductions", "GOMP_teams_reg"),
    functions=_TASKS,
    events={
        ("parallel", "begin"): _REGIONS,
        ("parallel", "end"): {
            **{name: AFTER for name in _REGIONS if name not in _BEFORE_REGION},
            "GOMP_parallel_end": AFTER,
        },
        ("teams", "begin"): _LEAGUES,
        ("teams", "end"): {name: AFTER for name in _LEAGUES},
        ("task", "begin"): _TASKS,
        ("task", "end"): _TASKS,
        # Each of the program's barriers once: the code passes another one inside a single construct
        # with copyprivate, and one more behind a loop or sections with task reductions.
        ("barrier", "all"): {
            name: AFTER
            for name in ("GOMP_barrier", "GOMP_loop_end", "GOMP_sections_end", *_CANCELLABLE)
        },
    },
    cancellable=_CANCELLABLE,
    cancels=("GOMP_cancel",),
    cancellation_points=("GOMP_cancellation_point",),
    executes_at_once=("GOMP_task",),
    executes_tasks=("GOMP_taskyield",),
    waits={
        "GOMP_barrier": "barrier",
        "GOMP_barrier_cancel": "barrier",
        "GOMP_loop_end": "workshare",
        "GOMP_loop_end_cancel": "workshare",
        "GOMP_sections_end": "workshare",
        "GOMP_sections_end_cancel": "workshare",
        "GOMP_single_copy_start": "workshare",
        "GOMP_single_copy_end": "workshare",
        "GOMP_workshare_task_reduction_unregister": "workshare",
        "GOMP_critical_start": "critical",
        "GOMP_critical_name_start": "critical",
        "GOMP_atomic_start": "atomic",
        "GOMP_ordered_start": "ordered",
        "GOMP_doacross_wait": "doacross",
        "GOMP_doacross_ull_wait": "doacross",
        "GOMP_taskwait": "taskwait",
        "GOMP_taskwait_depend": "depend",
        "GOMP_taskgroup_end": "taskgroup",
        "GOMP_parallel_end": "region",
    },
    object_argument={"GOMP_critical_name_start": 0},
    iteration_passed=("GOMP_doacross_wait", "GOMP_doacross_ull_wait"),
    before_region=_BEFORE_REGION,
    construct_ends={
        "GOMP_critical_start": ("GOMP_critical_end",),
        "GOMP_critical_name_start": ("GOMP_critical_name_end",),
        "GOMP_ordered_start": ("GOMP_ordered_end",),
        "GOMP_taskgroup_start": ("GOMP_taskgroup_end",),
        "GOMP_sections_start": _SECTIONS_ENDS,
        "GOMP_sections2_start": _SECTIONS_ENDS,
        **{name: _LOOP_ENDS for name in _LOOPS},
    },
    loop_next=(
        *(_LOOPS + _ORDERED_LOOPS),
        *(name[: -len("start")] + "next" for name in _LOOPS + _ORDERED_LOOPS),
    ),
    loop_left=_LOOP_ENDS,
    sections_next=("GOMP_sections_start", "GOMP_sections2_start", "GOMP_sections_next"),
    sections_left=_SECTIONS_ENDS,
    begins={
        "GOMP_critical_start": ("critical", None),
        "GOMP_critical_name_start": ("critical", 0),
        "GOMP_ordered_start": ("ordered", None),
        "GOMP_atomic_start": ("atomic", None),
    },
    ends={
        "GOMP_critical_end": ("critical", None),
        "GOMP_critical_name_end": ("critical", 0),
        "GOMP_ordered_end": ("ordered", None),
        "GOMP_atomic_end": ("atomic", None),
    },
)
