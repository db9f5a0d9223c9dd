# SPDX-License-Identifier: Apache-2.0
"""For what of the C and C++ libraries' does a thread wait? Asked of GNU's."""

from __future__ import annotations

from itertools import islice
from typing import Callable, Sequence

from .. import late_patterns
from ..code.futex import FutexWait
from ..debugger import Debugger, StoppedThread
from ..errors import Unreadable
from ..model import glibc
from ..model.glibc import Internal, Kept, Threads
from ..model.naming import system_name
from ..model.native import Frame, NativeThread
from ..model.waits import MAYBE_ELSEWHERE
from ..model.where import CodeMap
from .gil import Gil
from .interpreter import Interpreter
from .streams import Streams
from .units import Units

# Before 2.34 its threads had a library of their own. Its loader takes mutexes of its threads.
_LIBRARY = late_patterns.compile(
    r"(lib(c|pthread)(\.so\.[60]|-2\.\d+\.so)|/ld(64|-linux[-\w]*)?(\.so\.\d|-2\.\d+\.so))$"
)
_OF_CXX = late_patterns.compile(r"/lib(stdc\+\+|c\+\+abi|c\+\+)\.so\.\d[.\d]*$")


# Frames of its headers' functions, which call each other where nothing is optimised.
_MOST_IN_HEADERS = 8
_PAGE = 4096


class Outside:
    """Of one picture."""

    def __init__(
        self,
        debugger: Debugger,
        code_map: CodeMap,
        natives: Sequence[NativeThread],
        name_of: Callable[[int], str | None],
        interpreter: Interpreter,
    ) -> None:
        """name_of: the variable at an address."""
        self._debugger = debugger
        self._code, self._machine = debugger.code, debugger.machine
        self._code_map = code_map
        self._natives, self._name_of = natives, name_of
        self._threads: Threads | None = None
        self._gil = Gil(debugger, interpreter)
        self._streams, self._units = Streams(debugger), Units(debugger)
        self._numbers = {one.pthread_id: one.num for one in natives if one.pthread_id}
        self._functions: dict[tuple[Frame, Frame], str | None] = {}
        self._blank: dict[int, bool] = {}  # by page

    def waited_for(
        self, native: NativeThread, stopped: StoppedThread, frames: Sequence[Frame]
    ) -> Kept | None:
        """frames: the thread's innermost ones, down to one outside the C library at least."""
        inside = self._inside(frames)
        if not inside or self._machine is None:
            return None
        registers = stopped.registers(0)
        call = self._machine.futex_wait(registers, self._code.read)
        spinning = self._machine.first_argument(registers) if len(inside) == 1 else None
        function = self._waits_in(frames[: len(inside) + 1])
        if function is None:
            internal = self._internal(frames[: len(inside) + 1], call)
        else:
            internal = self._unit(function, call, frames[len(inside)])
        if function is None and internal is None and call is not None:
            kind = self._in_headers(stopped, len(inside))
            internal = Internal(kind) if kind is not None else None
        if call is None and function is None:
            return None
        if call is not None and call.asleep and call.timed:
            caller = frames[len(inside)].location.function
            found = self._gil.waited_for(call.address, caller, self._numbers.get)
            if found is not None:
                return found
        return glibc.kept(
            function,
            call,
            spinning,
            self._word,
            self._name_of,
            self._known_threads(),
            self._machine.LIBC.free_spin_lock,
            native.overslept,
            internal,
        )

    def system_call(self, frames: Sequence[Frame]) -> str | None:
        """The innermost function, if it is the C library's and may wait for somebody."""
        if len(frames) < 2 or not _LIBRARY.search(frames[0].location.objfile or ""):
            return None
        name = self.function(frames[0], frames[1])
        return name if name is not None and MAYBE_ELSEWHERE.match(name) else None

    def has_ended(self, pthread_id: int) -> bool:
        """Of a thread that GDB does not know: the kernel has cleared the number that the C library
        keeps of it, which a thread has from before it begins."""
        libc = self._machine.LIBC if self._machine is not None else None
        if libc is None or libc.own_address is None:
            return False
        known = self._known_threads()
        # The word is where it should be if it tells the numbers of all others.
        sure = known.complete and set(known.by_id) == {one.ptid[1] for one in self._natives}
        if not sure or not pthread_id:
            return False
        own = self._number(pthread_id + libc.own_address, self._debugger.pointer_size)
        if own != pthread_id:
            return False
        return self._word(pthread_id + libc.thread_id) == 0

    def _inside(self, frames: Sequence[Frame]) -> Sequence[Frame]:
        """The innermost frames, as far as they are the library's; another one calls them."""
        for number, frame in enumerate(frames):
            if not self._code_map.is_system(frame):
                if number and _OF_CXX.search(frame.location.objfile or ""):
                    continue
                return frames[:number]
            if not _LIBRARY.search(frame.location.objfile or ""):
                break
        return ()

    def _waits_in(self, frames: Sequence[Frame]) -> str | None:
        """The innermost function that waits: what the program called may be one that takes a lock
        of the library's own. frames: the library's, and the one that calls them."""
        found = None
        for entry, caller in zip(frames, frames[1:]):
            function = self.function(entry, caller)
            if function is not None and glibc.kind_of(function) is not None:
                if glibc.kind_of(function) == glibc.STATIC:
                    return function  # some build waits by a condition
                found = found or function
        return found

    def function(self, entry: Frame, caller: Frame) -> str | None:
        """What was called. Where its frame has no name, by the call."""
        key = (entry, caller)
        if key not in self._functions:
            self._functions[key] = self._find_function(entry, caller)
        return self._functions[key]

    def _find_function(self, entry: Frame, caller: Frame) -> str | None:
        name = entry.location.function
        function = system_name(name) if name is not None else None
        if function is not None and glibc.kind_of(function) is not None:
            return function
        if self._machine is None:
            return function
        try:
            address = self._machine.called(self._code.read, caller.pc)
        except (Unreadable, OverflowError):
            return function
        symbol = self._code.object(address) if address is not None else None
        return system_name(symbol.partition("@")[0]) if symbol is not None else function

    def _in_headers(self, stopped: StoppedThread, first: int) -> str | None:
        """first: the level of the frame that calls the library."""
        for frame in islice(stopped.frames(), first - 1, first + _MOST_IN_HEADERS):
            kind = glibc.waits_in_headers(frame.location.function)
            if kind is not None:
                return kind
        return None

    def _internal(self, frames: Sequence[Frame], call: FutexWait | None) -> Internal | None:
        """frames: the library's, and the one that calls them."""
        if call is None or not glibc.is_internal_lock(call):
            return None
        stream = self._streams.locked_by(call.address)
        if stream is not None:
            owner = self._numbers.get(stream.owner) if stream.owner else 0
            every = self._known_threads().complete and len(self._numbers) == len(self._natives)
            return Internal("stream", stream.name, owner, owner is None and every)
        calls = (self.function(entry, caller) for entry, caller in zip(frames, frames[1:]))
        return Internal("malloc") if any(map(glibc.allocates, calls)) else None

    def _unit(self, function: str, call: FutexWait | None, caller: Frame) -> Internal | None:
        if call is None or glibc.kind_of(function) != "mutex":
            return None
        unit = self._units.with_lock(call.address, caller)
        return Internal("unit", unit) if unit is not None else None

    def _known_threads(self) -> Threads:
        """In a container the C library has other numbers than GDB, which may be outside: its own
        are asked for first."""
        if self._threads is None:
            libc = self._machine.LIBC if self._machine is not None else None
            words = {
                native.pthread_id + libc.thread_id: native.num
                for native in self._natives
                if native.pthread_id and libc is not None
            }
            ids = {self._word(word) or 0: num for word, num in words.items()}
            complete = 0 not in ids and len(ids) == len(self._natives)
            if not complete:
                ids = {native.ptid[1]: native.num for native in self._natives}
            self._threads = Threads(ids, words, complete)
        return self._threads

    def _word(self, address: int) -> int | None:
        return self._number(address, 4)

    def _number(self, address: int, nbytes: int) -> int | None:
        try:
            number = self._debugger.number(address, nbytes)
        except (Unreadable, OverflowError):
            return None
        return None if number == 0 and self._is_blank(address) else number

    def _is_blank(self, address: int) -> bool:
        """Does a core file have a page of nothing but zeros there? gcore writes them for what it
        cannot read; an object that threads wait for has something else beside."""
        if self._debugger.core is None:
            return False
        page = address & -_PAGE
        if page not in self._blank:
            try:
                self._blank[page] = not any(self._code.read(page, _PAGE))
            except (Unreadable, OverflowError):
                self._blank[page] = False
        return self._blank[page]
