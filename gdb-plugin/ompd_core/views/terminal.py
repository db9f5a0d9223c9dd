# SPDX-License-Identifier: Apache-2.0
"""What may go to a terminal? Nothing from the target that could steer it."""

from __future__ import annotations

DEFAULT_WIDTH = 100


def plain(text: str) -> str:
    """Without control characters: names come from the target, and a terminal obeys some of them."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )
