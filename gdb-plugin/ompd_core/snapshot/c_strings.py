# SPDX-License-Identifier: Apache-2.0
"""Text in the memory of a program."""

from __future__ import annotations

from ..arch.base import Read
from ..errors import Unreadable

_AT_ONCE = 64  # never beyond the page that the text is in


def c_string(read: Read, address: int, most: int) -> str | None:
    """None: there is none, or it is longer."""
    text = bytearray()
    try:
        while len(text) < most:
            at = address + len(text)
            part = read(at, _AT_ONCE - at % _AT_ONCE)
            text += part.partition(b"\0")[0]
            if b"\0" in part:
                return text.decode("utf-8", "replace")
    except (Unreadable, OverflowError):
        pass
    return None
