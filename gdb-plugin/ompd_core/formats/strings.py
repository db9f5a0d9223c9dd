# SPDX-License-Identifier: Apache-2.0
"""Which text is in memory?"""

from __future__ import annotations

import os
from typing import Callable

from ..errors import Unreadable

LONGEST = 4096
STEP = 256  # bytes at a time, up to an address that it divides


def string_at(read: Callable[[int, int], bytes], address: int) -> str:
    """As far as it can be read."""
    text = b""
    while address and len(text) < LONGEST:
        step = STEP - address % STEP
        try:
            part = read(address, step)
        except Unreadable:
            break
        end = part.find(b"\0")
        if end >= 0:
            text += part[:end]
            break
        text += part
        address += step
    return os.fsdecode(text)
