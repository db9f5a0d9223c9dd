# SPDX-License-Identifier: Apache-2.0
"""Where do x86-64's instructions begin? As binutils read whole libraries, also of vectors."""

from __future__ import annotations

import os
import re
import subprocess
from itertools import groupby
from pathlib import Path

import pytest
from conftest import BUILD

FULL = os.environ.get("OMPD_FULL") == "1"
LENGTHS = BUILD / "tests" / "unwind" / "lengths"


def library(name: str) -> Path:
    listed = subprocess.run(["ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    found = re.search(rf"{re.escape(name)}\S* \(.*x86-64.*\) => (\S+)", listed)
    if not found:
        pytest.skip(f"{name} is not there for x86-64")
    return Path(found[1])


def text_of(path: Path) -> tuple[int, int, int]:
    """Where the section of code is loaded, where it is in the file, and its size."""
    command = ["readelf", "-SW", str(path)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    fields = next(line.partition("]")[2].split() for line in lines if " .text " in line)
    address, place, size = (int(word, 16) for word in fields[2:5])
    return address, place, size


@pytest.mark.parametrize(
    "name", ["libm.so", "libgomp.so"] + (["libc.so", "libstdc++.so"] if FULL else [])
)
def test_instructions_begin_where_binutils_say(name) -> None:
    path = library(name)
    address, place, size = text_of(path)
    command = ["objdump", "-d", "-w", "-j", ".text", str(path)]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    starts, bad = [], set()
    for line in listed.splitlines():
        at = re.match(r" *([0-9a-f]+):\t([0-9a-f ]+)\t?(.*)", line)
        if at:
            starts.append(int(at[1], 16))
            # Data between functions, and single prefixes, are none; fwait is one of its own.
            prefix = re.search(r"\(bad\)|^\.|^(rex\S*|data16|cs|repz|lock)\s*$", at[3])
            if prefix or re.match("9b [0-9a-f]", at[2]):
                bad.add(starts[-1])
    ends = [*starts[1:], address + size]
    # Runs of what binutils can read, each from an instruction's beginning.
    asked, expected = "", []
    for is_bad, run in groupby(zip(starts, ends), lambda one: one[0] in bad):
        whole = list(run)
        if not is_bad:
            first, last = whole[0][0], whole[-1][1]
            asked += f"{first - address + place:x} {last - address + place:x}\n"
            expected.append([start - address + place for start, _ in whole])
    done = subprocess.run([str(LENGTHS), str(path)], input=asked, capture_output=True, text=True)
    assert done.returncode == 0
    told = [
        [-1 if word == "-" else int(word, 16) for word in line.split()]
        for line in done.stdout.splitlines()
    ]
    assert sum(map(len, expected)) > 10000
    for one, other in zip(told, expected):
        at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), 0)
        assert one == other, (name, "behind", hex(other[at - 1] + address - place))
