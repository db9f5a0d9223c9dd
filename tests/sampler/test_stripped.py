# SPDX-License-Identifier: Apache-2.0
"""Programs and libraries without symbols: their regions, tasks and waits are those that are told
with symbols. And code of which nothing is left on the stack, or that only looks like a jump, is no
region."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
from conftest import COMPILERS, PROGRAMS, SAMPLER
from record import Record, read
from test_paths import close, shares

FULL = os.environ.get("OMPD_FULL") == "1"
SOURCE = PROGRAMS / "regions.c"
CASES = [
    (compiler, level, how)
    for compiler in ("gcc", "clang")
    for level in ("-O0", "-O1", "-O2", "-O3")
    for how in ("program", "library")
]
COVER = [("gcc", "-O2", "library"), ("gcc", "-O0", "program"), ("clang", "-O2", "program")]


def made(folder: Path, compiler: str, level: str, how: str) -> tuple[Path, Path]:
    """What is started, and the file that the regions are in."""
    command = (*COMPILERS[compiler], level, "-g", "-fPIC")
    program = folder / "program"
    if how == "program":
        subprocess.run((*command, SOURCE, "-o", program), check=True)
        return program, program
    library = folder / "libregions.so"
    subprocess.run((*command, "-DLIBRARY", "-shared", SOURCE, "-o", library), check=True)
    caller = (*command, "-DCALLER", SOURCE, library, f"-Wl,-rpath,{folder}", "-o", program)
    subprocess.run(caller, check=True)
    return program, library


def sampled(folder: Path, program: Path) -> tuple[Record, dict[str, float]]:
    (folder / "r").unlink(missing_ok=True)
    command = (SAMPLER, "-F", "500", "--budget", "0", "-o", folder / "r", "--", program)
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    words = [line.split() for line in done.stdout.splitlines()]
    return read(folder / "r"), {name: float(seconds) for name, seconds in words}


def work(record: Record) -> tuple[dict[str, float], dict[str, float], int]:
    """On a processor: by the region's offset, by the constructs on its stack, and the samples."""
    regions: dict[str, float] = defaultdict(float)
    stacks: dict[str, float] = defaultdict(float)
    samples = 0
    offsets = {number: one["offset"] for number, one in record.tables["region"].items()}
    for _, _, duration, activity, count in record.rows():
        if activity["state"] != "work_parallel" or not activity.get("on"):
            continue
        frames = [f for f in record.stack(activity["stack"]) if f["kind"] == "construct"]
        words = [
            "task" if frame["region"] is None else str(offsets[frame["region"]]) for frame in frames
        ]
        regions[offsets.get(activity["region"], "?")] += duration
        stacks[" ".join(words)] += duration
        samples += count
    return shares(regions), shares(stacks), samples


@pytest.mark.parametrize("compiler, level, how", CASES if FULL else COVER)
def test_regions_are_the_same_without_symbols(tmp_path, compiler, level, how) -> None:
    program, holder = made(tmp_path, compiler, level, how)
    named, names = sampled(tmp_path, program)
    subprocess.run(("strip", holder), check=True)
    stripped, truth = sampled(tmp_path, program)
    # clang inlines one of two functions that it makes of a region, where that is all its code.
    known = {one["offset"] for one in named.tables["region"].values()}
    assert {one["offset"] for one in stripped.tables["region"].values()} == known
    assert len(known) == len(truth)
    assert {one["generator"] for one in stripped.tables["region"].values()} == {"parallel"}
    by_offset = {
        one["offset"]: next(name for name in names if name in one["function"])
        for one in named.tables["region"].values()
    }
    (tasks,) = (offset for offset, name in by_offset.items() if name == "tasks")
    for record, of in ((named, names), (stripped, truth)):
        regions, stacks, samples = work(record)
        # A task of a thread whose own region has left nothing may be of the region before.
        unknown = regions.pop("?", 0)
        assert unknown < regions[tasks], regions
        regions[tasks] += unknown
        close(shares({offset: of[name] for offset, name in by_offset.items()}), regions, samples)
        # Tasks are in their region alone, and all that is done there is done in them.
        stacks[f"{tasks} task"] += stacks.pop("task", 0)
        expected = {
            f"{offset} task" if offset == tasks else offset: of[name]
            for offset, name in by_offset.items()
        }
        close(shares(expected), stacks, samples)
        waits = [a for _, _, _, a, _ in record.rows() if a["state"] == "wait_critical"]
        (locked,) = (offset for offset, name in by_offset.items() if name == "locked")
        in_regions = {record.tables["region"][a["region"]]["offset"] for a in waits}
        assert in_regions <= {locked}, in_regions


def test_bytes_inside_of_an_instruction_are_no_jump(build, tmp_path) -> None:
    source = (PROGRAMS / "bytes.c").read_text(encoding="utf-8").splitlines()
    (line,) = (i for i, text in enumerate(source, 1) if "/* EXECUTED */" in text)
    record, _ = sampled(tmp_path, build("bytes", "gcc"))
    lines = [one["line"] for one in record.tables["region"].values()]
    # gcc records the line of its first statement.
    assert lines in ([line], [line + 1])


def test_a_function_that_any_of_two_regions_has_jumped_to_is_no_region(build, tmp_path) -> None:
    record, _ = sampled(tmp_path, build("bytes", "gcc", "-DMAKES_WAY"))
    assert not record.tables["region"]
    assert any(activity["state"] == "work_parallel" for _, _, _, activity, _ in record.rows())
