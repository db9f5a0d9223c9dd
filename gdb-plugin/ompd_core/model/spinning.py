# SPDX-License-Identifier: Apache-2.0
"""Can threads do no more than wait, though they are awake? In a runtime's wait a thread looks at
words again and again, until one of them changes, or takes a task. Where all others sleep, nobody
changes one.
"""

from __future__ import annotations

from typing import Callable, Sequence

from .process import Thread
from .tasks import Tasks
from .waits import Needs

_TAKES_TASKS = ("barrier", "taskwait", "taskgroup", "depend")


def can_only_wait(
    awake: set[Thread],
    asleep: set[Thread],
    needs: Sequence[Needs],
    tasks: Tasks | None,
    stood_still: Callable[[Thread], bool],
) -> bool:
    """Of all that are awake. stood_still: since an earlier look, for certain."""
    known = {one.thread: one for one in needs}
    if not awake.issubset(known):
        return False
    if any(known[one].wait.kind in _TAKES_TASKS for one in awake) and _may_be_taken(tasks):
        return False
    others = awake | asleep
    return all(
        not _may_go_on(known[one])
        and (stood_still(one) or _is_settled(known[one], tasks) and _is_bound(known[one], others))
        for one in awake
    )


def _may_be_taken(tasks: Tasks | None) -> bool:
    """Is there a task that whoever waits may begin, or may there be one?"""
    if tasks is None or tasks.problem or tasks.unseen:
        return True
    return any(task.raw.state in ("ready", None) for task in tasks.all)


def _may_go_on(one: Needs) -> bool:
    in_doubt = "state" in one.member.doubts
    return one.progress or in_doubt or one.timed is not None or one.outside is not None


def _is_settled(one: Needs, tasks: Tasks | None) -> bool:
    """Is it certain that it waits?"""
    if one.doubt is not None:
        return False
    task = one.member.task
    if one.wait.kind == "taskwait":
        # Beginning or ending a task it is in the same routine.
        return task is not None and tasks is not None and tasks.waits_for_its_own(one.member)
    return one.wait.kind != "taskgroup" or (task is not None and task.kind != "explicit")


def _is_bound(one: Needs, others: set[Thread]) -> bool:
    """Does it wait for what only these could end, if anybody could?"""
    if one.nobody is not None or one.events or one.held:
        return True
    return any(thread in others for thread in one.needed)
