# SPDX-License-Identifier: Apache-2.0
"""What does GDB show of the frames of a thread: arguments, local variables?"""

from __future__ import annotations

import re
import time
from typing import Callable, Iterable, TypeVar

import gdb
from ompd_core import late_patterns
from ompd_core.model.process import Thread

from .. import texts
from . import arguments, console, variables
from .inferior import InferiorTarget
from .selection import on_thread, select

T = TypeVar("T")


class ShownFrames:
    """Of one process' threads."""

    def __init__(self, target: InferiorTarget) -> None:
        self._target = target

    def native(self, thread: Thread) -> gdb.InferiorThread | None:
        """None: GDB cannot look at it now."""
        if thread.native is None or thread.native.running:
            return None
        return self._target.threads.by_number(thread.native.num)

    def select(self, thread: Thread, level: int) -> bool:
        """Whether it could be done."""
        native = self.native(thread)
        if native is not None:
            select(native, level)
        return native is not None

    def arguments(self, thread: Thread, levels: Iterable[int]) -> dict[int, list[str]]:
        """By level, each as GDB shows it: i=7"""
        return self._in_frames(thread, levels, _arguments)

    def locals(self, thread: Thread, levels: Iterable[int]) -> dict[int, str]:
        """By level, what `info locals' prints."""
        return self._in_frames(thread, levels, _locals)

    def short_locals(self, thread: Thread, levels: Iterable[int], end: float) -> dict[int, str]:
        """The same, little of each; end: when nothing more is begun, by time.monotonic()."""

        def ask(frame: gdb.Frame) -> str:
            if time.monotonic() > end:
                return "(not read: the others took too long)\n"
            text = _OF_COMPILERS.sub("", _locals(frame, _SHORT)) or "No locals.\n"
            more = len(text) - LONGEST_LOCALS
            return text if more <= 0 else f"{text[:LONGEST_LOCALS]}\n({more} more characters)\n"

        return self._in_frames(thread, levels, ask)

    def _in_frames(
        self, thread: Thread, levels: Iterable[int], ask: Callable[[gdb.Frame], T]
    ) -> dict[int, T]:
        native, wanted = self.native(thread), set(levels)
        last = max(wanted, default=-1)
        found: dict[int, T] = {}
        if native is None or last < 0:
            return found
        with on_thread(native):
            try:
                frame, level = gdb.newest_frame(), 0
                while frame is not None and level <= last:
                    if level in wanted:
                        found[level] = ask(frame)
                    frame, level = frame.older(), level + 1
            except gdb.error:
                pass  # what lies further out cannot be unwound any more
        return found


def _arguments(frame: gdb.Frame) -> list[str]:
    """`set print frame-arguments' says which values are shown."""
    wanted = str(gdb.parameter("print frame-arguments"))
    # What compilers add to the code of a construct is not the user's.
    symbols = [
        symbol
        for symbol in arguments.of_frame(frame)
        if not (texts.name(symbol) or "").startswith((".", "__"))
    ]
    if wanted in ("none", "presence"):
        return ["..."] if symbols else []
    return [f"{texts.name(s)}={_shown(s, frame, wanted == 'all')}" for s in symbols]


def _shown(symbol: gdb.Symbol, frame: gdb.Frame, every: bool) -> str:
    try:
        value = symbol.value(frame)
        kind = value.type.strip_typedefs()
        if kind.code in variables.REFERENCES:
            value = value.referenced_value()
            kind = value.type.strip_typedefs()
        if kind.code in variables.SCALARS or every:
            return texts.value(value, max_elements=40)
        return "..."
    except (gdb.error, ValueError) as error:
        return "<optimized out>" if "optimized out" in str(error) else f"<{error}>"


# What clang adds to the code of a construct is not the user's: .omp.iv = 4
_OF_COMPILERS = late_patterns.compile(r"^\.[\w.]+ = .*\n", re.MULTILINE)
# What a report has room for.
_SHORT = "with print elements 64 -- with print repeats 4 -- with print max-depth 4 -- "
LONGEST_LOCALS = 2000  # characters of a frame


def _locals(frame: gdb.Frame, limits: str = "") -> str:
    frame.select()
    try:
        return console.output(f"{limits}info locals")
    except gdb.error as error:
        return f"{error}\n"
