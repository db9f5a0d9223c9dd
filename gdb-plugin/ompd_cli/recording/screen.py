# SPDX-License-Identifier: Apache-2.0
"""A terminal that shows one table after the other, and hears single keys; whatever happens it is
left as it was found."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import termios
import tty
from types import FrameType
from typing import Any, Iterator, Sequence

from .. import terminal

_ENTER = "\x1b[?1049h\x1b[?25l"  # the other screen, without the cursor
_LEAVE = "\x1b[?25h\x1b[?1049l"


class Screen:
    def __init__(self) -> None:
        self._input = sys.stdin.fileno() if sys.stdin.isatty() else None
        self._usual: list[Any] | None = None

    @property
    def keys(self) -> list[int]:
        """Where they come from, if from anywhere."""
        return [] if self._input is None else [self._input]

    def read(self) -> str:
        if self._input is None:
            return ""
        with contextlib.suppress(OSError):
            return os.read(self._input, 64).decode("ascii", "ignore")
        return ""

    def enter(self) -> None:
        if self._input is not None:
            self._usual = termios.tcgetattr(self._input)
            tty.setcbreak(self._input)
        _put(_ENTER)

    def leave(self) -> None:
        _put(_LEAVE)
        if self._input is not None and self._usual is not None:
            termios.tcsetattr(self._input, termios.TCSADRAIN, self._usual)
            self._usual = None

    def draw(self, lines: Sequence[str]) -> None:
        """As many as there is room for."""
        width, height = terminal.width(sys.stdout), shutil.get_terminal_size().lines
        shown = [line[:width] for line in lines[: max(height - 1, 1)]]
        _put("\x1b[H" + "".join(f"{line}\x1b[K\n" for line in shown) + "\x1b[J")


def _put(text: str) -> None:
    terminal.write(text, sys.stdout)


@contextlib.contextmanager
def entered() -> Iterator[Screen]:
    screen = Screen()

    def suspended(number: int, _: FrameType | None) -> None:
        """Ctrl-Z: the shell gets its screen for that time."""
        screen.leave()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, suspended)
        screen.enter()

    before = signal.signal(signal.SIGTSTP, suspended)
    screen.enter()
    try:
        yield screen
    finally:
        signal.signal(signal.SIGTSTP, before)
        screen.leave()
