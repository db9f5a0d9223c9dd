# SPDX-License-Identifier: Apache-2.0
"""What at one stop explains that a program is slow, although nothing is wrong with it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, FrozenSet, Iterable, Mapping, Optional, Sequence, Union

from ..library.types import Icvs, IcvValue
from ..light_classes import NamedTuple
from .native import Location
from .notable import SMALLEST_TEAM
from .process import Membership, Process, Region, Runtime, Thread
from .waits import waits_in

if TYPE_CHECKING:
    from .moments import Movement
    from .waits import Needs

# Of a team's threads, those that may wait before its work is called uneven.
_MOST_WAITING = 2 / 3


class Processors(NamedTuple):
    """What the kernel grants a process."""

    allowed: Mapping[int, FrozenSet[int]]  # by LWP
    quota: Optional[float] = None  # processors' worth of time, by its control group


class Pool(NamedTuple):
    """Threads that one library, or the program, has made to work together."""

    threads: list[Thread]
    where: Location  # of its own function; of a library that is its file, of the program None
    runtime: str | None = None  # the name of the runtime of which they are in teams


class Crowded(NamedTuple):
    """Threads of teams, and of pools beside them, that have fewer processors than they are."""

    threads: list[Thread]
    processors: FrozenSet[int]
    pools: Sequence[Pool] = ()  # if they are of several


class Throttled(NamedTuple):
    """Threads whose control group grants less time than they can use."""

    threads: list[Thread]
    quota: float
    pools: Sequence[Pool] = ()


class SeveralRuntimes(NamedTuple):
    """Of OpenMP's. None of them knows of the others."""

    runtimes: Sequence[Runtime]


class Uneven(NamedTuple):
    """A team most of which waits at a barrier for those that work."""

    region: Region
    waiting: list[Thread]
    working: list[Thread]


class HeldUp(NamedTuple):
    """Threads that wait at two looks for some that are at one place both times."""

    waiting: list[Thread]
    working: list[Thread]
    seconds: float


class Cancelled(NamedTuple):
    """Threads that wait at the end of what has been cancelled, for those that are still inside."""

    what: str  # as ViewRegion.cancelled, or "taskgroup"
    waiting: list[Thread]
    inside: list[Thread]
    seconds: float | None = None  # between two looks at which all of these were where they are
    without: str | None = None  # their function, if it has no cancellation point


class Uncancelled(NamedTuple):
    """Code of a region that requests a cancellation, while none is ever done."""

    places: list[Location]


class Fewer(NamedTuple):
    """Teams that have fewer threads than the task that began them would have by its settings."""

    regions: list[Region]
    asked: int  # by nthreads-var
    limit: str  # the ICV that keeps them small
    value: int


class Alone(NamedTuple):
    """A region of one thread, as nthreads-var has it, although there are processors for more."""

    region: Region
    processors: int


Slowdown = Union[
    Crowded, Throttled, SeveralRuntimes, Uneven, HeldUp, Cancelled, Uncancelled, Fewer, Alone
]
# Of these also who asks why the program hangs.
CAUSES = (SeveralRuntimes, Cancelled, Uncancelled)

# An ICV's values, by its name.
_Values = Mapping[str, IcvValue]


def of_runtimes(runtimes: Sequence[Runtime]) -> list[SeveralRuntimes]:
    used = [runtime for runtime in runtimes if runtime.initialized]
    return [SeveralRuntimes(used)] if len(used) > 1 else []


def of_processors(
    process: Process, processors: Processors, beside: Callable[[], Sequence[Pool]] = lambda: ()
) -> list[Slowdown]:
    """beside: pools that work beside the teams. Asked for only if the process has more threads than
    processors."""
    pools = _teams(process)
    if pools and _is_short(process, processors):
        pools += beside()
    threads = list(dict.fromkeys(thread for pool in pools for thread in pool.threads))
    found: list[Slowdown] = []
    crowded = _crowded(threads, processors.allowed)
    if crowded is not None:
        found.append(crowded._replace(pools=_of(crowded.threads, pools)))
    granted = len(crowded.processors) if crowded is not None else len(threads)
    if processors.quota is not None and processors.quota < min(granted, len(threads)):
        found.append(Throttled(threads, processors.quota, _of(threads, pools)))
    return found


def _teams(process: Process) -> list[Pool]:
    """A pool for each runtime. A thread can be in teams of two."""
    names = {runtime.id: runtime.name for runtime in process.runtimes}
    found: dict[int, Pool] = {}
    for thread in process.threads:
        for member in thread.openmp if thread.native is not None else ():
            if member.in_team:
                new = Pool([], Location(), names.get(member.runtime, "OpenMP"))
                found.setdefault(member.runtime, new).threads.append(thread)
    return list(found.values())


def _is_short(process: Process, processors: Processors) -> bool:
    granted: float = len(frozenset().union(*processors.allowed.values()))
    if processors.quota is not None:
        granted = min(granted, processors.quota)
    return len(process.natives) > granted


def _of(threads: Sequence[Thread], pools: Sequence[Pool]) -> Sequence[Pool]:
    """Whose threads these are, if they are of several."""
    chosen = set(threads)
    parts = (pool._replace(threads=[t for t in pool.threads if t in chosen]) for pool in pools)
    found = [pool for pool in parts if pool.threads]
    return found if len(found) > 1 else ()


def _crowded(threads: Iterable[Thread], allowed: Mapping[int, FrozenSet[int]]) -> Crowded | None:
    """Those that share the fewest processors. A team of which each thread is bound to a processor
    of its own is none, although others may use that too."""
    by_set: dict[FrozenSet[int], list[Thread]] = {}
    for thread in threads:
        mine = allowed.get(thread.native.ptid[1]) if thread.native is not None else None
        if mine:
            by_set.setdefault(mine, []).append(thread)
    worst, most = None, (1.0, 0)
    for whole in {*by_set, frozenset().union(*by_set)}:
        # One processor is part of nothing smaller; there may be as many such sets as threads.
        parts = by_set if len(whole) > 1 else {whole: by_set.get(whole, [])}
        found = [one for part, some in parts.items() if part <= whole for one in some]
        # Of equal ones the larger.
        if whole and most < (turns := (len(found) / len(whole), len(found))) and turns[0] > 1:
            worst, most = Crowded(found, whole), turns
    return worst


def of_work(process: Process, needs: Sequence[Needs], movement: Movement | None) -> list[Slowdown]:
    """Of what each thread does at this stop, and did before."""
    found: list[Slowdown] = [*_cancelled(process, needs, movement)]
    told = {thread for one in found if isinstance(one, Cancelled) for thread in one.inside}
    held = _held_up(needs, movement) if movement is not None else []
    found += [one for one in held if not told.issuperset(one.working)]
    told.update(thread for one in held for thread in one.working)
    return [*found, *(one for one in uneven(process) if not told.issuperset(one.working))]


def _cancelled(
    process: Process, needs: Sequence[Needs], movement: Movement | None
) -> list[Cancelled]:
    found = []
    for region in process.regions:
        if region.raw.cancelled is None or None in region.members:
            continue
        members = [one for one in region.members if one is not None]
        waiting = [t for t in members if _is_at_barrier_of(region, t)]
        found.append((region.raw.cancelled, waiting, [t for t in members if t not in waiting]))
    for one in needs:
        if one.wait.kind == "taskgroup" and any(t.raw.taskgroup_cancelled for t in one.tasks):
            inside = dict.fromkeys(edge.needed for edge in one.edges)
            found.append(("taskgroup", [one.thread], [t for t in inside if t is not one.thread]))
    return [
        Cancelled(what, waiting, inside, _stayed(inside, movement))
        for what, waiting, inside in found
        if waiting and inside
    ]


def _is_at_barrier_of(region: Region, thread: Thread) -> bool:
    member = thread.member(region.runtime)
    return member is not None and _waits_at_barrier_of(region, member)


def _stayed(threads: Sequence[Thread], movement: Movement | None) -> float | None:
    if movement is None or not all(movement.stayed(thread) for thread in threads):
        return None
    return movement.seconds


def awaited_at_work(needs: Sequence[Needs]) -> dict[Thread, list[Thread]]:
    """Who executes the user's code while others wait for it: these."""
    waiting = {one.thread for one in needs}
    found: dict[Thread, list[Thread]] = {}
    for one in needs:
        for thread in dict.fromkeys(one.needed):
            if thread not in waiting and _works(thread):
                found.setdefault(thread, []).append(one.thread)
    return found


def _held_up(needs: Sequence[Needs], movement: Movement) -> list[HeldUp]:
    groups: dict[object, HeldUp] = {}
    for thread, others in awaited_at_work(needs).items():
        still = [one for one in others if not movement.has_gone_on(one)]
        if still and movement.stayed(thread):
            new = HeldUp([], [], movement.seconds)
            one = groups.setdefault((thread.where, thread.in_call), new)
            one.working.append(thread)
            one.waiting.extend(other for other in still if other not in one.waiting)
    return list(groups.values())


def _works(thread: Thread) -> bool:
    """Or is on its way, as one that yields for ever."""
    states = [member.state or "" for member in thread.openmp]
    return bool(states) and all(s.startswith("work_") or s == "overhead" for s in states)


def uneven(process: Process) -> list[Uneven]:
    """A region is in it only if it is known of all its threads what they do."""
    return [found for region in process.regions if (found := _uneven(region)) is not None]


def _uneven(region: Region) -> Uneven | None:
    if len(region.members) < SMALLEST_TEAM:
        return None
    waiting, working = [], []
    for thread in region.members:
        member = thread.member(region.runtime) if thread is not None else None
        if thread is None or member is None:
            return None
        if _waits_at_barrier_of(region, member):
            waiting.append(thread)
        elif thread.kept is not None or waits_in(thread) is not None:
            return None
        elif (member.state or "").startswith("work_"):
            working.append(thread)
        else:
            return None
    if not working or len(waiting) < _MOST_WAITING * len(region.members):
        return None
    return Uneven(region, waiting, working)


def _waits_at_barrier_of(region: Region, member: Membership) -> bool:
    return member.region is region and (member.state or "").startswith("wait_barrier")


def fewer(process: Process, runtime: int, icvs: Icvs) -> list[Fewer]:
    """Of a runtime. A num_threads clause is in no ICV: what it asks for is not known."""
    own = {
        id(member.region): values
        for thread, values in zip(process.threads, icvs.threads)
        if values is not None and (member := thread.member(runtime)) is not None
    }
    found: dict[tuple[int, str, int], Fewer] = {}
    for region in process.regions:
        around = region.parent
        if region.runtime != runtime or around is None or region.raw.generator != "parallel":
            continue
        of_program = around.raw.generator == "program"
        values = icvs.initial if of_program else own.get(id(around), {})
        limited = _limited(process, region, values)
        if limited is not None:
            found.setdefault(limited, Fewer([], *limited)).regions.append(region)
    return list(found.values())


def cancellation_is_off(icvs: Icvs) -> bool:
    return _number(icvs.process, "cancel-var") == 0


def alone(process: Process, runtime: int, icvs: Icvs, processors: Processors) -> list[Alone]:
    """Regions that are in no other: whoever is in a team has others beside itself."""
    if _number(icvs.initial, "nthreads-var") != 1:
        return []
    found = []
    for region in process.regions:
        around, thread = region.parent, region.members[0] if len(region.members) == 1 else None
        if region.runtime != runtime or thread is None or thread.native is None or thread.in_team:
            continue
        allowed = processors.allowed.get(thread.native.ptid[1], frozenset())
        if around is not None and around.raw.generator == "program" and len(allowed) > 1:
            found.append(Alone(region, len(allowed)))
    return found


def _limited(process: Process, region: Region, values: _Values) -> tuple[int, str, int] | None:
    """How many threads nthreads-var asks for, by which ICV there are fewer, and its value."""
    asked, size = _number(values, "nthreads-var"), len(region.members)
    if asked is None or size >= asked:
        return None
    levels = _number(values, "max-active-levels-var")
    if levels is not None and size == 1 and _active_around(region) >= max(levels, 1):
        return asked, "max-active-levels-var", levels
    most = _number(values, "thread-limit-var")
    if most is not None and most < asked and most == _used(process, region.runtime):
        return asked, "thread-limit-var", most
    if _number(values, "dyn-var") == 1:
        return asked, "dyn-var", 1
    return None


def _number(values: _Values, name: str) -> int | None:
    return values[name].number if name in values else None


def _active_around(region: Region) -> int:
    count, around = 0, region.parent
    while around is not None:
        count += len(around.members) > 1
        around = around.parent
    return count


def _used(process: Process, runtime: int) -> int:
    """Threads that are in regions."""
    inside = (thread.member(runtime) for thread in process.threads)
    return sum(1 for member in inside if member is not None and member.chain)
