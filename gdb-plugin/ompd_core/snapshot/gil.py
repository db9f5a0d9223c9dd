# SPDX-License-Identifier: Apache-2.0
"""Who holds CPython's GIL, and who waits for it? A thread that wants it sleeps on its condition
variable for 5 ms at a time, until it has it: that is no wait that ends by itself.

`_PyRuntime' is exported by every build, also a stripped one. CPython 3.9 to 3.12 do not tell their
layout, which all 64-bit machines have alike; since 3.13 a table of offsets begins the variable.
"""

from __future__ import annotations

from typing import Callable

from ..debugger import Debugger
from ..errors import Unreadable
from ..light_classes import NamedTuple
from ..model.glibc import Kept

# Within the GIL (struct _gil_runtime_state). The condition variable has 48 bytes.
_HOLDER, _LOCKED, _CONDITION, _SIZE = 8, 16, 32, 48
_TAKES = "take_gil"


class _Layout(NamedTuple):
    gil: int | None  # in `_PyRuntime'; None: its address is in the interpreter
    interpreters: int  # in `_PyRuntime': the first one
    pointer: int  # in an interpreter: the GIL's address
    thread_id: int  # in a thread's state: its pthread_t


_OLD = _Layout(352, 32, 0, 176)
_LAYOUTS = {9: _OLD, 10: _OLD, 11: _Layout(360, 40, 0, 152), 12: _Layout(None, 40, 384, 136)}
# Which words of the table these are, by version: the first interpreter, its GIL, and a
# thread's pthread_t.
_COOKIE = b"xdebugpy"
_WORDS = {0x30D: (5, 14, 24), 0x30E: (5, 15, 27)}


class Gil:
    """Of the first interpreter."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger
        self._layout: _Layout | None = None
        self._base: int | None = None
        self._looked = False

    def waited_for(
        self, address: int, caller: str | None, owner: Callable[[int], int | None]
    ) -> Kept | None:
        """Does who sleeps on a word there wait for it? caller: the function that called the C
        library; owner: GDB's number of a pthread_t's thread. None: no."""
        try:
            base = self._found()
            if base is None or not base + _CONDITION <= address < base + _CONDITION + _SIZE:
                if caller != _TAKES:
                    return None
                return Kept("gil", unknown="it is not known who holds Python's GIL")
            return self._held(base, owner)
        except (Unreadable, OverflowError):
            return None

    def _held(self, base: int, owner: Callable[[int], int | None]) -> Kept:
        assert self._layout is not None
        if self._debugger.number(base + _LOCKED, 4) != 1:
            return Kept("gil", goes_on=True)
        state = self._debugger.number(base + _HOLDER, 8)
        known = owner(self._debugger.number(state + self._layout.thread_id, 8))
        if known is None:
            return Kept("gil", unknown="the thread that holds Python's GIL is not known")
        return Kept("gil", owner=known)

    def _found(self) -> int | None:
        if not self._looked:
            self._looked = True
            runtime = self._debugger.symbol("_PyRuntime", None)
            self._layout = self._layout_of(runtime) if runtime is not None else None
            if runtime is not None and self._layout is not None:
                self._base = self._place(runtime, self._layout)
        return self._base

    def _place(self, runtime: int, layout: _Layout) -> int:
        if layout.gil is not None:
            return runtime + layout.gil
        interpreter = self._debugger.number(runtime + layout.interpreters, 8)
        return self._debugger.number(interpreter + layout.pointer, 8)

    def _layout_of(self, runtime: int) -> _Layout | None:
        """None: of a release that is not known, or one without a GIL."""
        if self._debugger.read(runtime, 8) != _COOKIE:
            return _LAYOUTS.get(self._minor())
        version, is_free = (self._debugger.number(runtime + at, 8) for at in (8, 16))
        words = _WORDS.get(version >> 16) if not is_free else None
        if words is None:
            return None
        first, pointer, thread_id = (self._debugger.number(runtime + 8 * at, 8) for at in words)
        return _Layout(None, first, pointer, thread_id)

    def _minor(self) -> int:
        """Of 3.x; 0: of none that is known."""
        version = self._debugger.symbol("Py_Version", None)
        if version is not None:
            number = self._debugger.number(version, 4)
            return number >> 16 & 255 if number >> 24 == 3 else 0
        if self._debugger.symbol("Py_NewRef", None) is not None:
            return 10
        return 9 if self._debugger.symbol("PyFrame_GetCode", None) is not None else 0
