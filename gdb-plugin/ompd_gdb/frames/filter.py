# SPDX-License-Identifier: Apache-2.0
"""Does GDB ask us about a stack? Only where a runtime is loaded: everywhere else `bt' is GDB's own.
Read at GDB's start: imports gdb, texts and the settings alone."""

from __future__ import annotations

from collections.abc import Iterable

import gdb

from .. import settings, texts

NAME = "ompd"
# Every release of LLVM's runtime defines the first, of GNU's the second. GDB finds them by this
# command in any language, and not by any function that it offers to Python.


class FrameFilter:
    """Before most others, which then see the user's frames only."""

    name = NAME
    priority = 100

    def __init__(self) -> None:
        self._images: tuple[str, ...] = ()
        self._has_runtime = False

    @property
    def enabled(self) -> bool:
        """`disable frame-filter' and `set ompd frame-filter off' are the same."""
        return settings.frame_filter() and self._is_needed()

    @enabled.setter
    def enabled(self, wanted: bool) -> None:
        settings.set_frame_filter(wanted)

    def filter(self, frames: Iterable[object]) -> Iterable[object]:
        from . import hiding

        return hiding.users(frames)

    def _is_needed(self) -> bool:
        """Looked for again when files have come or gone."""
        images = tuple(str(texts.filename(one)) for one in gdb.objfiles())
        if images != self._images:
            self._images = images
            self._has_runtime = any(map(_is_defined, _marks()))
        return self._has_runtime


def _is_defined(name: str) -> bool:
    try:
        texts.silently(f"info address {name}")
    except gdb.error:
        return False
    return True


def register() -> None:
    """A second time changes nothing that the user has seen."""
    gdb.frame_filters.setdefault(NAME, FrameFilter())


def _marks() -> "tuple[str, ...]":
    from ompd_core.runtimes import MARKS

    return MARKS
