# SPDX-License-Identifier: Apache-2.0
"""Does the tutorial show what the commands print?"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import machine
import pytest
from sessions import PATIENCE, ask, kernel_core

DOCS = machine.ROOT / "docs"
OF_DEVICES = ["-fopenmp-targets=x86_64-pc-linux-gnu"]


def built(name: str, folder: Path) -> Path:
    """Where a user would build it, so that GDB shows its name alone."""
    words = ["clang-14", "-g", "-O0", "-fopenmp", f"{name}.c", "-o", folder / name, "-lm"]
    words += OF_DEVICES if name == "stencil" else []
    subprocess.run(words, cwd=DOCS / "examples", check=True, timeout=PATIENCE)
    return folder / name


def stories() -> dict[str, list[tuple[str, str]]]:
    """The commands of each story, with what they print."""
    found: dict[str, list[tuple[str, str]]] = {}
    for story in (DOCS / "tutorial.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        program = re.search(r"`(\w+)`", story)
        assert program is not None
        blocks = "\n".join(re.findall(r"^```\n(.*?)^```", story, flags=re.MULTILINE | re.DOTALL))
        steps = re.split(r"^\(gdb\) ", blocks, flags=re.MULTILINE)[1:]
        found[program.group(1)] = [
            (step.split("\n", 1)[0], step.split("\n", 1)[1].strip()) for step in steps
        ]
    return found


def plain(text: str) -> str:
    """Addresses and paths differ from run to run; so do breaks of lines that hold them."""
    # The test has looked before, to let the program run.
    text = re.sub(r"^Looked twice, .*\n?", "", text, flags=re.MULTILINE)
    text = re.sub(r"0x(ADDRESS|[0-9a-f]{5,})", "0xADDRESS", text)
    text = re.sub(r"on thread \d+ -+", "on thread N", text)
    text = re.sub(r"/\S*/libomp\.so\.5", "libomp.so.5", text)
    text = re.sub(
        r"\.\.\.<accounts", " <accounts", re.sub(r"from=.*?, amount", "..., amount", text)
    )
    return text.strip()


@pytest.mark.each("story")
@pytest.mark.parametrize("program", ["transfers", "blocks", "norms", "stencil"])
def test_story(program: str, folder: Path) -> None:
    executable = built(program, folder)
    runtime = "libomptarget-14" if program == "stencil" else "libomp-14"
    environment = {"LD_LIBRARY_PATH": str(machine.cached(runtime)), "TMPDIR": str(folder)}
    steps = stories()[program]
    if program in ("norms", "stencil"):
        before = [f"set environment {name} {value}" for name, value in environment.items()]
        files: list[str | Path] = [executable]
    elif program == "blocks":
        before, files = [], [executable, kernel_core(executable, (), environment, folder)]
    else:
        # By the time of the first command the threads are where they stay.
        before = [f"set environment {name} {value}" for name, value in environment.items()]
        before += ["break main", "run", "ompd deadlock -watch 1"]
        files = [executable]
    answer = ask(
        "gdb",
        ["set host-charset UTF-8", *(command for command, _ in steps)],
        before,
        files,
        folder=folder,
    )
    for (command, shown), text in zip(steps, answer.texts[1:]):
        if command.startswith(("ompd", "print")) and not command.startswith("ompd frame"):
            assert plain(text) == plain(shown), f"(gdb) {command}\n{text}"
