# SPDX-License-Identifier: Apache-2.0
"""Is it right of programs that nobody has seen before (random_programs.py)? On AArch64:
test_virtual.py."""

from __future__ import annotations

from pathlib import Path

import machine
import pytest
import random_programs
from sessions import target

RUNTIMES = ["libomp-19", "libomp-14", "libomp-16"]
KINDS = ["core", "live"]


@pytest.mark.parametrize("number", range(12 if machine.FULL else 1))
@pytest.mark.parametrize("kind", random_programs.MAKERS)
def test_random_program(kind: str, number: int, folder: Path) -> None:
    made = random_programs.MAKERS[kind](random_programs.new_seed())
    build = "light-debug" if kind == "regions" and number % 2 else "debug"
    executable = random_programs.compile_here(made, build, folder)
    runtime = machine.cached(RUNTIMES[number % len(RUNTIMES)])
    given = random_programs.arguments(made)
    with target(KINDS[number // 2 % 2], executable, given, runtime, folder) as one:
        random_programs.check(made, one, "gdb", folder)
