# SPDX-License-Identifier: Apache-2.0
"""Are stacks whole where the compiler recorded nothing of how to unwind them? And where that cannot
be told, is nothing made up?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import machine
import pytest
from expected_stacks import expected, told
from sessions import Answer, ask, target

SOURCE = machine.PROGRAMS / "stacks.c"
ALL = "ompd bt * -json"
# As flang compiles without -g. GDB then guesses.
UNTOLD = ("-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fomit-frame-pointer")
SCENARIOS = ["nested", "tasks", "gone", "waits"]
GDBS = ["gdb", "gdb-10", "gdb-16", "gdb-18"]
KINDS = ["live", "core", "gdbserver", "gcore"]
OUTLINED = {"parallel region", "parallel", "parallel serialized", "task"}


def asked(
    scenario: str, folder: Path, commands: list[str], *, stripped: bool = False, **how: Any
) -> Answer:
    executable = machine.compiled("stacks", "plain", link=UNTOLD)
    if stripped:
        machine.run("strip", "-o", folder / "stripped", executable)
        executable = folder / "stripped"
    kind, gdb, then = how.get("kind", "live"), how.get("gdb", "gdb"), how.get("then", ())
    with target(kind, executable, (scenario,), machine.cached("libomp-16"), folder) as made:
        return ask(gdb, commands, [*made.before, *then], made.files, folder=folder)


def nothing_is_made_up(answer: Answer, scenario: str) -> None:
    known = {name for stack in expected(SOURCE, scenario, lines=False) for name in stack}
    for stack in told(answer.document(ALL), "stacks.c", lines=False):
        assert set(stack) <= known | OUTLINED, answer.everything


def of_teams(answer: Answer) -> list[Any]:
    """Where a core file is made, abort() is called, and does not return."""
    found = [s for s in answer.document(ALL)["stacks"] if (s["who"] or "").startswith("R")]
    assert found, answer.everything
    return found


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("number", range(4))
def test_whole_stacks(scenario: str, number: int, folder: Path) -> None:
    turn = SCENARIOS.index(scenario) + number
    answer = asked(scenario, folder, [ALL], kind=KINDS[turn % 4], gdb=GDBS[number])
    nothing_is_made_up(answer, scenario)
    for stack in of_teams(answer):
        assert stack["complete"], answer.everything
        assert stack["frames"][-1]["text"].startswith("main ("), answer.everything


@pytest.mark.parametrize("gdb", GDBS)
def test_without_our_help(gdb: str, folder: Path) -> None:
    """What GDB guesses is no frame."""
    answer = asked("nested", folder, [ALL], gdb=gdb, then=("disable unwinder global ompd",))
    nothing_is_made_up(answer, "nested")


def test_without_symbols(folder: Path) -> None:
    """Where a function begins need not be known."""
    answer = asked("nested", folder, [ALL], stripped=True, kind="core")
    for stack in of_teams(answer):
        assert stack["complete"], answer.everything


def test_registers_of_callers(folder: Path) -> None:
    """Also those that a function only passes on: main's argc is in one."""
    commands = ["thread 1", "bt -no-filters", "frame function main", "info registers rip"]
    answer = asked("nested", folder, commands)
    assert re.search(r"in main \(\)$", answer.texts[1]), answer.everything
    assert "<main+" in answer.texts[3], answer.everything


def test_other_programs_are_left_to_gdb(folder: Path) -> None:
    executable = machine.compiled("no_openmp", "plain", link=UNTOLD)
    commands = ["python print([one.name for one in gdb.frame_unwinders])"]
    with target("live", executable, (), folder, folder) as made:
        answer = ask("gdb", ["bt", *commands], made.before, made.files, folder=folder)
    assert "ompd" not in answer.text, answer.everything


COUNTS = """
import gdb
from ompd_gdb.target import unwinder
own = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line and " r-x" in line}
asked, ask = [], unwinder.texts.filename
unwinder.texts.filename = lambda file: asked.append(file) or ask(file)
for file in own:
    gdb.execute(f"add-symbol-file {file}", to_string=True)
files = len(gdb.objfiles())
print("TOLD", files >= len(own) > 10, len(asked) <= files)
"""


def test_many_files(folder: Path) -> None:
    """Each is asked for its name once, not all again whenever one comes."""
    script = folder / "counts.py"
    script.write_text(COUNTS, encoding="utf-8")
    answer = ask("gdb", [f"source {script}"], ["set confirm off"], [], folder=folder)
    assert "TOLD True True" in answer.everything, answer.everything
