# SPDX-License-Identifier: Apache-2.0
"""Which parts does a native stack have? A part is the frames of one task, innermost first, with how
the task came to be there; the frames between two parts are the runtime's."""

from __future__ import annotations

from typing import Sequence

from ... import abi, late_patterns, runtimes
from ...light_classes import NamedTuple, dataclass, field, replace
from .. import glibc
from ..doubts import Doubt
from ..naming import MAIN_PROGRAM, is_flangs, is_fortran, is_outlined, kernel_of, of_fortran
from ..native import Frame
from ..where import CodeMap, starts_thread

# How a part's task got onto the stack.
FORK = "fork"  # the runtime called a region's code; below is the task that met the construct
START = "start"  # the same, on a worker: below is nothing
CALL = "call"  # a region's code, called without the runtime: the region is serialized
TASK = "task"  # the runtime executes an explicit task; below is what it had to wait with
INCLUDED = "included"  # an explicit task, executed by the task that generated it
BOTTOM = "bottom"  # the stack's end: what the thread began with
CUT = "cut"  # not known: the stack could not be looked at any further

# See is_helper.
_HELPER = late_patterns.compile(
    r"omp[._](reduction|combiner|task_dup|task_privates|cpyfn|copyprivate)"
)


class Walked(NamedTuple):
    """A stack as the debugger sees it."""

    frames: Sequence[Frame]  # innermost first
    whole: bool  # down to its end
    limited: bool = False  # cut because nobody wanted more
    missing: Doubt | None = None  # why there may be more frames of an interpreted language

    @property
    def leads_to_start(self) -> bool:
        """It is not whole, and beyond where it ends are frames that are only likely."""
        return bool(self.frames) and self.frames[-1].likely


@dataclass
class Part:
    start: int = 0  # its frames, and those of the runtime's that lead to it, in Walked.frames
    end: int = 0
    levels: list[int] = field(default_factory=list)  # those of them that are the user's
    began: str = CUT
    runtime: int | None = None  # whose code began it
    entry: str | None = None  # the routine of the runtime's that is left when it ends
    called: str | None = None  # the runtime's routine that its code is in a call of
    base: Frame | None = None  # the frame that the runtime, or the construct's function, called


class Parts:
    """Of many stacks: most threads of a team stand in the same functions."""

    def __init__(self, code: CodeMap) -> None:
        self._code = code
        self._known: dict[object, list[Part]] = {}

    def of(self, walked: Walked) -> list[Part]:
        places = [
            (f.location.pc, f.location.function, f.cfa, f.interprets, f.interpreters)
            for f in walked.frames
        ]
        key = (walked.whole, walked.leads_to_start, *places)
        if key not in self._known:
            self._known[key] = _Parser(walked, self._code).parts
        return [replace(part, levels=[*part.levels]) for part in self._known[key]]


class _Parser:
    def __init__(self, walked: Walked, code: CodeMap) -> None:
        self.parts = [Part()]
        self._frames = walked.frames
        self._code = code
        self._end = len(walked.frames)
        ends = walked.whole or (walked.leads_to_start and not walked.limited)
        if ends:
            self._end = self._without_start(self._end)
        at = 0
        while at < self._end:
            if code.is_runtime(self._frames[at]):
                at = self._through_runtime(at)
            elif self._is_foreign(at):
                at = self._through_foreign(at)
            else:
                at = self._through_users(at)
        last = self.parts[-1]
        last.end = len(self._frames)
        ends_in_runtime = self._end > 0 and code.is_runtime(self._frames[self._end - 1])
        if last.began == CUT and ends and not ends_in_runtime:
            last.began = BOTTOM

    def _without_start(self, end: int) -> int:
        """Without the frames that start a thread, or the program."""
        while end and self._starts(end - 1, end):
            end -= 1
        return end

    def _starts(self, at: int, end: int) -> bool:
        frame = self._frames[at]
        if self._code.is_runtime(frame):
            return False
        if self._is_foreign(at) or self._starts_fortran(at):
            return True
        if starts_thread(frame):
            return True
        # Below a thread's first instruction GDB may find an address that is none.
        if at > 0 and self._code.is_unknown(frame) and is_threads_first(self._frames[at - 1]):
            return True
        # The program's first code, below the C library's frames.
        outermost = end == len(self._frames) and at > 0
        if not outermost or not (self._is_foreign(at - 1) or starts_thread(self._frames[at - 1])):
            return False
        return frame.executable and frame.location.function in (None, "_start")

    def _starts_fortran(self, at: int) -> bool:
        """Fortran's compilers make a main that calls the main program."""
        if at == 0 or self._frames[at].location.function != "main" or not self._is_users(at - 1):
            return False
        place, inner = self._frames[at].location, self._frames[at - 1].location
        if inner.function is not None and of_fortran(inner.function) == MAIN_PROGRAM:
            return True
        return is_fortran(place.file) and inner.file == place.file

    def _is_foreign(self, at: int) -> bool:
        return self._frames[at].signal or self._code.is_skipped(self._frames[at])

    def _name(self, at: int) -> str:
        return abi.normal(self._frames[at].location.function or "")

    def _through_foreign(self, at: int) -> int:
        """Of a library's frames only that is shown which the user's code called."""
        end = at
        while end < self._end and self._is_foreign(end) and not self._frames[end].signal:
            end += 1
        if end < self._end and self._frames[end].signal:
            self.parts[-1].levels.append(end)
            return end + 1
        called = (level for level in reversed(range(at, end)) if not self._is_hidden(level))
        level = next(called, None)
        if level is not None and (end == self._end or not self._code.is_runtime(self._frames[end])):
            self.parts[-1].levels.append(level)
        return end

    def _is_hidden(self, at: int) -> bool:
        """An interpreter's, whose user sees what it executes."""
        return self._frames[at].interpreters

    # ---- The user's frames -----------------------------------------------------------------------

    def _through_users(self, at: int) -> int:
        """One frame, and the end of a part if a construct's code was called directly."""
        part = self.parts[-1]
        part.levels.append(at)
        part.base = self._frames[at]
        following = at + 1
        if not is_outlined(part.base.location.function) or self._is_helper(at):
            return following
        if following < self._end and self._is_wrapper(following, at):
            part.base = self._frames[following]
            following += 1
        if kernel_of(part.base.location.function) is not None:
            return following  # the task goes on in it, whoever called it
        if following < self._end and self._is_users(following):
            # flang has the runtime call the code of regions, also of those that are serialized.
            task = is_task_entry(part.base) or is_flangs(part.base.location.function)
            self._close(following, INCLUDED if task else CALL, None, None)
        return following

    def _is_users(self, at: int) -> bool:
        return not (self._code.is_runtime(self._frames[at]) or self._is_foreign(at))

    def _is_helper(self, at: int) -> bool:
        return is_helper(self._frames[at])

    def _is_wrapper(self, at: int, inner: int) -> bool:
        return self._is_users(at) and is_wrapper(self._frames[at], self._frames[inner])

    # ---- The runtime's frames --------------------------------------------------------------------

    def _through_runtime(self, at: int) -> int:
        runtime = self._code.runtime_of(self._frames[at])
        end = at
        while end < self._end and self._belongs(end, runtime):
            end += 1
        interrupted = self._is_interrupted(at)
        start = at
        while start < end:
            stop = self._block_end(start, end)
            last = stop == self._end
            # A stack that ends there, and not where its thread was started, is cut off.
            cut = last and stop == len(self._frames)
            if not cut and not (interrupted and start == at):
                self._block(start, stop, runtime, last)
            start = stop
        return end

    def _is_interrupted(self, at: int) -> bool:
        """Does the code above it only run because of a signal?"""
        while at and self._is_foreign(at - 1) and not self._frames[at - 1].signal:
            at -= 1
        return at > 0 and self._frames[at - 1].signal

    def _belongs(self, at: int, runtime: int | None) -> bool:
        if self._code.runtime_of(self._frames[at]) == runtime:
            return True
        # The C library between two frames of the runtime's.
        following = at
        while following < self._end and self._is_foreign(following):
            following += 1
        within = at < following < self._end
        return within and self._code.runtime_of(self._frames[following]) == runtime

    def _block_end(self, start: int, end: int) -> int:
        """Where the optimiser has removed the frame of a construct whose last act was a call, two
        blocks of the runtime's frames follow each other."""
        for at in range(start, end - 1):
            # GNU's constructs are called by one more function of the runtime's.
            name, *around = (self._name(i) for i in range(at, min(at + 3, end)))
            if abi.is_entry_point(name) and any(one in around for one in runtimes.INVOKES):
                return at + 1
            outer = around[0]
            if self._made_way_for(name, outer, at, end):
                return at + 1
            if name in abi.FORKS and outer in abi.FORKS and outer not in abi.FORKS_BY_ANOTHER:
                return at + 1
        return end

    def _made_way_for(self, name: str, outer: str, at: int, end: int) -> bool:
        """Of a runtime that calls regions' code itself: what waits is called by none of what does
        that, but by the code."""
        if not self._code.calls_directly(self._code.runtime_of(self._frames[at])):
            return False
        threads_first = at + 2 == end == self._end
        return abi.WAITS.get(name, "region") != "region" and (outer in abi.FORKS or threads_first)

    def _block(self, start: int, stop: int, runtime: int | None, last: bool) -> None:
        entry = self._name(stop - 1)
        inner = [self._name(at) for at in range(start, min(start + 2, stop))]
        region = any(one in inner for one in runtimes.INVOKES) or inner[0] in abi.FORKS
        began = START if last else FORK
        part = self.parts[-1]
        on_top = len(self.parts) == 1 and not part.levels
        if last and stop - start == 1 and not on_top:
            # What it calls to wait, which executes tasks, has frames of its own.
            region = region or self._code.calls_directly(runtime)
        if on_top and not region:
            part.runtime, part.entry, part.called = runtime, entry, entry
            if last or entry in abi.FORKS:
                self._close(stop, began, runtime, entry)
        elif region or (last and not self._code.understands(runtime)):
            self._close(stop, began, runtime, entry)
        elif not self._code.understands(runtime):
            pass  # nor are its tasks
        elif part.base is not None and is_helper(part.base):
            pass  # it belongs to the task that called the runtime
        elif entry in abi.EXECUTES_AT_ONCE:
            self._close(stop, INCLUDED, runtime, entry)
        else:
            self._close(stop, TASK, runtime, entry)
            if last or entry in abi.FORKS:
                self._close(stop, began, runtime, entry)

    def _close(self, end: int, began: str, runtime: int | None, entry: str | None) -> None:
        part = self.parts[-1]
        part.end, part.began, part.runtime, part.entry = end, began, runtime, entry
        if began != START:
            self.parts.append(Part(start=end))


def is_helper(frame: Frame) -> bool:
    """Made by the compiler of a clause: the runtime calls it, and it is no task."""
    return bool(_HELPER.search(frame.location.function or ""))


def is_threads_first(frame: Frame) -> bool:
    return frame.location.function in glibc.THREAD_STARTS


def is_wrapper(frame: Frame, inner: Frame) -> bool:
    """clang puts a function of its own between the runtime and a construct's code."""
    name = inner.location.function or ""
    if not is_outlined(frame.location.function):
        return False
    if kernel_of(name) is not None:
        return "_debug__" in name and kernel_of(name) == kernel_of(frame.location.function)
    return "outlined" in name and ("_debug__" in name or is_task_entry(frame))


def is_task_entry(frame: Frame) -> bool:
    return "omp_task_entry" in (frame.location.function or "")
