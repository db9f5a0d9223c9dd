# SPDX-License-Identifier: Apache-2.0
"""Which step of the user's does a stop of ours end, and how does it go on?

GDB gives up a `next' or `finish' when the program stops for a breakpoint. Where it was to come back
to can be seen in its list of internal breakpoints, while ours decides.
"""

from __future__ import annotations

import re

import gdb
from ompd_core import late_patterns
from ompd_core.light_classes import NamedTuple, dataclass

from . import console
from .passages import Fits, Hits, of_frame, set_for

_INTERNAL = late_patterns.compile(r"0 +(step resume|finish|until) .*?0x([0-9a-f]+)")
_THREAD = late_patterns.compile(r"\tstop only in thread (?:\d+\.)?(\d+)")
_FRAME = late_patterns.compile(r"\tstop only in stack frame at 0x([0-9a-f]+)")
# "#0  " stands before a frame, but not at a stop.
LEVEL = late_patterns.compile(r"^#\d+ +")


@dataclass
class Goal:
    kind: str  # "step resume": of next and step; "finish"; "until": also of advance
    address: int
    thread: int | None = None  # GDB's number
    frame: int | None = None  # where its stack frame begins; None: in any


class Step(NamedTuple):
    goals: tuple[Goal, ...]  # whichever is reached first


def under_way() -> Step | None:
    goals: list[Goal] = []
    is_part = False
    for line in console.output("maint info breakpoints").splitlines():
        found = _INTERNAL.match(line)
        if found is not None:
            goals.append(Goal(found.group(1), int(found.group(2), 16)))
        elif re.match(r"-?\d+ ", line):
            is_part = False
            continue
        is_part = is_part or found is not None
        if not is_part:
            continue
        thread, frame = _THREAD.match(line), _FRAME.match(line)
        if thread is not None:
            goals[-1].thread = int(thread.group(1))
        if frame is not None:
            goals[-1].frame = int(frame.group(1), 16)
    return Step(tuple(goals)) if goals else None


def go_on(step: Step | None) -> None:
    """Continue, or finish the step. Raises gdb.error."""
    if step is None:
        gdb.execute("continue")
        return
    goals = [goal for goal in step.goals if _thread_of(goal) is not None]
    if not goals:
        gdb.write("The step that was under way cannot be finished.\n")
        gdb.execute("continue")
        return
    events: list[gdb.Event] = []
    wanted = [(goal.address, _fits(goal)) for goal in goals]
    hits = Hits()
    gdb.events.stop.connect(events.append)
    try:
        with set_for(_thread_of(goals[0]), wanted) as made:
            gdb.execute("continue")
    finally:
        gdb.events.stop.disconnect(events.append)
    reached = next((goal for goal, one in zip(goals, made) if one.reached), None)
    if reached is None or any(hits.is_users(event) for event in events):
        return  # GDB has shown the stop
    if reached.kind == "step resume" and is_in_line(reached.address):
        gdb.execute("next")
        return
    text = LEVEL.sub("", console.output("frame"))
    gdb.write(text.partition("\n")[2] if reached.kind == "step resume" else text)


def _fits(goal: Goal) -> Fits:
    return (lambda frame: True) if goal.frame is None else of_frame(goal.frame)


def _thread_of(goal: Goal) -> gdb.InferiorThread | None:
    threads = gdb.selected_inferior().threads()
    return next((thread for thread in threads if thread.num == goal.thread), None)


def is_in_line(address: int) -> bool:
    """Is the call that returns there in the same line, or in one that compilers gave none?"""
    line_of = gdb.current_progspace().find_pc_line
    return line_of(address).line in (0, line_of(address - 1).line)
