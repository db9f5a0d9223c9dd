# SPDX-License-Identifier: Apache-2.0
"""How is a stopped program let run for a while? Only when the user asked for just that."""

from __future__ import annotations

import threading
import time
from typing import Collection

import gdb
from ompd_core.model.moments import Watched

from .. import texts
from . import watching


def run_for(
    seconds: float, pid: int | None, words: Collection[tuple[int, int]]
) -> tuple[bool, Watched | None]:
    """Whether it ran that long: False if it stopped by itself before, or ended. And what was seen
    meanwhile. pid: of a process on this machine; None: it cannot be seen from outside."""
    begun = time.monotonic()
    watch = _Watch(seconds, pid, words)
    watch.start()
    try:
        texts.silently("continue")
    finally:
        watch.stopped.set()
        watch.join()
    return time.monotonic() - begun >= seconds, watch.seen


class _Watch(threading.Thread):
    """Interrupts the program when its time is over."""

    def __init__(self, seconds: float, pid: int | None, words: Collection[tuple[int, int]]) -> None:
        super().__init__(daemon=True)
        self.stopped = threading.Event()
        self.seen: Watched | None = None
        self._seconds, self._pid, self._words = seconds, pid, words

    def run(self) -> None:
        if self._pid is not None:
            self.seen = watching.watch(self._pid, self._seconds, self.stopped, self._words)
        else:
            self.stopped.wait(self._seconds)
        if not self.stopped.is_set():
            gdb.post_event(_interrupt)


def _interrupt() -> None:
    try:
        if any(thread.is_running() for thread in gdb.selected_inferior().threads()):
            texts.silently("interrupt")
    except gdb.error:
        pass  # it has just ended
