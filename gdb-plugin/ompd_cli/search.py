# SPDX-License-Identifier: Apache-2.0
"""Where is a file that a core file names? On this machine, or in a copy of the core's."""

from __future__ import annotations

import os
from typing import Iterator

from ompd_core.errors import UserError
from ompd_core.formats.elf import NotElf

from .images import Image

# A tree of libraries of another machine has some ten thousand files.
MOST_FILES = 200_000


class Search:
    def __init__(self, sysroot: str | None, root: str | None) -> None:
        """sysroot: keeps the paths; root: does not. Raises UserError."""
        self.sysroot = sysroot
        self.root = root
        for directory in (sysroot, root):
            if directory is not None and not os.path.isdir(directory):
                raise UserError(
                    "file_error", f"{directory} is not a directory.", "Name another one."
                )
        self._below: dict[str, list[str]] = _tree(root) if root is not None else {}
        self.unproven: list[str] = []  # found, and without a build-id

    def find(self, image: Image) -> tuple[str | None, str | None]:
        """The file, as far as can be told; else one that is certainly another build of it."""
        different = None
        for path in self._places(image):
            verdict = compare(image, path)
            if verdict == "unproven":
                self.unproven.append(path)
            if verdict in ("same", "unproven"):
                return path, None
            if verdict == "different":
                different = path
        return None, different

    def _places(self, image: Image) -> Iterator[str]:
        if self.sysroot is not None:
            yield os.path.join(self.sysroot, image.path.lstrip("/"))
        yield from self._below.get(image.name, [])
        if self.sysroot is None:
            yield image.path


def compare(image: Image, path: str) -> str | None:
    """ "same", "unproven" (by lack of a build-id), "different"; None: there is no such file."""
    if not os.path.isfile(path):
        return None
    try:
        same = image.is_file(path)
    except (OSError, NotElf):
        return None
    return "unproven" if same is None else "same" if same else "different"


def _tree(root: str) -> dict[str, list[str]]:
    """The files below, by name."""
    found: dict[str, list[str]] = {}
    left = MOST_FILES
    for folder, _, names in os.walk(root):
        for name in names:
            found.setdefault(name, []).append(os.path.join(folder, name))
        left -= len(names)
        if left < 0:
            raise UserError(
                "file_error", f"There are too many files below {root}.", "Name a smaller tree."
            )
    return found
