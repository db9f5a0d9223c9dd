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

# A step's caller is near; recursion can pile up tens of thousands of frames.
MOST_FRAMES = 256

_INTERNAL = re.compile(r"^0 +(step resume|finish|until) .*?0x([0-9a-f]+)", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    kind: str  # "step resume": of next and step; "finish", "until"
    address: int  # where it would go on, in the frame that calls


class _Return(gdb.Breakpoint):
    """Where a thread comes back to a frame."""

    def __init__(self, address: int, thread: gdb.InferiorThread, stack: int) -> None:
        super().__init__(f"*{address}", internal=True)
        self.silent = True
        self.thread = thread.global_num
        self.reached = False
        self._stack = stack

    def stop(self) -> bool:
        self.reached = arch_x86_64.stack_pointer(gdb.newest_frame()) == self._stack
        return self.reached


def under_way() -> Step | None:
    found = _INTERNAL.search(console.output("maint info breakpoints"))
    return Step(found.group(1), int(found.group(2), 16)) if found else None


def go_on(step: Step | None) -> None:
    """Continue, or finish the step. Raises gdb.error."""
    back = _return_of(step) if step is not None else None
    if step is not None and back is None:
        gdb.write("The step that was under way cannot be finished.\n")
    try:
        gdb.execute("continue")
    finally:
        if back is not None and back.is_valid():
            back.delete()
    if step is None or back is None or not back.reached:
        return
    gdb.execute("next" if step.kind == "step resume" and _is_in_line(step.address) else "frame")


def _return_of(step: Step) -> _Return | None:
    """In the thread that has such a caller; the one that was stopped comes first."""
    first = gdb.selected_thread()
    others = [thread for thread in gdb.selected_inferior().threads() if thread != first]
    try:
        for thread in [first, *others]:
            thread.switch()
            stack = _stack_of_caller(step.address)
            if stack is not None:
                return _Return(step.address, thread, stack)
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


def _is_in_line(address: int) -> bool:
    """Is the call that returns there in the same line?"""
    line_of = gdb.current_progspace().find_pc_line
    return bool(line_of(address).line == line_of(address - 1).line)
