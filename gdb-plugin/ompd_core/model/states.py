# SPDX-License-Identifier: Apache-2.0
"""What do the numbers of thread states mean? OMPT's names (OpenMP 6.0, 33.31) without
ompt_state_."""

from __future__ import annotations

NAMES = {
    0x000: "work_serial",
    0x001: "work_parallel",
    0x002: "work_reduction",
    0x010: "wait_barrier",
    0x011: "wait_barrier_implicit_parallel",
    0x012: "wait_barrier_implicit_workshare",
    0x013: "wait_barrier_implicit",
    0x014: "wait_barrier_explicit",
    0x015: "wait_barrier_implementation",
    0x016: "wait_barrier_teams",
    0x020: "wait_taskwait",
    0x021: "wait_taskgroup",
    0x040: "wait_mutex",
    0x041: "wait_lock",
    0x042: "wait_critical",
    0x043: "wait_atomic",
    0x044: "wait_ordered",
    0x080: "wait_target",
    0x081: "wait_target_map",
    0x082: "wait_target_update",
    0x100: "idle",
    0x101: "overhead",
    0x102: "undefined",
}

_WORDS = {
    "wait_barrier_implicit_parallel": "barrier, end of region",
    "wait_barrier_implicit_workshare": "barrier, end of worksharing",
    "wait_barrier_implicit": "implicit barrier",
    "wait_barrier_explicit": "barrier",
    "wait_barrier_implementation": "barrier of a reduction",
    "wait_barrier_teams": "barrier, end of teams",
    "work_parallel": "working",
    "work_serial": "working, serial",
    "work_reduction": "reduction",
}


def name(state: int) -> str:
    return NAMES.get(state, f"state_{state:#x}")


def in_words(state: str, construct: str | None = None, kind: str | None = None) -> str:
    """construct: whose implicit barrier it is; kind: of what is waited for."""
    if state == "wait_taskwait" and kind == "depend":
        return "dependences"
    if state == "wait_barrier_implicit_workshare" and construct is not None:
        return f"barrier, end of {construct}"
    return _WORDS.get(state) or state.replace("wait_", "").replace("_", " ")
