# SPDX-License-Identifier: Apache-2.0
"""Where does the code of a region request cancellation, and has a function a cancellation point?"""

from __future__ import annotations

from .. import abi
from ..debugger import Debugger
from ..errors import Unreadable
from ..model.native import Frame, Location
from ..model.process import Process, Thread
from ..model.slowdowns import Cancelled, Uncancelled
from ..model.where import CodeMap, in_users_terms
from . import function_body
from .linked_calls import LinkedCalls
from .symbol_end import symbol_end

# Whose stacks are looked at: the threads of a team execute the same code.
_MOST_OF_REGION = 4
_MOST_STACKS = 64

_POINTS = frozenset(abi.CANCELLATION_POINTS)


class Cancelling:
    """Of one picture."""

    def __init__(self, debugger: Debugger, code: CodeMap) -> None:
        self._debugger, self._code = debugger, code

    def without_effect(self, process: Process) -> list[Uncancelled]:
        """In the functions that threads of teams are in, where cancellation is off."""
        machine, code = self._debugger.machine, self._debugger.code
        if machine is None:
            return []
        linked = LinkedCalls(self._debugger, machine)
        frames = (frame for thread in _some(process) for frame in self._own(thread))
        starts = dict.fromkeys(code.start(frame.pc) for frame in frames)
        places: dict[tuple[str | None, int | None], Location] = {}
        for start in starts:
            for site in self._requests(linked, start) if start is not None else []:
                at = in_users_terms(code.location(site), code.holder_at(site))
                places.setdefault((at.function, at.line), at)
        return [Uncancelled(list(places.values()))] if places else []

    def _requests(self, linked: LinkedCalls, start: int) -> list[int]:
        code = self._debugger.code
        end = symbol_end(code, start, start)
        if end is None or not code.is_known(start, end):
            return []
        try:
            return [site for site, name in linked.of(start, end) if name in abi.CANCELS]
        except Unreadable:
            return []

    def with_function(self, one: Cancelled) -> Cancelled:
        """If the function that is named has no cancellation point."""
        machine, thread = self._debugger.machine, one.inside[0]
        frames = self._own(thread)
        start = self._debugger.code.start(frames[0].pc) if frames else None
        at = thread.where
        if machine is None or start is None or at is None:
            return one
        try:
            body = function_body.at(self._debugger, machine, start)
        except Unreadable:
            body = None
        if body is None or body.jumps_anywhere:
            return one
        names = {call.to.name for call in body.calls()}
        if None in names or {abi.normal(name or "") for name in names} & _POINTS:
            return one
        return one._replace(without=at.function)

    def _own(self, thread: Thread) -> list[Frame]:
        """The user's frames, from the innermost one to where the runtime called them."""
        found: list[Frame] = []
        if thread.native is None:
            return found
        with self._debugger.at(thread.native) as stopped:
            if stopped is None:
                return found
            for frame in stopped.frames():
                if self._code.is_runtime(frame):
                    if found:
                        break
                elif not self._code.is_skipped(frame):
                    found.append(frame)
        return found


def _some(process: Process) -> list[Thread]:
    """Of each region those that are at different places."""
    found: dict[Thread, None] = {}
    for region in process.regions:
        if region.raw.generator == "parallel":
            inside = [one for one in region.members if one is not None]
            differ = {(one.where, one.in_call): one for one in inside}
            found.update(dict.fromkeys(list(differ.values())[:_MOST_OF_REGION]))
    return list(found)[:_MOST_STACKS]
