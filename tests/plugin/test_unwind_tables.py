# SPDX-License-Identifier: Apache-2.0
"""Is it told right which code has unwind information? Of an image made by hand, also a hostile one,
and of files."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest
from ompd_core.errors import Unreadable
from ompd_core.formats.untold_code import has_untold_code
from ompd_core.formats.unwind_tables import MOST_ENTRIES, Tables

BASE = 0x555500000000
TABLE, ENTRIES, CODE, SIZE = 0x400, 0x600, 0x2000, 0x4000
# begin, size
FUNCTIONS = [(0x2000, 0x40), (0x2100, 0x80), (0x2200, 0x10)]


def image(
    functions: list[tuple[int, int]] = FUNCTIONS,
    count: int | None = None,
    encodings: bytes = b"\x01\x1b\x03\x3b",
    kind: int = 0x6474E550,
) -> bytearray:
    data = bytearray(SIZE)
    data[:20] = b"\x7fELF\x02\x01\x01" + bytes(13)
    struct.pack_into("<Q", data, 32, 64)
    struct.pack_into("<H", data, 56, 2)
    struct.pack_into("<IIQQQQQQ", data, 64, 1, 5, 0, 0, 0, SIZE, SIZE, 4096)
    struct.pack_into("<IIQQQQQQ", data, 120, kind, 4, TABLE, TABLE, TABLE, 256, 256, 4)
    data[TABLE : TABLE + 4] = encodings
    struct.pack_into("<iI", data, TABLE + 4, 0, len(functions) if count is None else count)
    for i, (begin, size) in enumerate(functions):
        entry = ENTRIES + 32 * i
        struct.pack_into("<ii", data, TABLE + 12 + 8 * i, begin - TABLE, entry - TABLE)
        struct.pack_into("<IIiI", data, entry, 28, 4, begin - (entry + 8), size)
    return data


def tables(data: bytearray) -> Tables:
    def read(address: int, nbytes: int) -> bytes:
        start = address - BASE
        if not 0 <= start <= start + nbytes <= len(data):
            raise Unreadable()
        return bytes(data[start : start + nbytes])

    return Tables(read)


def covers(data: bytearray, offset: int) -> bool | None:
    return tables(data).covers(BASE + offset)


@pytest.mark.parametrize(
    "offset, told",
    [
        (0x2001, True),
        (0x203F, True),
        (0x2040, True),  # where a call returns to that is the function's last instruction
        (0x2041, False),
        (0x20FF, False),
        (0x2100, True),
        (0x217F, True),
        (0x21FF, False),
        (0x220F, True),
        (0x3000, False),
        (0x1FFE, False),
    ],
)
def test_code(offset: int, told: bool) -> None:
    assert covers(image(), offset) is told


def test_no_table() -> None:
    assert covers(image(kind=0x6474E551), 0x2001) is None


def test_no_functions() -> None:
    assert covers(image([]), 0x2001) is False


def test_another_encoding() -> None:
    assert covers(image(encodings=b"\x01\x1b\x03\x3a"), 0x2001) is None


@pytest.mark.parametrize("count", [MOST_ENTRIES + 1, 0xFFFFFFFF, 1 << 20])
def test_too_many(count: int) -> None:
    assert covers(image(count=count), 0x2001) is not True


def test_an_entry_of_other_code() -> None:
    data = image()
    struct.pack_into("<i", data, ENTRIES + 8, 0)
    assert covers(data, 0x2001) is None


def test_no_image() -> None:
    assert covers(bytearray(SIZE), 0x2001) is None
    assert covers(image(), 0x200000) is None


@pytest.mark.parametrize("offset, told", [(0x2001, True), (0x2040, True), (0x2041, False)])
def test_nothing_is_saved(offset: int, told: bool) -> None:
    """Behind the header of the first one's entry there is only padding."""
    assert tables(image()).saves_nothing(BASE + offset) is told


@pytest.mark.parametrize("at, byte", [(16, 1), (17, 0x0C), (31, 0x42), (0, 8), (0, 200)])
def test_something_is_saved(at: int, byte: int) -> None:
    """An instruction, words of another kind, or an entry of another length."""
    data = image()
    data[ENTRIES + at] = byte
    assert not tables(data).saves_nothing(BASE + 0x2001)
    assert not tables(image(kind=0x6474E551)).saves_nothing(BASE + 0x2001)


# ---- Files ---------------------------------------------------------------------------------------

SOURCE = """
#include <omp.h>
int sink[64];
#define WORK(i) sink[i] += sink[i + 1] * 3; sink[i + 2] ^= sink[i + 3] + i;
__attribute__((noinline)) void work(int by)
{
    for (int i = 0; i < by; i++) {
        WORK(0) WORK(4) WORK(8) WORK(12) WORK(16) WORK(20) WORK(24) WORK(28)
    }
}
int main(int argc, char **argv)
{
    (void)argv;
#pragma omp parallel
    work(argc);
    return 0;
}
"""


@pytest.mark.parametrize(
    "flags, untold",
    [
        ([], False),
        (["-fno-asynchronous-unwind-tables"], True),
        (["-fno-asynchronous-unwind-tables", "-s"], True),
        (["-fno-asynchronous-unwind-tables", "-fno-openmp"], False),
        # The linker gives code with such an alignment a segment of its own.
        (["-fno-asynchronous-unwind-tables", "-falign-functions=32768"], True),
    ],
)
def test_files(flags: list[str], untold: bool, tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(SOURCE, encoding="utf-8")
    words = ["gcc", "-O2", "-fopenmp", *flags, str(source), "-o", str(tmp_path / "program")]
    subprocess.run(words, check=True)
    assert has_untold_code(str(tmp_path / "program")) is untold


@pytest.mark.parametrize("cut", [0, 40, 64, 600, 5000, 12000])
def test_files_that_end_early(cut: int, tmp_path: Path) -> None:
    whole = Path(sys.executable).resolve().read_bytes()
    (tmp_path / "program").write_bytes(whole[:cut])
    assert has_untold_code(str(tmp_path / "program")) is False
    assert has_untold_code(str(tmp_path / "nothing")) is False
    assert has_untold_code(str(tmp_path)) is False
