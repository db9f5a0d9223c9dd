# SPDX-License-Identifier: Apache-2.0
"""Is a member of a team gone only where no living thread can be it?"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, ContextManager, List

import pytest
from ompd_core.code.futex import FutexWait
from ompd_core.library.types import ViewRegion, ViewThread
from ompd_core.model.native import Frame, Location, NativeThread
from ompd_core.model.process import Membership, Process, Region
from ompd_core.snapshot.gone import Gone

RUNTIME = Frame(Location(None, objfile="/lib/libgomp.so.1"))
USER = Frame(Location("work", objfile="/bin/program"))
STARTS = Frame(Location("clone3", objfile="/lib/libc.so.6"))
NOWHERE = Frame(Location())
WORD = 7


class Stack(List[Frame]):
    whole = True


class Stopped:
    def __init__(self, stack: list[Frame]) -> None:
        self._stack = stack

    def frames(self) -> Stack:
        return Stack(self._stack)

    def registers(self, level: int) -> Callable[[str], int | None]:
        return lambda name: None


class Debugger:
    """All threads sleep on a word that has not changed."""

    def __init__(self, stacks: list[list[Frame]]) -> None:
        self._stacks = stacks
        self.machine, self.code = self, self
        self.read = None

    def futex_wait(self, registers: object, read: object) -> FutexWait:
        return FutexWait(0x10, 128, WORD, timed=False, asleep=True)

    def number(self, address: int, nbytes: int) -> int:
        return WORD

    def at(self, native: NativeThread) -> ContextManager[Stopped]:
        return contextlib.nullcontext(Stopped(self._stacks[native.num]))


class Code:
    def kind_of(self, runtime: int) -> str:
        return "gomp"

    def runtime_of(self, frame: Frame) -> int | None:
        return 0 if frame is RUNTIME else None

    def is_system(self, frame: Frame) -> bool:
        return frame is STARTS


@pytest.mark.parametrize(
    "other, gone",
    [
        ([USER, STARTS], [1]),
        ([RUNTIME, STARTS], []),
        # Made just now: what it will execute is not on its stack.
        ([STARTS], []),
        ([STARTS, NOWHERE], []),
    ],
)
def test_another_thread(other: list[Frame], gone: list[int]) -> None:
    """A nested region begins: its primary waits for one that it has made."""
    process = Process([NativeThread(n, 1, n, (1, n, 0)) for n in range(2)], [])
    region = Region(0, ViewRegion(0x10, None, "parallel", 2, 2, 2))
    primary = Membership(0, ViewThread(0, "initial"), [(region, 0)], "overhead")
    process.threads[0].openmp.append(primary)
    process.regions, region.members = [region], [process.threads[0], None]
    debugger: Any = Debugger([[RUNTIME, RUNTIME, USER, STARTS], other])
    code: Any = Code()
    Gone(process, debugger, code).settle()
    assert (region.gone, region.stays_at_start) == (gone, bool(gone))
