# SPDX-License-Identifier: Apache-2.0
"""Does GDB need help to unwind a stack? Only where a runtime is loaded, and code of which the
compiler recorded nothing: GDB calls an unwinder for every frame of every stack, for which no other
program shall pay. Read at GDB's start: imports gdb and the texts alone."""

from __future__ import annotations

import re

import gdb

from .. import texts

TYPE_CHECKING = False  # without typing, which takes its time
if TYPE_CHECKING:
    from ..target import unwinding

NAME = "ompd"
_RUNTIMES = re.compile(r"(.*/)?lib(omp|iomp5|gomp)\b")

_untold: dict[str, bool] = {}  # by the file's name
_looking = False


class OfConstructs:
    """As gdb.unwinder.Unwinder, which takes a module of its own."""

    name = NAME
    enabled = True  # `disable unwinder' sets it

    def __init__(self) -> None:
        self._unwindings: dict[int, unwinding.Unwinding] = {}  # by the inferior's number

    def __call__(self, pending: gdb.PendingFrame) -> gdb.UnwindInfo | None:
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
    global _looking
    if not _looking:
        gdb.events.new_objfile.connect(_look)
        gdb.events.clear_objfiles.connect(_forget)
        _looking = True
        _look(None)


def _look(_: object) -> None:
    """Is it needed by now?"""
    if not _is_needed():
        return
    gdb.events.new_objfile.disconnect(_look)
    made = OfConstructs()
    gdb.frame_unwinders.insert(0, made)
    gdb.invalidate_cached_frames()
    gdb.events.new_objfile.connect(made.forget)
    gdb.events.clear_objfiles.connect(made.forget)
    gdb.events.exited.connect(made.forget)


def _forget(_: object) -> None:
    """Files may be made anew."""
    _untold.clear()


def _is_needed() -> bool:
    for progspace in gdb.progspaces():
        files = [str(texts.filename(one)) for one in progspace.objfiles()]
        if any(map(_RUNTIMES.match, files)) and (_keeps_link() or any(map(_is_untold, files))):
            return True
    return False


def _keeps_link() -> bool:
    """On these machines a runtime's own code in assembler is such."""
    from ..target import machines

    machine = machines.of_inferior(gdb.selected_inferior())
    return machine is not None and machine.CONVENTION.link is not None


def _is_untold(file: str) -> bool:
    if file not in _untold:
        from ompd_core.formats import untold_code

        _untold[file] = not _RUNTIMES.match(file) and untold_code.has_untold_code(file)
    return _untold[file]
