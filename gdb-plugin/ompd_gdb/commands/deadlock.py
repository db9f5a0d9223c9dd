# SPDX-License-Identifier: Apache-2.0
"""`ompd deadlock': who waits for whom, and does it go in a circle?"""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Deadlock(OmpdCommand):
    """Tell whether threads wait for each other in a circle.

    Usage: ompd deadlock [-watch SECONDS] [-bt] [-dot FILE] [-all] [-wide]
                         [-json [FILE]]

    The verdict comes first: a deadlock, what is never released, none, or that
    it cannot be told, and why. Then each circle, a sentence for each thread:
    what it waits for, where, and who has it. Threads that wait for those in the
    circle are counted. Waits for locks, critical constructs, barriers, tasks
    and turns in ordered count; likely is a verdict that rests on a holder which
    the runtime does not record (see `ompd locks').

    Outside of OpenMP count the waits for mutexes, for writers of read-write
    locks and for the end of a thread (std::mutex::lock, pthread_join; the GNU C
    library's, on x86-64), also of threads that are none of OpenMP's. Never
    released is a mutex whose owner has ended, and a lock that nobody is about
    to unset (see `ompd locks').

    Where all threads of the process sleep until another one wakes them, and no
    signal's handler, no other process and no io_uring can, nobody goes on any
    more, whatever it is that they wait for. `ompd pid' and `ompd job' see that
    before they stop the process. Of a core file it is likely at most, and told
    where a thread waits in a region: handlers of signals are not in it.

    A program that is merely slow is not called deadlocked: threads that were
    just given their lock, or let go from their barrier, do not wait, and
    whoever waits for a thread that can go on, waits now, and no more is said.
    Where nobody is seen to go on, and the picture proves no circle, one look
    cannot tell.

    -watch looks twice: it lets the program run for SECONDS, stops it, and says
    who has gone on. Not places are compared, but what moves: the locks' words
    and queues, the barriers' and the tasks' counters, and, of a process on this
    machine, processor time and context switches. -bt adds the stacks of the
    threads in the circles, as `ompd bt' shows them. -dot writes the graph of
    all waits to FILE for Graphviz. Threads that are awaited at the same place
    by alike threads share a sentence; -all gives each its own. -wide shortens
    nothing. -json prints a JSON document ("ompd/1"), or writes it to FILE."""

    name = "ompd deadlock"
    flags = ("bt", "all", "wide")
    valued = ("dot", "watch")

    def run(self, arguments: Arguments) -> None:
        from ompd_core.errors import UserError
        from ompd_core.views import deadlock, threads

        from .. import session
        from . import documents, output, stacks

        if "watch" in arguments.values and arguments.hand_over:
            raise UserError(
                "bad_argument",
                "`-watch' lets the program run: an MI command that does has no answer.",
                "Let it run (-exec-continue, -exec-interrupt), and ask again.",
            )
        here = session.current()
        if "watch" in arguments.values:
            here.watch_for(_seconds(arguments.values["watch"]))
            here = session.current()
        picture = here.picture()
        judgement = picture.judgement()
        found = judgement.waits
        if "dot" in arguments.values:
            output.file(arguments.values["dot"], deadlock.dot(found))
        if arguments.json:
            from ompd_core.views import json_document

            section = json_document.deadlock(judgement)
            output.document(arguments, documents.envelope(here, "deadlock", deadlock=section))
            return
        style = output.style(arguments)
        shown = deadlock.lines(judgement, style)
        output.lines(shown + threads.remarks(found.process, here.notes(), style))
        if "bt" in arguments.flags and found.stuck:
            output.lines([""])
            stacks.each(arguments, here, picture, found.stuck)


LONGEST = 3600.0


def _seconds(text: str) -> float:
    from ompd_core.errors import UserError

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
