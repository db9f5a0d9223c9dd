# SPDX-License-Identifier: Apache-2.0
"""Is a symbol found in the files that GDB has, whatever they are called there, and is it cheap to
look in those of hundreds of libraries?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator

import pytest
from ompd_core.formats.elf import ElfFile
from ompd_core.formats.images import Images, LoadedImage
from ompd_core.formats.symbols import Symbols

MANY = 300
FILE = Path(sys.executable).resolve()
NAME = "Py_BytesMain"


def read(address: int, nbytes: int) -> bytes:
    return FILE.read_bytes()[address : address + nbytes]


def test_many_libraries() -> None:
    """GDB is asked for its files once."""
    images = [LoadedImage(f"/nowhere/lib{number}.so", 0, 0) for number in range(MANY)]
    asked = 0

    def objfiles() -> Iterator[tuple[str, str | None]]:
        nonlocal asked
        for number in range(MANY):
            asked += 1
            yield f"/nowhere/lib{number}.so", None

    symbols = Symbols(Images(images, None, None, 0, False), read, None, objfiles)
    assert symbols.find(NAME, None) is None and symbols.find("other", None) is None
    assert asked == MANY
    symbols.close()


@pytest.mark.parametrize("how", ["itself", "by a link", "in a sysroot", "as debug file"])
def test_names(how: str, tmp_path: Path) -> None:
    (tmp_path / "link.so").symlink_to(FILE)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "lib.so").symlink_to(FILE)
    path, files = {
        "itself": (str(FILE), []),
        "by a link": (str(tmp_path / "link.so"), [(f"target:{FILE}", None)]),
        "in a sysroot": ("/there/lib.so", [(f"{tmp_path}/there/lib.so", None)]),
        "as debug file": ("/nowhere.so", [("/nowhere.so", None), (str(FILE), "/nowhere.so")]),
    }[how]
    elf = ElfFile(str(FILE))
    start = min(one.address for one in elf.segments() if one.kind == 1 and one.offset == 0)
    (value,) = {one.value for one in elf.symbols(NAME)}
    elf.close()
    image = LoadedImage(path, -start, 0)
    symbols = Symbols(Images([image], None, None, 0, False), read, None, lambda: files)
    assert symbols.find(NAME, None) == value - start
    symbols.close()
