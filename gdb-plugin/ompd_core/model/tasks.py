# SPDX-License-Identifier: Apache-2.0
"""Which explicit tasks are there, what generated them, and what do they wait for?

A task that a thread executes has the number that `ompd threads' gives it; the others follow.
"""

from __future__ import annotations

from typing import Iterable, Mapping, Sequence

from .. import abi
from ..library.types import ViewTask, ViewTasks
from ..light_classes import NamedTuple, dataclass, field
from . import doubts
from .doubts import Doubt
from .native import Location
from .process import Membership, Process, Region, Thread

# Walks along parents end here, whatever the target says.
DEEPEST = 1 << 20
# What a task can wait for while its thread executes others.
_OF_TASKS = ("taskwait", "taskgroup", "depend")


@dataclass(eq=False)
class ExplicitTask:
    runtime: int
    raw: ViewTask
    number: int = 0
    region: Region | None = None
    thread: Thread | None = None  # who executes it, on whose stack it is, or whose queue it is in
    inside: ExplicitTask | None = None  # what its thread executes on top of it, if it is suspended
    parent: ExplicitTask | None = None
    parent_address: int | None = None  # of the task that generated it, explicit or not
    children: list[ExplicitTask] = field(default_factory=list)
    predecessors: list[ExplicitTask] = field(default_factory=list)
    unseen_children: int = 0
    location: Location | None = None  # where it was created
    function: Location | None = None
    taskwait: Location | None = None
    # The kind of wait that it is in, as the stack tells: "" for none; None: not known.
    waits: str | None = None
    deferred: Deferred | None = None  # the device that it waits for, while no thread executes it
    doubts: dict[str, Doubt] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"t{self.number}"

    @property
    def thread_id(self) -> str | None:
        """The OpenMP id of its thread."""
        member = self.thread.member(self.runtime) if self.thread is not None else None
        return member.id if member is not None else None


class Deferred(NamedTuple):
    """A task that waits for a device, while no thread executes it."""

    task: ExplicitTask
    device: int | None
    blocks: Sequence[ExplicitTask] = ()  # that depend on it

    @property
    def in_words(self) -> str:
        return f"device {self.device}" if self.device is not None else "a device"


class OnStack(NamedTuple):
    """The explicit tasks that a thread has begun, and that have frames on its stack."""

    thread: Thread
    runtime: int
    addresses: Sequence[int]  # innermost first
    calls: Sequence[str | None]  # the runtime's routine from which it was executed, of each


class Tasks:
    """The explicit tasks of one picture."""

    def __init__(self, process: Process, views: Mapping[int, ViewTasks]) -> None:
        self.process = process
        self.views = views
        self.all: list[ExplicitTask] = []
        self.problem: str | None = None  # why there may be more
        self._raw: dict[tuple[int, int], ViewTask] = {}
        self.unseen = 0  # tasks that must be there, and in no list of the runtime's
        for runtime, view in views.items():
            self._add(runtime, view)
            self.problem = self.problem or view.problem
        self._number()

    def _add(self, runtime: int, view: ViewTasks) -> None:
        threads = self.process.by_index(runtime)
        made: dict[int, ExplicitTask] = {}
        for index, raw in enumerate(view.tasks):
            self._raw[runtime, raw.address] = raw
            if raw.kind == "explicit":
                made[index] = ExplicitTask(runtime, raw)
        for task in made.values():
            if task.raw.parent is not None and task.raw.parent < len(view.tasks):
                task.parent_address = view.tasks[task.raw.parent].address
            task.thread = threads.get(task.raw.thread)
            task.region = self._region_of(task)
            if task.raw.parent in made and made[task.raw.parent] is not task:
                task.parent = made[task.raw.parent]
                task.parent.children.append(task)
            if task.raw.state is None:
                task.doubts["state"] = doubts.TASK_IN_TRANSITION
        for waiting, predecessor in view.dependences:
            if waiting in made and predecessor in made:
                made[waiting].predecessors.append(made[predecessor])
        self._count_unseen(view, made)
        _place_suspended(list(made.values()), threads)
        self.all += made.values()

    @property
    def unplaced(self) -> list[ExplicitTask]:
        """Begun, and on nobody's stack, as far as is known."""
        return [t for t in self.all if t.raw.state == "suspended" and t.thread is None]

    @property
    def left_to_stacks(self) -> bool:
        """Do only stacks tell where a suspended task is, or why?"""
        return any("thread" in task.doubts or "wait" in task.doubts for task in self.all)

    def place(self, stacks: Iterable[OnStack]) -> None:
        """On the stacks where those are that no other task tells the thread of."""
        known = {(task.runtime, task.raw.address): task for task in self.all}
        on: dict[tuple[int, int], list[OnStack]] = {}
        for stack in stacks:
            for address in stack.addresses:
                on.setdefault((stack.runtime, address), []).append(stack)
        for task in self.unplaced:
            there = on.get((task.runtime, task.raw.address), [])
            if len(there) == 1:
                task.thread = there[0].thread
                del task.doubts["thread"]
                if not task.raw.tied:
                    task.doubts["thread"] = doubts.UNTIED_WHERE
        for stack in {id(one): one for found in on.values() for one in found}.values():
            those = [known.get((stack.runtime, address)) for address in stack.addresses]
            for inner, outer, call in zip(those, those[1:], stack.calls):
                if inner is not None and outer is not None and outer.thread is stack.thread:
                    outer.inside = inner
                    _explain(outer, inner, call)

    def taskgroup_of(self, runtime: int, address: int) -> int:
        """The innermost taskgroup that the task belongs to, or has begun; 0: none."""
        raw = self._raw.get((runtime, address))
        return raw.taskgroup if raw is not None else 0

    def waits_for_its_own(self, member: Membership) -> bool:
        """Is the thread's current task in a taskwait, by the runtime's own mark?"""
        task = member.task
        raw = self._raw.get((member.runtime, task.address)) if task is not None else None
        return raw is not None and raw.taskwait

    def has_none_left(self, runtime: int, address: int, wait: str) -> bool:
        """Are all that a task waits for complete, by the runtime's own count?"""
        raw = self._raw.get((runtime, address))
        if raw is None or self.views[runtime].problem is not None:
            return False
        return (raw.children if wait == "taskwait" else raw.taskgroup_count) == 0

    def _region_of(self, task: ExplicitTask) -> Region | None:
        found = [
            region
            for region in self.process.regions
            if region.runtime == task.runtime and region.raw.address == task.raw.team
        ]
        if len(found) == 1:
            return found[0]
        if task.raw.state == "executing" and task.thread is not None:
            for member in task.thread.openmp:
                if member.runtime == task.runtime:
                    return member.region
        task.doubts["region"] = doubts.TASK_REGION
        return None

    def _count_unseen(self, view: ViewTasks, made: Mapping[int, ExplicitTask]) -> None:
        """The runtime counts a task's children, also those that no list of its has."""
        seen: dict[int, int] = {}
        for task in made.values():
            if task.raw.parent is not None and task.raw.state != "finished":
                seen[task.raw.parent] = seen.get(task.raw.parent, 0) + 1
        for index, raw in enumerate(view.tasks):
            missing = max((raw.children or 0) - seen.get(index, 0), 0)
            self.unseen += missing
            if index in made:
                made[index].unseen_children = missing

    def _number(self) -> None:
        numbers = {
            member.task.address: member.task.number
            for thread in self.process.threads
            for member in thread.openmp
            if member.task is not None and member.task.number is not None
        }
        following = len(numbers)
        for task in self.all:
            known = numbers.get(task.raw.address)
            if known is None:
                following += 1
            task.number = known if known is not None else following
        self.all.sort(key=lambda task: task.number)

    @property
    def roots(self) -> list[ExplicitTask]:
        """Those that no explicit task generated. In a damaged target parents can form a ring: one
        task of it stands for it."""
        found = [task for task in self.all if task.parent is None]
        reached = set(map(id, below(found)))
        for task in self.all:
            if id(task) not in reached:
                found.append(task)
                reached.update(map(id, below([task])))
        return found


def _place_suspended(tasks: Sequence[ExplicitTask], threads: Mapping[int | None, Thread]) -> None:
    """The runtime does not record on whose stack a suspended task is. A tied one stays on that of
    the thread that began it, and that thread is the creator of all its children. Each tied task
    on a stack descends from the one that it is on top of."""
    for task in tasks:
        if task.raw.state != "suspended":
            continue
        creators = {child.raw.creator for child in task.children if child.raw.creator is not None}
        if task.raw.tied and len(creators) == 1:
            task.thread = threads.get(next(iter(creators)))
        if task.thread is None:
            task.doubts["thread"] = doubts.SUSPENDED_WHERE
        if not task.raw.taskwait:
            task.doubts["wait"] = doubts.SUSPENDED_WHY
    for task in tasks:
        if task.raw.state in ("executing", "suspended") and task.thread is not None:
            outer = task.parent
            for _ in range(DEEPEST):
                if outer is None or outer is task:
                    break
                if outer.raw.state == "suspended" and outer.thread is task.thread:
                    outer.inside = task
                    break
                outer = outer.parent


def _explain(outer: ExplicitTask, inner: ExplicitTask, call: str | None) -> None:
    """A task is suspended for the one that its thread executes on top of it, from a call of the
    runtime's: it waits there, unless it has generated that one to be executed at once."""
    waits = "" if inner.raw.undeferred else abi.WAITS.get(abi.normal(call or ""))
    if waits in ("", *_OF_TASKS) and "wait" in outer.doubts:
        outer.waits = waits
        del outer.doubts["wait"]


def below(roots: list[ExplicitTask]) -> list[ExplicitTask]:
    """The tasks and all that they generated, each once."""
    seen: set[int] = set()
    found = []
    pending = list(reversed(roots))
    while pending:
        task = pending.pop()
        if id(task) in seen:
            continue
        seen.add(id(task))
        found.append(task)
        pending += reversed(task.children)
    return found


def waits_for(task: ExplicitTask) -> str:
    """What has to happen before it can begin, or go on: the kind of a wait; "" for nothing."""
    if task.raw.taskwait and task.raw.state in ("executing", "suspended"):
        return "taskwait"
    if task.deferred is not None:
        return "target"
    if task.waits is not None:
        return task.waits
    return {"blocked": "depend", "detached": "event"}.get(task.raw.state or "", "")
