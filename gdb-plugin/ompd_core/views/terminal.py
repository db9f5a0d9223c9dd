# SPDX-License-Identifier: Apache-2.0
"""What may go to a terminal? Nothing from the target that could steer it."""

from __future__ import annotations

from .. import late_patterns

DEFAULT_WIDTH = 100
_UNDECODED = late_patterns.compile("[\udc80-\udcff]+")


def plain(text: str) -> str:
    """Without control characters: names come from the target, and a terminal obeys some of them."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in readable(text)
    )


def readable(text: str) -> str:
    """Bytes of a name that were no text where it was read are UTF-8, or are shown as \\xfc."""
    return _UNDECODED.sub(lambda found: _decoded(found.group()), text)


def _decoded(surrogates: str) -> str:
    return surrogates.encode("ascii", "surrogateescape").decode("utf-8", "backslashreplace")
