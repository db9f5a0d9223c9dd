# SPDX-License-Identifier: Apache-2.0
"""Are a caller's registers told as binutils tell them, for every place of real libraries? And of
damaged information, is nothing but a row or nothing told, without any harm?"""

from __future__ import annotations

import ctypes
import random
import subprocess
import sys
from pathlib import Path

import pytest
from call_frames import BASE, Loaded, told_by_binutils, words_of
from ompd_core.arch import aarch64, x86_64
from ompd_core.arch.base import Machine
from ompd_core.formats.call_frames import Row

# What the tests run on: the C library, and what gcc and clang make of a program.
PROGRAM = """
#include <alloca.h>
#include <string.h>
#define FUNCTION __attribute__((noinline)) int
FUNCTION varies(int n) { char *p = alloca(n); memset(p, n, n); return p[n / 2]; }
FUNCTION aligned(int n)
{
    int v[64] __attribute__((aligned(64)));
    v[n] = n;
    return varies(v[n]);
}
FUNCTION plain(int n) { return aligned(n) + 1; }
int main(int argc, char **argv) { (void)argv; return plain(argc); }
"""


def libc() -> Path:
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return Path(next(line.split()[-1] for line in lines if line.endswith("/libc.so.6")))


def program(folder: Path, compiler: str, *flags: str) -> Path:
    source, made = folder / "frames.c", folder / "frames"
    source.write_text(PROGRAM, encoding="utf-8")
    subprocess.run([compiler, *flags, source, "-o", made], check=True)
    return made


def compare(file: Path, least: int, machine: Machine = x86_64) -> None:
    """least: rows that have to be told. What is told in another way than by the stack and the frame
    pointer is not; of all others nothing may be left out."""
    columns, loaded = machine.COLUMNS, Loaded(file)
    stack, pointer = machine.CONVENTION.stack, columns.frame_pointer_name
    frames, told, beyond = loaded.frames(columns), 0, 0
    for one in told_by_binutils(file):
        words = {pointer: "u", "ra": "u", **one.words}
        row = frames.row(BASE + one.address, False)
        if row is None:
            plain = words["CFA"].startswith((f"{stack}+", f"{pointer}+"))
            beyond += plain and words[pointer][0] in "uc"
            continue
        told += 1
        if row.outermost:
            assert words["ra"] == "u", one
            continue
        expected = {name: words[name] for name in ("CFA", pointer, "ra")}
        assert words_of(row, columns, stack) == expected, (hex(one.address), row, one.words)
    assert told >= least
    # Signals' frames, for one.
    assert beyond <= told / 500, (beyond, told)


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="of 64 bits")
def test_the_c_library() -> None:
    compare(libc(), 10_000)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("flags", [("-O0",), ("-O2",), ("-O2", "-fno-omit-frame-pointer")])
def test_programs(compiler: str, flags: tuple[str, ...], tmp_path: Path) -> None:
    compare(program(tmp_path, compiler, *flags), 10)


@pytest.mark.parametrize("flags", [("-O0",), ("-O2", "-mbranch-protection=standard")])
def test_another_machine(flags: tuple[str, ...], tmp_path: Path) -> None:
    compare(program(tmp_path, "aarch64-linux-gnu-gcc", *flags), 10, aarch64)


def test_where_a_call_returns_to(tmp_path: Path) -> None:
    """A call that does not return may be the last instruction of its function: what counts is the
    call."""
    file = program(tmp_path, "gcc", "-O2")
    ends = [one.address for one in told_by_binutils(file)]
    frames = Loaded(file).frames(x86_64.COLUMNS)
    assert any(frames.row(BASE + end, True) != frames.row(BASE + end, False) for end in ends)


def test_no_information() -> None:
    frames = Loaded(libc()).frames(x86_64.COLUMNS)
    for address in (0, 1, BASE, BASE + (1 << 40), (1 << 64) - 1):
        assert frames.row(address, False) is None
        assert frames.row(address, True) is None


def test_damaged(tmp_path: Path) -> None:
    """A row may be wrong then, as any debugger's; it is a row, or none."""
    seed = random.randrange(1 << 32)
    print("seed", seed, file=sys.stderr)
    chance = random.Random(seed)
    file = program(tmp_path, "gcc", "-O0")
    addresses = [one.address for one in told_by_binutils(file)]
    others = 0
    for _ in range(300):
        loaded = Loaded(file)
        for _, data in loaded.parts:
            for _ in range(len(data) // 40):
                data[chance.randrange(len(data))] = chance.choice((0, 0xFF, chance.randrange(256)))
        frames = loaded.frames(x86_64.COLUMNS)
        for address in addresses:
            found = frames.row(BASE + address, False)
            assert found is None or isinstance(found, Row)
            others += found is None
    assert others
