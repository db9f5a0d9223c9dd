# SPDX-License-Identifier: Apache-2.0
"""Which files of a folder are core files? By what they begin with, packed ones by their names."""

from __future__ import annotations

import os

from ompd_core.errors import UserError

ET_CORE = 4
MOST_FILES = 1_000_000  # that are looked for
_PACKED = (".gz", ".xz", ".zst", ".lz4")


def below(folder: str) -> list[str]:
    """Raises UserError."""
    if not os.path.isdir(folder):
        raise UserError("file_error", f"{folder} is not a directory.", "Name another one.")
    found = []
    left = MOST_FILES
    for path, _, names in os.walk(folder):
        left -= len(names)
        if left < 0:
            raise UserError(
                "file_error", f"There are too many files below {folder}.", "Name a smaller tree."
            )
        found += [file for name in names if is_core(file := os.path.join(path, name))]
    return sorted(found)


def is_core(path: str) -> bool:
    if not os.path.isfile(path):
        return False
    if path.endswith(_PACKED):
        return "core" in os.path.basename(path)
    try:
        with open(path, "rb") as file:
            start = file.read(18)
    except OSError:
        return False
    if len(start) < 18 or start[:4] != b"\x7fELF":
        return False
    return int.from_bytes(start[16:18], "big" if start[5] == 2 else "little") == ET_CORE
