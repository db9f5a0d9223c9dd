# SPDX-License-Identifier: Apache-2.0
"""Which members of a team does the process not have? A child of fork() gets one thread, and the
runtime's memory still counts all; so it does with a thread that called pthread_exit in a region."""

from __future__ import annotations

from .. import runtimes
from ..debugger import Debugger
from ..errors import Unreadable
from ..model.process import Process, Region, Thread
from ..model.where import CodeMap


class Gone:
    """Of one picture."""

    def __init__(self, process: Process, debugger: Debugger, code: CodeMap) -> None:
        self._process, self._debugger, self._code = process, debugger, code

    def settle(self) -> None:
        for region in self._process.regions:
            if runtimes.loses_threads(self._code.kind_of(region.runtime)):
                self._settle(region)

    def _settle(self, region: Region) -> None:
        absent = [n for n, one in enumerate(region.members) if not _is_in(one, region)]
        if not absent or region.raw.problem or len(region.members) != region.raw.team_size:
            return
        living = [one for one in region.members if one is not None and _is_in(one, region)]
        # Whoever is not there now has been there: all have been made before that.
        if not any(_made_all(t, region) and self._sleeps(t, region.runtime) for t in living):
            return
        others = [t for t in self._process.threads if not _is_in_any(t, region.runtime)]
        if any(self._may_be_of(thread, region.runtime) for thread in others):
            return
        for number in absent:
            self._forget(region, number)
        region.gone = absent
        # Only another member could let it go.
        region.stays_at_start = (
            len(living) == 1
            and living[0] is region.members[0]
            and (member := living[0].member(region.runtime)) is not None
            and member.region is region
            and member.state == "overhead"
        )

    @staticmethod
    def _forget(region: Region, number: int) -> None:
        """A new thread may have got the pthread id of one that is gone."""
        thread = region.members[number]
        member = thread.member(region.runtime) if thread is not None else None
        if thread is not None and thread.native is not None and member is not None:
            thread.openmp.remove(member)
            region.members[number] = None

    def _sleeps(self, thread: Thread, runtime: int) -> bool:
        """In a call that the runtime makes itself, and nobody has let it go: a worker that was let
        go from a nested region's last barrier may have ended before others wake up."""
        machine = self._debugger.machine
        if machine is None or thread.native is None or thread.running:
            return False
        with self._debugger.at(thread.native) as stopped:
            frame = next(iter(stopped.frames()), None) if stopped is not None else None
            if stopped is None or frame is None or self._code.runtime_of(frame) != runtime:
                return False
            call = machine.futex_wait(stopped.registers(0), self._debugger.code.read)
        if call is None or not call.asleep or call.timed:
            return False
        try:
            return self._debugger.number(call.address, 4) == call.expected
        except (Unreadable, OverflowError):
            return False

    def _may_be_of(self, thread: Thread, runtime: int) -> bool:
        """A worker's stack goes through the runtime from its first function on. To that a thread
        that has just been made has yet to come: it is in the C library alone."""
        if thread.native is None:
            return False
        if thread.running:
            return True
        with self._debugger.at(thread.native) as stopped:
            if stopped is None:
                return True
            stack = stopped.frames()
            told = [one for one in stack if one.location.objfile and not self._code.is_system(one)]
        mine = any(self._code.runtime_of(frame) == runtime for frame in told)
        return mine or not told or not stack.whole


def _is_in(thread: Thread | None, region: Region) -> bool:
    if thread is None or thread.native is None:
        return False
    member = thread.member(region.runtime)
    return member is not None and any(one is region for one, _ in member.chain)


def _made_all(thread: Thread, region: Region) -> bool:
    """If it sleeps: the primary thread makes the others, and then they come to the region's code,
    each from the barrier that it starts at."""
    member = thread.member(region.runtime)
    if thread is region.members[0] or member is None:
        return member is not None
    return member.wait is not None and member.wait.kind == "barrier" and not member.starts


def _is_in_any(thread: Thread, runtime: int) -> bool:
    member = thread.member(runtime)
    return member is not None and bool(member.chain)
