# SPDX-License-Identifier: Apache-2.0
"""Does docs/post-mortem.md show what its commands print?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import command
import corpus
import machine
import pytest
from sessions import PATIENCE

TEXT = (machine.ROOT / "docs" / "post-mortem.md").read_text(encoding="utf-8")
STORIES = [story for story in TEXT.split("\n## ")[1:] if story.startswith("Three in the morning")]


def steps(story: str) -> list[tuple[str, str]]:
    """Commands, each with what it is said to print."""
    blocks = re.findall(r"^```\n(.*?)^```", story, flags=re.MULTILINE | re.DOTALL)
    found = re.split(r"^\$ ", "".join(blocks), flags=re.MULTILINE)[1:]
    return [(step.split("\n", 1)[0], step.split("\n", 1)[1]) for step in found]


def pattern(shown: str) -> str:
    """Lines of three dots stand for any lines."""
    lines = shown.splitlines(keepends=True)
    return "".join("(?:.*\n)*?" if line == "...\n" else re.escape(line) for line in lines)


@pytest.mark.each("story")
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.split("\n")[0])
def test_story(story: str, folder: Path) -> None:
    """In one shell, as it is read."""
    (folder / "corefiles").symlink_to(machine.ROOT / "corefiles")
    bare = folder / "bin"
    bare.mkdir()
    (bare / "ompd").symlink_to(command.OMPD)
    gdb = bare / "gdb"
    gdb.write_text(f'#!/bin/sh\nexec {machine.gdb("gdb")} -nx -x {machine.PLUGIN} "$@"\n')
    gdb.chmod(0o755)
    script = "".join(f"{words}\nstatus=$?; echo @@@; (exit $status)\n" for words, _ in steps(story))
    path = f"{bare}:/usr/bin:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    printed = done.stdout.split("@@@\n")
    assert len(printed) == len(steps(story)) + 1 > 3
    for (words, shown), text in zip(steps(story), printed):
        assert re.fullmatch(pattern(shown), text), f"$ {words}\n{text}"


def test_consumer(folder: Path) -> None:
    """The Python that reads reports, of a crash, of a hang and of what is no core file."""
    (program,) = re.findall(r"^```python\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)
    assert program.count("\n") <= 6
    for name in ("crash-nested", "lock-order"):
        core, executable = corpus.unpack(corpus.entries()[name], folder / name)
        words = ["core", "--json", "-o", folder / f"{name}.json"]
        command.ompd(*words, "--lib-search-root", folder / name, core, executable, folder=folder)
    command.ompd("core", "--json", "-o", folder / "none.json", folder / "none", folder=folder)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "crash-nested.json ['crash']"
    assert lines[1] == "lock-order.json ['deadlock']"
    assert lines[2].startswith("none.json {'code': 'core_unreadable'")
