# SPDX-License-Identifier: Apache-2.0
"""Where does one thread come by? Internal breakpoints for a while, and the settings that let a
thread get there: whatever happens, all is afterwards as it was."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Callable, Iterable, Iterator

import gdb

from .. import texts
from . import console, machines
from .watches import Watch

# Ctrl-C may be pressed again while things are put back.
MOST_TRIES = 16

Fits = Callable[[gdb.Frame], bool]


class Passage(Watch):
    """Of one thread; `fits' says whether this time is meant."""

    def __init__(self, address: int, thread: gdb.InferiorThread, fits: Fits) -> None:
        super().__init__(address, self._comes)
        self.thread = thread.global_num
        self.reached = False
        self._fits = fits

    def _comes(self, address: int) -> bool:
        self.reached = self._fits(gdb.newest_frame())
        return self.reached


def back_at(stack: int) -> Fits:
    """In the frame that has this stack pointer."""
    return lambda frame: machines.stack_pointer(frame) == stack


def physical(frame: gdb.Frame) -> gdb.Frame:
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


def home(frame: gdb.Frame) -> int:
    """Where a frame's stack begins: the same as long as its function has not returned, and no
    other's. 0: of the outermost."""
    older = physical(frame).older()
    return machines.stack_pointer(older) if older is not None else 0


def of_frame(stack: int) -> Fits:
    """Where main's begins is not seen: GDB ends the stack there."""
    return lambda frame: home(frame) in (stack, 0)


class Hits:
    """Which of the breakpoints that a stop names have stopped the program since then? It also names
    those of which the condition is false. That is not evaluated again: it may have effects."""

    def __init__(self) -> None:
        self._before = {one.number: (one.hit_count, one.ignore_count) for one in gdb.breakpoints()}

    def stops(self, one: gdb.Breakpoint) -> bool:
        if isinstance(one, Passage):
            return one.reached
        if isinstance(one, Watch):
            return False
        if not one.is_valid():
            return True  # a temporary one, which is gone after its stop
        hits, to_ignore = self._before.get(one.number, (0, 0))
        return one.hit_count > hits and not to_ignore

    def is_users(self, event: gdb.Event) -> bool:
        """Is it a stop that the user wants to see?"""
        if isinstance(event, gdb.BreakpointEvent):
            return any(self.stops(one) for one in event.breakpoints if not isinstance(one, Passage))
        return isinstance(event, gdb.SignalEvent)


def surely(steps: Iterable[Callable[[], object]]) -> None:
    """All of them, also if the user interrupts: that is told when they are done."""
    interrupted = False
    for step in steps:
        for _ in range(MOST_TRIES):
            try:
                step()
                break
            except KeyboardInterrupt:
                interrupted = True
            except gdb.error:
                break  # the process, or what was to be put back, is gone
    if interrupted:
        raise KeyboardInterrupt


@contextmanager
def set_for(
    thread: gdb.InferiorThread, wanted: Iterable[tuple[int, Fits]]
) -> Iterator[list[Passage]]:
    made: list[Passage] = []
    try:
        for address, fits in wanted:
            made.append(Passage(address, thread, fits))
        yield made
    finally:
        surely([one.delete for one in made if one.is_valid()])


def is_locked() -> bool:
    """Do other threads stand still while one is stepped?"""
    return gdb.parameter("scheduler-locking") in ("on", "step")


@contextmanager
def others_may_run() -> Iterator[None]:
    """While a thread waits for them."""
    if not is_locked():
        yield
        return
    before = gdb.parameter("scheduler-locking")
    try:
        texts.silently("set scheduler-locking off")
        yield
    finally:
        surely([lambda: texts.silently(f"set scheduler-locking {before}")])


@contextmanager
def functions_skipped(pattern: str) -> Iterator[None]:
    """GDB's step does not stop in functions that have such names."""
    before = _skips()
    try:
        texts.silently(f"skip -rfu {pattern}")
        yield
    finally:
        made = _skips() - before
        surely([lambda: texts.silently(f"skip delete {' '.join(made)}")] if made else [])


def _skips() -> set[str]:
    text = console.output("info skip")
    return {line.split()[0] for line in text.splitlines() if line[:1].isdigit()}
