# SPDX-License-Identifier: Apache-2.0
"""Does GDB get to know the commands without the user's doing, and start as fast as before?"""

from __future__ import annotations

import re
from pathlib import Path

import machine
import pytest
from sessions import ask, target
from test_truth import told_truth

ASK = ["ompd threads -json", "ompd parallel -json"]


def auto_loading(runtime: Path, folder: Path) -> tuple[str, str]:
    """A link for a runtime as the installation makes it, in a directory that GDB is told of; and
    the command that makes GDB trust it."""
    link = Path(f"{folder}/auto-load{runtime.resolve()}-gdb.py")
    link.parent.mkdir(parents=True)
    link.symlink_to(machine.PLUGIN)
    directory = folder / "auto-load"
    return f"set auto-load scripts-directory {directory}", f"add-auto-load-safe-path {directory}"


@pytest.mark.parametrize("gdb", ["gdb-10", "gdb", "gdb-16", "gdb-18"])
@pytest.mark.parametrize("kind", ["live", "attach", "core"])
def test_loaded_with_the_runtime(kind: str, gdb: str, folder: Path) -> None:
    home = machine.cached("libomp-14")
    plugin = auto_loading(home / "libomp.so.5", folder)
    with target(kind, machine.compiled("nested"), (), home, folder) as made:
        # GDB reads the core file before its commands are given.
        before = [*made.before, *(f"core {made.core}" for _ in [0] if made.core)]
        answer = ask(gdb, ASK, before, made.files, folder=folder, plugin=plugin)
        told_truth(made.truth(), answer)


def test_not_trusted(folder: Path) -> None:
    """GDB itself says so, with the line to add; once for all stops and commands."""
    home = machine.cached("libomp-14")
    directory, _ = auto_loading(home / "libomp.so.5", folder)
    with target("live", machine.compiled("nested"), (), home, folder) as made:
        answer = ask(
            "gdb", ["bt", "run"], made.before, made.files, folder=folder, plugin=[directory]
        )
    declined = re.findall(r"auto-loading has been declined", answer.everything)
    assert declined and len(re.findall("add-auto-load-safe-path /", answer.everything)) == 1


def test_nothing_is_imported_before_it_is_needed(folder: Path) -> None:
    """Counted, since time depends on the machine. The unwinder's module is as light as the frame
    filter's, and stands beside what it loads when it is needed."""
    script = folder / "count.py"
    script.write_text(
        f"""
import sys
before = set(sys.modules)
gdb.execute("source {machine.PLUGIN}")
new = set(sys.modules) - before
own = sorted(name for name in new if name.split(".")[0] in ("ompd_core", "ompd_gdb"))
light = ("ompd_gdb.target", "ompd_gdb.target.unwinder")
print("heavy", [n for n in own if n.split(".")[0] == "ompd_core" or n.split(".")[1:2] and
    n.split(".")[1] in ("session", "picture", "target", "breakpoints", "thread_names") and
    n not in light])
print("others", sorted(new - set(own) - {{"__future__", "contextlib"}}))
""",
        encoding="utf-8",
    )
    executable, home = machine.compiled("no_openmp"), machine.cached("libomp-14")
    with target("live", executable, (), home, folder) as made:
        later = "python print('session', 'ompd_gdb.session' in sys.modules)"
        commands = [f"source {script}", "run", "bt", later]
        texts = ask("gdb", commands, made.before, made.files, folder=folder, plugin=[]).texts
    assert "heavy []" in texts[0] and "others []" in texts[0], texts[0]
    assert texts[3] == "session False"
