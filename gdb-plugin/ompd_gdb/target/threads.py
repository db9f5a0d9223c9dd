# SPDX-License-Identifier: Apache-2.0
"""Which native threads does GDB know, and by which ids does a runtime know them?"""

from __future__ import annotations

import sys
from typing import Callable, Collection

import gdb
from ompd_core.model.native import NativeThread

from . import machines, thread_names
from .selection import kept_selection, on_thread, selected_thread


class Threads:
    """Of one inferior. A thread's pthread id does not change while it lives: it is asked for
    once."""

    def __init__(
        self,
        inferior: gdb.Inferior,
        descriptor_size: Callable[[], int | None],
        living: Collection[int],
    ) -> None:
        """descriptor_size: of what the C library keeps of a thread; living: a core file's LWPs."""
        self._inferior, self._descriptor_size = inferior, descriptor_size
        self._living = living
        self._pthread_ids: dict[tuple[int, tuple[int, int, int]], int] = {}
        self._by_number: dict[int, gdb.InferiorThread] = {}

    def list(self) -> list[NativeThread]:
        """Sorted by GDB's number: GDB's own order differs between versions."""
        found = []
        self._by_number = {thread.num: thread for thread in self._inferior.threads()}
        with kept_selection():
            for thread in sorted(self._by_number.values(), key=lambda thread: thread.num):
                found.append(self._described(thread))
        return found

    def selected(self) -> NativeThread | None:
        thread = selected_thread()
        if thread is None:
            return None
        self._by_number[thread.num] = thread
        return self._described(thread)

    def _described(self, thread: gdb.InferiorThread) -> NativeThread:
        return NativeThread(
            num=thread.num,
            inferior=self._inferior.num,
            global_num=thread.global_num,
            ptid=thread.ptid,
            name=thread_names.own(thread),
            running=thread.is_running(),
            pthread_id=self._pthread_id(thread),
            ended=bool(self._living) and thread.ptid[1] not in self._living,
        )

    def by_number(self, num: int) -> gdb.InferiorThread | None:
        """Of the last list; None if it is gone."""
        thread = self._by_number.get(num)
        return thread if thread is not None and thread.is_valid() else None

    def _pthread_id(self, thread: gdb.InferiorThread) -> int | None:
        key = (thread.global_num, thread.ptid)
        known = self._pthread_ids.get(key)
        if known is None:
            # While a breakpoint's condition is evaluated GDB calls threads running that stand.
            known = _handle(thread) or self._from_registers(thread)
            if known:
                self._pthread_ids[key] = known
        return known

    def _from_registers(self, thread: gdb.InferiorThread) -> int | None:
        try:
            with on_thread(thread):
                frame = gdb.newest_frame()
                machine = machines.of_frame(frame)
                if machine is None:
                    return None
                registers = machines.known_registers(frame)
                return machine.thread_pointer(registers, self._descriptor_size)
        except gdb.error:
            return None


def _handle(thread: gdb.InferiorThread) -> int | None:
    """Needs a libthread_db that fits the program's libc."""
    try:
        return int.from_bytes(thread.handle(), sys.byteorder) or None
    except (gdb.error, RuntimeError):
        # GDB raises a bare RuntimeError where it has no libthread_db.
        return None
