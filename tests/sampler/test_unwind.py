# SPDX-License-Identifier: Apache-2.0
"""Does the sampler read in .eh_frame what binutils read?"""

from __future__ import annotations

import platform
import random
import re
import subprocess
from pathlib import Path
from typing import Iterator

import pytest
from conftest import BUILD

ROWS = BUILD / "tests" / "unwind" / "rows"
# Binutils' names in the order of DWARF's numbers, and those that a function keeps for its caller.
NAMES = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 ra".split()
KEPT = ("rbx", "rbp", "rsp", "r12", "r13", "r14", "r15", "ra")
MOST = 3000

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the names are x86-64's")


def output(*command: object, **more: object) -> str:
    return subprocess.run(
        [str(c) for c in command], check=True, capture_output=True, text=True, **more
    ).stdout


def section(path: Path, name: str) -> list[str]:
    """Where it is in the file, its size, its address."""
    for line in output("readelf", "-SW", path).splitlines():
        fields = line.partition("]")[2].split()
        if fields[:1] == [name]:
            address, place, size = fields[2:5]
            return [place, size, address]
    return []


def told_by_binutils(path: Path) -> Iterator[tuple[int, str, dict[str, str]]]:
    """The first address that a row is about, where the CFA is, and the registers' rules."""
    columns: list[str] = []
    inside = False
    # It also looks for separate debug information, and fails for want of it when all has been told.
    for line in output("sh", "-c", 'readelf -wF "$0" || :', path).splitlines():
        fields = line.split()
        if len(fields) > 3 and fields[3] in ("FDE", "CIE"):
            inside, columns = fields[3] == "FDE", []
        elif fields[:2] == ["LOC", "CFA"]:
            columns = fields[2:]
        elif inside and columns and len(fields) == len(columns) + 2 and fields[1] != "ZERO":
            yield int(fields[0], 16), fields[1], dict(zip(columns, fields[2:]))


def cfa_in_their_words(number: str) -> str:
    if number == "exp":
        return number
    register, offset = re.fullmatch(r"(\d+)([+-]\d+)", number).groups()  # type: ignore[union-attr]
    return f"{NAMES[int(register)]}{offset}"


def libraries() -> dict[str, Path]:
    """Of the machine: written by hand, by gcc and by clang."""
    found = {}
    for line in output("/sbin/ldconfig", "-p").splitlines():
        name, _, path = line.strip().partition(" (")
        if "x86-64" in path and name in ("libc.so.6", "libgomp.so.1", "libomp.so.5"):
            found.setdefault(name, Path(path.rpartition("=> ")[2]))
    return found


@pytest.mark.parametrize(
    "name, table",
    [
        ("libc.so.6", "by its table"),
        ("libgomp.so.1", "by its table"),
        ("libomp.so.5", "by its table"),
        ("victim", "by its table"),
        ("victim", "without it"),
    ],
)
def test_rules_are_those_that_binutils_read(build, name, table) -> None:
    path = build("victim") if name == "victim" else libraries().get(name)
    if path is None:
        pytest.skip(f"no {name} here")
    rows = list(told_by_binutils(path))
    rows = random.sample(rows, min(len(rows), MOST if table == "by its table" else 200))
    sections = section(path, ".eh_frame")
    if table == "by its table":
        sections += section(path, ".eh_frame_hdr")
    addresses = "".join(f"{address:x}\n" for address, _, _ in rows)
    lines = output(ROWS, path, *sections, input=addresses).splitlines()
    assert len(lines) == len(rows) > 10
    for (address, cfa, rules), line in zip(rows, lines):
        own = dict(field.split("=") for field in line.split()[1:])
        assert cfa_in_their_words(own["cfa"]) == cfa, (f"{address:x}", line, cfa)
        for register in KEPT:
            # A register without a rule is as it was; a return address that is undefined means that
            # there is no caller.
            theirs = rules.get(register, "u")
            if theirs in ("u", "s") and register != "ra":
                theirs = "s"
            ours = own.get(str(NAMES.index(register)), "s")
            assert ours == theirs, (f"{address:x}", register, line, rules)
