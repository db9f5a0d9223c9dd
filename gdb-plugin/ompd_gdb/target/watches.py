# SPDX-License-Identifier: Apache-2.0
"""Breakpoints of GDB's that no user sees."""

from __future__ import annotations

from typing import Callable

import gdb


class Watch(gdb.Breakpoint):
    """Calls `hit' when a thread comes to an address, and stops the program if that says so.

    hit only reads: GDB forbids all else while a breakpoint decides. It must not raise."""

    def __init__(self, address: int, hit: Callable[[int], bool]) -> None:
        # A decimal number is one in every language that GDB knows.
        super().__init__(f"*{address}", internal=True)
        # What is to be said about a stop is said when it has happened.
        self.silent = True
        self._address = address
        self.hit = hit

    def stop(self) -> bool:
        try:
            return self.hit(self._address)
        except KeyboardInterrupt:
            return True
