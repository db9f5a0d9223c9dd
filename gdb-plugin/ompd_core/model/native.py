# SPDX-License-Identifier: Apache-2.0
"""What does a debugger know without OpenMP? Native threads, and frames as plain records."""

from __future__ import annotations

from typing import Sequence

from ..light_classes import NamedTuple, dataclass
from . import python_files


class NativeThread(NamedTuple):
    num: int  # within its inferior
    inferior: int
    global_num: int
    ptid: tuple[int, int, int]
    name: str | None = None
    running: bool = False
    pthread_id: int | None = None
    ended: bool = False  # for certain, though the debugger knows it
    overslept: bool | None = None  # see Kept.changed; before it was stopped. None: not watched

    @property
    def id(self) -> str:
        return f"{self.inferior}.{self.num}"


PYTHON = "python"


class Location(NamedTuple):
    """A place in the code. None: not known."""

    function: str | None = None
    file: str | None = None
    fullname: str | None = None
    line: int | None = None
    pc: int | None = None
    objfile: str | None = None
    offset: int | None = None  # in that file, of code that has no symbol
    language: str | None = None  # PYTHON; None: one that is compiled

    @property
    def name(self) -> str | None:
        """The function, or what addr2line wants: heat+0x1463"""
        if self.function is None and self.objfile is not None and self.offset is not None:
            return f"{self.objfile.rsplit('/', 1)[-1]}+{self.offset:#x}"
        return self.function


@dataclass(frozen=True, eq=False)
class Frame:
    """Compared by identity: a debugger makes one for each place that its threads are at."""

    location: Location
    cfa: int | None = None  # where its stack frame begins; None: not asked for
    entry: int | None = None  # address of its function, if debug information tells
    executable: bool = False  # its code is in the program's own image
    inlined: bool = False  # it shares the native frame of the next one
    signal: bool = False  # the kernel's, between a signal's handler and what it interrupted
    offset: int | None = None  # of a nameless function's code in its file, if that is known
    # The function in which the user wrote the construct that it executes, by the line table, where
    # the compiler's name does not tell.
    holder: str | None = None
    # Nothing tells where the code further in returns to: this was found on the stack above it.
    likely: bool = False
    # What it executes, if it is an interpreter's: the frames of the language, innermost first. Its
    # other frames are hidden where these are shown.
    interprets: tuple[Location, ...] = ()
    interpreters: bool = False

    @property
    def place(self) -> Location:
        """As who wrote the program knows it. Of an interpreter the innermost of what it executes
        that is not a library's."""
        if not self.interprets:
            return self.location
        own = (one for one in self.interprets if not python_files.in_library(one.file))
        return next(own, self.interprets[0])

    @property
    def pc(self) -> int:
        return self.location.pc or 0


def level_of(frames: Sequence[Frame], frame: Frame) -> int:
    """How far out it is: of several that are equal, as in a recursion, this very one."""
    return next(level for level, one in enumerate(frames) if one is frame)
