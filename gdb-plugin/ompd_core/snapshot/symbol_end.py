# SPDX-License-Identifier: Apache-2.0
"""Where does the code of a function end? Symbols tell where each begins."""

from __future__ import annotations

from ..debugger import LONGEST_FUNCTION, Code


def symbol_end(code: Code, address: int, start: int | None) -> int | None:
    """Behind an address: as far as the symbol at `start' goes, to the next one, or to the section's
    end. None: too far away."""
    known, size = 0, 16
    while code.start(address + size) == start:
        known, size = size, size * 2
        if size > LONGEST_FUNCTION:
            return None
    while size - known > 1:
        middle = (known + size) // 2
        if code.start(address + middle) == start:
            known = middle
        else:
            size = middle
    return address + size
