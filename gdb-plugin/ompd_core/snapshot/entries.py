# SPDX-License-Identifier: Apache-2.0
"""Which of the runtime's entry points did the program call? One can make way for a function of the
runtime's own: the call in the program's code tells."""

from __future__ import annotations

from dataclasses import replace
from typing import Sequence

from .. import abi
from ..debugger import Debugger
from ..errors import Unreadable
from ..model.native import Frame
from ..model.where import CodeMap


def called_by(debugger: Debugger, caller: Frame) -> str | None:
    """None: none, or it is not told, as in a call by pointer."""
    if debugger.machine is None:
        return None
    try:
        address = debugger.machine.called(debugger.code.read, caller.pc)
    except (Unreadable, OverflowError):
        return None
    symbol = debugger.code.object(address) if address is not None else None
    name = symbol.partition("@")[0] if symbol is not None else ""
    return abi.normal(name) if abi.is_entry_point(name) else None


class Entries:
    """Of one picture. What many stacks have in common is looked at once."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger
        # With the frames, which live as long as their ids are asked for.
        self._known: dict[tuple[int, int], tuple[Frame, Frame, Frame]] = {}

    def named(self, frames: Sequence[Frame], code: CodeMap) -> list[Frame]:
        """With the names of the entry points that the program called."""
        inner = [self._named(frame, outer, code) for frame, outer in zip(frames, frames[1:])]
        return [*inner, *frames[-1:]]

    def _named(self, frame: Frame, outer: Frame, code: CodeMap) -> Frame:
        key = (id(frame), id(outer))
        if key not in self._known:
            self._known[key] = frame, outer, self._looked_at(frame, outer, code)
        return self._known[key][2]

    def _looked_at(self, frame: Frame, outer: Frame, code: CodeMap) -> Frame:
        known = frame.location.function
        is_entry = known is not None and abi.is_entry_point(known)
        if is_entry or not code.is_runtime(frame):
            return frame
        if code.is_runtime(outer) or code.is_skipped(outer):
            return frame
        name = called_by(self._debugger, outer) or known
        return replace(frame, location=replace(frame.location, function=name))
