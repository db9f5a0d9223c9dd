# SPDX-License-Identifier: Apache-2.0
"""Where is a symbol? Looked up in the files of the images, not by an expression: that would depend
on the user's language and on the selected frame, and a variable of the user's would shadow the
runtime's.
"""

from __future__ import annotations

import os
from typing import Callable, Collection, Iterable, Sequence

from ..errors import Unreadable
from .elf import ElfFile, NotElf, Symbol
from .images import Images, LoadedImage

# The same proof as for a core's backing files: the file begins as the image in memory does.
PROOF_BYTES = 1024


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
        self._real: dict[str, str] = {}  # names without links

    def close(self) -> None:
        for files in self._files.values():
            for file in files:
                file.close()
        self._files.clear()
        self._real.clear()

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
        real = os.path.realpath(path)
        known = list(self._objfiles())
        # With `set sysroot' GDB reads another file than the one that the program names.
        names = [path] + [
            name
            for name, parent in known
            if parent is None and (self._same(name, real) or name.endswith(path))
        ]
        for name in dict.fromkeys(names):
            file = self._opened(name)
            if file is not None and self._is_image(file, image):
                yield file
                break
        for name, parent in known:
            if parent is not None and self._same(parent, real):
                file = self._opened(name)
                if file is not None:
                    yield file

    def _same(self, name: str, real: str) -> bool:
        if name not in self._real:
            self._real[name] = os.path.realpath(name)
        return real in (name, self._real[name], name.rsplit(":", 1)[-1])

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
