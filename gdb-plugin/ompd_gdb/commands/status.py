# SPDX-License-Identifier: Apache-2.0
"""`ompd status': what is known, from where, and what is missing."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Status(OmpdCommand):
    """Show the OpenMP runtimes and where the facts come from.

    Usage: ompd status [-all] [-wide] [-json [FILE]]

    For each runtime: its version and file, how libompd learnt where it keeps
    its data, whether it records thread states, and what could not be found out
    and why.

    -all also names variables that this build of a runtime does not have.
    -wide breaks no lines. -json prints a JSON document ("ompd/1"), or writes it
    to FILE."""

    name = "ompd status"
    flags = ("all", "wide")
    hidden_flags = ("counts",)

    def run(self, arguments: Arguments) -> None:
        import gdb
        from ompd_core.errors import UserError
        from ompd_core.views import json_document, status

        from .. import session
        from . import output

        library = session.library_facts()
        section = {"library": json_document.library(library)}
        if not session.has_process():
            if arguments.json:
                document = json_document.envelope("status", 0, gdb.VERSION, [], None, [], **section)
                output.document(arguments, document)
            else:
                notes = [
                    "there is no process; start the program, attach to one, or open a core file"
                ]
                output.lines(status.status(None, library, [], notes, output.style(arguments)))
            return
        here = session.current()
        try:
            here.picture()  # what was tried is known after trying it
        except UserError as error:
            if error.code not in ("no_openmp", "not_supported", "unreadable"):
                raise
        runtimes = here.runtimes()
        if arguments.json:
            document = json_document.envelope(
                "status",
                here.stop_id,
                gdb.VERSION,
                here.notes(),
                here.program(),
                runtimes,
                **section,
            )
            output.document(arguments, document)
        else:
            style = output.style(arguments)
            output.lines(status.status(here.program(), library, runtimes, here.notes(), style))
        if "counts" in arguments.flags:
            counts = session.library().counts
            output.lines(
                [
                    f"Counts  : {counts.reads} reads, {counts.bytes} bytes,"
                    f" {counts.lookups} symbol lookups, {counts.allocations} allocations"
                ]
            )
