# SPDX-License-Identifier: Apache-2.0
"""`ompd report': the whole state at once."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Report(OmpdCommand):
    """Show all that the ompd commands know of this stop, the verdict first.

    Usage: ompd report [FILE] [-all] [-wide] [-json [FILE]]

    Why the program died, or what is odd about it; then threads, parallel regions, stacks as one
    tree, deadlocks, locks, barriers, explicit tasks, ICVs that differ between threads, the
    runtimes, and what could not be known, with the reason. A program without OpenMP, or with a
    runtime that cannot be read, has a report too: its signal and its threads. With FILE the text is
    written there.

    -all gives equal threads, regions and tasks lines of their own. -wide shortens nothing.
    -json prints a JSON document ("ompd/1"), or writes it to a file of its own; with two files text
    and document are written, of the same moment. In a shell, the command `ompd' makes this report
    of a core file or a process."""

    name = "ompd report"
    flags = ("all", "wide")
    takes_ids = True  # here: FILE

    def run(self, arguments: Arguments) -> None:
        from .. import session
        from ..views import json_document, report
        from . import documents, output, sections

        for word in arguments.words[1:]:
            self.refuse(word)
        here = session.current()
        style = output.style(arguments)
        picture, waits, missing = sections.look(here)
        shown, made = sections.show(picture, missing, style)
        process = picture.process
        if arguments.words or not arguments.json:
            program, library = here.program(), session.library_facts()
            text = report.lines(
                process, waits, program, library, shown, missing, here.notes(), style
            )
            output.lines_to(arguments.words[0] if arguments.words else None, text)
        if arguments.json:
            document = documents.envelope(
                here,
                "report",
                findings=json_document.findings(process, waits),
                signal=json_document.signal(process),
                summary=json_document.summary(process, waits),
                library=json_document.library(session.library_facts()),
                unavailable=report.unavailable(missing),
                **made,
            )
            output.document(arguments, document)

    def complete(self, text: str, word: str) -> "list[str]":
        return super().complete(text, word) if text.rpartition(" ")[2][:1] == "-" else []
