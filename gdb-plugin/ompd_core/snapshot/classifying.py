# SPDX-License-Identifier: Apache-2.0
"""What does a thread do? Asks what tells states by stacks, and looks for what that asks for: the
system call, the code of a call, the rest of the stack. Few threads need it."""

from __future__ import annotations

from typing import Mapping

from ..debugger import Debugger, Stack, StoppedThread
from ..errors import Unreadable
from ..library.inference import Inference
from ..library.types import (
    ASKS_CALLED,
    ASKS_DIRECT,
    ASKS_REST,
    ASKS_SLEEP,
    CUT,
    WHOLE,
    Classification,
    Facts,
    Sleep,
    TeamArrivals,
)
from ..model import doubts
from ..model.native import Frame
from ..model.process import Membership, Region, Thread
from ..model.waiting import Seen, facts_of
from .stacks import Stacks


class Classifier:
    """Of one picture."""

    def __init__(
        self,
        inference: Inference | None,
        debugger: Debugger,
        stacks: Stacks,
        kinds: Mapping[int, str],
    ) -> None:
        """inference: None where no library tells states; kinds: of the runtimes."""
        self._inference, self._debugger = inference, debugger
        self._stacks, self._kinds = stacks, kinds
        # Who has come to teams' barriers, by runtime and team.
        self.arrivals: Mapping[int, Mapping[int, TeamArrivals]] = {}

    def arrivals_of(self, region: Region) -> TeamArrivals | None:
        return self.arrivals.get(region.runtime, {}).get(region.raw.address)

    def tell(
        self, thread: Thread, seen: Seen, frames: Stack, stopped: StoppedThread
    ) -> list[tuple[Membership | None, Classification]]:
        """What the thread does in each runtime that knows it; None: that is none."""
        members: list[Membership | None] = [*thread.openmp] or [None]
        known = [self._facts(member) if member is not None else None for member in members]
        answered = 0
        while True:
            found = [self._classify(seen, one) for one in known]
            asked = 0
            for one in found:
                asked |= one.asks
            asked &= ~answered
            if not self._answer(asked, found[0], seen, frames, stopped):
                return list(zip(members, found))
            answered |= asked

    def tell_stranger(
        self, member: Membership, seen: Seen, stopped: StoppedThread
    ) -> Classification:
        """The same of a thread that the runtime keeps nothing of."""
        found = self._classify(seen, self._facts(member))
        if not found.asks & ASKS_SLEEP:
            return found
        seen.sleep = self._sleep(stopped)
        return self._classify(seen, self._facts(member))

    def _classify(self, seen: Seen, known: Facts | None) -> Classification:
        if self._inference is None:
            return Classification(doubt=doubts.NOT_TOLD)
        return self._inference.classify(seen.told, seen.extent, seen.sleep, known)

    def _facts(self, member: Membership) -> Facts:
        come = self.arrivals_of(member.region) if member.region is not None else None
        return facts_of(member, self._kinds.get(member.runtime, ""), come)

    def _answer(
        self,
        asked: int,
        found: Classification,
        seen: Seen,
        frames: Stack,
        stopped: StoppedThread,
    ) -> bool:
        """Looks for what would tell more. False: there is nothing."""
        machine, answers = self._debugger.machine, False
        if asked & ASKS_DIRECT and found.outermost is not None and machine is not None:
            direct = self._calls_directly(seen.frames[found.outermost])
            seen.calls_directly(found.outermost, direct)
            answers = True
        if asked & ASKS_CALLED and found.caller is not None:
            name = self._stacks.called_by(seen.frames[found.caller])
            seen.calls(found.caller, name)
            answers = answers or name is not None
        if asked & ASKS_SLEEP:
            seen.sleep = self._sleep(stopped)
            answers = answers or seen.sleep is not None
        if asked & ASKS_REST:
            self._look_at_rest(found, seen, frames)
            answers = True
        return answers

    def _calls_directly(self, frame: Frame) -> bool | None:
        """The code of a region can make way for what it called last: then it is called by its
        address that returns there."""
        machine, read = self._debugger.machine, self._debugger.code.read
        try:
            return machine is not None and machine.direct_call(read, frame.pc) is not None
        except (Unreadable, OverflowError):
            return None

    def _sleep(self, stopped: StoppedThread) -> Sleep | None:
        """The word that the runtime has the thread sleep on."""
        machine = self._debugger.machine
        if machine is None:
            return None
        made = machine.futex_wait(stopped.registers(0), self._debugger.code.read)
        if made is None or not made.asleep or made.timed:
            return None
        return Sleep(made.address, made.expected, self._number(made.address))

    def _number(self, address: int) -> int | None:
        try:
            return self._debugger.number(address, 4)
        except (Unreadable, OverflowError):
            return None

    def _look_at_rest(self, found: Classification, seen: Seen, frames: Stack) -> None:
        """What is further out."""
        called: dict[int, str | None] = {
            level: one.called for level, one in enumerate(seen.told) if one.called
        }
        direct = {
            level: one.direct for level, one in enumerate(seen.told) if one.direct is not None
        }
        for _ in frames:
            pass
        seen.take(list(frames.seen), WHOLE if frames.whole else CUT)
        for level, one in direct.items():
            seen.calls_directly(level, one)
        named = self._stacks.named(seen.frames)
        for level, (frame, known) in enumerate(zip(seen.frames, named)):
            if known is not frame:
                called[level + 1] = known.location.function
            if seen.is_own(level) and level >= (found.caller or 0):
                seen.begins_at(level, frame.entry or self._debugger.code.start(frame.pc))
        for level, name in called.items():
            seen.calls(level, name)
