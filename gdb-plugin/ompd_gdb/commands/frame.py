# SPDX-License-Identifier: Apache-2.0
"""`ompd frame': GDB's `frame', by the numbers of `ompd bt'."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Frame(OmpdCommand):
    """Select a frame of the stack that `ompd bt' shows.

    Usage: ompd frame [N]

    N is the number that `ompd bt' gives the frame. If it is on the stack of the
    thread that began the region, that thread is selected: `print' and `info
    locals' then work in the parent's frame, and `ompd bt', `ompd up' and `ompd
    down' still follow the stack that you came from. Without N: the number of
    the selected frame."""

    name = "ompd frame"
    gives_json = False
    takes_ids = True

    def run(self, arguments: Arguments) -> None:
        from ompd_core.errors import UserError
        from ompd_core.model.logical_stack.backtrace import USER

        from .. import session
        from . import following, output

        here = session.current()
        picture = here.picture()
        followed = following.thread(here, picture.process)
        backtrace = picture.splicer(here.depth).backtrace(followed)
        entries = following.numbered(backtrace)
        if not arguments.words:
            at, exact = following.position(here, entries)
            if not exact:
                raise UserError(
                    "no_frame", "The selected frame is hidden in `ompd bt'.", "`ompd up' leaves it."
                )
            output.lines([f"#{at} of `ompd bt'."])
            return
        word = arguments.words[0]
        if len(arguments.words) > 1 or not word.isdecimal() or len(word) > 9:
            raise UserError(
                "bad_argument", "`ompd frame' takes the number of one frame, as `ompd bt' shows it."
            )
        number = int(word)
        if number >= len(entries):
            raise UserError(
                "no_frame", f"There is no frame #{number}: `ompd bt' shows {len(entries)}."
            )
        if entries[number].kind != USER:
            near = [i for i, entry in enumerate(entries) if entry.kind == USER]
            nearest = min(near, key=lambda i: abs(i - number), default=None)
            hint = f"The nearest frame is #{nearest}." if nearest is not None else ""
            raise UserError(
                "no_frame", f"Line #{number} is a construct or a wait: it has no variables.", hint
            )
        following.go(here, picture, backtrace, entries[number])

    def complete(self, text: str, word: str) -> "list[str]":
        return []
