# SPDX-License-Identifier: Apache-2.0
"""What is asked of a debugger? Whoever answers this gets threads, regions, tasks, locks, stacks and
verdicts: nothing else here knows which debugger it is.

All is about one process at one stop. What raises, raises Unreadable where something of the process
is not there, and UserError where nothing can be told.
"""

from __future__ import annotations

from typing import Collection, ContextManager, Iterator, Mapping, Protocol, Sequence

from .arch.base import Disassembler, KnownRegisters, Machine, Range
from .code.futex import FutexWait
from .formats.corefile import CoreFile
from .formats.images import Images, LoadedImage
from .library.callbacks import Target
from .light_classes import NamedTuple
from .model.native import Frame, Location, NativeThread
from .model.standstill import Standstill
from .signals import Signal

# A frame of the user's lies a few frames above the runtime's. Recursion can pile up tens of
# thousands.
MOST_FRAMES = 256
# Bytes of a function that are looked through.
LONGEST_FUNCTION = 1 << 16


class Section(NamedTuple):
    name: str
    start: int
    end: int


class Stack(Protocol):
    """A thread's frames, innermost first, each unwound when it is asked for. Ends where it cannot
    be unwound any further, or with `most' of them."""

    most: int
    seen: list[Frame]

    @property
    def whole(self) -> bool:
        """All frames were seen, and nothing says that there should be more."""

    def __iter__(self) -> Iterator[Frame]:
        ...

    def __next__(self) -> Frame:
        ...


class StoppedThread(Protocol):
    """A thread while it is looked at: only inside `Debugger.at'. Levels are counted from the
    innermost frame."""

    def frames(self, most: int = MOST_FRAMES, likely: bool = False) -> Stack:
        """A walk from the beginning, over frames that are unwound once for all walks. likely: also
        over those that are not certain, which have no registers."""

    def registers(self, level: int) -> KnownRegisters:
        """As the frame has them."""

    def stack_pointer(self, level: int) -> int:
        """Raises Unreadable."""

    def function(self, level: int) -> Range | None:
        """Where the code of a frame's function lies, with all that is inlined in it; None: no debug
        information."""

    def numbers(self, level: int, names: Sequence[str]) -> dict[str, int | None] | None:
        """Integer variables of a frame, from its innermost block that has the first of them; those
        whose values are not known are None. None: no block has the first, or which it has is not
        known."""


class Code(Protocol):
    """Names, lines and bytes of the code."""

    def read(self, address: int, nbytes: int) -> bytes:
        """Raises Unreadable."""

    def location(self, address: int) -> Location:
        """Of a place in the code."""

    def start(self, address: int) -> int | None:
        """Of the function there, by its symbol."""

    def object(self, address: int) -> str | None:
        """The name of the function or variable at an address, as NAME or NAME+OFFSET; of a stub of
        the dynamic linker's NAME@plt."""

    def readable(self, name: str) -> str:
        """A name of C++ demangled; any other as it is."""

    def spelled(self, name: str) -> str:
        """A variable's name as its user wrote it."""

    def holder_at(self, address: int) -> str | None:
        """The function in which the user wrote the construct that the code at an address was made
        of, for compilers whose names do not tell. None: not known."""

    def in_executable(self, address: int) -> bool:
        ...

    def is_known(self, start: int, end: int) -> bool:
        """Is what the debugger disassembles there what the process has?"""

    def sections(self) -> Sequence[Section]:
        """Of all images, as they are loaded."""

    def forget(self) -> None:
        """What is where: another file may be loaded there by now."""


class Debugger(Target, Protocol):
    kind: str  # live, core, remote
    core: CoreFile | None
    images: Images

    @property
    def replaced(self) -> Sequence[LoadedImage]:
        """Of whose files the debugger has another build than the process: what it calls their code
        is not so."""

    @property
    def unreached(self) -> Sequence[LoadedImage]:
        """Of a living process, whose files are not where the debugger looks."""

    @property
    def code(self) -> Code:
        ...

    @property
    def machine(self) -> Machine | None:
        """None: one that is not known here."""

    @property
    def disassembler(self) -> Disassembler:
        ...

    @property
    def pid(self) -> int:
        ...

    @property
    def executable(self) -> str | None:
        """The program's file, if the debugger has found it."""

    def number(self, address: int, nbytes: int) -> int:
        """Unsigned. Raises Unreadable."""

    def is_mapped(self, address: int) -> bool:
        """Has the process memory there, whatever can be read of it?"""

    def mapped_images(self) -> list[LoadedImage]:
        """Of a core file, by the kernel's list of mapped files: where each begins is known."""

    def native_threads(self) -> list[NativeThread]:
        ...

    def running(self) -> int:
        """How many threads."""

    def signal(self) -> Signal | None:
        """At which the program died; of a living one, that of a crash."""

    def ending(self) -> int | None:
        """The LWP of the thread that has stopped where a library calls exit ()."""

    def standstill(
        self, calls: Mapping[int, FutexWait], awake: Collection[int]
    ) -> Standstill | None:
        """Of a living process that is stopped. calls: of the threads that sleep, by LWP; awake:
        LWPs of all others. None: it is not known whether anything else wakes one."""

    def looking(self) -> ContextManager[None]:
        """Around a loop over threads: what the user has selected is put back afterwards only."""

    def at(self, thread: NativeThread) -> ContextManager[StoppedThread | None]:
        """Looks at one thread. None: it runs, or is gone."""
