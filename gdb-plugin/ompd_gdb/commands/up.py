# SPDX-License-Identifier: Apache-2.0
"""`ompd up': GDB's `up', along the stack that `ompd bt' shows."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Up(OmpdCommand):
    """Select the next frame further out, also on another's stack.

    Usage: ompd up [N]

    Frames of the runtime and constructs are passed over. N: so many frames."""

    name = "ompd up"
    outwards = True
    gives_json = False
    takes_ids = True

    def run(self, arguments: Arguments) -> None:
        from .. import session
        from . import following

        following.move(session.current(), arguments.words, self.name, self.outwards)

    def complete(self, text: str, word: str) -> "list[str]":
        return []
