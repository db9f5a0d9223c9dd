# SPDX-License-Identifier: Apache-2.0
"""LLVM's libomp, and Intel's library, which it comes from."""

from __future__ import annotations

from .base import Runtime

# The first item of some lists is elsewhere.
_VARIABLES = {
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

RUNTIME = Runtime(
    kind="llvm",
    name="LLVM libomp",
    files=("libomp.so*", "libomp-*.so*", "libiomp5.so*"),
    mark="__kmpc_fork_call",
    functions=r"_*__kmp|__ompt?_|ompt_|ompd_bp_",
    loosely=r"_*kmp",
    sources=r"kmp|z_Linux|ompt|ompd",
    environment=("KMP_", "LIBOMPTARGET_", "LIBOMP_"),
    stack_size="KMP_STACKSIZE",
    invoke="__kmp_invoke_microtask",
    records_holders="run the program with KMP_CONSISTENCY_CHECK=all, and the runtime records it",
    variables=_VARIABLES,
    fatal=r"(OMP: Error #\d+: [^\n]*)\n(?:OMP: (System error #[^\n]*)\n)?",
    no_thread=r"necessary resources for OMP thread",
    device_handle="__kmpc_omp_get_target_async_handle_ptr",
)
