# SPDX-License-Identifier: Apache-2.0
"""Does GDB need help to unwind a stack? Only where a runtime is loaded.
Read at GDB's start: imports gdb alone. Called for every frame of every stack."""

from __future__ import annotations

import re
from typing import Any

import gdb
from gdb.unwinder import Unwinder, register_unwinder

NAME = "ompd"
_RUNTIMES = re.compile(r"(.*/)?lib(omp|iomp5|gomp)\b")


class OfConstructs(Unwinder):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(NAME)
        self._has_runtime: bool | None = None  # None: files have come or gone
        self._unwindings: dict[int, Any] = {}  # by the inferior's number

    def __call__(self, pending: Any) -> Any:
        if self._has_runtime is None:
            files = (str(one.filename) for one in gdb.objfiles())
            self._has_runtime = any(_RUNTIMES.match(file) for file in files)
        if not self._has_runtime:
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
        self._has_runtime = None
        self._unwindings.clear()


def register() -> None:
    """Once, also if it is called again."""
    if any(one.name == NAME for one in gdb.frame_unwinders):
        return
    made = OfConstructs()
    register_unwinder(None, made)
    gdb.events.new_objfile.connect(made.forget)
    gdb.events.clear_objfiles.connect(made.forget)
    gdb.events.exited.connect(made.forget)
