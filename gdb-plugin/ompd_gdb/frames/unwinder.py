# SPDX-License-Identifier: Apache-2.0
"""Does GDB need help to unwind a stack? Only where a runtime is loaded, and code of which the
compiler recorded nothing: GDB calls an unwinder for every frame of every stack, for which no other
program shall pay. Read at GDB's start: imports gdb alone."""

from __future__ import annotations

import re
from typing import Any

import gdb
from gdb.unwinder import Unwinder, register_unwinder

NAME = "ompd"
_RUNTIMES = re.compile(r"(.*/)?lib(omp|iomp5|gomp)\b")

_untold: "dict[str, bool]" = {}  # by the file's name


class OfConstructs(Unwinder):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(NAME)
        self._unwindings: dict[int, Any] = {}  # by the inferior's number

    def __call__(self, pending: Any) -> Any:
        from ..target import unwinding

        inferior = gdb.selected_inferior()
        if inferior.num not in self._unwindings:
            self._unwindings[inferior.num] = unwinding.Unwinding(inferior)
        try:
            return self._unwindings[inferior.num].caller(pending)
        except unwinding.ERRORS:
            return None

    def forget(self, _: object) -> None:
        self._unwindings.clear()


def register() -> None:
    """Once, also if it is called again."""
    if not any(one.name == NAME for one in gdb.frame_unwinders):
        gdb.events.new_objfile.connect(_look)
        gdb.events.clear_objfiles.connect(lambda _: _untold.clear())  # they may be made anew
        _look(None)


def _look(_: object) -> None:
    """Is it needed by now?"""
    if not _is_needed():
        return
    gdb.events.new_objfile.disconnect(_look)
    made = OfConstructs()
    register_unwinder(None, made)
    gdb.events.new_objfile.connect(made.forget)
    gdb.events.clear_objfiles.connect(made.forget)
    gdb.events.exited.connect(made.forget)


def _is_needed() -> bool:
    for progspace in gdb.progspaces():
        files = [str(one.filename) for one in progspace.objfiles()]
        if any(map(_RUNTIMES.match, files)) and any(map(_is_untold, files)):
            return True
    return False


def _is_untold(file: str) -> bool:
    if file not in _untold:
        from ..target import untold_code

        _untold[file] = not _RUNTIMES.match(file) and untold_code.has_untold_code(file)
    return _untold[file]
