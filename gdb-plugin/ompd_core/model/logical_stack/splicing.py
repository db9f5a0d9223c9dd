# SPDX-License-Identifier: Apache-2.0
"""How do the stacks of several threads become one? A region's code stands on the stacks of its
threads, what led to it on that of the thread that began it; a task that was taken up later stands
above whatever its thread waited in, and belongs to what generated it."""

from __future__ import annotations

import re
from typing import Callable, Mapping, Sequence

from ...library.types import ViewTask
from ...light_classes import dataclass, field
from .. import doubts, python_files
from ..doubts import Doubt
from ..ended import Ended
from ..naming import (
    NAMELESS,
    is_flangs,
    is_fortran,
    is_outlined,
    library_function,
    of_fortran,
    users_function,
)
from ..native import Frame, Location
from ..process import Membership, Process, Region, Thread
from ..targets import Target
from ..tasks import ExplicitTask, OnStack
from ..waiting import has_call
from ..where import CodeMap, interpreted_caller
from .backtrace import CONSTRUCT, RUNTIME, USER, WAIT, Backtrace, Entry
from .enclosing import Enclosing, Place, enclosing, is_active, own_chain
from .lineage import Lineage, goes_on
from .stack import BOTTOM, CALL, CUT, FORK, INCLUDED, START, TASK, Part, Parts, Walked


@dataclass(eq=False)
class _Stack:
    thread: Thread
    walked: Walked
    parts: list[Part]
    enclosing: dict[int, list[Enclosing]]  # by runtime, for each part
    # By runtime, the address of the task that each part is of. None: not asked for yet.
    tasks: dict[int, list[int | None]] | None = None
    # By runtime, the current task, where its code has ended, or not begun: it has no part.
    ended: dict[int, ViewTask] = field(default_factory=dict)
    unsure: set[int] = field(default_factory=set)  # tasks of which that cannot be told

    def begun(self, at: int) -> tuple[Place | None, bool]:
        """The region that the construct at the end of a part began, and whether that is sure."""
        for found in self.enclosing.values():
            if found[at].begun is not None:
                return found[at].begun, found[at].sure
        return None, False

    def loose(self, at: int) -> list[Place]:
        return [place for found in self.enclosing.values() for place in found[at].loose]

    def part_of_region(self, region: Region) -> int | None:
        """The part that the region's construct ends."""
        for at in range(len(self.parts)):
            begun, _ = self.begun(at)
            if begun is not None and begun[0] is region:
                return at
        return None


class Splicer:
    """Of one picture: each stack is walked once."""

    def __init__(
        self,
        process: Process,
        code: CodeMap,
        walk: Callable[[Thread], Walked | None],
        lineages: Callable[[], Mapping[int, Lineage]],
        runtime_frames: bool = False,
        targets: Callable[[Thread], Sequence[Target]] = lambda thread: (),
    ) -> None:
        """walk: None if the thread cannot be looked at now. lineages: by runtime; only asked for
        where explicit tasks are on a stack. targets: the constructs of devices on one."""
        self._process = process
        self._code = code
        self._parts = Parts(code)
        self._walk = walk
        self._read_lineages = lineages
        self._lineages: Mapping[int, Lineage] | None = None
        self._runtime_frames = runtime_frames
        self._targets = targets
        self._stacks: dict[Thread, _Stack | None] = {}

    def backtrace(self, thread: Thread) -> Backtrace:
        found = Backtrace(thread)
        stack = self._stack(thread)
        if stack is None:
            found.cut = doubts.RUNNING if thread.running else doubts.NATIVE_UNKNOWN
            if thread.native is not None and thread.ended:
                found.cut = doubts.FIRST_ENDED
            return found
        found.missing = stack.walked.missing
        self._add_ended(found, stack)
        self._add_wait(found, stack)
        here: tuple[_Stack, int] | None = (stack, 0)
        seen = set()
        while here is not None:
            if here in seen:  # of a damaged target the parents can form a ring
                found.cut = doubts.of_problem("inconsistent")
                break
            seen.add(here)
            self._add_frames(found, *here)
            here = self._beyond(found, *here)
        _name_in_users_terms(found)
        return found

    def begun_tasks(self) -> list[OnStack]:
        """The explicit tasks on each stack that those of the runtime explain."""
        found = []
        for thread in self._process.threads:
            stack = self._stack(thread) if thread.openmp else None
            for runtime in stack.enclosing if stack is not None else ():
                tasks = self._explicit_on(stack, runtime) if stack is not None else {}
                if tasks:
                    found.append(OnStack(thread, runtime, list(tasks), list(tasks.values())))
        return found

    def _explicit_on(self, stack: _Stack, runtime: int) -> dict[int, str | None]:
        """Innermost first, and from which call each was executed; none if a part's task is of
        another kind than the part is."""
        lineage = self._lineage(runtime)
        found: dict[int, str | None] = {}
        if stack.walked.leads_to_start:
            return found
        for part, address in zip(stack.parts, self._tasks(stack, runtime)):
            task = lineage.task(address) if lineage is not None else None
            if task is None or part.began == CUT:
                continue
            if (task.kind == "explicit") != (part.began in (TASK, INCLUDED)):
                return {}
            if task.kind == "explicit":
                found[task.address] = part.entry  # of several parts the outermost left another task
        return found

    # ---- One stack -------------------------------------------------------------------------------

    def _stack(self, thread: Thread) -> _Stack | None:
        if thread not in self._stacks:
            walked = self._walk(thread)
            self._stacks[thread] = self._parsed(thread, walked) if walked is not None else None
        return self._stacks[thread]

    def _parsed(self, thread: Thread, walked: Walked) -> _Stack:
        parts = self._parts.of(walked)
        if not parts[0].levels and not self._in_region(thread, parts, walked.whole):
            if len(parts) > 1:  # it is about to begin the region
                del parts[0]
                parts[0].start = 0
            else:
                parts[0].began = BOTTOM
        stack = _Stack(thread, walked, parts, {})
        for member in thread.openmp:
            if "ancestors" in member.doubts or "region" in member.doubts:
                continue
            left = thread.left.regions if thread.left is not None else ()
            left = left if len(left) == 1 else ()  # else it is not known which
            chain = [place for place in own_chain(member) if place[0] not in left]
            stack.enclosing[member.runtime] = enclosing(parts, chain, member.runtime, walked.whole)
        return stack

    def _in_region(self, thread: Thread, parts: Sequence[Part], whole: bool) -> bool:
        """A thread is in the runtime's routine that begins and ends regions, or waits for work
        there: is it in the region meanwhile?"""
        part = parts[0]
        if part.began != FORK:
            return part.began != START or any(member.region is not None for member in thread.openmp)
        member = thread.member(part.runtime) if part.runtime is not None else None
        if whole and member is not None:
            chain = [region for region, _ in own_chain(member)]
            directly = self._code.calls_directly(part.runtime)
            calls = sum(one.began in (FORK, START) and one.runtime == part.runtime for one in parts)
            if calls <= sum(has_call(region, directly) for region in chain):
                return True
            if calls > len(chain):
                return False
        return any((one.state or "").startswith("wait_barrier") for one in thread.openmp)

    def _lineage(self, runtime: int) -> Lineage | None:
        if self._lineages is None:
            self._lineages = self._read_lineages()
        return self._lineages.get(runtime)

    def _tasks(self, stack: _Stack, runtime: int) -> list[int | None]:
        if stack.tasks is None:
            stack.tasks = {
                member.runtime: self._tasks_of(stack, member)
                for member in stack.thread.openmp
                if member.runtime in stack.enclosing
            }
        return stack.tasks.get(runtime, [None] * len(stack.parts))

    def _part_of_task(self, stack: _Stack, runtime: int, address: int) -> int | None:
        found = self._tasks(stack, runtime)
        return found.index(address) if address in found else None

    def _tasks_of(self, stack: _Stack, member: Membership) -> list[int | None]:
        """The task of each part, from the current one outwards."""
        lineage = self._lineage(member.runtime)
        task = None
        if lineage is not None and member.task is not None:
            task = lineage.task(member.task.address)
            if task is not None and task.kind == "explicit":
                task = self._on_top(stack, member, lineage, task)
        found: list[int | None] = []
        following = [*stack.parts[1:], Part()]
        for part, outer, around in zip(stack.parts, following, stack.enclosing[member.runtime]):
            found.append(task.address if task is not None else None)
            if lineage is None or task is None:
                continue
            if part.began in (FORK, CALL):
                step: ViewTask | None = lineage.implicit(task)
                for _ in range(len(around.loose) + (around.begun is not None)):
                    step = lineage.parent(step) if step is not None else None
                task = step
            elif task.kind != "explicit":
                pass  # the runtime called back for another purpose
            elif part.began in (TASK, INCLUDED):
                task = lineage.outer(task, part, outer, stack.thread)
        return found

    @staticmethod
    def _on_top(
        stack: _Stack, member: Membership, lineage: Lineage, current: ViewTask
    ) -> ViewTask | None:
        """The task of the innermost part: the current one has none at its end."""
        ended = Ended(stack.parts, lineage, stack.thread, member)
        owns = ended.owns_frames(current)
        if owns is None:
            stack.unsure.add(current.address)
        if owns is not False:
            return current
        stack.ended[member.runtime] = current
        return ended.outer(current)

    # ---- What a part shows -----------------------------------------------------------------------

    def _add_wait(self, found: Backtrace, stack: _Stack) -> None:
        for member in stack.thread.openmp:
            state = member.state
            if state is not None and state.startswith("work_"):
                continue
            helper = member.raw.kind == "helper"
            if helper and stack.parts[0].levels:
                continue
            entry = Entry(WAIT, stack.thread, member=member)
            if "state" in member.doubts and not helper:
                entry.doubts["text"] = member.doubts["state"]
            found.entries.append(entry)
            break

    def _add_ended(self, found: Backtrace, stack: _Stack) -> None:
        """A task that is current, and has no frames on the stack."""
        for member in stack.thread.openmp:
            if member.task is None or member.task.kind != "explicit":
                continue
            lineage = self._lineage(member.runtime)
            self._tasks(stack, member.runtime)
            task = stack.ended.get(member.runtime)
            if lineage is not None and task is not None:
                entry = self._task_entry(stack, lineage.explicit(task))
                entry.ended = True
                found.entries.append(entry)

    def _add_frames(self, found: Backtrace, stack: _Stack, at: int) -> None:
        part = stack.parts[at]
        loose = list(stack.loose(at)) if part.began != CUT else []
        # Regions of several threads have a call: without it nothing is known of where they are.
        inside = part.began == BOTTOM and not any(is_active(region) for region, _ in loose)
        targets = {target.call.level: target for target in self._targets(stack.thread)}
        shown = set(part.levels)
        for level in range(part.start, part.end):
            frame = stack.walked.frames[level]
            target = targets.get(level)
            if target is not None and target.call.entry is not None:
                shown.discard(level)
            if level not in shown:
                found.hidden += 1
                if not self._runtime_frames:
                    self._add_target(found, stack, target)
                    continue
            kind = USER if level in shown else RUNTIME
            if kind == USER and frame.interprets:
                self._add_interpreted(found, stack, level, frame)
                self._add_target(found, stack, target)
                continue
            # GDB knows no such frame.
            shown_as = None if frame.likely else level
            entry = Entry(kind, stack.thread, shown_as, frame, frame.location)
            found.entries.append(entry)
            at_code = frame.location
            if at_code.function is None and at_code.objfile is None and not frame.signal:
                entry.doubts["loc"] = doubts.NO_CODE
            if frame.likely:
                entry.doubts["position"] = doubts.LIKELY_FRAME
            if self._code.is_skipped(frame):
                name = library_function(frame.location.function)
                entry.location = frame.location._replace(function=name)
            elif kind == USER:
                while loose and _may_hold(frame.location, loose[0][0], inside):
                    self._add_loose(found, stack, loose.pop(0))
            self._add_target(found, stack, target)
        for place in loose:
            self._add_loose(found, stack, place)
        if part.began not in (TASK, INCLUDED, CUT):
            self._add_unframed_tasks(found, stack, at)

    def _add_interpreted(self, found: Backtrace, stack: _Stack, level: int, frame: Frame) -> None:
        for place in frame.interprets:
            imports = python_files.imports(place.file)
            found.hidden += imports
            if not imports or self._runtime_frames:
                kind = RUNTIME if imports else USER
                found.entries.append(Entry(kind, stack.thread, level, frame, place))

    @staticmethod
    def _add_target(found: Backtrace, stack: _Stack, target: Target | None) -> None:
        if target is None:
            return
        entry = Entry(CONSTRUCT, stack.thread, target=target, location=target.location)
        entry.doubts.update(target.doubts)
        found.entries.append(entry)

    def _add_left(self, found: Backtrace, stack: _Stack, at: int) -> None:
        """A part that another one of the same task goes on with has nothing left to do."""
        part = stack.parts[at]
        for level in range(part.start, part.end):
            found.hidden += 1
            if self._runtime_frames:
                frame = stack.walked.frames[level]
                found.entries.append(Entry(RUNTIME, stack.thread, level, frame, frame.location))

    def _add_unframed_tasks(self, found: Backtrace, stack: _Stack, at: int) -> None:
        """Explicit tasks that were executed at once, and the optimiser removed the call."""
        for member in stack.thread.openmp:
            if member.task is None or member.task.kind != "explicit":
                continue
            lineage = self._lineage(member.runtime)
            task = None
            if lineage is not None:
                task = lineage.task(self._tasks(stack, member.runtime)[at])
            seen: set[int] = set()
            while lineage is not None and task is not None and task.address not in seen:
                if task.kind != "explicit":
                    break
                seen.add(task.address)
                entry = self._task_entry(stack, lineage.explicit(task))
                entry.doubts["position"] = doubts.CONSTRUCT_POSITION
                found.entries.append(entry)
                task = lineage.parent(task)

    def _task_entry(self, stack: _Stack, task: ExplicitTask | None) -> Entry:
        entry = Entry(CONSTRUCT, stack.thread, task=task, explicit=True)
        if task is not None:
            entry.location = task.location
            if "created" in task.doubts:
                entry.doubts["loc"] = task.doubts["created"]
            if task.raw.address in stack.unsure:
                entry.doubts["position"] = doubts.TASK_MAY_HAVE_ENDED
        return entry

    def _add_loose(self, found: Backtrace, stack: _Stack, place: Place) -> None:
        entry = _region_entry(stack, place[0], place[1])
        entry.doubts["position"] = doubts.CONSTRUCT_POSITION
        found.entries.append(entry)

    # ---- From a part to what led to it -----------------------------------------------------------

    def _beyond(self, found: Backtrace, stack: _Stack, at: int) -> tuple[_Stack, int] | None:
        part = stack.parts[at]
        if part.began in (TASK, INCLUDED):
            return self._beyond_task(found, stack, at)
        if part.began in (FORK, CALL):
            self._add_construct(found, stack, at, (stack, at + 1))
            return stack, at + 1
        if part.began == START:
            begun, _ = stack.begun(at)
            if begun is not None and begun[0].raw.helpers:
                return None  # the program has no construct for them
            outer = self._beginner(found, begun[0] if begun is not None else None)
            self._add_construct(found, stack, at, outer)
            return outer
        if part.began == BOTTOM:
            found.cut = self._why_loose([region for region, _ in stack.loose(at)])
        if part.began == CUT:
            found.limited = stack.walked.limited
            found.cut = doubts.STACK_LIMIT if found.limited else doubts.NO_STACK
        return None

    def _why_loose(self, regions: Sequence[Region]) -> Doubt | None:
        """Why nothing on a whole stack began these. None: nothing needs to have."""
        runtimes = {region.runtime for region in regions if is_active(region)}
        if not runtimes:
            return None
        embedded = any(one.embedded for one in self._process.runtimes if one.id in runtimes)
        return doubts.STACK_UNCLEAR if embedded else doubts.CALL_NOT_SEEN

    def _add_construct(
        self, found: Backtrace, stack: _Stack, at: int, outer: tuple[_Stack, int] | None
    ) -> None:
        begun, sure = stack.begun(at)
        entry = Entry(CONSTRUCT, stack.thread)
        if begun is not None:
            entry = _region_entry(stack, begun[0], begun[1])
            if not sure:
                entry.doubts["region"] = doubts.CONSTRUCT_REGION
            base = stack.parts[at].base
            if base is not None and base.likely:
                entry.doubts["position"] = doubts.LIKELY_FRAME
        if entry.location is None or entry.location.line is None:
            _locate_at_call(entry, stack.parts[at].began == CALL, outer, self._code)
        found.entries.append(entry)

    def _beginner(self, found: Backtrace, region: Region | None) -> tuple[_Stack, int] | None:
        """What is below a region's construct on the stack of the thread that began it."""
        region = _first_of_league(region) if region is not None else None
        primary = region.members[0] if region is not None and region.members else None
        stack = self._stack(primary) if primary is not None else None
        at = stack.part_of_region(region) if stack is not None and region is not None else None
        if stack is not None and at is not None and at + 1 < len(stack.parts):
            return stack, at + 1
        found.cut = doubts.BEGINNER_UNKNOWN
        if stack is not None:
            found.limited = stack.walked.limited
            found.cut = doubts.DEEPER_ELSEWHERE if found.limited else doubts.BEGINNER_NOT_FOUND
        elif primary is not None and primary.running:
            found.cut = doubts.BEGINNER_RUNNING
        return None

    # ---- Explicit tasks --------------------------------------------------------------------------

    def _beyond_task(self, found: Backtrace, stack: _Stack, at: int) -> tuple[_Stack, int] | None:
        part = stack.parts[at]
        # Code that was called without the runtime is of the one that the thread is known to.
        runtime = next(iter(stack.enclosing), 0) if part.runtime is None else part.runtime
        lineage = self._lineage(runtime)
        task = lineage.task(self._tasks(stack, runtime)[at]) if lineage is not None else None
        if task is not None and task.kind != "explicit":
            return stack, at + 1  # the runtime called back for another purpose
        for following in stack.parts[at + 1 :]:
            if task is None or not goes_on(task, part, following):
                break
            at, part = at + 1, following
            self._add_left(found, stack, at)
        entry = self._task_entry(stack, lineage.explicit(task) if lineage and task else None)
        if task is None:
            entry.doubts["region"] = doubts.TASK_UNKNOWN
        found.entries.append(entry)
        if part.began == CUT:
            return self._beyond(found, stack, at)
        if part.began == INCLUDED:
            if entry.location is None:
                _locate_at_call(entry, part.runtime is None, (stack, at + 1), self._code)
            return stack, at + 1
        there = None
        if lineage is not None and task is not None:
            there = self._generating(found, stack, runtime, task)
        if there is not None or found.cut is not None:
            return there
        return self._beyond_region_of(found, stack, at)

    def _generating(
        self, found: Backtrace, stack: _Stack, runtime: int, task: ViewTask
    ) -> tuple[_Stack, int] | None:
        """The nearest ancestor that has frames on a stack; those that have not are named."""
        lineage = self._lineage(runtime)
        seen: set[int] = set()
        while lineage is not None and task.address not in seen:
            seen.add(task.address)
            parent, creator = lineage.parent(task), lineage.creator(task)
            # Where creators are not recorded, the thread itself may have it.
            there = self._stack(creator) if creator is not None else stack
            if parent is None:
                break
            part = self._part_of_task(there, runtime, parent.address) if there else None
            if there is not None and part is not None:
                return there, part
            if there is not None and there.walked.limited and parent.state != "finished":
                found.limited, found.cut = True, doubts.DEEPER_ELSEWHERE
                break
            if parent.kind != "explicit":
                break
            task = parent
            found.entries.append(self._task_entry(stack, lineage.explicit(task)))
        return None

    def _beyond_region_of(
        self, found: Backtrace, stack: _Stack, at: int
    ) -> tuple[_Stack, int] | None:
        """The generating task is on no stack: what led to the region that the task belongs to."""
        for outer in range(at + 1, len(stack.parts)):
            if stack.parts[outer].began in (FORK, START) and stack.begun(outer)[0] is not None:
                begun, sure = stack.begun(outer)
                assert begun is not None
                entry = _region_entry(stack, begun[0], None)
                if not sure:
                    entry.doubts["region"] = doubts.CONSTRUCT_REGION
                found.entries.append(entry)
                return self._beginner(found, begun[0])
        found.cut = doubts.GENERATOR_GONE
        return None


def _region_entry(stack: _Stack, region: Region, num: int | None) -> Entry:
    entry = Entry(CONSTRUCT, stack.thread, region=region, num=num, location=region.location)
    if "loc" in region.doubts:
        entry.doubts["loc"] = region.doubts["loc"]
    return entry


def _may_hold(frame: Location, region: Region, otherwise: bool) -> bool:
    """Is the construct in the frame's function? otherwise: if nobody recorded where it is."""
    place = region.location
    if place is None or place.function is None:
        return otherwise
    return users_function(frame.function or "") in (None, place.function)


def _locate_at_call(
    entry: Entry, direct: bool, outer: tuple[_Stack, int] | None, code: CodeMap
) -> None:
    """The construct is where the code is that met it. Not for certain, if that called the runtime:
    the optimiser may have removed the frame that did."""
    levels = outer[0].parts[outer[1]].levels if outer is not None else []
    if outer is None or not levels:
        return
    frames = outer[0].walked.frames
    caller = frames[levels[0]].place
    caller = interpreted_caller(frames, frames[levels[0]], code) or caller
    if direct or caller.line is not None:
        entry.location = caller
        entry.doubts.pop("loc", None)
        if not direct:
            entry.doubts["loc"] = doubts.CALL_SITE


def _first_of_league(region: Region) -> Region:
    """Only the first team of a league stands above the construct."""
    if region.raw.generator == "teams" and region.raw.team_num and region.parent is not None:
        for other in region.parent.children:
            if other.raw.generator == "teams" and other.raw.team_num == 0:
                return other
    return region


def _name_in_users_terms(found: Backtrace) -> None:
    """Code of a construct is called after the function that the user wrote it in: its own name
    tells, else what the compiler recorded of the construct."""
    outer: list[Entry] = []  # the two that follow further out
    fortran = False  # the frame that follows further out
    for entry in reversed(found.entries):
        if entry.kind == RUNTIME:
            continue
        if entry.location is not None and entry.location.language is not None:
            outer, fortran = [entry, *outer[:1]], False
            continue
        if entry.kind == CONSTRUCT:
            entry.fortran = fortran or is_fortran(entry.location.file if entry.location else None)
        elif entry.location is not None:
            fortran = _is_fortrans(entry.location)
            if fortran and outer and outer[0].kind == CONSTRUCT:
                outer[0].fortran = True
        function = entry.location.function if entry.location is not None else None
        if entry.location is not None and function is not None:
            name: str | None = of_fortran(function)
            if is_outlined(function):
                name = _holder(entry, function) or _enclosing_name(entry, outer) or NAMELESS
            if name != function:
                entry.location = entry.location._replace(function=name)
        outer = [entry, *outer[:1]]


def _holder(entry: Entry, function: str) -> str | None:
    """As its own name tells, or the line table."""
    return users_function(function) or (entry.frame.holder if entry.frame is not None else None)


def _is_fortrans(place: Location) -> bool:
    name = place.function or ""
    return is_fortran(place.file) or is_flangs(name) or of_fortran(name) != name


def _enclosing_name(entry: Entry, outer: Sequence[Entry]) -> str | None:
    """The compiler records `each', the frame is `grid::Solver<double>::each<int>', and one of
    `each_row' is another's. A frame alone proves nothing: the optimiser may have removed that of
    the function meant."""
    names = [one.location.function if one.location is not None else None for one in outer]
    if entry.kind == CONSTRUCT:
        return names[0] if names else None
    if not outer or outer[0].kind != CONSTRUCT:
        return None
    recorded, caller = names[0], names[1] if len(names) > 1 else None
    if recorded is None or caller is None:
        return recorded
    is_it = re.search(rf"(?<!\w){re.escape(recorded)}(?!\w)", caller)
    return caller if is_it else recorded
