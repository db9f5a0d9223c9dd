# SPDX-License-Identifier: Apache-2.0
"""Which threads and regions does the process have? The runtimes' views and the debugger's threads,
joined and numbered.

Regions are numbered over all runtimes, in pre-order over the roots sorted by GDB's thread number,
so that two commands of one stop, and every thread that is selected, see the same ids.
"""

from __future__ import annotations

from functools import cached_property
from typing import Callable, Iterable, Sequence

from .. import runtimes
from ..library.types import Diagnostic, View, ViewRegion, ViewThread
from ..light_classes import NamedTuple, dataclass, field
from ..signals import Signal
from . import doubts, ids, states
from .cause import Cause
from .doubts import Doubt
from .glibc import Kept
from .messages import Message
from .native import Location, NativeThread

# Sorts behind every number of GDB's.
LAST = 1 << 62


@dataclass
class Runtime:
    """An OpenMP runtime of the process."""

    id: int
    kind: str
    version: int | None
    version_text: str
    path: str | None
    base: int
    build_id: str | None = None
    descriptors: str | None = None
    record: str | None = None
    initialized: bool | None = False  # None: it cannot be told
    state_tracking: bool | None = None
    start: int = 0
    end: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)
    view: View | None = None
    supported: bool = True
    embedded: bool = False  # linked into the program
    standard_only: bool = False  # read by a library that has OMPD's own routines only
    problem: str | None = None  # why there is no view: what follows after the runtime's name

    @property
    def name(self) -> str:
        if self.version_text:
            return self.version_text
        name = runtimes.name_of(self.kind)
        return (
            f"{name} {self.version}" if self.version is not None else f"{name} of unknown version"
        )

    @property
    def unseen(self) -> bool:
        """Could it have threads that are not in the picture?"""
        if self.supported and self.initialized is False:
            return False
        return self.view is None or self.initialized is None


@dataclass
class Part:
    """What one thread has of a loop."""

    thread_num: int
    thread: Thread | None
    first: int | None = None
    last: int | None = None
    at: int | None = None
    left: int | None = None  # set aside for it, and not got yet
    doubts: dict[str, Doubt] = field(default_factory=dict)


@dataclass
class Loop:
    """A work-sharing loop that threads of a region execute."""

    schedule: str  # as in ViewLoop
    location: Location | None = None
    sections: bool = False
    iterations: int | None = None
    chunk: int | None = None
    handed_out: int | None = None
    ordered_turn: int | None = None
    remaining: int | None = None
    completed: int | None = None
    ordered_holder: int | None = None  # a thread_num
    parts: list[Part] = field(default_factory=list)

    @property
    def ordered_by(self) -> int | None:
        """The number of the thread whose turn it is in ordered."""
        turn = self.ordered_turn
        for part in self.parts if turn is not None else ():
            if part.first is not None and part.last is not None and turn is not None:
                if part.first <= turn <= part.last:
                    return part.thread_num
        return self.ordered_holder


@dataclass(eq=False)
class Region:
    runtime: int
    raw: ViewRegion
    number: int = -1
    parent: Region | None = None
    children: list[Region] = field(default_factory=list)
    members: list[Thread | None] = field(default_factory=list)  # by thread number
    gone: list[int] = field(default_factory=list)  # the process has no such threads, for certain
    stays_at_start: bool = False  # its only thread waits for them before the region's code
    primary_num: int | None = None  # thread number, in the parent region, of who began it
    location: Location | None = None
    function: Location | None = None
    loops: list[Loop] | None = None  # its work-sharing loops; None: not looked for
    doubts: dict[str, Doubt] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"R{self.number}"


@dataclass(eq=False)
class Task:
    kind: str
    address: int
    final: bool | None
    number: int | None = None

    @property
    def id(self) -> str | None:
        return None if self.number is None else f"t{self.number}"


class Iteration(NamedTuple):
    """Of a doacross loop, as the code passes it."""

    numbers: Sequence[int | None] = ()  # in its arguments, or
    address: int | None = None  # where they stand


class Wait(NamedTuple):
    """What a thread waits for."""

    kind: str  # "barrier", "critical", "taskwait"
    location: Location | None = None  # of the construct, if it is known
    construct: str | None = None  # whose implicit barrier it is: "for", "single", "parallel"
    address: int | None = None  # of the lock, or of the critical construct's variable
    name: str | None = None  # of the lock's variable, or of the critical construct
    phase: str | None = None  # of a construct of a device: how far it is, in words
    exact: bool = True  # False: the address was taken from where the code should have it
    construct_doubt: Doubt | None = None  # why it is not known of which one a barrier is
    iteration: Iteration | None = None  # for which a thread waits in a doacross loop
    exact_line: bool = True  # False: the line may be that of what is before the call


class Passed(NamedTuple):
    """What a thread waited for until just now."""

    state: str
    wait: Wait


@dataclass(eq=False)
class Membership:
    """What one runtime knows of a thread."""

    runtime: int
    raw: ViewThread
    chain: list[tuple[Region, int]] = field(default_factory=list)  # innermost first
    state: str | None = None
    tracked_state: str | None = None
    wait: Wait | None = None
    passed: Passed | None = None  # it is on its way
    starts: bool = False  # the runtime has made it, and it has not come to any code of its own
    launched: bool = False  # of the runtime, only what its thread began with is on its stack
    sleeps: bool = False  # in a call of the C library's that the runtime makes only while it waits
    entered: bool = False  # it is in the runtime's code, and it is not known what called that
    round: int | None = None  # of the team's barrier, if it sleeps there for certain
    task: Task | None = None
    doubts: dict[str, Doubt] = field(default_factory=dict)

    @property
    def region(self) -> Region | None:
        return self.chain[0][0] if self.chain else None

    @property
    def thread_num(self) -> int | None:
        return self.chain[0][1] if self.chain else None

    @property
    def id(self) -> str | None:
        return f"{self.chain[0][0].id}.{self.chain[0][1]}" if self.chain else None

    @property
    def in_team(self) -> bool:
        """Of more threads than itself, however far out."""
        return any(len(region.members) > 1 for region, _ in self.chain)

    def let_go(self) -> None:
        """It does not wait any more."""
        if self.state is not None and self.wait is not None:
            self.passed = Passed(self.state, self.wait)
        self.state, self.wait = "overhead", None


def pairs(members: Iterable[Membership]) -> list[tuple[int, int]]:
    """Region and thread number, as lists of ids are made of, of those that are in a region."""
    return [(member.chain[0][0].number, member.chain[0][1]) for member in members if member.chain]


class Left(NamedTuple):
    """What a thread is not in the code of any more, and has not ended."""

    regions: Sequence[Region]  # one of these, or several; innermost first
    sure: bool = True


@dataclass(eq=False)
class Thread:
    native: NativeThread | None
    openmp: list[Membership] = field(default_factory=list)
    where: Location | None = None
    interpreted: Location | None = None  # the innermost place of Python's on its stack
    in_call: Location | None = None  # of a function outside OpenMP, made where it is
    system_call: str | None = None  # inside of that: one that may wait for others
    message: Message | None = None  # that it waits for there
    kept: Kept | None = None  # what of the C library's it waits for
    unloaded: int | None = None  # where code was that it is in, and that is not there any more
    left: Left | None = None
    handles: str | None = None  # the signal whose handler runs on it, where that was looked for
    ended: bool = False  # for certain: the runtime still counts on it
    doubts: dict[str, Doubt] = field(default_factory=dict)

    @property
    def kind(self) -> str | None:
        if not self.openmp and "kind" in self.doubts:
            return None
        return next((m.raw.kind for m in self.openmp if m.raw.kind != "none"), "none")

    @property
    def telling(self) -> list[Membership]:
        """Those that tell what it does: what waits in one runtime seems to work in another."""
        return [member for member in self.openmp if member.wait is not None] or self.openmp

    def member(self, runtime: int) -> Membership | None:
        return next((member for member in self.openmp if member.runtime == runtime), None)

    @property
    def in_team(self) -> bool:
        return any(member.in_team for member in self.openmp)

    @property
    def running(self) -> bool:
        return self.native is not None and self.native.running

    @property
    def unsure(self) -> bool:
        """Is it not known which regions it is in?"""
        told = [self.doubts, *(member.doubts for member in self.openmp)]
        return any(field in one for one in told for field in ("kind", "region", "ancestors"))

    @property
    def broken(self) -> bool:
        """Is that because the runtime's structures cannot be followed?"""
        damaged = self.doubts.get("kind") in doubts.OF_STRUCTURES
        return damaged or (self.unsure and bool(self.openmp))


class NoSuchId(Exception):
    """An id that is well-formed, and names nothing at this stop."""


class Process:
    """The picture of one stop."""

    def __init__(
        self,
        natives: Sequence[NativeThread],
        runtimes: Sequence[Runtime],
        ask_signal: Callable[[], Signal | None] = lambda: None,
        ask_cause: Callable[[Thread, Signal], Cause] = lambda thread, signal: Cause(),
    ) -> None:
        self.runtimes = list(runtimes)
        self.natives = list(natives)
        self.threads = [Thread(native, ended=native.ended) for native in natives]
        self.regions: list[Region] = []
        self._ask_signal = ask_signal
        self._ask_cause = ask_cause
        self._by_native = list(self.threads)
        for runtime in self.runtimes:
            if runtime.view is not None:
                self._add(runtime, runtime.view)
        unseen = [runtime for runtime in self.runtimes if runtime.unseen]
        for thread in self.threads if unseen else ():
            if not (thread.openmp or thread.ended):
                thread.doubts["kind"] = doubts.unseen(unseen[0].name, unseen[0].supported)
        self._number_regions()
        self._number_tasks()

    def who_runs(self) -> str | None:
        """Of those in regions, since what they do only a stop tells."""
        running = (thread for thread in self.threads if thread.running)
        members = [member for thread in running for member in thread.openmp if member.chain]
        if not members:
            return None
        verb = "runs" if len(members) == 1 else "run"
        return f"{ids.short_thread_list(pairs(members))} {verb}: only stopped threads tell"

    def unclear(self) -> list[tuple[Thread, Membership]]:
        """In regions, and stopped, and yet what they do there could not be told."""
        return [
            (thread, member)
            for thread in self.threads
            if not (thread.ended or thread.running)
            for member in thread.openmp
            if member.chain and member.state is None and "state" in member.doubts
        ]

    def _add(self, runtime: Runtime, view: View) -> None:
        regions = [Region(runtime.id, raw) for raw in view.regions]
        for region in regions:
            parent = region.raw.parent
            # Parents stand before their children: with that there can be no cycle.
            if parent is not None and regions[parent] is not region:
                region.parent = regions[parent]
            if region.raw.problem:
                region.doubts["members"] = doubts.of_problem(region.raw.problem)
        threads = [self._join(runtime, raw, regions) for raw in view.threads]
        for region in regions:
            region.members = [
                threads[member] if member is not None and member < len(threads) else None
                for member in region.raw.members
            ]
        self.regions += regions

    def _join(self, runtime: Runtime, raw: ViewThread, regions: list[Region]) -> Thread:
        if raw.native is not None and raw.native < len(self._by_native):
            thread = self._by_native[raw.native]
        else:
            thread = Thread(None)
            thread.doubts["gdb"] = doubts.NATIVE_UNKNOWN
            if raw.kind == "worker" and not raw.pthread_id:
                return thread  # the runtime has prepared it, and not made it yet
            self.threads.append(thread)
        if raw.kind == "none":
            if raw.problem and not thread.ended:
                thread.doubts["kind"] = doubts.of_problem(raw.problem)
            return thread
        member = Membership(runtime.id, raw)
        member.chain = [(regions[index], num) for index, num in raw.levels if index < len(regions)]
        for (inner, _), (outer, num) in zip(member.chain, member.chain[1:]):
            if inner.parent is outer:
                inner.primary_num = num
        if raw.task_kind:
            member.task = Task(raw.task_kind, raw.task, raw.task_final)
        _judge_state(member, thread)
        problem = raw.problem or next(
            (r.raw.problem for r, _ in member.chain if r.raw.problem), None
        )
        if problem:
            field = "ancestors" if member.chain else "region"
            member.doubts[field] = doubts.of_problem(problem)
        thread.openmp.append(member)
        return thread

    def _number_regions(self) -> None:
        for region in self.regions:
            if region.parent is not None:
                region.parent.children.append(region)
        pending = sorted((r for r in self.regions if r.parent is None), key=_root_key, reverse=True)
        ordered: list[Region] = []
        while pending:
            region = pending.pop()
            region.number = len(ordered)
            ordered.append(region)
            region.children.sort(key=_child_key)
            pending += reversed(region.children)
        self.regions = ordered

    def _number_tasks(self) -> None:
        tasks = [m.task for thread in self.threads for m in thread.openmp if m.task is not None]
        explicit = [task for task in tasks if task.kind == "explicit"]
        for number, task in enumerate(explicit, 1):
            task.number = number

    @cached_property
    def signal(self) -> Signal | None:
        """At which the program died or crashed. Asked for only when it is wanted: in a living
        process each thread has to be asked."""
        return self._ask_signal()

    @property
    def signalled(self) -> Thread | None:
        """The thread that got the signal."""
        met = self.signal
        return next(
            (t for t in self.threads if met and t.native and t.native.ptid[1] == met.lwp), None
        )

    @cached_property
    def cause(self) -> Cause:
        """Of its crash."""
        met, thread = self.signal, self.signalled
        if met is None or thread is None or not met.is_crash:
            return Cause()
        return self._ask_cause(thread, met)

    def any_waits(self, *kinds: str) -> bool:
        """Does a thread wait for something of one of the kinds?"""
        waits = (member.wait for thread in self.threads for member in thread.openmp)
        return any(wait is not None and wait.kind in kinds for wait in waits)

    def by_index(self, runtime: int) -> dict[int | None, Thread]:
        """The threads of a runtime by their places in its view."""
        return {
            member.raw.index: thread
            for thread in self.threads
            for member in thread.openmp
            if member.runtime == runtime and member.raw.index is not None
        }

    def select(self, wanted: Sequence[ids.Ids], inferior: int) -> list[Thread]:
        """The threads that the ids name, in the order of the process. Raises NoSuchId."""
        if not wanted:
            return list(self.threads)
        chosen: set[int] = set()
        for one in wanted:
            found = [i for i, t in enumerate(self.threads) if self._named(t, one, inferior)]
            if not found:
                raise NoSuchId(self._absent(one, inferior))
            chosen.update(found)
        return [thread for i, thread in enumerate(self.threads) if i in chosen]

    def _named(self, thread: Thread, one: ids.Ids, inferior: int) -> bool:
        if isinstance(one, ids.Everything):
            return True
        if isinstance(one, ids.NativeIds):
            native = thread.native
            return (
                native is not None
                and one.inferior in (None, inferior)
                and (one.threads is None or native.num in one.threads)
            )
        if isinstance(one, ids.TaskIds):
            return any(
                m.task is not None and m.task.number is not None and m.task.number in one.tasks
                for m in thread.openmp
            )
        return any(
            region.number in one.regions
            and (one.threads is None or num in one.threads)
            and (depth == 0 or _is_member(thread, region, num))
            for member in thread.openmp
            for depth, (region, num) in enumerate(member.chain)
        )

    def _absent(self, one: ids.Ids, inferior: int) -> str:
        if isinstance(one, ids.NativeIds):
            if one.inferior not in (None, inferior):
                return (
                    f"{one.text} belongs to another inferior:"
                    f" select it with `inferior {one.inferior}'."
                )
            return f"There is no thread {one.text}: `info threads' lists those that GDB knows."
        if isinstance(one, ids.TaskIds):
            return f"No thread executes a task {one.text} now: `ompd tasks' shows where they are."
        if isinstance(one, ids.RegionIds) and any(r.number in one.regions for r in self.regions):
            known = [r for r in self.regions if r.number in one.regions]
            if one.threads is not None and len(known) == 1 and known[0].raw.team_size is not None:
                last = known[0].raw.team_size - 1
                return (
                    f"There is no thread {one.text}: the threads of {known[0].id} are 0 to {last}."
                )
            return f"GDB knows no thread of {one.text}: `ompd parallel' shows the regions."
        return self.no_region(one.text)

    def no_region(self, text: str) -> str:
        if not self.regions:
            return f"There is no region {text}: no region is active at this stop."
        return (
            f"There is no region {text}: at this stop there are R0 to {self.regions[-1].id}"
            " (see `ompd parallel')."
        )

    def region(self, number: int) -> Region | None:
        return self.regions[number] if 0 <= number < len(self.regions) else None


def _is_member(thread: Thread, region: Region, num: int) -> bool:
    """R0.0 stays the name of the thread that has gone on into R1; what it started there has
    another."""
    return num < len(region.members) and region.members[num] is thread


def _judge_state(member: Membership, thread: Thread) -> None:
    raw = member.raw
    if raw.tracked_state is not None:
        member.tracked_state = states.name(raw.tracked_state)
    if raw.kind == "worker" and not member.chain and raw.problem is None:
        # What the runtime tracks for such a thread is the barrier that it waits in for work.
        member.state = "idle"
    elif member.tracked_state == "undefined":
        member.doubts["state"] = doubts.STATE_UNDEFINED
    elif member.tracked_state is not None:
        member.state = member.tracked_state
    else:
        member.doubts["state"] = doubts.STATE_NOT_DERIVED
    if thread.running and member.state is not None:
        member.doubts["state"] = doubts.RUNNING_LIKELY


def _root_key(region: Region) -> tuple[bool, int, int, int]:
    """By the GDB number of the root's thread; a thread can be the root of two runtimes. What the
    program did not begin comes last."""
    first = region.members[0] if region.members else None
    native = first.native if first is not None else None
    helper = first is not None and first.kind == "helper"
    return (helper, native.num if native else LAST, region.runtime, region.raw.address)


def _child_key(region: Region) -> tuple[int, int, int]:
    num = LAST if region.primary_num is None else region.primary_num
    return (num, region.raw.team_num or 0, region.raw.address)
