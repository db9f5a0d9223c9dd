# SPDX-License-Identifier: Apache-2.0
"""`ompd parallel': the tree of parallel regions."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Parallel(OmpdCommand):
    """Show the tree of parallel regions that are active.

    Usage: ompd parallel [ID] [-all] [-wide] [-json [FILE]]

    For each region: the construct that began it (function, file, line; with a
    ? if that is only likely, as notes below say), its number of threads,
    whether it is serialized or part of a league, and the GDB threads in it.
    Equal regions share a line. With ID, a region such as R2 or a
    thread such as R2.1 or 3: all about that region, also the work-sharing loops
    that its threads are in, and which iterations each of them has.

    -all gives each region its own line. -wide breaks no lines. -json prints a
    JSON document ("ompd/1"), or writes it to FILE; a word that could be an id
    is not taken for FILE. `--' ends the options."""

    name = "ompd parallel"
    flags = ("all", "wide")
    takes_ids = True

    def run(self, arguments: Arguments) -> None:
        from ompd_core.views import parallel, threads

        from .. import session
        from . import documents, output, selecting

        wanted = selecting.parse(arguments.words)
        here = session.current()
        picture = here.picture()
        picture.locate_regions()
        process = picture.process
        chosen = selecting.regions(process, wanted, here.inferior.num)
        picture.locate_loops(chosen)
        if arguments.json:
            from ompd_core.views import json_document

            section = json_document.regions(chosen or process.regions)
            output.document(arguments, documents.envelope(here, "parallel", regions=section))
            return
        style = output.style(arguments)
        if chosen:
            for region in chosen:
                output.lines(parallel.detail(region, style))
        else:
            roots = [region for region in process.regions if region.parent is None]
            unsure = [thread for thread in process.threads if thread.unsure]
            output.lines(parallel.lines(roots, unsure, style))
        output.lines(threads.remarks(process, here.notes(), style))
