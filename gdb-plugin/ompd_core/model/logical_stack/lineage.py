# SPDX-License-Identifier: Apache-2.0
"""Which task generated a task, and which thread executed it then?"""

from __future__ import annotations

from ... import abi, runtimes
from ...library.types import ViewTask, ViewTasks
from ..process import Process, Thread
from ..tasks import ExplicitTask, Tasks
from .stack import INCLUDED, TASK, Part


class Lineage:
    """Of the tasks of one runtime."""

    def __init__(self, process: Process, runtime: int, view: ViewTasks, tasks: Tasks) -> None:
        self._view = view
        self._threads = process.by_index(runtime)
        self._tasks = {task.address: task for task in view.tasks}
        kinds = (one.kind for one in process.runtimes if one.id == runtime)
        self._takes_children = any(map(runtimes.takes_children, kinds))
        self._explicit = {task.raw.address: task for task in tasks.all if task.runtime == runtime}

    def task(self, address: int | None) -> ViewTask | None:
        return self._tasks.get(address) if address else None

    def explicit(self, task: ViewTask) -> ExplicitTask | None:
        return self._explicit.get(task.address)

    def parent(self, task: ViewTask) -> ViewTask | None:
        index = task.parent
        known = index is not None and 0 <= index < len(self._view.tasks)
        return self._view.tasks[index] if known and index is not None else None

    def implicit(self, task: ViewTask | None) -> ViewTask | None:
        """The task itself, or the nearest ancestor that a region generated."""
        seen: set[int] = set()
        while task is not None and task.kind == "explicit" and task.address not in seen:
            seen.add(task.address)
            task = self.parent(task)
        return task if task is not None and task.kind != "explicit" else None

    def creator(self, task: ViewTask) -> Thread | None:
        """The thread that executed the parent when it generated the task. Where the runtime does
        not record that: a tied one stays where it began."""
        if task.creator is not None:
            return self._threads.get(task.creator)
        parent = self.parent(task)
        return self._threads.get(parent.thread) if parent is not None and parent.tied else None

    def outer(self, task: ViewTask, part: Part, following: Part, thread: Thread) -> ViewTask | None:
        """The task that a thread has on its stack below a part that is an explicit task's."""
        if part.began == TASK:
            return self.waiting(task, thread, part.entry)
        return task if goes_on(task, part, following) else self.parent(task)

    def waiting(self, task: ViewTask, thread: Thread, call: str | None = None) -> ViewTask | None:
        """What a thread has on its stack below an explicit task that it took up while it waited,
        in a call of the runtime's. A tied task may only be taken up by who waits in one of its
        ancestors: it is the nearest one that the thread executes itself."""
        if self._takes_children and not task.priority:
            waits = abi.WAITS.get(abi.normal(call or ""))
            return self.parent(task) if waits == "taskwait" else None
        seen: set[int] = set()
        while task.kind == "explicit" and task.address not in seen:
            seen.add(task.address)
            parent = self.parent(task)
            if parent is None:
                return None
            if parent.state != "finished" and self.creator(task) is thread:
                return parent
            task = parent
        return None


def goes_on(task: ViewTask, part: Part, following: Part) -> bool:
    """Is a part of an untied task what follows in it after another part, from which the runtime
    executed it at once? The task's own code has handed itself on: what generates a second task of
    the same code is a function that this calls."""
    if task.tied or part.began != INCLUDED or abi.normal(part.entry or "") not in abi.HANDS_ON:
        return False
    entries = {one.base.entry if one.base is not None else None for one in (part, following)}
    return bool(task.function) and entries == {task.function} and len(following.levels) == 1
