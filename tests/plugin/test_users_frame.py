# SPDX-License-Identifier: Apache-2.0
"""Is the user's own frame never beyond the construct that the thread is in? Stacks are written as
letters, innermost first."""

from __future__ import annotations

import pytest
from ompd_core.model.native import Frame, Location
from ompd_core.model.users_frame import Around, users_frame
from ompd_core.model.where import CodeMap, Runtime

RUNTIME = Runtime(0x9000, 0xA000, "/lib/libgomp.so.1")
CALLED, DIRECT, TASK = Around(), Around(1), Around(0, True)
KINDS = {
    "l": Location(None, objfile="/lib/libsolve.so"),  # no line, no symbol
    "i": Location("inlined", objfile="/lib/libsolve.so"),
    "m": Location("main", "main.c", line=3),
    "o": Location("main.omp_outlined", "main.c", line=5),
    "u": Location("solve.omp_outlined"),  # no line, but a symbol
    "t": Location(".omp_task_entry.", "main.c", line=7),
    "h": Location("std::at", "/usr/include/c++/12/vector", "/usr/include/c++/12/vector", 9),
    "s": Location("void std::__detail::__platform_wait<int>(int const*, int)"),  # no line
    "x": Location(".omp.reduction.reduction_func"),
    "c": Location("abort", objfile="/lib/libc.so.6"),
    "r": Location(None),  # the runtime's
    "F": Location("GOMP_parallel"),
    "?": Location(None),
}


def frames(stack: str) -> list[Frame]:
    return [
        Frame(
            KINDS[kind]._replace(pc=(0x9000 if kind in "rF" else 0x100) + level),
            inlined=kind == "i",
            executable=kind in "mot",
        )
        for level, kind in enumerate(stack)
    ]


@pytest.mark.parametrize(
    "stack, construct, level",
    [
        # In no construct, the line is preferred.
        ("lm", None, 1),
        ("cllm", None, 3),
        ("ll", None, 0),
        ("?l", None, 1),
        ("hm", None, 1),
        ("ssl", None, 2),
        ("ss", None, 1),
        # The runtime called the construct's code.
        ("lFlm", CALLED, 0),
        ("rlFlm", CALLED, 1),
        ("clmFm", CALLED, 2),
        ("lhmFm", CALLED, 2),
        ("lhFm", CALLED, 1),
        ("csulFm", CALLED, 2),
        ("lxromr", CALLED, 0),
        ("xromr", CALLED, 2),
        # It is seen by a symbol only.
        ("luFm", CALLED, 0),
        ("lom", CALLED, 1),
        ("lm", CALLED, 0),
        # Its code is left, or made way for the runtime's.
        ("rFlm", CALLED, 2),
        ("rFim", CALLED, 3),
        # Called without the runtime.
        ("lm", DIRECT, 0),
        ("lom", DIRECT, 1),
        ("lum", DIRECT, 0),
        ("lomor", DIRECT, 1),
        ("llmor", DIRECT, 0),
        ("ltm", TASK, 1),
        ("llor", TASK, 0),
        ("lmtr", TASK, 1),
        ("rr", CALLED, None),
    ],
)
def test_stacks(stack: str, construct: Around | None, level: int | None) -> None:
    made = frames(stack)
    found = users_frame(made, CodeMap([RUNTIME]), construct)
    assert found is (made[level] if level is not None else None)


def test_a_call_that_made_way_for_another() -> None:
    """What the outermost frame of the runtime is called tells not that a region begins."""
    made = frames("rlmr")
    code = CodeMap([RUNTIME])
    assert users_frame(made, code, CALLED) is made[2]
    assert users_frame(made, code, CALLED, lambda frame: "GOMP_parallel") is made[1]
