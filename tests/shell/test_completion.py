# SPDX-License-Identifier: Apache-2.0
"""Do bash, zsh and fish complete what is typed behind `ompd'? What a Tab makes of a line is what
the shell then calls."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Sequence

import machine
import pytest
from terminal import Terminal

COMPLETION = machine.ROOT / "gdb-plugin" / "completion"
PROMPT = "ready> "

# What is typed, and what it becomes.
CASES: Sequence[tuple[str, str]] = (
    ("ompd rec", "<record>"),
    ("ompd show --fold", "<show><--folded>"),
    ("ompd core --lib-s", "<core><--lib-search-root>"),
    ("ompd top -v thr", "<top><-v><threads>"),
    ("ompd core my", "<core><my core>"),
    ("ompd pid --json -o doc", "<pid><--json><-o><document>"),
    ("ompd core --sysroot d", "<core><--sysroot><directory/>"),
    ("ompd record -d 1 -- unmistak", "<record><-d><1><--><unmistakable>"),
    ("ompd run -- unmistakable my", "<run><--><unmistakable><my core>"),
)


def test_made_of_the_parser() -> None:
    done = subprocess.run(
        [sys.executable, machine.ROOT / "tools" / "gen-completion", "--check"],
        stdout=subprocess.PIPE,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode()


@pytest.fixture(name="place")
def fixture_place(folder: Path) -> Path:
    """With a program of a name that nobody else has."""
    for name in ("my core", "document"):
        (folder / name).touch()
    (folder / "directory").mkdir()
    (folder / "bin").mkdir()
    program = folder / "bin" / "unmistakable"
    program.write_text("#!/bin/sh\n", encoding="ascii")
    program.chmod(0o755)
    return folder


def shell(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise machine.Missing(f"There is no {name}: apt-get install {name}")
    return path


# How each is started, and told of the completion.
SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"], f". '{COMPLETION}/ompd.bash'"),
    "zsh": (
        ["-f", "-i"],
        f"fpath=('{COMPLETION}' $fpath); autoload -Uz compinit; compinit -u -D",
    ),
}


@pytest.mark.each("name")
@pytest.mark.parametrize("name", SHELLS)
def test_typed(name: str, place: Path) -> None:
    words, load = SHELLS[name]
    path = f"{place}/bin:{os.environ['PATH']}"
    env = {"PS1": PROMPT, "PATH": path, "TERM": "dumb", "HOME": str(place)}
    terminal = Terminal([shell(name), *words], env, place)
    try:
        terminal.until(PROMPT)
        terminal.type("ompd() { printf '<%s>' \"$@\"; echo ' is called'; }\n")
        terminal.until(PROMPT)
        terminal.type(f"{load}; echo load''ed\n")
        terminal.until("loaded")
        terminal.until(PROMPT)
        for typed, becomes in CASES:
            terminal.type(f"{typed}\t\n")
            terminal.until("is called")
            # zsh takes a directory's slash away again where nothing follows.
            assert f"{becomes} is called".replace("/", "") in terminal.seen.replace("/", ""), typed
            terminal.until(PROMPT)
    finally:
        terminal.kill()


def test_fish(place: Path) -> None:
    source = f"source '{COMPLETION}/ompd.fish'"
    for typed, becomes in CASES:
        done = subprocess.run(
            [shell("fish"), "--no-config", "-c", f"{source}; complete -C '{typed}'"],
            cwd=place,
            env={**os.environ, "PATH": f"{place}/bin:{os.environ['PATH']}", "HOME": str(place)},
            stdout=subprocess.PIPE,
            check=False,
        )
        offered = [line.split("\t")[0] for line in done.stdout.decode().splitlines()]
        assert offered == [becomes[:-1].rpartition("<")[2]], typed
