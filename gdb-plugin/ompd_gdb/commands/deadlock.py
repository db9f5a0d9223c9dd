# SPDX-License-Identifier: Apache-2.0
"""`ompd deadlock': who waits for whom, and does it go in a circle?"""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Deadlock(OmpdCommand):
    """Tell whether threads wait for each other in a circle, and who they are.

    Usage: ompd deadlock [-watch SECONDS] [-bt] [-dot FILE] [-wide] [-json [FILE]]

    The verdict comes first: a deadlock, none found, or that it cannot be told, and why. Then each
    circle, a sentence for each thread: what it waits for, where, and who has it. Threads that wait
    for those in the circle are counted. Waits for locks, critical constructs, barriers and tasks
    count; likely is a verdict that rests on a holder which the runtime does not record (see `ompd
    locks').

    A program that is merely slow is not called deadlocked: whoever waits for a thread that does not
    wait, waits now, and no more is said.

    -watch looks twice: it lets the program run for SECONDS, stops it, and says who has gone on.
    -bt adds the stacks of the threads in the circles, as `ompd bt' shows them. -dot writes the
    graph of all waits to FILE for Graphviz. -wide shortens nothing. -json prints a JSON document
    ("ompd/1"), or writes it to FILE."""

    name = "ompd deadlock"
    flags = ("bt", "wide")
    valued = ("dot", "watch")

    def run(self, arguments: Arguments) -> None:
        from .. import session
        from ..errors import UserError
        from ..views import deadlock, json_document, threads
        from ..views.table import paragraph
        from . import documents, output, stacks

        if "watch" in arguments.values and arguments.hand_over:
            raise UserError(
                "bad_argument",
                "`-watch' lets the program run: an MI command that does has no answer.",
                "Let it run (-exec-continue, -exec-interrupt), and ask again.",
            )
        here = session.current()
        picture = here.picture()
        found, remark = picture.deadlock, ""
        if "watch" in arguments.values:
            seconds = _seconds(arguments.values["watch"])
            before, whole = found, here.run_for(seconds)
            here = session.current()
            picture = here.picture()
            found = picture.deadlock
            remark = deadlock.second_look(before, found, seconds, whole)
        if "dot" in arguments.values:
            output.file(arguments.values["dot"], deadlock.dot(found))
        if arguments.json:
            section = json_document.deadlock(found, remark)
            output.document(arguments, documents.envelope(here, "deadlock", deadlock=section))
            return
        style = output.style(arguments)
        shown = deadlock.lines(found, style)
        if remark:
            shown += paragraph(remark, style, "  ")
        output.lines(shown + threads.remarks(found.process, here.notes(), style))
        if "bt" in arguments.flags and found.stuck:
            output.lines([""])
            stacks.each(arguments, here, picture, found.stuck)


LONGEST = 3600.0


def _seconds(text: str) -> float:
    from ..errors import UserError

    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST:
        raise UserError(
            "bad_argument",
            f"`-watch' needs a number of seconds, not `{text}'.",
            f"It may be a fraction, and at most {LONGEST:.0f}.",
        )
    return seconds
