# SPDX-License-Identifier: Apache-2.0
"""Is it right beside others: LLVM's own plugin, a program with the runtime's names, users' settings
of GDB?"""

from __future__ import annotations

from pathlib import Path

import machine
import pytest
from sessions import ask, sourcing, target
from test_truth import told_truth

ASK = ["ompd threads -json", "ompd parallel -json"]


@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("kind", ["live", "core"])
def test_llvms_plugin(kind: str, order: str, folder: Path) -> None:
    """Both are called ompd: whichever was sourced last answers, and both can be used in turn."""
    ours, theirs = sourcing(), [f"source {machine.llvms_plugin()}"]
    plugin = [*theirs, *ours] if order == "before" else [*ours, *theirs]
    executable, runtime = machine.compiled("nested"), machine.cached("libomp-19-ompd")
    with target(kind, executable, (), runtime, folder) as made:
        again = [] if order == "before" else [ours[0]]
        commands = [*again, *ASK, "help ompd threads"]
        answer = ask("gdb", commands, made.before, made.files, folder=folder, plugin=plugin)
        told_truth(made.truth(), answer)
    assert "as OpenMP" in answer.text or "OpenMP id" in answer.text


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19-ompd"])
@pytest.mark.parametrize("kind", ["live", "core"])
def test_names_of_the_runtime_in_the_program(kind: str, runtime: str, folder: Path) -> None:
    executable = machine.compiled("namesakes")
    with target(kind, executable, (), machine.cached(runtime), folder) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        told_truth(made.truth(), answer)


@pytest.mark.parametrize("gdb", ["gdb", "gdb-16"])
@pytest.mark.parametrize("kind", ["live", "attach", "core"])
@pytest.mark.parametrize(
    "setting",
    [
        "set auto-load no",  # so no libthread_db
        "set auto-load safe-path /",
        "set auto-solib-add off",
        "set print inferior-events off",
        "set language ada",
        "set pagination on",
        "set width 40",
        "set host-charset ASCII",
        "set python print-stack full",
        "python gdb.VERSION = 'Fedora Linux 14.1-2.fc39'",  # as it is called there
    ],
)
def test_settings_of_gdb(setting: str, kind: str, gdb: str, folder: Path) -> None:
    executable, runtime = machine.compiled("beside"), machine.cached("libomp-14")
    with target(kind, executable, (), runtime, folder) as made:
        commands = [*ASK, "ompd", "ompd threads", "ompd parallel", "ompd status"]
        answer = ask(gdb, commands, [setting, *made.before], made.files, folder=folder)
        told_truth(made.truth(), answer)
    assert all(answer.texts[2:])
