# SPDX-License-Identifier: Apache-2.0
"""LLVM's libomp: its entry points that begin regions and that wait, and what its marks of
constructs mean."""

from __future__ import annotations

# Also those that serve code compiled by gcc: libomp stands in for libgomp.
FORKS = (
    "__kmpc_fork_call",
    "__kmpc_fork_call_if",
    "__kmpc_fork_teams",
    "GOMP_parallel",
    "GOMP_parallel_start",
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
    "GOMP_teams_reg",
)

# Those that call another one.
FORKS_BY_ANOTHER = ("__kmpc_fork_call_if", "GOMP_parallel_reductions", "GOMP_teams_reg")
# Which argument is the function that a region executes.
FORKED_ARGUMENT = {name: 0 if name.startswith("GOMP_") else 2 for name in FORKS}
# Where a construct's own code begins or goes on, by the entry point that leads there: which
# argument is the address of its function, or AFTER the call.
AFTER = -1
_REGION_FUNCTIONS = {name: at for name, at in FORKED_ARGUMENT.items() if "teams" not in name}
_TEAMS_FUNCTIONS = {name: at for name, at in FORKED_ARGUMENT.items() if "teams" in name}
_TASK_FUNCTIONS = {
    "__kmpc_omp_task_alloc": 5,
    "GOMP_task": 0,
    "GOMP_taskloop": 0,
    "GOMP_taskloop_ull": 0,
}
FUNCTIONS = {**FORKED_ARGUMENT, **_TASK_FUNCTIONS}
# Every release defines it.
MARK = "__kmpc_fork_call"
EVENTS = {
    ("parallel", "begin"): {**_REGION_FUNCTIONS, "__kmpc_serialized_parallel": AFTER},
    ("parallel", "end"): {
        **{name: AFTER for name in _REGION_FUNCTIONS if name != "GOMP_parallel_start"},
        "GOMP_parallel_end": AFTER,
        "__kmpc_end_serialized_parallel": AFTER,
    },
    ("teams", "begin"): _TEAMS_FUNCTIONS,
    ("teams", "end"): {name: AFTER for name in _TEAMS_FUNCTIONS},
    ("task", "begin"): {**_TASK_FUNCTIONS, "__kmpc_omp_task_begin_if0": AFTER},
    ("task", "end"): {**_TASK_FUNCTIONS, "__kmpc_omp_task_complete_if0": AFTER},
    # Each of the program's barriers once: gcc's code passes another one inside a single construct
    # with copyprivate, and one more behind a loop or sections with task reductions.
    ("barrier", "all"): {
        name: AFTER
        for name in (
            "__kmpc_barrier",
            "__kmpc_cancel_barrier",
            "__kmpc_copyprivate",
            "GOMP_barrier",
            "GOMP_barrier_cancel",
            "GOMP_loop_end",
            "GOMP_loop_end_cancel",
            "GOMP_sections_end",
            "GOMP_sections_end_cancel",
        )
    },
}
# Barriers that have not been passed if these return true: the construct was cancelled.
CANCELLABLE = (
    "__kmpc_cancel_barrier",
    "GOMP_barrier_cancel",
    "GOMP_loop_end_cancel",
    "GOMP_sections_end_cancel",
)
# How workers are made: not an entry point of the runtime's own, and which argument is the function
# that they execute.
CREATES_THREAD = ("pthread_create", 2)
# Tasks of these are resumed by calling their function again, which finds in the task how far it is.
PARTS_OF = "__kmpc_omp_task_alloc"
TASK_PART = 16  # kmp_task_t.part_id (kmp.h)
IDENT_SOURCE = 16  # ident_t.psource; an ident_t is the first argument of every __kmpc_ entry point

# At the end of constructs in regions that can be cancelled, and where they are.
CANCEL_BARRIER = "__kmpc_cancel_barrier"
# Between the runtime and the code of a construct.
INVOKE = "__kmp_invoke_microtask"

# Entry points that execute a task which their caller has just generated, if there is no room for it
# or it must not be deferred.
EXECUTES_AT_ONCE = (
    "__kmpc_omp_task",
    "__kmpc_omp_task_parts",
    "__kmpc_omp_task_with_deps",
    "GOMP_task",
)

# What a thread waits for inside an entry point. Names of Fortran's bindings differ by what
# `normal' takes away.
WAITS = {
    "__kmpc_barrier": "barrier",
    "__kmpc_cancel_barrier": "barrier",
    "__kmpc_barrier_master": "barrier",
    "GOMP_barrier": "barrier",
    "GOMP_barrier_cancel": "barrier",
    "GOMP_loop_end": "workshare",
    "GOMP_loop_end_cancel": "workshare",
    "GOMP_sections_end": "workshare",
    "GOMP_sections_end_cancel": "workshare",
    "__kmpc_copyprivate": "workshare",
    "__kmpc_reduce": "reduction",
    "__kmpc_reduce_nowait": "reduction",
    "__kmpc_end_reduce": "reduction",
    "GOMP_single_copy_start": "workshare",
    "GOMP_single_copy_end": "workshare",
    "GOMP_workshare_task_reduction_unregister": "workshare",
    "__kmpc_critical": "critical",
    "__kmpc_critical_with_hint": "critical",
    "GOMP_critical_start": "critical",
    "GOMP_critical_name_start": "critical",
    "omp_set_lock": "lock",
    "__kmpc_set_lock": "lock",
    "omp_set_nest_lock": "nest_lock",
    "__kmpc_set_nest_lock": "nest_lock",
    "__kmpc_atomic_start": "atomic",
    "GOMP_atomic_start": "atomic",
    "__kmpc_ordered": "ordered",
    "GOMP_ordered_start": "ordered",
    "__kmpc_doacross_wait": "doacross",
    "GOMP_doacross_wait": "doacross",
    "GOMP_doacross_ull_wait": "doacross",
    "__kmpc_omp_taskwait": "taskwait",
    "__kmpc_omp_taskwait_51": "taskwait",
    "GOMP_taskwait": "taskwait",
    "__kmpc_omp_taskwait_deps_51": "depend",
    "__kmpc_omp_wait_deps": "depend",
    "GOMP_taskwait_depend": "depend",
    "__kmpc_end_taskgroup": "taskgroup",
    "GOMP_taskgroup_end": "taskgroup",
    "GOMP_parallel_end": "region",
}

# Entry points that do not wait: the thread is at work.
WORK = (
    "omp_get_",
    "omp_in_",
    "omp_test_",
    "__kmpc_flush",
    "__kmpc_omp_task_alloc",
    "__kmpc_single",
    "GOMP_single_start",
)
# They wait only while another thread is inside.
ATOMICS = "__kmpc_atomic_"
# Entry points call others of these, some by a jump that leaves no frame of their own.
INNER = "__kmpc_"

# Which argument, counted from 0, is the lock or the critical construct's variable.
OBJECT_ARGUMENT = {
    "__kmpc_critical": 2,
    "__kmpc_critical_with_hint": 2,
    "GOMP_critical_name_start": 0,
    "omp_set_lock": 0,
    "omp_set_nest_lock": 0,
    "__kmpc_set_lock": 2,
    "__kmpc_set_nest_lock": 2,
}

# After these their caller itself calls the code of the region that they begin.
SERIALIZES = "__kmpc_serialized_parallel"
BEFORE_REGION = (SERIALIZES, "GOMP_parallel_start")

# A construct whose code stays in the function around it: the call that begins it, and those of
# which one ends it.
_LOOP_ENDS = ("GOMP_loop_end", "GOMP_loop_end_nowait", "GOMP_loop_end_cancel")
_SECTIONS_ENDS = ("GOMP_sections_end", "GOMP_sections_end_nowait", "GOMP_sections_end_cancel")
_SCHEDULES = ("static", "dynamic", "guided", "runtime")
_KINDS = (*_SCHEDULES, *(f"nonmonotonic_{schedule}" for schedule in _SCHEDULES[1:]))
# gcc's entry points; the last of each kind of variable serves loops with task reductions.
_LOOPS = tuple(
    f"GOMP_loop_{variable}{kind}start"
    for variable in ("", "ull_")
    for kind in (*(f"{kind}_" for kind in _KINDS), "maybe_nonmonotonic_runtime_", "")
)
CONSTRUCT_ENDS: dict[str, tuple[str, ...]] = {
    "__kmpc_critical": ("__kmpc_end_critical",),
    "__kmpc_critical_with_hint": ("__kmpc_end_critical",),
    "__kmpc_ordered": ("__kmpc_end_ordered",),
    "__kmpc_taskgroup": ("__kmpc_end_taskgroup",),
    "__kmpc_single": ("__kmpc_end_single",),
    "__kmpc_master": ("__kmpc_end_master",),
    "__kmpc_masked": ("__kmpc_end_masked",),
    **{
        f"__kmpc_for_static_init_{of}": ("__kmpc_for_static_fini",) for of in ("4", "4u", "8", "8u")
    },
    "GOMP_critical_start": ("GOMP_critical_end",),
    "GOMP_critical_name_start": ("GOMP_critical_name_end",),
    "GOMP_ordered_start": ("GOMP_ordered_end",),
    "GOMP_taskgroup_start": ("GOMP_taskgroup_end",),
    "GOMP_sections_start": _SECTIONS_ENDS,
    "GOMP_sections2_start": _SECTIONS_ENDS,
    **{name: _LOOP_ENDS for name in _LOOPS},
}
# Not in threads in which these return zero.
CONDITIONAL = ("__kmpc_single", "__kmpc_master", "__kmpc_masked")

# What is held between two calls: the kind, and which argument is the object.
BEGINS: dict[str, tuple[str, int | None]] = {
    "__kmpc_critical": ("critical", 2),
    "__kmpc_critical_with_hint": ("critical", 2),
    "GOMP_critical_start": ("critical", None),
    "GOMP_critical_name_start": ("critical", 0),
    "omp_set_lock": ("lock", 0),
    "omp_test_lock": ("lock", 0),
    "__kmpc_set_lock": ("lock", 2),
    "__kmpc_test_lock": ("lock", 2),
    "omp_set_nest_lock": ("nest_lock", 0),
    "omp_test_nest_lock": ("nest_lock", 0),
    "__kmpc_set_nest_lock": ("nest_lock", 2),
    "__kmpc_test_nest_lock": ("nest_lock", 2),
    "__kmpc_ordered": ("ordered", None),
    "GOMP_ordered_start": ("ordered", None),
    "__kmpc_atomic_start": ("atomic", None),
    "GOMP_atomic_start": ("atomic", None),
}
ENDS: dict[str, tuple[str, int | None]] = {
    "__kmpc_end_critical": ("critical", 2),
    "GOMP_critical_end": ("critical", None),
    "GOMP_critical_name_end": ("critical", 0),
    "omp_unset_lock": ("lock", 0),
    "__kmpc_unset_lock": ("lock", 2),
    "omp_unset_nest_lock": ("nest_lock", 0),
    "__kmpc_unset_nest_lock": ("nest_lock", 2),
    "__kmpc_end_ordered": ("ordered", None),
    "GOMP_ordered_end": ("ordered", None),
    "__kmpc_atomic_end": ("atomic", None),
    "GOMP_atomic_end": ("atomic", None),
}
# They begin only if they do not return zero.
TESTS = ("omp_test_", "__kmpc_test_")

# The variable that an ICV of the process is read from; the first item of some lists is elsewhere.
VARIABLES = {
    "affinity-format-var": "__kmp_affinity_format",
    "bind-var": "__kmp_nested_proc_bind",
    "cancel-var": "__kmp_omp_cancellation",
    "display-affinity-var": "__kmp_display_affinity",
    "max-task-priority-var": "__kmp_max_task_priority",
    "nteams-var": "__kmp_nteams",
    "nthreads-var": "__kmp_nested_nth",
    "num-procs-var": "__kmp_avail_proc",
    "stacksize-var": "__kmp_stksize",
    "target-offload-var": "__kmp_target_offload",
    "teams-thread-limit-var": "__kmp_teams_thread_limit",
    "tool-libraries-var": "__kmp_tool_libraries",
    "tool-var": "__kmp_tool",
    "tool-verbose-init-var": "__kmp_tool_verbose_init",
    "wait-policy-var": "__kmp_library",
}

# ident_t.flags (kmp.h).
BARRIER_EXPLICIT = 0x20
BARRIER_IMPLICIT_MASK = 0x1C0
BARRIERS_IMPLICIT = {0x40: "for", 0xC0: "sections", 0x140: "single", 0x1C0: "workshare"}
# flang gives all worksharing constructs the mark of loops.
ALSO_FLANGS = "for"


def normal(name: str) -> str:
    """Fortran's omp_set_lock_ and the hidden __kmp_api_omp_set_lock are omp_set_lock."""
    name = name.partition("@")[0]
    if name.startswith("__kmp_api_"):
        name = name[len("__kmp_api_") :]
    return name.rstrip("_") if name.startswith(("omp_", "kmp_")) else name
