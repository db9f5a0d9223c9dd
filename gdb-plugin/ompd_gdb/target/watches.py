# SPDX-License-Identifier: Apache-2.0
"""Breakpoints of GDB's that no user sees."""

from __future__ import annotations

from typing import Callable

import gdb

from .. import texts

_all: list[Watch] = []
_connected: list[bool] = []


class Watch(gdb.Breakpoint):
    """Calls `hit' when a thread comes to an address, and stops the program if that says so.

    hit only reads: GDB forbids all else while a breakpoint decides."""

    thread: int | None  # GDB's own: which is seen; None: all

    def __init__(self, address: int, hit: Callable[[int], bool]) -> None:
        language = gdb.parameter("language")
        try:
            if language == "unknown":
                raise gdb.error("It has no expressions: of one GDB 10 dies.")
            super().__init__(f"*{address}", internal=True)
        except gdb.error:
            # Not every language has numbers of this size.
            texts.silently("set language c")
            try:
                super().__init__(f"*{address}", internal=True)
            finally:
                texts.silently(f"set language {language}")
        # What is to be said about a stop is said when it has happened.
        self.silent = True
        self._address = address
        self.hit = hit
        self._only: int | None = None  # as `thread', for which GDB need not be asked
        self.why = ""  # it stopped the program though it could not decide
        self._progspace = gdb.current_progspace()
        if not _connected:
            gdb.events.clear_objfiles.connect(_cleared)
            _connected.append(True)
        _all.append(self)

    def delete(self) -> None:
        super().delete()
        if self in _all:
            _all.remove(self)

    def see_only(self, thread: int) -> None:
        """Of the others GDB makes nothing: no Python, which is what a passage costs us.
        thread: GDB's number."""
        try:
            self.thread = self._only = thread
        except RuntimeError:
            self._only = None  # it has ended

    def see_all(self) -> None:
        self.thread = self._only = None

    def sees(self, thread: int | None) -> bool:
        return self._only in (None, thread)

    def is_in(self, progspace: gdb.Progspace) -> bool:
        return self._progspace == progspace

    def stop(self) -> bool:
        try:
            return self.hit(self._address)
        except KeyboardInterrupt:
            self.why = "It was interrupted while a breakpoint decided whether to stop."
        except Exception as error:
            self.why = f"A breakpoint failed by a defect of its own: {error!r}."
        return True


def _cleared(event: gdb.Event) -> None:
    """After exec() nothing is at their addresses, and GDB could not insert them."""
    for one in [one for one in _all if one.is_in(event.progspace)]:
        if one.is_valid():
            one.delete()
