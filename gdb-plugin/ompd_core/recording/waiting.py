# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom, where, and how long? At a barrier for those of the team that have not come to
it, at a lock for its holder: at each moment a wait is charged to those who are waited for, and to
what they do then."""

from __future__ import annotations

import bisect
from typing import Dict, Iterator

from ..light_classes import dataclass, field
from .lock_waits import LockWaits
from .record import Activity, Place, Record
from .states import Kind, kind
from .sums import Sum, Totals, Wait, by_wait, wait_of
from .team_waits import Charges, TeamWaits

_SHARP = 3.0  # periods of samples from which a wait is told apart from its neighbours


@dataclass(frozen=True)
class Doing:
    """What somebody does who is waited for."""

    thread: int
    kind: Kind
    place: Place


@dataclass
class Waiting:
    """All waits of one kind at one place."""

    wait: Wait
    sum: Sum
    charged: dict[Doing, float] = field(default_factory=dict)  # ns
    nobody: float = 0.0  # ns: all had come, and the runtime had not let go yet
    times: int = 0  # that somebody waited, as far as samples tell them apart
    period: int = 0  # ns between samples
    meetings: int = 0  # of a barrier, as far as samples tell them apart
    last: dict[int, int] = field(default_factory=dict)  # how often a thread came last
    concluded: dict[Doing, float] = field(default_factory=dict)  # of charged, what is not recorded
    preempted: int = 0  # ns without a processor in the middle of such waits; not in sum

    @property
    def likely(self) -> bool:
        """Was anybody who was waited for concluded, not recorded?"""
        return bool(self.concluded)

    @property
    def is_recorded(self) -> bool:
        """Does the runtime record of any moment who was waited for?"""
        return sum(self.charged.values()) > sum(self.concluded.values()) + 1

    @property
    def unknown(self) -> float:
        """ns for which it is not told who was waited for."""
        return max(self.sum.whole.ns - sum(self.charged.values()) - self.nobody, 0.0)

    @property
    def blurred(self) -> bool:
        """Are the waits about as short as the time between samples?"""
        return self.times > 0 and self.sum.whole.ns < _SHARP * self.period * self.times

    def by_thread(self) -> dict[int, float]:
        found: dict[int, float] = {}
        for doing, ns in self.charged.items():
            found[doing.thread] = found.get(doing.thread, 0.0) + ns
        return found

    def most(self) -> list[tuple[Doing, float]]:
        return sorted(self.charged.items(), key=lambda one: -one[1])


def waits(record: Record, of: Totals) -> list[Waiting]:
    """Those that took most time first. Of the whole record."""
    found = {
        wait: Waiting(wait, total, period=record.period)
        for wait, total in by_wait(record, of).items()
    }
    _count_times(record, found)
    places = Places(record)
    charges = _at_locks(record)
    locks = LockWaits(record)
    locks.run()
    for (wait, thread, number), ns in locks.charges.items():
        charges[wait, thread, number] = charges.get((wait, thread, number), 0.0) + ns
        if wait in found and ns > 0:
            doing = _doing(record, places, thread, number)
            concluded = found[wait].concluded
            concluded[doing] = concluded.get(doing, 0.0) + ns
    for team in TeamWaits.of(record):
        team.run()
        for wait, counted in team.meetings.items():
            if wait in found:
                found[wait].meetings += counted
        for (wait, thread), counted in team.last.items():
            if wait in found:
                last = found[wait].last
                last[thread] = last.get(thread, 0) + counted
        for wait, ns in team.nobody.items():
            if wait in found:
                found[wait].nobody += ns
        for key, ns in team.charges.items():
            charges[key] = charges.get(key, 0.0) + ns
    for (wait, thread, number), ns in charges.items():
        if wait not in found or ns <= 0:
            continue
        doing = _doing(record, places, thread, number)
        charged = found[wait].charged
        charged[doing] = charged.get(doing, 0.0) + ns
    return sorted(found.values(), key=lambda one: -one.sum.whole.ns)


def _doing(record: Record, places: Places, thread: int, number: int) -> Doing:
    activity = record.activities[number]
    return Doing(thread, kind(activity.state), places.of(activity))


def _count_times(record: Record, found: dict[Wait, Waiting]) -> None:
    for thread in record.threads:
        before: Wait | None = None
        preempted = 0
        for ns, number in zip(thread.durations, thread.activities):
            activity = record.activities[number]
            if kind(activity.state) is Kind.PREEMPTED:
                preempted += ns
                continue  # it goes on to wait
            wait = wait_of(activity)
            if wait is not None and wait in found:
                if wait == before:
                    found[wait].preempted += preempted
                else:
                    found[wait].times += 1
            before, preempted = wait, 0


def _at_locks(record: Record) -> Charges:
    """Where a holder is recorded."""
    found: Charges = {}
    starts: Dict[int, list[int]] = {}
    for thread in record.threads:
        for row in thread.rows():
            activity = record.activities[row.activity]
            holder = activity.holder
            wait = wait_of(activity)
            if holder is None or wait is None:
                continue
            if holder not in starts:
                starts[holder] = [one.start for one in record.threads[holder].rows()]
            for number, ns in _between(record, holder, starts[holder], row.start, row.end):
                key = (wait, holder, number)
                found[key] = found.get(key, 0.0) + ns
    return found


def _between(
    record: Record, place: int, starts: list[int], start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Activities of a thread, and how long they are within that time."""
    thread = record.threads[place]
    at = max(bisect.bisect_right(starts, start) - 1, 0)
    while at < len(starts) and starts[at] < end:
        until = starts[at] + thread.durations[at]
        ns = min(until, end) - max(starts[at], start)
        if ns > 0:
            yield thread.activities[at], ns
        at += 1


class Places:
    """The user's own place in what a thread does: of its innermost frame of the program."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._found: dict[int | None, Place] = {None: Place()}

    def of(self, activity: Activity) -> Place:
        stack = activity.stack
        if stack not in self._found:
            self._found[stack] = self._search(stack)
        return self._found[stack]

    def _search(self, stack: int | None) -> Place:
        while stack is not None:
            number, stack = self._record.stacks[stack]
            frame = self._record.frames[number]
            if frame.kind in ("user", "construct") and frame.place:
                return frame.place
        return Place()
