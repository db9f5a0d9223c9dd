# SPDX-License-Identifier: Apache-2.0
"""Are a stack's innermost frames those of the task that the runtime calls current? At a task's end,
and before its beginning, they are those of the task that waits there, and executed it meanwhile."""

from __future__ import annotations

from typing import Sequence

from .. import abi
from ..library.types import ViewTask
from .logical_stack.lineage import Lineage
from .logical_stack.stack import INCLUDED, TASK, Part
from .process import Membership, Thread

# No explicit task's code waits in these.
_OF_IMPLICIT = ("barrier", "workshare", "reduction", "region")
_OF_ANY = ("taskwait", "taskgroup", "depend")


class Ended:
    """Of one thread and one runtime."""

    def __init__(
        self, parts: Sequence[Part], lineage: Lineage, thread: Thread, member: Membership
    ) -> None:
        self._parts = parts
        self._lineage = lineage
        self._thread = thread
        self._region = member.region

    def owns_frames(self, current: ViewTask) -> bool | None:
        """Of an explicit task that is current. None: it cannot be told."""
        part = self._parts[0]
        if part.called is None:
            return True  # the program's own code is on top
        name = abi.normal(part.called)
        kind = abi.WAITS.get(name)
        if kind in _OF_IMPLICIT or (not part.levels and part.began != TASK):
            return False
        if kind not in _OF_ANY and name not in abi.EXECUTES_TASKS:
            return True
        if kind == "taskwait" and current.taskwait:
            return True
        if current.undeferred and name not in abi.EXECUTES_AT_ONCE:
            return True  # it does not end in there, and may have no frame of its own
        told = self._by_function(current)
        return told if told is not None else self._by_number(current)

    def outer(self, current: ViewTask) -> ViewTask | None:
        """The task that waits where the current one was executed."""
        if abi.normal(self._parts[0].called or "") in abi.EXECUTES_AT_ONCE:
            return self._lineage.parent(current)
        return self._lineage.waiting(current, self._thread, self._parts[0].called)

    def _by_function(self, current: ViewTask) -> bool | None:
        """Of which of the two is the function that the runtime called?"""
        part = self._parts[0]
        entry = part.base.entry if part.base is not None else None
        if not entry:
            return None
        others = self._region.raw.function if self._region is not None else 0
        if part.began in (TASK, INCLUDED):
            outer = self.outer(current)
            others = outer.function if outer is not None else 0
        mine = entry == current.function
        return None if mine == (entry == others) else mine

    def _by_number(self, current: ViewTask) -> bool | None:
        """Does the stack hold as many tasks, or one less?"""
        plain, shifted = self._fits(current), self._fits(self.outer(current))
        if plain and not shifted:
            return True
        return False if shifted and plain is False else None

    def _fits(self, task: ViewTask | None) -> bool | None:
        """If the innermost part is the task's, are all outer ones explained?"""
        for part, following in zip(self._parts, [*self._parts[1:], Part()]):
            if task is None:
                return None
            if part.began not in (TASK, INCLUDED):
                return task.kind != "explicit"
            if task.kind != "explicit":
                return False
            task = self._lineage.outer(task, part, following, self._thread)
        return None
