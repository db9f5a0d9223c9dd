# SPDX-License-Identifier: Apache-2.0
"""At the barriers of one team: who is waited for at each moment, how often did all meet, and who
came last?

One pass over the rows of its threads in the order of time. What a wait costs at a moment is shared
by those who have not come; an integral over time tells of each of them what that makes, without
looking at all of them at each step."""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import Deque, Dict, Iterable, Tuple

from .record import Activity, Record
from .states import LIMBO, Kind, kind
from .sums import Wait, wait_of
from .teams import TeamKey, Teams

# ns, by the wait, who is waited for, and the activity of his.
Charges = Dict[Tuple[Wait, int, int], float]


class Role(Enum):
    WAITS = 0  # first, of what happens at one moment
    LIMBO = 1  # as before, for what it was is not told: preempted, in the kernel, unknown
    BUSY = 2
    AWAY = 3  # in no region of the team's


# After a barrier has let somebody go, samples of others may tell of it for so many periods. Who
# stands there longer stands there again.
_LINGER = 2.5

Event = Tuple[int, int, int, int]  # time, order of its role, thread, activity or -1


class _Meeting:
    """Of a team at a barrier."""

    def __init__(self, wait: Wait, pending: Iterable[int]) -> None:
        self.wait = wait
        self.pending = set(pending)  # who has not come
        self.latest: int | None = None
        self.standing = 0
        self.counted = 0  # of those that stand there: whose time is a wait
        self.over = False  # somebody has been let go


class _Member:
    def __init__(self) -> None:
        self.role = Role.AWAY
        self.meeting: _Meeting | None = None
        self.counted = False
        self.activity = -1
        self.integrals: dict[Wait, float] = {}  # when the activity began


class TeamWaits:
    def __init__(self, record: Record, events: list[Event]) -> None:
        self.charges: Charges = {}
        self.nobody: dict[Wait, float] = {}
        self.meetings: dict[Wait, int] = {}
        self.last: dict[tuple[Wait, int], int] = {}
        self._record = record
        self._events = sorted(events)
        self._members: dict[int, _Member] = {}
        self._busy = 0
        self._integrals: dict[Wait, float] = {}
        self._current: dict[Wait, _Meeting] = {}
        self._left: list[_Meeting] = []  # where some still stand, and others have met anew
        self._over: Deque[tuple[int, _Meeting]] = deque()  # and when who stands there stands anew
        self._linger = round(_LINGER * record.period)
        self._now = 0

    @staticmethod
    def of(record: Record) -> list[TeamWaits]:
        events: dict[TeamKey, list[Event]] = {}
        keys = _Keys(record)
        for place, thread in enumerate(record.threads):
            before: frozenset[TeamKey] = frozenset()
            for row in thread.rows():
                now = keys.of(row.activity)
                if not now and kind(record.activities[row.activity].state) in LIMBO:
                    now = before  # where it is, is not told: where it was
                for key in before - now:
                    events[key].append((row.start, Role.AWAY.value, place, -1))
                for key in now:
                    order = _role(record.activities[row.activity], keys, key).value
                    events.setdefault(key, []).append((row.start, order, place, row.activity))
                before = now
            for key in before:
                events[key].append((thread.end, Role.AWAY.value, place, -1))
        return [TeamWaits(record, found) for found in events.values()]

    def run(self) -> None:
        for time, order, thread, number in self._events:
            while self._over and self._over[0][0] <= time:
                moment, meeting = self._over.popleft()
                self._go_to(moment)
                self._meet_anew(meeting)
            self._go_to(time)
            member = self._members.setdefault(thread, _Member())
            role = Role(order)
            self._charge(thread, member)
            if role is Role.LIMBO:
                # Where it stands at a barrier it stays there, and nobody is charged for the moment.
                stays = member.role is Role.WAITS
                if member.meeting is not None and member.meeting.over:
                    self._stand(thread, member, None)
                    stays = False
                self._move(thread, member, member.role if stays else Role.BUSY, False)
            else:
                wait = wait_of(self._record.activities[number]) if role is Role.WAITS else None
                self._stand(thread, member, wait)
                self._move(thread, member, role, role is Role.WAITS)
            member.activity = number
            member.integrals = dict(self._integrals)

    def _go_to(self, time: int) -> None:
        ns, self._now = time - self._now, time
        if ns <= 0:
            return
        for meeting in (*self._current.values(), *self._left):
            if self._busy and not meeting.over:
                gained = ns * meeting.counted / self._busy
                self._integrals[meeting.wait] = self._integrals.get(meeting.wait, 0.0) + gained
            else:
                lost = ns * meeting.counted
                self.nobody[meeting.wait] = self.nobody.get(meeting.wait, 0.0) + lost

    def _charge(self, thread: int, member: _Member) -> None:
        """With what has come since its activity began."""
        if member.role is not Role.BUSY:
            return
        for wait, integral in self._integrals.items():
            gained = integral - member.integrals.get(wait, 0.0)
            if gained > 0:
                key = (wait, thread, member.activity)
                self.charges[key] = self.charges.get(key, 0.0) + gained

    def _move(self, thread: int, member: _Member, role: Role, counted: bool) -> None:
        self._busy += (role is Role.BUSY) - (member.role is Role.BUSY)
        if member.meeting is not None:
            member.meeting.counted += counted - member.counted
        member.role, member.counted = role, counted and member.meeting is not None
        if role is Role.BUSY:
            for meeting in self._current.values():
                if meeting is not member.meeting and not meeting.over:
                    meeting.pending.add(thread)

    def _stand(self, thread: int, member: _Member, wait: Wait | None) -> None:
        """At a barrier, or at none."""
        meeting = member.meeting
        if meeting is not None and wait == meeting.wait:
            return
        if meeting is not None:
            self._let_go(member, meeting)
        if wait is not None:
            self._arrive(thread, member, wait)

    def _let_go(self, member: _Member, meeting: _Meeting) -> None:
        meeting.counted -= member.counted
        meeting.standing -= 1
        member.meeting, member.counted = None, False
        if not meeting.over:
            meeting.over = True
            self._over.append((self._now + self._linger, meeting))
            self._count(meeting)
        if meeting.standing == 0:
            if self._current.get(meeting.wait) is meeting:
                del self._current[meeting.wait]
            else:
                self._left.remove(meeting)

    def _arrive(self, thread: int, member: _Member, wait: Wait) -> None:
        meeting = self._current.get(wait)
        if meeting is None or meeting.over:
            if meeting is not None:
                self._left.append(meeting)
            busy = [at for at, one in self._members.items() if one.role is Role.BUSY]
            meeting = self._current[wait] = _Meeting(wait, busy)
        meeting.pending.discard(thread)
        meeting.latest = thread
        meeting.standing += 1
        member.meeting = meeting

    def _meet_anew(self, meeting: _Meeting) -> None:
        """Who still stands where all were let go has met no sample in between."""
        if meeting.standing == 0:
            return
        for thread, member in self._members.items():
            if member.meeting is meeting:
                counted = member.counted
                self._let_go(member, meeting)
                self._arrive(thread, member, meeting.wait)
                self._move(thread, member, member.role, counted)

    def _count(self, meeting: _Meeting) -> None:
        wait, last = meeting.wait, meeting.latest
        self.meetings[wait] = self.meetings.get(wait, 0) + 1
        if len(meeting.pending) == 1:
            last = next(iter(meeting.pending))  # it came between two samples, and let all go
        elif meeting.pending:
            last = None
        if last is not None:
            self.last[wait, last] = self.last.get((wait, last), 0) + 1


class _Keys:
    """Which teams does an activity belong to? Its own, and where it is in a region inside, those
    whose regions stand on its stack."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._found: dict[int, frozenset[TeamKey]] = {}
        self._teams = Teams(record)

    def own(self, activity: Activity) -> TeamKey | None:
        return self._teams.of(activity)

    def of(self, number: int) -> frozenset[TeamKey]:
        if number not in self._found:
            self._found[number] = frozenset(self._search(self._record.activities[number]))
        return self._found[number]

    def _search(self, activity: Activity) -> Iterable[TeamKey]:
        key = self._teams.of(activity)
        if key is None:
            return
        yield key
        for frame in self._record.path(activity.stack):
            region = frame.region
            if frame.kind == "construct" and region is not None and region != activity.region:
                around = self._teams.only(region)
                if around is not None:
                    yield around


def _role(activity: Activity, keys: _Keys, key: TeamKey) -> Role:
    of = kind(activity.state)
    if of in LIMBO:
        return Role.LIMBO
    # Else it is in a region inside.
    own = keys.own(activity) == key
    return Role.WAITS if own and of is Kind.BARRIER else Role.BUSY
