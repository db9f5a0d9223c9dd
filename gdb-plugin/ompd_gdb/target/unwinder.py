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
    from . import unwinding

NAME = "ompd"
_RUNTIMES = re.compile(r"(.*/)?lib(omp|iomp5|gomp)\b")

_untold: dict[str, bool] = {}  # by the file's name
_with_runtime: set[gdb.Progspace] = set()
_looking = False
_made: OfConstructs | None = None


class OfConstructs:
    """As gdb.unwinder.Unwinder, which takes a module of its own."""

    name = NAME
    enabled = True  # `disable unwinder' sets it

    def __init__(self) -> None:
        self._unwindings: dict[int, unwinding.Unwinding] = {}  # by the inferior's number

    def __call__(self, pending: gdb.PendingFrame) -> gdb.UnwindInfo | None:
        from . import unwinding

        inferior = gdb.selected_inferior()
        if inferior.num not in self._unwindings:
            self._unwindings[inferior.num] = unwinding.Unwinding(inferior)
        try:
            return self._unwindings[inferior.num].caller(pending)
        except unwinding.ERRORS:
            return None

    def has_followed(self, pc: int, stack: int) -> bool:
        """A frame of the selected inferior's."""
        of_inferior = self._unwindings.get(gdb.selected_inferior().num)
        return of_inferior is not None and (pc, stack) in of_inferior.followed

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


def _look(event: gdb.NewObjFileEvent | None) -> None:
    """Is it needed by now? A process may have hundreds of files, which come one by one."""
    if not (_is_needed() if event is None else _is_needed_for(event.new_objfile)):
        return
    help_from_now_on()


def help_from_now_on() -> bool:
    """Also where no file told that it is needed: a stack does. False: it helps already."""
    global _made
    if _made is not None:
        return False
    _made = OfConstructs()
    if _looking:
        gdb.events.new_objfile.disconnect(_look)
    gdb.frame_unwinders.insert(0, _made)
    gdb.invalidate_cached_frames()
    gdb.events.new_objfile.connect(_made.forget)
    gdb.events.clear_objfiles.connect(_made.forget)
    gdb.events.exited.connect(_made.forget)
    return True


def has_followed(pc: int, stack: int) -> bool:
    """Was the frame there, with this stack pointer, followed by its code to where it returns?"""
    return _made is not None and _made.enabled and _made.has_followed(pc, stack)


def _forget(_: object) -> None:
    """Files may be made anew."""
    _untold.clear()
    _with_runtime.clear()


def _is_needed() -> bool:
    return any(_is_needed_for(one) for space in gdb.progspaces() for one in space.objfiles())


def _is_needed_for(objfile: gdb.Objfile) -> bool:
    """Now that it is there."""
    space, files = objfile.progspace, [objfile]
    if is_runtime(str(texts.filename(objfile))):
        _with_runtime.add(space)
        files = space.objfiles()
    if space not in _with_runtime:
        return False
    return _keeps_link() or any(_is_untold(str(texts.filename(one))) for one in files)


def is_runtime(file: str) -> bool:
    return _RUNTIMES.match(file) is not None


def _keeps_link() -> bool:
    """On these machines a runtime's own code in assembler is such."""
    from . import machines

    machine = machines.of_inferior(gdb.selected_inferior())
    return machine is not None and machine.CONVENTION.link is not None


def _is_untold(file: str) -> bool:
    if file not in _untold:
        from ompd_core.formats import untold_code

        _untold[file] = not is_runtime(file) and untold_code.has_untold_code(file)
    return _untold[file]
