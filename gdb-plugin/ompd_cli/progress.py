# SPDX-License-Identifier: Apache-2.0
"""What is shown to a person who waits? One line on a terminal, gone when the work is done."""

from __future__ import annotations

import sys
import time

from ompd_core.views.terminal import plain

PATIENCE = 1.0  # seconds without a word


class Progress:
    def __init__(self) -> None:
        self._began = time.monotonic()
        self._shown = False

    def show(self, doing: str) -> None:
        seconds = time.monotonic() - self._began
        if doing and seconds > PATIENCE and sys.stderr.isatty():
            print(f"\r\x1b[Kompd: {plain(doing)}, {seconds:.0f} s", end="", file=sys.stderr)
            sys.stderr.flush()
            self._shown = True

    def clear(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr)
            sys.stderr.flush()
            self._shown = False
