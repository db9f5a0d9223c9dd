# SPDX-License-Identifier: Apache-2.0
"""Which thread is selected? The one place that changes it, and puts thread and frame back."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

import gdb

_depth = 0
_relied_on: list[gdb.InferiorThread] = []  # by the on_thread blocks that we are in


def selected_thread() -> gdb.InferiorThread | None:
    """None also for one that GDB has forgotten: of two threads of a core file that have the same
    LWP, the first, which is the selected one."""
    try:
        return gdb.selected_thread()
    except SystemError:
        return None


@contextmanager
def kept_selection() -> Iterator[None]:
    """The thread and the frame that are selected now are selected afterwards, whatever happens.

    Around a loop over threads it saves the way back after each: that unwinds the user's frame
    again.
    """
    global _depth
    thread = selected_thread()
    level = selected_level() if _depth == 0 else 0
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if _depth == 0:
            try:
                _restore(thread, level)
            except KeyboardInterrupt:
                _restore(thread, level)
                raise


@contextmanager
def on_thread(thread: gdb.InferiorThread) -> Iterator[None]:
    """Inside, thread is the selected one. A gdb.Frame must not leave: it dies with the switch."""
    with kept_selection():
        if selected_thread() != thread:
            thread.switch()
        _relied_on.append(thread)
        try:
            yield
        finally:
            _relied_on.pop()
            if _relied_on and selected_thread() != _relied_on[-1]:
                _relied_on[-1].switch()


def select(thread: gdb.InferiorThread, level: int) -> None:
    """For the commands that are there to select: nothing is put back."""
    if selected_thread() != thread:
        thread.switch()
    select_frame(level)


def select_frame(level: int) -> None:
    """Of the selected thread: so many steps out of its innermost, or its outermost."""
    frame = gdb.newest_frame()
    for _ in range(level):
        older = frame.older()
        if older is None:
            break
        frame = older
    frame.select()


def selected_level() -> int:
    """How far out the selected frame is; 0 also where there is none, as in a running thread."""
    try:
        return level_of(gdb.selected_frame())
    except gdb.error:
        return 0


def level_of(frame: gdb.Frame) -> int:
    """How far out a frame of the selected thread is."""
    if hasattr(frame, "level"):  # since GDB 11
        return int(frame.level())
    level, newer = 0, frame.newer()
    while newer is not None:
        level, newer = level + 1, newer.newer()
    return level


def _restore(thread: gdb.InferiorThread | None, level: int) -> None:
    if thread is None or not thread.is_valid():
        return
    if selected_thread() != thread:
        thread.switch()
    try:
        select_frame(level)  # also the innermost: of this thread, another may have been selected
    except gdb.error:
        pass  # the thread has lost its stack meanwhile: its newest frame stays selected
