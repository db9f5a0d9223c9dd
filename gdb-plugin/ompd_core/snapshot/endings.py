# SPDX-License-Identifier: Apache-2.0
"""Why does a library end the program by exit ()? By the stack of the thread that calls it."""

from __future__ import annotations

from typing import Sequence

from .. import late_patterns, runtimes
from ..debugger import Debugger
from ..errors import Unreadable
from ..model import gave_up
from ..model.gave_up import GaveUp
from ..model.naming import system_name
from ..model.native import Frame, NativeThread
from ..model.process import Process
from . import aborts, crashes
from .stacks import Stacks

# Frames, from exit out to the user's own.
_DEPTH = 32
MOST_STACK = 16 << 10  # bytes that a library's functions have
_TEXT = late_patterns.compile(rb"[ -~]{8,}(?=\0)")


def of(debugger: Debugger, process: Process, stacks: Stacks) -> GaveUp | None:
    """None: it does not, as far as is seen."""
    lwp = debugger.ending()
    found = (t for t in process.threads if t.native is not None and t.native.ptid[1] == lwp)
    thread = next(found, None) if lwp is not None else None
    walked = stacks.walked(thread, _DEPTH) if thread is not None else None
    if thread is None or walked is None or thread.native is None:
        return None
    names = [system_name(frame.location.function or "") for frame in walked.frames]
    if "exit" not in names[:-1]:
        return None
    first = names.index("exit") + 1
    by = gave_up.library(walked.frames[first].location.objfile)
    if by is None:
        return None
    last = _end(walked.frames, first, by)
    functions = names[first:last]
    statement = gave_up.statement(functions)
    if gave_up.is_wanted(functions) or (statement == "STOP" and not thread.in_team):
        return None
    text = None
    if statement is None:
        text = _text(debugger, thread.native, by, functions, last)
    return GaveUp(thread, by, text, statement, crashes.limits(debugger, text) if text else ())


def _end(frames: Sequence[Frame], first: int, by: str) -> int:
    """Of its frames the one behind the last."""
    level = first
    while level < len(frames) and gave_up.library(frames[level].location.objfile) == by:
        level += 1
    return level


def _text(
    debugger: Debugger, native: NativeThread, by: str, functions: Sequence[str], last: int
) -> str | None:
    pattern = next((one.fatal for one in runtimes.RUNTIMES if one.name == by), None)
    if pattern is not None:
        return aborts.on_stack(debugger, native, pattern)
    if not gave_up.has_text(functions):
        return None
    with debugger.at(native) as stopped:
        if stopped is None:
            return None
        try:
            low, high = stopped.stack_pointer(0), stopped.stack_pointer(last)
            stack = debugger.read(low, min(high - low, MOST_STACK)) if high > low else b""
        except (Unreadable, OverflowError):
            return None
    texts = [match.group().decode("ascii") for match in _TEXT.finditer(stack)]
    return max(texts, key=len) if texts else None
