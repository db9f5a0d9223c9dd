# SPDX-License-Identifier: Apache-2.0
"""Does `set ompd state-tracking on' make the runtime of a program that GDB starts record states,
and is it said where it is too late?"""

from __future__ import annotations

from pathlib import Path

import machine
import pytest
from sessions import ask, target

ON, OFF = "set ompd state-tracking on", "set ompd state-tracking off"
ASK = "ompd threads -json"
# With OMPD's states in it.
RUNTIME = "libomp-19-ompd"


def tracked(document: object) -> bool:
    assert isinstance(document, dict)
    (runtime,) = document["runtimes"]
    states = [
        member["tracked_state"] for thread in document["threads"] for member in thread["openmp"]
    ]
    assert any(state is not None for state in states) == runtime["state_tracking"]
    return bool(runtime["state_tracking"])


@pytest.mark.parametrize("gdb", ["gdb-10", "gdb", "gdb-16", "gdb-18"])
def test_started_by_gdb(gdb: str, folder: Path) -> None:
    """Before the start; then what is said of the program that runs, and the next start."""
    with target("live", machine.compiled("nested"), (), machine.cached(RUNTIME), folder) as made:
        commands = [ASK, ON, OFF, "run", ASK, ON, "show ompd state-tracking", "run", ASK]
        answer = ask(gdb, commands, [ON, *made.before], made.files, folder=folder)
    texts = [" ".join(text.split()) for text in answer.texts]
    assert tracked(answer.document(ASK)) and not tracked(answer.document(ASK, 1))
    assert tracked(answer.document(ASK, 2))
    assert texts[1] == ""
    assert texts[2] == (
        "The program that runs now goes on with state tracking. `run' starts it again, without it."
    )
    assert texts[5].startswith("The program that runs now was started without state tracking")
    assert texts[5].endswith("can crash it. `run' starts it again, with it.")
    assert texts[6] == "OpenMP runtimes of programs that GDB starts track states: on."


@pytest.mark.parametrize("kind", ["attach", "gdbserver"])
def test_started_elsewhere(kind: str, folder: Path) -> None:
    with target(kind, machine.compiled("nested"), (), machine.cached(RUNTIME), folder) as made:
        answer = ask("gdb", [ON, ASK], made.before, made.files, folder=folder)
    text = " ".join(answer.texts[0].split())
    assert text.endswith("Start it again with it: OMP_DEBUG=enabled in its environment.")
    assert not tracked(answer.document(ASK))


def test_core(folder: Path) -> None:
    with target("core", machine.compiled("nested"), (), machine.cached(RUNTIME), folder) as made:
        answer = ask("gdb", [ON, OFF], made.before, made.files, folder=folder)
    assert answer.texts[0].startswith("A core file stays as it is")


def test_before_the_runtime_has_started(folder: Path) -> None:
    """The environment is what the process was started with."""
    with target("live", machine.compiled("nested"), (), machine.cached(RUNTIME), folder) as made:
        commands = [ON, "continue", ASK]
        before = [*made.before[:-2], "start", "break stop_here"]
        answer = ask("gdb", commands, before, made.files, folder=folder)
    assert "was started without state tracking" in " ".join(answer.texts[0].split())
    assert not tracked(answer.document(ASK))


def test_environment(folder: Path) -> None:
    """A variable of the user's stays, unless he asked; new inferiors get it too."""
    shown = "show environment OMP_DEBUG"
    commands = ["set environment OMP_DEBUG 1", OFF, shown, ON, "add-inferior", "inferior 2", shown]
    commands += [OFF, shown, "inferior 1", shown]
    texts = ask("gdb-16", commands, folder=folder).texts
    assert texts[2] == "OMP_DEBUG = 1"
    assert texts[6] == "OMP_DEBUG = enabled"
    assert "not defined" in texts[8] and "not defined" in texts[10]
