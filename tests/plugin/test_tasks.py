# SPDX-License-Identifier: Apache-2.0
"""Do the library's tasks become the right ones, whatever it answers?"""

from __future__ import annotations

import pytest
from ompd_core.library.types import View, ViewRegion, ViewTask, ViewTasks, ViewThread
from ompd_core.model.native import NativeThread
from ompd_core.model.process import Process, Runtime
from ompd_core.model.tasks import OnStack, Tasks, waits_for
from ompd_core.views import tasks as view
from ompd_core.views.table import Style


def process() -> Process:
    """Two threads in a region; the second executes the explicit task at 0x200."""
    regions = [
        ViewRegion(0x10, None, "program", 0, 0, 1, (0,)),
        ViewRegion(0x20, 0, "parallel", 1, 1, 2, (0, 1)),
    ]
    threads = [
        ViewThread(0, "initial", ((1, 0), (0, 0)), index=0, task=0x100, task_kind="implicit"),
        ViewThread(1, "worker", ((1, 1), (0, 0)), index=1, task=0x200, task_kind="explicit"),
    ]
    made = Runtime(0, "llvm", 19, "LLVM libomp 19", None, 0, view=View(threads, regions))
    made.initialized = True
    return Process([NativeThread(n, 1, n, (9, n, 0)) for n in (1, 2)], [made])


IMPLICIT = ViewTask(0x100, "implicit", "executing", 0x20, thread=0, children=3)
EXECUTING = ViewTask(0x200, "explicit", "executing", 0x20, parent=0, thread=1, children=0)
READY = ViewTask(0x300, "explicit", "ready", 0x20, parent=0, thread=0, children=0)
BLOCKED = ViewTask(0x400, "explicit", "blocked", 0x20, parent=0, predecessors=1, children=0)


def test_numbers_regions_and_dependences() -> None:
    answer = ViewTasks([IMPLICIT, BLOCKED, READY, EXECUTING], [(1, 3)])
    found = Tasks(process(), {0: answer})
    assert [(task.id, task.raw.address) for task in found.all] == [
        ("t1", 0x200),  # as `ompd threads' calls it
        ("t2", 0x400),
        ("t3", 0x300),
    ]
    assert {task.region.id for task in found.all if task.region} == {"R1"}
    assert found.all[0].thread_id == "R1.1"
    assert found.all[1].predecessors == [found.all[0]]
    assert found.unseen == 0 and found.problem is None


def test_children_that_no_list_has_are_counted() -> None:
    found = Tasks(process(), {0: ViewTasks([IMPLICIT, EXECUTING])})
    assert found.unseen == 2
    text = " ".join(view.lines(found, found.all, Style()))
    assert "counts 2 more" in text


def test_a_ring_of_parents_ends() -> None:
    ring = [
        ViewTask(0x500, "explicit", "suspended", 0x20, parent=1),
        ViewTask(0x600, "explicit", "suspended", 0x20, parent=0),
        ViewTask(0x700, "explicit", "suspended", 0x20, parent=2),
    ]
    found = Tasks(process(), {0: ViewTasks(ring)})
    lines = view.tree(found, Style())
    assert len([line for line in lines if "suspended  R1" in line]) == 3
    assert any("3 explicit tasks" in line for line in lines)


def test_a_region_of_several_with_one_structure_is_unknown() -> None:
    there = process()
    there.regions[0].raw = ViewRegion(0x20, None, "parallel", 1, 0, 1, serialized=True)
    found = Tasks(there, {0: ViewTasks([IMPLICIT, READY])})
    assert found.all[0].region is None and "region" in found.all[0].doubts


@pytest.mark.parametrize(
    "call, undeferred, kind, text",
    [
        ("GOMP_taskwait", False, "taskwait", " taskwait "),
        ("GOMP_taskgroup_end", False, "taskgroup", " taskgroup "),
        ("GOMP_taskwait_depend", False, "depend", " tasks that it depends on "),
        ("GOMP_task", True, "", " - "),
        ("GOMP_taskyield", False, None, " ? "),
        (None, False, None, " ? "),
    ],
)
def test_what_a_suspended_task_waits_for(
    call: str | None, undeferred: bool, kind: str | None, text: str
) -> None:
    """As long as the runtime does not record it: what the stack tells, and no more."""
    inner = EXECUTING._replace(undeferred=undeferred)
    suspended = ViewTask(0x500, "explicit", "suspended", 0x20, parent=0)
    found = Tasks(process(), {0: ViewTasks([IMPLICIT, inner, suspended])})
    found.place([OnStack(found.process.threads[1], 0, (0x200, 0x500), (call, "GOMP_barrier"))])
    (task,) = (task for task in found.all if task.raw is suspended)
    assert waits_for(task) == (kind or "")
    assert ("wait" in task.doubts) == (kind is None)
    lines = [f"{line} " for line in view.lines(found, [task], Style())]
    assert any(text in line for line in lines if line.startswith(task.id)), lines


@pytest.mark.parametrize("tied", [True, False])
def test_a_suspended_task_is_on_the_stack_that_shows_it(tied: bool) -> None:
    suspended = ViewTask(0x500, "explicit", "suspended", 0x20, parent=0, tied=tied)
    found = Tasks(process(), {0: ViewTasks([IMPLICIT, EXECUTING, suspended])})
    (task,) = found.unplaced
    assert "thread" in task.doubts
    on_both = [OnStack(thread, 0, (0x500,), (None,)) for thread in found.process.threads]
    found.place(on_both)
    assert found.unplaced == [task]
    found.place([OnStack(found.process.threads[1], 0, (0x200, 0x500), ("GOMP_taskwait", None))])
    assert (task.thread_id, task.inside) == ("R1.1", found.all[0])
    told = [doubt.certainty for doubt in task.doubts.values()]
    assert told == ([] if tied else ["likely"])
    text = " ".join(view.lines(found, found.all, Style()))
    assert f"R1.1 below t1{'' if tied else ' (likely)'} " in text
