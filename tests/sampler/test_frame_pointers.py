# SPDX-License-Identifier: Apache-2.0
"""Of a thread that sleeps the kernel tells the stack pointer, and not the frame pointer. Programs
that are built with frame pointers are told as those without: asleep, in their own functions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from conftest import SAMPLER
from record import Record, read

FULL = os.environ.get("OMPD_FULL") == "1"
COUNT, ROUNDS, NAP = 2, 2, 300e6  # as in the program
SLEPT = COUNT * ROUNDS * NAP
# What is on the stack of who sleeps, where it is known: within main's region.
STACKS = {
    "passes": ["passes", "passed"],
    "any_size": ["any_size"],
    "deep": ["deep"] * 4,
    "last": [],
}
BUILDS = [
    (compiler, *options)
    for compiler in ("gcc", "clang")
    for options in (["-O0"], ["-O2"], ["-O2", "-fno-omit-frame-pointer"])
]
COVER = {
    "passes": BUILDS[0:1] + BUILDS[5:6],
    "any_size": BUILDS[1:2],
    "deep": BUILDS[2:3],
    "last": BUILDS[1:2],
}
CASES = [(how, one) for how in STACKS for one in (BUILDS if FULL else COVER[how])]


@pytest.mark.parametrize("how, built", CASES, ids=lambda one: "".join(one))
def test_sleep_in_an_own_call(build, tmp_path: Path, how: str, built: tuple[str, ...]) -> None:
    program = build("sleeps", *built)
    command = (SAMPLER, "-o", tmp_path / "r", "--", program, how, "3000" if how != "deep" else "3")
    subprocess.run(command, check=True, timeout=120)
    record = read(tmp_path / "r")
    asleep = sum(length for _, _, length, one, _ in record.rows() if one["state"] == "asleep")
    # Not all of it: who is to look gets no processor at times.
    assert asleep > 0.25 * SLEPT, asleep / SLEPT
    told = {
        tuple(functions(record, one["stack"]))
        for _, _, _, one, _ in record.rows()
        if one["state"] == "asleep"
    }
    expected = tuple(STACKS[how])
    # A frame of a size that nobody knows is the outermost one there is.
    assert told <= {expected, *({expected[-1:]} if how == "any_size" else ())}, told
    if how in ("passes", "deep"):
        regions = {one["region"] for _, _, _, one, _ in record.rows() if one["state"] == "asleep"}
        assert None not in regions, regions


def functions(record: Record, stack: int | None) -> list[str]:
    """Of the program's own, inside of its region."""
    told = [frame.get("function") or "?" for frame in record.stack(stack)]
    names = [name.partition(".")[0] for name in told]  # gcc has copies of functions
    return [name for name in names if name in ("passes", "passed", "any_size", "deep")]
