# SPDX-License-Identifier: Apache-2.0
"""Is the stack told whole at every instruction on the way into a region, in it, and out of it?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import ask, target

SCRIPT = Path(__file__).with_name("step_by_instruction.py")
# libomp executes more of them than a default check has time for.
CELLS = [("libgomp-12", machine.GCC, 1200)]
if machine.FULL:
    CELLS += [("libgomp-10", machine.GCC, 1200)]
    CELLS += [(name, machine.CLANG, 4000) for name in ("libomp-14", "libomp-19")]


def looks_at(runtime: str, compiler: str, steps: int, folder: Path) -> list[dict[str, Any]]:
    executable = machine.compiled("entered", "optimised", compiler=compiler)
    settings = {"OMP_WAIT_POLICY": "passive"}
    with target("live", executable, (), machine.cached(runtime), folder, settings) as made:
        put = {"OMPD_STEP_THROUGH": "solve", "OMPD_STEPS": str(steps)}
        before = [*made.before[:-2], "break solve if number == 2", "run", "delete"]
        before += [f"python import os; os.environ.update({put})"]
        ask("gdb", [f"source {SCRIPT}"], before, made.files, folder=folder)
    looks: list[dict[str, Any]] = json.loads((folder / "looks.json").read_text(encoding="utf-8"))
    return looks


@pytest.mark.parametrize("runtime, compiler, steps", CELLS)
def test_every_instruction(runtime: str, compiler: str, steps: int, folder: Path) -> None:
    looks = looks_at(runtime, compiler, steps, folder)
    assert len(looks) > 100
    seen = set()
    for look in looks:
        assert not look["doubts"] and not look["wrong"], look
        users = [name for kind, name in look["frames"] if kind == "user"]
        assert users[-1:] == ["main"], look
        kinds = [kind for kind, _ in look["frames"]]
        seen.add("construct" in kinds)
        if "construct" in kinds:
            # The function that met the construct is outside of it.
            outer = look["frames"][kinds.index("construct") + 1 :]
            assert outer == [["user", "solve"], ["user", "main"]], look
    assert seen == {False, True}
