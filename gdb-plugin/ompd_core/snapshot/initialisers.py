# SPDX-License-Identifier: Apache-2.0
"""Who executes the initialiser that a thread waits for? No library records it, but it is on that
thread's stack: below pthread_once, or in the function that has the static variable."""

from __future__ import annotations

from typing import Callable, Sequence

from ..debugger import Debugger, StoppedThread
from ..errors import Unreadable
from ..model import glibc
from ..model.glibc import Kept
from ..model.holding import Held
from ..model.native import Frame
from ..model.process import Process, Thread
from ..model.where import CodeMap

# Of one frame of the C library's.
_LARGEST_FRAME = 4096


class Initialisers:
    """Of one picture."""

    def __init__(
        self,
        process: Process,
        debugger: Debugger,
        code: CodeMap,
        function: Callable[[Frame, Frame], str | None],
        held: Callable[[StoppedThread], Sequence[Held]],
    ) -> None:
        """function: what was called, by a frame and its caller's; held: by the code."""
        self._process, self._debugger, self._code = process, debugger, code
        self._function, self._held = function, held

    def settle(self) -> None:
        waiting = [thread for thread in self._process.threads if _waits(thread)]
        found = {thread.kept: self._executing(thread.kept) for thread in waiting if thread.kept}
        for thread in waiting:
            those = found[thread.kept] if thread.kept is not None else []
            if thread.kept is not None and len(those) == 1:
                thread.kept = thread.kept._replace(owner=those[0], unknown=None)

    def _executing(self, kept: Kept) -> list[int]:
        """By the debugger's numbers: one thread, if the stacks tell."""
        found = []
        for thread in self._process.threads:
            if thread.native is None or thread.running:
                continue
            with self._debugger.at(thread.native) as stopped:
                if stopped is not None and self._executes(stopped, kept):
                    found.append(thread.native.num)
        return found

    def _executes(self, stopped: StoppedThread, kept: Kept) -> bool:
        if kept.kind == glibc.STATIC:
            mine = [one for one in self._held(stopped) if one.kind == glibc.STATIC]
            return any(one.always and one.address == kept.address for one in mine)
        frames = list(stopped.frames())
        return any(
            self._calls_back(frames, level) and self._has(stopped, level, kept.address)
            for level in range(1, len(frames) - 1)
        )

    def _calls_back(self, frames: Sequence[Frame], level: int) -> bool:
        """Is it pthread_once, in the function that it was given?"""
        frame, inner = frames[level], frames[level - 1]
        if not self._code.is_system(frame) or self._code.is_system(inner):
            return False
        function = self._function(frame, frames[level + 1])
        return function is not None and glibc.kind_of(function) == "once"

    def _has(self, stopped: StoppedThread, level: int, flag: int | None) -> bool:
        """It has the flag's address on its stack, to undo what it began if it is cancelled."""
        try:
            low, high = stopped.stack_pointer(level), stopped.stack_pointer(level + 1)
            if flag is None or not 0 < high - low <= _LARGEST_FRAME:
                return False
            size = self._debugger.pointer_size
            words = range(low, high - size + 1, size)
            return any(self._debugger.number(word, size) == flag for word in words)
        except Unreadable:
            return False


def _waits(thread: Thread) -> bool:
    kept = thread.kept
    if kept is None or kept.kind not in glibc.INITIALISED:
        return False
    return kept.address is not None and not kept.goes_on
