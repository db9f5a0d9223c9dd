# SPDX-License-Identifier: Apache-2.0
"""Does GDB need help to unwind a stack? Only where a runtime is loaded.
Read at GDB's start: imports gdb alone. Called for every frame of every stack."""

from __future__ import annotations

import re

import gdb

TYPE_CHECKING = False  # without typing, which takes its time
if TYPE_CHECKING:
    from ..target import unwinding

NAME = "ompd"
_RUNTIMES = re.compile(r"(.*/)?lib(omp|iomp5|gomp)\b")


class OfConstructs:
    """As gdb.unwinder.Unwinder, which takes a module of its own."""

    name = NAME
    enabled = True  # `disable unwinder' sets it

    def __init__(self) -> None:
        self._is_needed: bool | None = None  # None: files have come or gone
        self._unwindings: dict[int, unwinding.Unwinding] = {}  # by the inferior's number

    def __call__(self, pending: gdb.PendingFrame) -> gdb.UnwindInfo | None:
        if self._is_needed is None:
            self._is_needed = _is_needed()
        if not self._is_needed:
            return None
        from ..target import unwinding

        inferior = gdb.selected_inferior()
        if inferior.num not in self._unwindings:
            self._unwindings[inferior.num] = unwinding.Unwinding(inferior)
        try:
            return self._unwindings[inferior.num].caller(pending)
        except unwinding.ERRORS:
            return None

    def forget(self, _: object) -> None:
        self._is_needed = None
        self._unwindings.clear()


def _is_needed() -> bool:
    """To ask for a frame's address takes as long as to unwind it."""
    files = [str(one.filename) for one in gdb.objfiles()]
    others = [file for file in files if not _RUNTIMES.match(file)]
    if len(others) == len(files):
        return False
    from ..target import unwind_tables

    return any(unwind_tables.has_untold_code(file) for file in others)


def register() -> None:
    """Once, also if it is called again."""
    if any(one.name == NAME for one in gdb.frame_unwinders):
        return
    made = OfConstructs()
    gdb.frame_unwinders.insert(0, made)
    gdb.invalidate_cached_frames()
    gdb.events.new_objfile.connect(made.forget)
    gdb.events.clear_objfiles.connect(made.forget)
    gdb.events.exited.connect(made.forget)
