# SPDX-License-Identifier: Apache-2.0
"""What is on the threads' stacks?"""

from __future__ import annotations

from typing import Sequence

from ..debugger import Debugger, Stack, StoppedThread
from ..model.logical_stack.stack import Walked
from ..model.native import Frame, Location, NativeThread
from ..model.process import Thread
from ..model.where import CodeMap
from .entries import Entries
from .interpreter import Interpreter
from .python_frames import PythonFrames


class Stacks:
    """Of one picture. A stack is walked again only to look deeper."""

    def __init__(self, debugger: Debugger, python_frames: bool = True) -> None:
        """python_frames: are they shown?"""
        self._debugger = debugger
        self._python = PythonFrames(debugger, python_frames)
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
            return Walked(known.frames[:depth], False, True, known.missing)
        return known

    def on(
        self, native: NativeThread, stopped: StoppedThread, depth: int, likely: bool = False
    ) -> Stack:
        """The stack of a thread that is looked at, with Python's frames on it."""
        return self._python.on(native, stopped, depth, likely)

    def finish(self, native: NativeThread, stopped: StoppedThread, depth: int) -> Walked:
        """So much of a thread's stack, while it is looked at."""
        stack = self.on(native, stopped, depth, True)
        for _ in stack:
            pass
        limited = len(stack.seen) == stack.most and not stack.whole
        missing = self._python.doubt(native, stack.seen)
        known = Walked(self.named(stack.seen), stack.whole, limited, missing)
        self._known[native.num] = known
        return known

    def interpreted(self, native: NativeThread) -> Location | None:
        """The innermost place of Python's on a stack that has been looked at."""
        return self._python.innermost(native)

    @property
    def interpreter(self) -> Interpreter:
        return self._python.interpreter

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
    frames = [frame for frame in walked.frames if not frame.likely]
    return Walked(frames, False, missing=walked.missing)
