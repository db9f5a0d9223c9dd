# SPDX-License-Identifier: Apache-2.0
"""Which task generated a task, and which thread executed it then?"""

from __future__ import annotations

from ..answers import ViewTask, ViewTasks
from .process import Process, Thread
from .tasks import ExplicitTask, Tasks


class Lineage:
    """Of the tasks of one runtime."""

    def __init__(self, process: Process, runtime: int, view: ViewTasks, tasks: Tasks) -> None:
        self._view = view
        self._threads = process.by_runtime_id(runtime)
        self._tasks = {task.address: task for task in view.tasks}
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
        """The thread that executed the parent when it generated the task."""
        return self._threads.get(task.creator) if task.creator is not None else None

    def waiting(self, task: ViewTask, thread: Thread) -> ViewTask | None:
        """What a thread has on its stack below an explicit task that it took up while it waited.
        A tied task may only be taken up by who waits in one of its ancestors: it is the nearest
        one that the thread executes itself."""
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
