# SPDX-License-Identifier: Apache-2.0
"""What is a frame called that the user sees?"""

from __future__ import annotations

from collections import Counter
from typing import Any, Callable, Iterable, Iterator

import gdb
from gdb.FrameDecorator import FrameDecorator, FrameVars
from ompd_core import abi
from ompd_core.model.naming import (
    NAMELESS,
    is_outlined,
    of_fortran,
    users_function,
    without_parameters,
)
from ompd_core.model.native import Frame, Location

from .. import texts
from ..target import arguments

# Nothing of what the user wrote called it, or it has no name.
IN_RUNTIME = "<in the OpenMP runtime>"
# As `ompd bt' says it.
_WORDS = {
    "workshare": "barrier, implicit",
    "region": "barrier, implicit",
    "lock": "lock wait",
    "nest_lock": "nest lock",
}


def users(item: Any, frame: Frame) -> Any:
    """Code of a construct has the name of the function that the user wrote it in, Fortran's main
    program and procedures those that he gave them."""
    name = frame.location.function
    if name is None:
        return item
    if not is_outlined(name):
        return item if of_fortran(name) == name else Named(item, of_fortran(name))
    users_name = users_function(name) or frame.holder or NAMELESS
    return Outlined(item, without_parameters(users_name))


def entry(item: Any, frame: Frame, called: bool) -> Any:
    """The runtime's frame that stands for all that are above it. called: by the user's code."""
    return Entry(item, _waits(frame) if called and frame.location.function else IN_RUNTIME)


def _waits(frame: Frame) -> str | None:
    """What the user wrote that called it. None: just this name."""
    name = abi.normal(frame.location.function or "")
    if name in abi.FORKS:
        return "<teams>" if "teams" in name else "<parallel>"
    if name in abi.TARGETS:
        return f"<{abi.TARGETS[name].construct}>"
    kind = abi.WAITS.get(name)
    if kind is None or name.startswith("omp_"):
        return None
    return f"<{_WORDS.get(kind, kind)}>"


def _is_compilers(variable: Any) -> bool:
    """What compilers add to the code of a construct."""
    symbol = variable.symbol()
    name = symbol if isinstance(symbol, str) else texts.name(symbol)
    return (name or "").startswith((".", "__"))


class Printable(FrameDecorator):
    """GDB ends the whole stack at a name that it cannot make text of, or print."""

    def function(self) -> Any:
        frame = self.inferior_frame()
        try:
            found = _printable(super().function)
            # What has no name is an address, from GDB 15 on these marks; `bt' has two.
            is_marked = isinstance(found, int) or found == "???"
            return "??" if is_marked and texts.function(frame) is None else found
        except (UnicodeError, LookupError):
            return frame.pc()  # GDB finds the name's bytes by itself

    def filename(self) -> Any:
        try:
            return _printable(super().filename)
        except (UnicodeError, LookupError):
            return None

    # GDB asks for the file's name in these too.
    def line(self) -> Any:
        try:
            return super().line()
        except (UnicodeError, LookupError):
            return self.inferior_frame().find_sal().line

    def frame_args(self) -> Any:
        frame = self.inferior_frame()
        try:
            found = super().frame_args()
        except (UnicodeError, LookupError):
            found = FrameVars(frame).fetch_frame_args()
        return found and _in_frame([_meant(one, frame) for one in found], frame)

    def frame_locals(self) -> Any:
        frame = self.inferior_frame()
        try:
            found = super().frame_locals()
        except (UnicodeError, LookupError):
            found = FrameVars(frame).fetch_frame_locals()
        return found and _in_frame(_of_function(found, frame), frame)


class _Meant:
    """An argument's name, as GDB asks for it."""

    def __init__(self, symbol: gdb.Symbol) -> None:
        self._symbol = symbol

    def symbol(self) -> gdb.Symbol:
        return self._symbol

    def value(self) -> None:
        """GDB reads it."""


def _meant(argument: Any, frame: gdb.Frame) -> Any:
    symbol = argument.symbol()
    if not isinstance(symbol, gdb.Symbol):
        return argument
    meant = arguments.meant(symbol, frame)
    return argument if meant is symbol else _Meant(meant)


def _of_function(variables: Iterable[Any], frame: gdb.Frame) -> list[Any]:
    """GDB goes on to the function around gcc's code of a construct, and reads its variables in the
    frame of that code. They come last."""
    left = Counter(texts.name(symbol) for symbol in arguments.within_function(frame))
    kept = []
    for one in variables:
        symbol = one.symbol()
        if isinstance(symbol, gdb.Symbol):
            if not left[texts.name(symbol)]:
                continue
            left[texts.name(symbol)] -= 1
        kept.append(one)
    return kept


def _in_frame(variables: Iterable[Any], frame: gdb.Frame) -> Iterator[Any]:
    """While GDB prints them one by one: the bounds of Fortran's arrays it reads in the selected
    frame only."""
    selected = gdb.selected_frame()
    frame.select()
    try:
        yield from variables
    finally:
        selected.select()


def _printable(ask: Callable[[], Any]) -> Any:
    found = texts.of(ask)
    return texts.printable(found) if isinstance(found, str) else found


class Named(FrameDecorator):
    def __init__(self, item: Any, name: str) -> None:
        super().__init__(item)
        self._name = name

    def function(self) -> str:
        return texts.printable(self._name)


class Outlined(Named):
    def frame_args(self) -> Any:
        return _without_compilers(super().frame_args())

    def frame_locals(self) -> Any:
        return _without_compilers(super().frame_locals())


def _without_compilers(variables: Any) -> Any:
    if variables is None:
        return None
    return (one for one in variables if not _is_compilers(one))


class Interpreted(Named):
    """A frame that an interpreter executes: of several there, each has that frame's number."""

    def __init__(self, item: Any, place: Location) -> None:
        super().__init__(item, place.function or NAMELESS)
        self._place = place

    def address(self) -> None:
        return None

    def filename(self) -> str | None:
        return texts.printable(self._place.file) if self._place.file else None

    def line(self) -> int | None:
        return self._place.line

    def frame_args(self) -> None:
        return None

    def frame_locals(self) -> None:
        return None


class Entry(FrameDecorator):
    """What the frame holds is the runtime's business."""

    def __init__(self, item: Any, name: str | None) -> None:
        super().__init__(item)
        self._name = name

    def function(self) -> Any:
        return self._name or super().function()

    def filename(self) -> Any:
        return super().filename() if self._name is None else None

    def line(self) -> Any:
        return super().line() if self._name is None else None

    def frame_args(self) -> None:
        return None

    def frame_locals(self) -> None:
        return None
