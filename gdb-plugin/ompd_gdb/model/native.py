# SPDX-License-Identifier: Apache-2.0
"""What does a debugger know without OpenMP? Native threads, and frames as plain records."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NativeThread:
    num: int  # within its inferior
    inferior: int
    global_num: int
    ptid: tuple[int, int, int]
    name: str | None = None
    running: bool = False
    pthread_id: int | None = None

    @property
    def id(self) -> str:
        return f"{self.inferior}.{self.num}"


@dataclass(frozen=True)
class Location:
    """A place in the code. None: not known."""

    function: str | None = None
    file: str | None = None
    fullname: str | None = None
    line: int | None = None
    pc: int | None = None
    objfile: str | None = None


@dataclass(frozen=True)
class Frame:
    location: Location
    cfa: int | None = None  # where its stack frame begins; None: not asked for
    entry: int | None = None  # address of its function, if debug information tells
    executable: bool = False  # its code is in the program's own image
    signal: bool = False  # the kernel's, between a signal's handler and what it interrupted
    offset: int | None = None  # of a nameless function's code in its file, if that is known

    @property
    def pc(self) -> int:
        return self.location.pc or 0
