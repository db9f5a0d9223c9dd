# SPDX-License-Identifier: Apache-2.0
"""Who holds a lock that others wait for? Of some locks the runtime records that, which pictures of
it show now and then. Between them, and of other locks:

- A lock for which others wait is handed on: who stops waiting for it has it, as long as somebody
  has waited ever since, and until another stops waiting.
- So does whom a picture showed to have it, until another stops waiting.
- If all other threads wait, or have nothing to do, the only one that is left has it.
- Of a critical construct the code is known that is executed by who has it. Who has such code on its
  stack has it, and who has none does not.

What is so concluded is likely: between two samples a lock can be taken and released unseen."""

from __future__ import annotations

from typing import Iterator, Optional

from ..light_classes import dataclass, field
from .record import UNTOLD, Activity, Construct, Record
from .states import LIMBO, Kind, kind
from .sums import Wait, wait_of
from .team_waits import Charges

_OF_LOCKS = ("critical", "lock", "nest_lock")
# One in these has no lock: it would not get to where it is, or waits itself.
_WITHOUT = (Kind.LOCK, Kind.BARRIER, Kind.IDLE, Kind.OUTSIDE)
_MOST_AT_ONCE = 64  # locks that are waited for: of more it is not told
_GONE = -1

Key = str


@dataclass
class _Lock:
    since: int  # up to here all is charged
    waiting: dict[int, Wait] = field(default_factory=dict)  # by thread
    passing: set[int] = field(default_factory=set)  # of them, whose time is no wait now
    recorded: set[int] = field(default_factory=set)  # of them, where the holder is recorded now
    holder: Optional[int] = None  # to whom it was handed on, or who was recorded last


class LockWaits:
    """charges: what is concluded."""

    def __init__(self, record: Record) -> None:
        self.charges: Charges = {}
        self._record = record
        self._keys = [_key(record, activity) for activity in record.activities]
        self._locks: dict[Key, _Lock] = {}
        self._at: dict[int, Key] = {}  # who waits for which
        self._doing: dict[int, int] = {}  # activities
        self._free: set[int] = set()  # who may have locks
        self._criticals = _criticals(record)
        self._has: dict[int, Optional[frozenset[Key]]] = {}  # by activity

    def run(self) -> None:
        if not any(self._keys):
            return
        for time, thread, number in sorted(self._events()):
            self._charge(time)
            self._turn(time, thread, number)

    def _events(self) -> Iterator[tuple[int, int, int]]:
        for place, thread in enumerate(self._record.threads):
            for row in thread.rows():
                yield row.start, place, row.activity
            yield thread.end, place, _GONE

    def _charge(self, time: int) -> None:
        suspect = next(iter(self._free)) if len(self._free) == 1 else None
        for key, lock in self._locks.items():
            ns, lock.since = time - lock.since, time
            holder = lock.holder
            if holder is None and suspect is not None and self._may_have(suspect, key):
                holder = suspect
            if not ns or holder is None:
                continue
            for thread, wait in lock.waiting.items():
                if thread not in lock.passing and thread not in lock.recorded:
                    charge = (wait, holder, self._doing.get(holder, UNTOLD))
                    self.charges[charge] = self.charges.get(charge, 0.0) + ns

    def _may_have(self, thread: int, key: Key) -> bool:
        shown = self._shown(self._doing.get(thread, UNTOLD))
        return shown is None or key in shown or key not in self._criticals

    def _shown(self, number: int) -> frozenset[Key] | None:
        """The critical constructs that its stack is in; None: it does not show."""
        if number not in self._has:
            self._has[number] = _has(self._record, self._record.activities[number], self._criticals)
        return self._has[number]

    def _look_at_stack(self, thread: int, number: int) -> None:
        """Who has a lock now, and who has it no more."""
        shown = self._shown(number)
        if shown is None:
            return
        for key, lock in self._locks.items():
            if key in shown and thread not in lock.waiting:
                lock.holder = thread
            elif lock.holder == thread and key in self._criticals:
                lock.holder = None

    def _turn(self, time: int, thread: int, number: int) -> None:
        activity = Activity("outside") if number == _GONE else self._record.activities[number]
        of = kind(activity.state)
        key, at = None if number == _GONE else self._keys[number], self._at.get(thread)
        if at is not None and self._stays(thread, of):
            self._locks[at].passing.add(thread)
            return
        self._doing[thread] = number
        if at is not None and key != at:
            self._has_got(at, thread)
        if number == _GONE:
            self._let_go(thread)
        wait = wait_of(activity)
        if key is not None and wait is not None:
            self._wait(time, thread, key, wait, activity.holder)
        if number != _GONE:
            self._look_at_stack(thread, number)
        if key is None and of not in _WITHOUT:
            self._free.add(thread)
        else:
            self._free.discard(thread)

    def _stays(self, thread: int, of: Kind) -> bool:
        """Who runs while it waits loses the processor, or is met by no sample. Who is woken has got
        what it slept for."""
        asleep = self._record.activities[self._doing[thread]].on is False
        return of in LIMBO and (of is Kind.PREEMPTED or not asleep)

    def _wait(self, time: int, thread: int, key: Key, wait: Wait, recorded: int | None) -> None:
        lock = self._locks.get(key)
        if lock is None:
            if len(self._locks) >= _MOST_AT_ONCE:
                return
            lock = self._locks[key] = _Lock(time)
            inside = [one for one, what in self._doing.items() if key in (self._shown(what) or ())]
            lock.holder = inside[0] if len(inside) == 1 else None
        if lock.holder == thread:
            lock.holder = None  # it has given it up
        lock.waiting[thread] = wait
        lock.passing.discard(thread)
        lock.recorded.discard(thread)
        if recorded is not None:
            lock.recorded.add(thread)
            lock.holder = recorded
        self._at[thread] = key

    def _has_got(self, key: Key, thread: int) -> None:
        lock = self._locks[key]
        del lock.waiting[thread], self._at[thread]
        lock.passing.discard(thread)
        lock.recorded.discard(thread)
        lock.holder = thread
        if not lock.waiting:
            del self._locks[key]

    def _let_go(self, thread: int) -> None:
        del self._doing[thread]
        for lock in self._locks.values():
            if lock.holder == thread:
                lock.holder = None


def _key(record: Record, activity: Activity) -> Key | None:
    """Which lock is waited for, where the record tells."""
    if activity.construct is None or wait_of(activity) is None:
        return None
    return _key_of(record.constructs[activity.construct])


def _key_of(construct: Construct) -> Key | None:
    if construct.kind not in _OF_LOCKS:
        return None
    if construct.address is not None:
        return construct.address
    return f"critical {construct.name or ''}" if construct.kind == "critical" else None


def _criticals(record: Record) -> dict[Key, list[Construct]]:
    """Those of which the code is known, by their locks."""
    found: dict[Key, list[Construct]] = {}
    for one in record.constructs:
        key = _key_of(one)
        if one.inside is not None and one.image is not None and key is not None:
            found.setdefault(key, []).append(one)
    return found


def _has(
    record: Record, activity: Activity, criticals: dict[Key, list[Construct]]
) -> frozenset[Key] | None:
    """Below its region the stack goes on with that of whoever began it."""
    if activity.stack is None or kind(activity.state) in LIMBO:
        return None
    found: set[Key] = set()
    number: int | None = activity.stack
    while number is not None:
        stack = record.stacks[number]
        frame = record.frames[stack.frame]
        if frame.region is not None:
            break
        if frame.kind == "unknown":
            return None
        for key, constructs in criticals.items():
            for one in constructs:
                if one.inside and one.image == frame.image and frame.offset in one.inside:
                    found.add(key)
        number = stack.parent
    return frozenset(found)
