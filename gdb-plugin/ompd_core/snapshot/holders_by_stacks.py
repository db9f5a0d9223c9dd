# SPDX-License-Identifier: Apache-2.0
"""Who has to let a thread go, where no library records it, but a stack shows it? An initialiser is
executed below pthread_once, or in the function that has the static variable; a reader is between
lock and unlock; and who has malloc's lock is in malloc.
"""

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


class HoldersByStacks:
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
        known: dict[Kept, list[int]] = {}
        for thread in self._process.threads:
            kept = thread.kept
            if kept is None or kept.goes_on or kept.kind not in glibc.ON_STACKS:
                continue
            if kept not in known:
                known[kept] = self._holders(kept)
            those = known[kept]
            by_code = kept.kind == "rwlock"
            if those and len(those) == (kept.readers if by_code else 1):
                thread.kept = kept._replace(
                    owner=those[0], also=tuple(those[1:]), by_code=by_code, unknown=None
                )

    def _holders(self, kept: Kept) -> list[int]:
        """By the debugger's numbers: one thread, if the stacks tell."""
        if kept.address is None or (kept.kind == "rwlock" and not kept.readers):
            return []
        found = []
        for thread in self._process.threads:
            if thread.native is None:
                continue
            with self._debugger.at(thread.native) as stopped:
                holds = self._holds(thread, stopped, kept) if stopped is not None else None
            if holds is None and kept.kind == "malloc":
                return []  # whoever is in malloc may have it
            found += [thread.native.num] if holds else []
        return found

    def _holds(self, thread: Thread, stopped: StoppedThread, kept: Kept) -> bool | None:
        """None: it is not known."""
        if kept.kind in (glibc.STATIC, "rwlock"):
            return self._is_told_by_code(stopped, kept)
        frames = stopped.frames()
        every = list(frames)
        if kept.kind == "once":
            return self._calls_once(stopped, every, kept)
        waits = thread.kept is not None and thread.kept.kind == kept.kind
        return self._allocates(every, waits) if frames.whole else None

    def _is_told_by_code(self, stopped: StoppedThread, kept: Kept) -> bool:
        mine = [one for one in self._held(stopped) if one.kind == kept.kind]
        return any(one.always and one.address == kept.address for one in mine)

    # ---- Initialisers ----------------------------------------------------------------------------

    def _calls_once(self, stopped: StoppedThread, frames: Sequence[Frame], kept: Kept) -> bool:
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

    # ---- malloc ----------------------------------------------------------------------------------

    def _allocates(self, frames: Sequence[Frame], waits: bool) -> bool:
        """waits: for the lock. A signal's handler may have interrupted malloc, and call it."""
        within = [
            level
            for level, (frame, caller) in enumerate(zip(frames, frames[1:]))
            if self._code.is_system(frame) and glibc.allocates(self._function(frame, caller))
        ]
        if not waits:
            return bool(within)
        handler = next((level for level, frame in enumerate(frames) if frame.signal), len(frames))
        return any(level > handler for level in within)
