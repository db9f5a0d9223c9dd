# SPDX-License-Identifier: Apache-2.0
"""What is on the threads' stacks?"""

from __future__ import annotations

from typing import Sequence

from ..debugger import Debugger, StoppedThread
from ..model.logical_stack.stack import Walked
from ..model.native import Frame, NativeThread
from ..model.process import Thread
from ..model.where import CodeMap
from .entries import Entries


class Stacks:
    """Of one picture. A stack is walked again only to look deeper."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger
        self._entries = Entries(debugger)
        self.code: CodeMap | None = None  # whose code is where, as soon as that is known
        self._known: dict[int, Walked] = {}  # by the debugger's number

    def walked(self, thread: Thread, depth: int, likely: bool = False) -> Walked | None:
        """None: it cannot be looked at now. likely: with frames that are not certain."""
        if thread.native is None:
            return None
        known = self._known.get(thread.native.num)
        if known is None or (known.limited and len(known.frames) < depth):
            with self._debugger.at(thread.native) as stopped:
                if stopped is None:
                    return None
                known = self.finish(thread.native, stopped, depth)
        if not likely:
            known = proven(known)
        if len(known.frames) > depth:
            return Walked(known.frames[:depth], False, True)
        return known

    def finish(self, native: NativeThread, stopped: StoppedThread, depth: int) -> Walked:
        """So much of a thread's stack, while it is looked at."""
        stack = stopped.frames(depth, likely=True)
        for _ in stack:
            pass
        limited = len(stack.seen) == stack.most and not stack.whole
        known = self._known[native.num] = Walked(self.named(stack.seen), stack.whole, limited)
        return known

    def called_by(self, caller: Frame) -> str | None:
        """The entry point that the program called there."""
        return self._entries.called_by(caller)

    def named(self, frames: Sequence[Frame]) -> Sequence[Frame]:
        """With the names of the entry points that the program called."""
        return frames if self.code is None else self._entries.named(frames, self.code)


def proven(walked: Walked) -> Walked:
    """Without frames that are only likely."""
    if not walked.leads_to_start:
        return walked
    return Walked([frame for frame in walked.frames if not frame.likely], False)
