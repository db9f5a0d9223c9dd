# SPDX-License-Identifier: Apache-2.0
"""Which locks and critical constructs are held or waited for, who waits, and who holds them?

The runtime tells the queues, and the holder where it records one. Else the holder is told by the
code: a thread that can only be between a construct's begin and its end.
"""

from __future__ import annotations

from typing import Callable, Mapping, Sequence, Union

from .. import runtimes
from ..library.types import LockVariable, ViewLock, ViewLocks
from ..light_classes import dataclass, field
from . import doubts
from .doubts import Doubt
from .holding import Held
from .native import Location
from .process import LAST, Membership, Process, Thread

CONSTRUCTS = ("critical", "lock", "nest_lock")


@dataclass(eq=False)
class Lock:
    runtime: int
    raw: ViewLock
    number: int = 0
    construct: str | None = None  # "critical", "lock", "nest_lock"
    variable: int | None = None  # the address that the program knows it by
    name: str | None = None  # of the variable, or of the critical construct
    holder: Thread | None = None
    held_since: Location | None = None  # the call that acquired it
    suspects: list[Thread] = field(default_factory=list)  # who may hold it
    told: list[Thread] = field(default_factory=list)  # who holds it, by the code
    possible: list[Thread] = field(default_factory=list)  # who may hold it, by the code
    never_released: bool = False  # held, and nobody is there who will give it up
    left_at: list[Location] = field(default_factory=list)  # taken there, and not always given up
    waiters: list[Thread] = field(default_factory=list)  # the next to get it first, if `ordered'
    ordered: bool = False
    likely_waiters: list[Thread] = field(default_factory=list)  # those that only the code tells of
    doubts: dict[str, Doubt] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"L{self.number}"

    @property
    def all_waiters_are_counted(self) -> bool:
        """Else one of them may just have got it."""
        if self.raw.tells_owner or self.raw.kind == "queuing":
            return True
        return self.raw.waiting == len(self.waiters)


@dataclass
class Locks:
    """Of one picture."""

    process: Process
    all: list[Lock] = field(default_factory=list)
    problem: str | None = None  # why there may be more
    lost: list[Thread] = field(default_factory=list)  # they wait for a lock that is not known
    unread: list[Thread] = field(default_factory=list)  # so do they: their runtime's cannot be read

    @property
    def never_released(self) -> list[Lock]:
        return [lock for lock in self.all if lock.never_released]

    def wanted_by(self, thread: Thread) -> Lock | None:
        return next((lock for lock in self.all if thread in lock.waiters), None)


# The name of a variable, and whether it is a critical construct's.
NameOf = Callable[[int, bool], Union[str, None]]
# What each thread of the process holds, as its code tells.
Holdings = Mapping[Thread, Sequence[Held]]


def variables(process: Process, runtime: int, holdings: Holdings) -> list[LockVariable]:
    """Those of the locks that threads wait for, or hold."""
    found: dict[LockVariable, None] = {}
    for thread in process.threads:
        member = thread.member(runtime)
        if member is None:
            continue
        wait = member.wait
        if wait is not None and wait.address is not None and wait.kind in CONSTRUCTS:
            found[LockVariable(wait.address, wait.kind == "critical")] = None
        for held in holdings.get(thread, ()):
            if held.address is not None and held.kind in CONSTRUCTS:
                found[LockVariable(held.address, held.kind == "critical")] = None
    return list(found)


def gather(
    process: Process,
    views: Mapping[int, tuple[Sequence[LockVariable], ViewLocks]],
    holdings: Holdings,
    name_of: NameOf,
) -> Locks:
    """The locks of all runtimes. views: what was asked, and the answer, by runtime."""
    locks = Locks(process)
    for runtime, (asked, view) in views.items():
        made = _Gathering(process, runtime, asked, view, holdings, name_of)
        locks.all += made.locks
        locks.lost += made.lost
        locks.problem = locks.problem or view.problem
    for thread in process.threads:
        if any(_wants_lock(m) and m.runtime not in views for m in thread.openmp):
            locks.unread.append(thread)
    order = {thread: i for i, thread in enumerate(process.threads)}
    locks.all.sort(
        key=lambda lock: (
            min((order[t] for t in lock.waiters), default=LAST),
            lock.runtime,
            lock.raw.address,
        )
    )
    for number, lock in enumerate(locks.all, 1):
        lock.number = number
    return locks


class _Gathering:
    """Of one runtime."""

    def __init__(
        self,
        process: Process,
        runtime: int,
        asked: Sequence[LockVariable],
        view: ViewLocks,
        holdings: Holdings,
        name_of: NameOf,
    ) -> None:
        self._process = process
        self._runtime = runtime
        self._threads = process.by_index(runtime)
        kind = next((one.kind for one in process.runtimes if one.id == runtime), "")
        # Where it is no variable of a program's object files, of which there may be several.
        self._has_one_unnamed = runtimes.calls_directly(kind)
        self._recorded_by = runtimes.records_holders(kind)
        self._holdings = holdings
        self._all = [Lock(runtime, raw) for raw in view.locks]
        self._by_variable: dict[LockVariable, Lock] = {}
        for variable, index in zip(asked, view.variables):
            if index is not None and index < len(self._all):
                self._name(self._all[index], variable, name_of)
        self.lost: list[Thread] = []
        self._add_waiters()
        for lock in self._all:
            self._find_holder(lock)
        self.locks = [lock for lock in self._all if lock.raw.held is not False or lock.waiters]

    def _name(self, lock: Lock, variable: LockVariable, name_of: NameOf) -> None:
        self._by_variable[variable] = lock
        lock.variable = variable.address
        lock.name = name_of(variable.address, variable.critical)
        lock.construct = "critical" if variable.critical else "lock"
        if lock.raw.nested:
            lock.construct = "nest_lock"

    def _add_waiters(self) -> None:
        queued: set[Thread] = set()
        for lock in self._all:
            lock.ordered = lock.raw.kind == "queuing"
            for number in lock.raw.waiters:
                thread = self._threads.get(number)
                if thread is not None:
                    lock.waiters.append(thread)
                    queued.add(thread)
            if lock.raw.problem:
                lock.doubts["waiters"] = doubts.QUEUE_CHANGING
        for thread in self._process.threads:
            member = thread.member(self._runtime)
            if member is None or not _wants_lock(member) or thread in queued:
                continue
            wanted = self._wanted(member)
            if wanted is None or wanted.raw.kind == "queuing":
                # Whoever waits is in a queue: this is not the lock, or its queue is changing.
                self.lost.append(thread)
            else:
                # The other kinds keep no list of those who wait.
                wanted.waiters.append(thread)
                if member.wait is not None and not member.wait.exact:
                    wanted.likely_waiters.append(thread)
                    wanted.doubts.setdefault("waiters", doubts.OBJECT_NOT_EXACT)

    def _wanted(self, member: Membership) -> Lock | None:
        wait = member.wait
        if wait is None or wait.address is None:
            return None
        return self._by_variable.get(LockVariable(wait.address, wait.kind == "critical"))

    def _find_holder(self, lock: Lock) -> None:
        if lock.raw.held is False:
            return
        lock.told, lock.possible = self._told_by_code(lock)
        if lock.raw.tells_owner:
            lock.holder = self._threads.get(lock.raw.owner)
            if lock.holder is None:
                lock.doubts["holder"] = doubts.OWNER_UNKNOWN
            else:
                lock.held_since = self._acquired(lock, lock.holder)
            return
        if len(lock.told) == 1 and lock.raw.held:
            lock.holder = lock.told[0]
            lock.held_since = self._acquired(lock, lock.holder)
            lock.doubts["holder"] = doubts.HOLDER_BY_CODE._replace(how=self._recorded_by)
            return
        lock.holder = self._taking(lock) if lock.raw.held else None
        if lock.holder is not None:
            lock.doubts["holder"] = doubts.JUST_TAKEN
            return
        lock.suspects = lock.told + lock.possible
        lock.doubts["holder"] = doubts.HOLDER_NOT_RECORDED._replace(how=self._recorded_by)
        if self._process.who_runs() is not None:
            lock.doubts["holder"] = doubts.HOLDER_MAY_RUN

    def _taking(self, lock: Lock) -> Thread | None:
        """Who is in the call that takes it, and does not wait there any more."""
        for thread in self._process.threads:
            member = thread.member(self._runtime)
            wait = member.passed.wait if member is not None and member.passed is not None else None
            if wait is not None and lock.variable and wait.address == lock.variable:
                return thread
        return None

    def _told_by_code(self, lock: Lock) -> tuple[list[Thread], list[Thread]]:
        """Who holds it on every way to where he is, and who on some."""
        certain, possible = [], []
        for thread in self._process.threads:
            mine = self._holdings_of(thread, lock)
            if any(held.always for held in mine):
                certain.append(thread)
            elif mine:
                possible.append(thread)
        return certain, possible

    def _holdings_of(self, thread: Thread, lock: Lock) -> list[Held]:
        return [held for held in self._holdings.get(thread, ()) if self._is_of(held, lock)]

    def _is_of(self, held: Held, lock: Lock) -> bool:
        if held.is_unnamed and self._has_one_unnamed:
            return lock.construct == "critical" and lock.name == ""
        if held.address is None or held.kind not in CONSTRUCTS:
            return False
        variable = LockVariable(held.address, held.kind == "critical")
        return self._by_variable.get(variable) is lock

    def _acquired(self, lock: Lock, thread: Thread) -> Location | None:
        mine = self._holdings_of(thread, lock)
        return mine[0].location if mine else None


def _wants_lock(member: Membership) -> bool:
    return member.wait is not None and member.wait.kind in CONSTRUCTS
