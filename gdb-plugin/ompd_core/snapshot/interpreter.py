# SPDX-License-Identifier: Apache-2.0
"""Is there a CPython in the process, and which? `_PyRuntime' is exported by every build, also a
stripped one, be it a library or linked into the program."""

from __future__ import annotations

from functools import cached_property
from typing import Iterator

from ..cpython import layouts
from ..cpython.layouts import Layout
from ..cpython.memory import Memory
from ..debugger import Debugger
from ..errors import Unreadable
from ..formats.images import LoadedImage
from ..light_classes import NamedTuple

# Its library's name, and that of the program of its own.
_NAMED = "python"


class Found(NamedTuple):
    runtime: int  # the address of _PyRuntime
    image: LoadedImage  # that it is in
    layout: Layout | None  # None: not known
    why: str = ""  # it is not


class Interpreter:
    """Of one picture."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger

    @cached_property
    def memory(self) -> Memory:
        return Memory(self._debugger.read)

    @cached_property
    def found(self) -> Found | None:
        """None: there is none, or it has not been started."""
        if self._debugger.pointer_size != 8 or self._debugger.byte_order != "little":
            return None
        for image, path in self._images():
            try:
                runtime = self._debugger.symbol("_PyRuntime", path)
                found = self._known(runtime, image, path) if runtime is not None else None
            except OverflowError:
                continue
            if found is not None:
                return found
        return None

    def _images(self) -> Iterator[tuple[LoadedImage, str]]:
        """The program may hold an interpreter; a library does not, but by this name."""
        images, executable = self._debugger.images, self._debugger.executable
        program = images.program
        for image in images.loaded or ([program] if program is not None else []):
            path = image.path or executable
            if path and (not image.path or _NAMED in path.rsplit("/", 1)[-1]):
                yield image, path

    def _known(self, runtime: int, image: LoadedImage, path: str) -> Found | None:
        try:
            layout = layouts.told(self.memory, runtime)
            if layout is None:
                layout = layouts.of_release(self._minor(path))
            if not self.memory.word(runtime + layout.interpreters):
                return None
        except Unreadable:
            return Found(runtime, image, None, "its memory cannot be read")
        except layouts.Unknown as error:
            return Found(runtime, image, None, str(error))
        return Found(runtime, image, layout)

    def _minor(self, path: str) -> int:
        """Of 3.x; -1: of none that is known."""
        version = self._debugger.symbol("Py_Version", path)
        if version is not None:
            number = self._debugger.number(version, 4)
            return number >> 16 & 255 if number >> 24 == 3 else -1
        if self._debugger.symbol("Py_NewRef", path) is not None:
            return 10
        return 9 if self._debugger.symbol("PyFrame_GetCode", path) is not None else -1
