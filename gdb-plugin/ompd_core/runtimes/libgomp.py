# SPDX-License-Identifier: Apache-2.0
"""GNU's libgomp."""

from __future__ import annotations

from .base import Runtime

_VARIABLES = {
    "affinity-format-var": "gomp_affinity_format_var",
    "cancel-var": "gomp_cancel_var",
    "display-affinity-var": "gomp_display_affinity_var",
    "max-task-priority-var": "gomp_max_task_priority_var",
    "nteams-var": "gomp_nteams_var",
    "nthreads-var": "gomp_nthreads_var_list",
    "bind-var": "gomp_bind_var_list",
    "num-procs-var": "gomp_available_cpus",
    "stacksize-var": "gomp_thread_attr",
    "target-offload-var": "gomp_target_offload_var",
    "teams-thread-limit-var": "gomp_teams_thread_limit_var",
    "wait-policy-var": "wait_policy",
}

RUNTIME = Runtime(
    kind="gomp",
    name="GNU libgomp",
    files=("libgomp.so*", "libgomp-*.so*"),
    mark="GOMP_parallel_start",
    text=b"\nlibgomp: \0",
    functions=r"gomp_|goacc_|GOACC_",
    loosely=r"futex_|priority_(list|queue|tree)_|splay_tree_",
    sources=r"(affinity|barrier|bar|lock|mutex|parallel|ptrlock|sem|task|team)\.c$",
    headers=r".*/libgomp/(config/.*/)?((simple-)?bar|doacross|futex|mutex|ptrlock|sem|wait)\.h$",
    environment=("GOMP_",),
    stack_size="GOMP_STACKSIZE",
    calls_directly=True,
    takes_children=True,
    loses_threads=True,
    counts_arrivals=True,
    variables=_VARIABLES,
    fatal=r"(Thread creation failed: [^\n\0]+|Out of memory allocating \d+ bytes)",
    exits=True,
    no_thread=r"^Thread creation failed",
    no_memory=r"^Out of memory allocating (\d+)",
)
