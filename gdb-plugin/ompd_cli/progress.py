# SPDX-License-Identifier: Apache-2.0
"""What is shown to a person who waits? One line on a terminal, gone when the work is done."""

from __future__ import annotations

import sys
import time

from ompd_core.views.terminal import plain

from . import terminal

PATIENCE = 1.0  # seconds without a word
EACH = 0.2  # seconds between two lines

_CLEAR = "\r\x1b[K"


class Progress:
    def __init__(self) -> None:
        self._began = time.monotonic()
        self._shown = 0.0  # when

    def show(self, doing: str) -> None:
        """With the time that it has taken, if that is long."""
        seconds = time.monotonic() - self._began
        if doing and seconds > PATIENCE:
            self.line(f"{doing}, {seconds:.0f} s")

    def line(self, text: str) -> None:
        now = time.monotonic()
        if now - self._shown < EACH or not terminal.obeys(sys.stderr):
            return
        self._shown = now
        # One that is broken by the terminal could not be cleared.
        line = f"ompd: {plain(text)}"[: terminal.width(sys.stderr) - 1]
        terminal.write(_CLEAR + line, sys.stderr)

    def clear(self) -> None:
        if self._shown:
            terminal.write(_CLEAR, sys.stderr)
            self._shown = 0.0
