# SPDX-License-Identifier: Apache-2.0
"""Who has called an entry point of the runtime's?"""

from __future__ import annotations

from typing import Container, Iterator

import gdb
from ompd_core.debugger import MOST_FRAMES
from ompd_core.light_classes import NamedTuple
from ompd_core.model import where
from ompd_core.model.native import Frame

from .. import texts
from . import machines
from .inferior import InferiorTarget
from .selection import kept_selection, on_thread


class UnderWay(NamedTuple):
    """A call that a thread has not come back from."""

    ptid: tuple[int, int, int]
    name: str
    back: int  # where it comes back to
    stack: int  # the stack pointer there


class Calls:
    """Of one process, by the address that a call returns to. Answers are kept."""

    def __init__(self, target: InferiorTarget, code: where.CodeMap) -> None:
        self._target = target
        self._code = code
        self._inner: dict[int, bool] = {}
        self._runtimes: dict[int, bool] = {}

    def is_runtime(self, address: int) -> bool:
        if address not in self._runtimes:
            place = self._target.code.location(address)
            frame = Frame(place)
            found = self._code.is_runtime(frame) or self._code.is_offload_runtime(frame)
            self._runtimes[address] = found
        return self._runtimes[address]

    def under_way(self, names: Container[str]) -> Iterator[UnderWay]:
        """Calls of entry points with these names, from outside of the runtime; of each thread the
        outermost first."""
        with kept_selection():
            for thread in gdb.selected_inferior().threads():
                if thread.is_running():
                    continue
                with on_thread(thread):
                    found = list(self._on_stack(thread, names))
                yield from reversed(found)

    def _on_stack(self, thread: gdb.InferiorThread, names: Container[str]) -> Iterator[UnderWay]:
        try:
            frame = gdb.newest_frame()
            for _ in range(MOST_FRAMES):
                older = frame.older()
                if older is None:
                    break
                name = texts.function(frame)
                if name is not None and name in names and not self.is_runtime(older.pc()):
                    stack = machines.stack_pointer(older)
                    yield UnderWay(thread.ptid, name, older.pc(), stack)
                frame = older
        except gdb.error:
            pass  # the rest of its stack cannot be unwound

    def is_inner(self, back: int) -> bool:
        """Entry points call each other. A jump at the end of the user's function also returns to
        the runtime: to where that was called by its address."""
        if back not in self._inner:
            machine = self._target.machine
            called = machine.direct_call(self._target.read, back) if machine else None
            self._inner[back] = (
                called is not None and self.is_runtime(back) and self.is_runtime(called)
            )
        return self._inner[back]
