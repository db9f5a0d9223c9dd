# SPDX-License-Identifier: Apache-2.0
"""Where is a symbol? Looked up in the files of the images, not by an expression: that would depend
on the user's language and on the selected frame, and a variable of the user's would shadow the
runtime's.
"""

from __future__ import annotations

import os
from collections import defaultdict
from functools import cached_property
from typing import Callable, Collection, Iterable, Sequence

from ..errors import Unreadable
from .elf import ElfFile, NotElf, Symbol
from .images import Images, LoadedImage

# The same proof as for a core's backing files: the file begins as the image in memory does.
PROOF_BYTES = 1024


class _Known:
    """GDB's files, found by the name that a program has for one. There may be hundreds."""

    def __init__(self, objfiles: Iterable[tuple[str, str | None]]) -> None:
        self._files: defaultdict[str, list[str]] = defaultdict(list)  # by each of its names
        self._ends: defaultdict[str, list[str]] = defaultdict(list)  # by the last part of its name
        self._debug: defaultdict[str, list[str]] = defaultdict(list)  # by names of its file
        for name, parent in objfiles:
            if parent is None:
                self._ends[os.path.basename(name)].append(name)
            by_name = self._files if parent is None else self._debug
            for one in _names(name if parent is None else parent):
                by_name[one].append(name)

    def of(self, path: str) -> list[str]:
        """With `set sysroot' GDB reads another file than the one that the program names."""
        ends = self._ends.get(os.path.basename(path), ())
        elsewhere = [name for name in ends if name.endswith(path)]
        return self._files.get(os.path.realpath(path), []) + elsewhere

    def debug_files_of(self, path: str) -> list[str]:
        return self._debug.get(os.path.realpath(path), [])


def _names(file: str) -> set[str]:
    """As GDB has it, without links, and without `target:'."""
    return {file, os.path.realpath(file), file.rsplit(":", 1)[-1]}


class Symbols:
    def __init__(
        self,
        images: Images,
        read: Callable[[int, int], bytes],
        executable: str | None,
        objfiles: Callable[[], Iterable[tuple[str, str | None]]],
    ) -> None:
        """objfiles: GDB's files, each with the one that it holds separate debug information of."""
        self._images = images
        self._read = read
        self._executable = executable
        self._objfiles = objfiles
        self._files: dict[LoadedImage, list[ElfFile]] = {}

    def close(self) -> None:
        for files in self._files.values():
            for file in files:
                file.close()
        self._files.clear()

    @cached_property
    def _known(self) -> _Known:
        return _Known(self._objfiles())

    def find(self, name: str, file_name: str | None) -> int | None:
        if name == "_r_debug" and self._images.r_debug:
            return self._images.r_debug
        if file_name is not None:
            return self._first(name, [i for i in self._all() if self._path(i) == file_name], True)
        # What a program exports comes first; a local symbol may be a user's own of the same name.
        address = self._first(name, self._all(), False)
        return self._first(name, self._all(), True) if address is None else address

    def of_image(self, bias: int, path: str | None, name: str) -> int | None:
        """Of the image that is loaded there, be it in no list."""
        images = [i for i in self._all() if i.bias == bias] or [LoadedImage(path or "", bias, 0)]
        return self._first(name, images, True)

    def _all(self) -> Sequence[LoadedImage]:
        program = self._images.program
        return self._images.loaded or ([program] if program else [])

    def _path(self, image: LoadedImage) -> str:
        return image.path or self._executable or ""

    def _first(self, name: str, images: Iterable[LoadedImage], local: bool) -> int | None:
        for image in images:
            hidden: Symbol | None = None
            for file in self._files_of(image):
                for symbol in file.symbols(name):
                    if not symbol.local:
                        return image.bias + symbol.value
                    hidden = hidden or symbol
            if hidden is not None and local:
                return image.bias + hidden.value
        return None

    def _files_of(self, image: LoadedImage) -> list[ElfFile]:
        if image not in self._files:
            self._files[image] = list(self._open(image))
        return self._files[image]

    def _open(self, image: LoadedImage) -> Iterable[ElfFile]:
        path = self._path(image)
        if not path:
            return
        for name in dict.fromkeys([path, *self._known.of(path)]):
            file = self._opened(name)
            if file is not None and self._is_image(file, image):
                yield file
                break
        for name in self._known.debug_files_of(path):
            file = self._opened(name)
            if file is not None:
                yield file

    @staticmethod
    def _opened(path: str) -> ElfFile | None:
        try:
            return ElfFile(path)
        except (OSError, NotElf, ValueError):
            return None

    def _is_image(self, file: ElfFile, image: LoadedImage) -> bool:
        """A remote target's path can name another file here."""
        try:
            start = min(
                image.bias + s.address for s in file.segments() if s.kind == 1 and s.offset == 0
            )
            return self._read(start, PROOF_BYTES) == file.read(0, PROOF_BYTES)
        except (Unreadable, NotElf, ValueError):
            return False


def may_define(path: str | None, name: str) -> bool:
    """Does a file define it? True also for one that cannot be read here."""
    if not path:
        return False
    try:
        file = ElfFile(path)
    except (OSError, NotElf, ValueError):
        return True
    try:
        return next(file.symbols(name), None) is not None
    finally:
        file.close()


def may_name(path: str, names: Collection[str]) -> set[str]:
    """Which of these a file may take from another one: all, if it cannot be read here."""
    try:
        file = ElfFile(path)
    except (OSError, NotElf, ValueError):
        return set(names)
    try:
        return file.names(names)
    except NotElf:
        return set(names)
    finally:
        file.close()
