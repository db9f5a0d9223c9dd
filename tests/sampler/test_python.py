# SPDX-License-Identifier: Apache-2.0
"""Of regions that Python begins: which lines has it begun them at? Whatever is told, it is by one
of the ways in which the program comes there, or with a gap that is not told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, PROGRAMS, SAMPLER, TREE
from record import Record, read

FULL = os.environ.get("OMPD_FULL") == "1"
# 3.9 leaves no marks on the stack: see docs/runtimes.md.
OTHERS = [f"python3.{minor}" for minor in range(10, 15)] if FULL else []
PYTHONS = ["/usr/bin/python3", *filter(shutil.which, OTHERS)]
PROGRAM = PROGRAMS / "called_by_python.py"
GAP = ""
# On a busy machine the sampler may see too little of a second.
TRIES = 5


def line(text: str) -> int:
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    return next(number for number, one in enumerate(lines, 1) if text in one)


# Outermost first. 3.12 has no frame for the comprehension, and the qualified names are of 3.11.
FIT, PREDICT = line("self.predict("), line("for one in self.rows")
PATHS = {
    "first": [[("fit", line("library.first("))]],
    "second": [[("fit", FIT), ("predict", PREDICT), ("rows", line("yield library.second("))]],
    "both": [
        [("fit", FIT), ("predict", line("library.both(2"))],
        [("fit", FIT), ("predict", PREDICT), ("rows", line("yield library.both("))],
    ],
}
BEGIN = [("<module>", PROGRAM.read_text(encoding="utf-8").rstrip().count("\n") + 1)]
BEGIN += [("main", line("model.fit("))]


def told(record: Record, stack: int, region: int) -> list[tuple[str, int]] | None:
    """Python's frames outside of the region's construct, outermost first; None: it is not there."""
    found: list[tuple[str, int]] = []
    for frame in record.stack(stack):
        if frame.get("region") == region:
            return found
        if frame.get("language") == "python":
            name = (frame["function"] or GAP).rpartition(".")[2]
            if name != "<listcomp>":
                found.append((name, frame["line"]))
    return None


def fits(frames: list[tuple[str, int]], path: list[tuple[str, int]]) -> bool:
    """With one gap at most."""
    names = [name for name, _ in frames]
    if GAP not in names:
        return frames == path
    gap = names.index(GAP)
    inner = frames[gap + 1 :]
    return frames[:gap] == path[:gap] and inner == path[len(path) - len(inner) :]


@pytest.mark.parametrize("clock", ["perf", "stops"])
@pytest.mark.parametrize("python", PYTHONS)
def test_lines_that_began_regions(python: str, clock: str, tmp_path: Path) -> None:
    library, file = tmp_path / "library.so", tmp_path / "record"
    source = PROGRAMS / "called_by_python.c"
    command = ("gcc", "-O1", "-fopenmp", "-shared", "-fPIC", source, "-o", library)
    subprocess.run(command, check=True)
    sampler = (SAMPLER, "-F", "200", "--budget", "0", "--clock", clock, "-o", file, "--")
    for _ in range(TRIES):
        subprocess.run((*sampler, python, PROGRAM, library, "1"), check=True, timeout=120)
        whole = paths_seen_whole(read(file))
        if {("first", 0), ("second", 0)} <= whole and {("both", 0), ("both", 1)} & whole:
            break
    else:
        raise AssertionError(f"not every way was seen whole: {whole}")
    check_shown(file)


def paths_seen_whole(record: Record) -> set[tuple[str, int]]:
    found = set()
    for number, region in record.tables["region"].items():
        paths = [[*BEGIN, *path] for path in PATHS[region["function"]]]
        for stack in record.tables["stack"]:
            frames = told(record, stack, number)
            if frames:  # else nothing has been read yet
                assert any(fits(frames, path) for path in paths), (region, frames)
                found.update((region["function"], i) for i, p in enumerate(paths) if frames == p)
    return found


def check_shown(file: Path) -> None:
    folded = file.with_suffix(".folded")
    text = shown("--text", file)
    shown("--folded", folded, file)
    called = f"called at {PROGRAM.name}"
    assert f"first, {called}:{line('library.first(')}" in text, text
    assert f"fit ({PROGRAM.name}:{line('library.first(')});" in folded.read_text(encoding="utf-8")
    page = file.with_suffix(".html")
    shown("--html", page, file)
    assert f"second, {called}:{line('library.second(')}" in page.read_text(encoding="utf-8")


def shown(*arguments: Any) -> str:
    command = (sys.executable, TREE / "gdb-plugin" / "bin" / "ompd", "show", *arguments)
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.mark.parametrize("python", PYTHONS)
def test_damaged_memory(python: str) -> None:
    """Whatever is there, it is bounded. The program aborts by itself if a place makes no sense."""
    program = "import threading, time, sys\nthreading.Thread(target=time.sleep, args=(99,)).start()"
    wait = f"{program}\nprint(flush=True)\ntime.sleep(99)"
    with subprocess.Popen((python, "-c", wait), stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline()
            reader = (BUILD / "tests" / "unwind" / "python", str(process.pid), "300")
            done = subprocess.run(reader, check=True, capture_output=True, text=True, timeout=60)
        finally:
            process.kill()
    undamaged, damaged = map(int, done.stdout.split())
    assert undamaged == 2 and damaged < 2 * 300
