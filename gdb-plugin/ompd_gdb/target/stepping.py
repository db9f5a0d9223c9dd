# SPDX-License-Identifier: Apache-2.0
"""Which step of the user's does a stop of ours end, and how does it go on?

GDB gives up a `next' or `finish' when the program stops for a breakpoint. Where it was to come back
to can be seen in its list of internal breakpoints, while ours decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import gdb

from . import arch_x86_64, console
from .passages import back_at, set_for

# A step's caller is near; recursion can pile up tens of thousands of frames.
MOST_FRAMES = 256

_INTERNAL = re.compile(r"^0 +(step resume|finish|until) .*?0x([0-9a-f]+)", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    kind: str  # "step resume": of next and step; "finish", "until"
    address: int  # where it would go on, in the frame that calls


def under_way() -> Step | None:
    found = _INTERNAL.search(console.output("maint info breakpoints"))
    return Step(found.group(1), int(found.group(2), 16)) if found else None


def go_on(step: Step | None) -> None:
    """Continue, or finish the step. Raises gdb.error."""
    found = _caller_of(step) if step is not None else None
    if step is None or found is None:
        if step is not None:
            gdb.write("The step that was under way cannot be finished.\n")
        gdb.execute("continue")
        return
    thread, stack = found
    with set_for(thread, [(step.address, back_at(stack))]) as (back,):
        gdb.execute("continue")
    if back.reached:
        gdb.execute("next" if step.kind == "step resume" and is_in_line(step.address) else "frame")


def _caller_of(step: Step) -> tuple[gdb.InferiorThread, int] | None:
    """The thread that has such a caller, and its stack there; the one that was stopped comes
    first."""
    first = gdb.selected_thread()
    others = [thread for thread in gdb.selected_inferior().threads() if thread != first]
    try:
        for thread in [first, *others]:
            thread.switch()
            stack = _stack_of_caller(step.address)
            if stack is not None:
                return thread, stack
        return None
    finally:
        first.switch()


def _stack_of_caller(address: int) -> int | None:
    try:
        frame = gdb.newest_frame()
        for _ in range(MOST_FRAMES):
            if frame is None:
                break
            if frame.pc() == address:
                return arch_x86_64.stack_pointer(frame)
            frame = frame.older()
    except gdb.error:
        pass  # the thread runs, or its stack cannot be unwound
    return None


def is_in_line(address: int) -> bool:
    """Is the call that returns there in the same line, or in one that compilers gave none?"""
    line_of = gdb.current_progspace().find_pc_line
    return line_of(address).line in (0, line_of(address - 1).line)
