# SPDX-License-Identifier: Apache-2.0
"""Which of the runtime's entry points did the program call? One can make way for a function of the
runtime's own: the call in the program's code tells."""

from __future__ import annotations

from typing import Sequence

from .. import abi
from ..debugger import Debugger
from ..errors import Unreadable
from ..light_classes import replace
from ..model.native import Frame
from ..model.where import CodeMap
from . import function_body

# Functions that make way for each other.
MOST_TAILS = 4


class Entries:
    """Of one picture. What many stacks have in common is looked at once."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger
        # With the frames, which live as long as their ids are asked for.
        self._known: dict[tuple[int, int], tuple[Frame, Frame, Frame]] = {}
        self._called: dict[int, str | None] = {}  # by where the call returns

    def called_by(self, caller: Frame) -> str | None:
        """None: none, or it is not told, as in a call by pointer."""
        if caller.pc not in self._called:
            try:
                self._called[caller.pc] = self._called_at(caller.pc)
            except (Unreadable, OverflowError):
                self._called[caller.pc] = None
        return self._called[caller.pc]

    def _called_at(self, pc: int) -> str | None:
        machine, code = self._debugger.machine, self._debugger.code
        address = machine.called(code.read, pc) if machine is not None else None
        # A function of the program's that is not on the stack has made way for what it called last.
        for _ in range(MOST_TAILS):
            symbol = code.object(address) if address is not None else None
            name = symbol.partition("@")[0] if symbol is not None else ""
            if abi.is_entry_point(name):
                return abi.normal(name)
            if machine is None or address is None or code.start(address) != address:
                return None
            body = function_body.at(self._debugger, machine, address)
            left_for = body.left_for() if body is not None and not body.jumps_anywhere else set()
            address = left_for.pop() if len(left_for) == 1 else None
        return None

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
        name = self.called_by(outer) or known
        return replace(frame, location=frame.location._replace(function=name))
