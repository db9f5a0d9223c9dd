# SPDX-License-Identifier: Apache-2.0
"""LLVM's libomp: which of its entry points begin a parallel region."""

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
