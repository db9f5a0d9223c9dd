# SPDX-License-Identifier: Apache-2.0
"""Who holds CPython's GIL, and who waits for it? A thread that wants it sleeps on its condition
variable for 5 ms at a time, until it has it: that is no wait that ends by itself."""

from __future__ import annotations

from functools import cached_property
from typing import Callable

from ..cpython.layouts import Layout
from ..debugger import Debugger
from ..errors import Unreadable
from ..model.glibc import Kept
from .interpreter import Interpreter

# Within the GIL (struct _gil_runtime_state). The condition variable has 48 bytes.
_HOLDER, _LOCKED, _CONDITION, _SIZE = 8, 16, 32, 48
_TAKES = "take_gil"


class Gil:
    """Of the first interpreter."""

    def __init__(self, debugger: Debugger, interpreter: Interpreter) -> None:
        self._debugger, self._interpreter = debugger, interpreter

    def waited_for(
        self, address: int, caller: str | None, owner: Callable[[int], int | None]
    ) -> Kept | None:
        """Does who sleeps on a word there wait for it? caller: the function that called the C
        library; owner: GDB's number of a pthread_t's thread. None: no."""
        try:
            base = self._base
            if base is None or not base + _CONDITION <= address < base + _CONDITION + _SIZE:
                if caller != _TAKES:
                    return None
                return Kept("gil", unknown="it is not known who holds Python's GIL")
            return self._held(base, owner)
        except (Unreadable, OverflowError):
            return None

    def _held(self, base: int, owner: Callable[[int], int | None]) -> Kept:
        layout = self._layout
        assert layout is not None
        if self._debugger.number(base + _LOCKED, 4) != 1:
            return Kept("gil", goes_on=True)
        state = self._debugger.number(base + _HOLDER, 8)
        known = owner(self._debugger.number(state + layout.thread_id, 8))
        if known is None:
            return Kept("gil", unknown="the thread that holds Python's GIL is not known")
        return Kept("gil", owner=known)

    @property
    def _layout(self) -> Layout | None:
        found = self._interpreter.found
        return found.layout if found is not None else None

    @cached_property
    def _base(self) -> int | None:
        found, layout = self._interpreter.found, self._layout
        if found is None or layout is None or layout.free_threaded:
            return None
        if layout.gil is not None:
            return found.runtime + layout.gil
        assert layout.gil_pointer is not None
        interpreter = self._debugger.number(found.runtime + layout.interpreters, 8)
        return self._debugger.number(interpreter + layout.gil_pointer, 8)
