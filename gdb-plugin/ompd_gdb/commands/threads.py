# SPDX-License-Identifier: Apache-2.0
"""`ompd threads': every thread, as OpenMP sees it."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Threads(OmpdCommand):
    """Show every thread: OpenMP id, level, state, place in your code.

    Usage: ompd threads [IDS] [-all] [-wide] [-json [FILE]]

    IDS choose threads: R1 (all of region 1), R1.7, R1.0-6,8, t3 (the thread
    that executes task 3), * (all), or GDB's own thread numbers 3, 2-7, 1.3.
    Without IDS all threads are shown.

    T is GDB's number of the thread, OpenMP the region and the thread number in
    it, Level the number of nested parallel regions. Where is the innermost
    frame of your own code, and the function outside OpenMP that it has called,
    as pthread_cond_wait. Equal threads share a line.

    -all gives each thread its own line. -wide shortens nothing. -json prints a
    JSON document ("ompd/1"), or writes it to FILE; a word that could be an id
    is not taken for FILE. `--' ends the options."""

    name = "ompd threads"
    flags = ("all", "wide")
    takes_ids = True

    def run(self, arguments: Arguments) -> None:
        from ompd_core.views import threads

        from .. import session
        from . import documents, output, selecting

        wanted = selecting.parse(arguments.words)
        here = session.current()
        picture = here.picture()
        process = picture.process
        chosen = selecting.threads(process, wanted, here.inferior.num)
        picture.locate_threads()
        if arguments.json:
            from ompd_core.views import json_document

            picture.locate_regions()
            section = json_document.threads(chosen)
            output.document(arguments, documents.envelope(here, "threads", threads=section))
            return
        selected = here.selected_thread()
        style = output.style(arguments)
        found = threads.lines(process, chosen, selected.num if selected else None, style)
        output.lines(found + threads.remarks(process, here.notes(), style))
