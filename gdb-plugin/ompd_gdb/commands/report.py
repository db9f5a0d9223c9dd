# SPDX-License-Identifier: Apache-2.0
"""`ompd report': the whole state at once."""

from __future__ import annotations

import time

from .arguments import Arguments
from .base import OmpdCommand


class Report(OmpdCommand):
    """Show all that is known of this stop, the verdict first.

    Usage: ompd report [FILE] [-html FILE] [-locals] [-all] [-wide]
               [-json [FILE]]

    Why the program died, or what is odd about it; where nothing is, what holds
    it back: few processors for many threads, a control group's limit, a team
    that waits for few of its threads. Then threads, parallel regions, stacks as
    one tree, deadlocks, locks, barriers, explicit tasks, ICVs that differ
    between threads, OpenMP's variables in the environment, the runtimes, and
    what could not be known, with the reason. A program without OpenMP, or with
    a runtime that cannot be read, has a report too: its signal and its threads.
    With FILE the text is written there.

    -locals adds local variables of odd threads: the one that crashed or that a
    signal came to, those of a deadlock or at different barriers, some of a
    program that stands still. Little is shown of each, and after 10 seconds no
    more is begun. -all gives equal threads, regions and tasks lines of their
    own. -wide shortens nothing.
    -html writes one page for a browser to its FILE, which needs nothing else:
    the same with pictures, to fold and to search. -json prints a JSON document
    ("ompd/1"), or writes it to a file of its own. Several files are of the same
    moment. In a shell, the command `ompd' makes this report of a core file or a
    process."""

    name = "ompd report"
    flags = ("all", "locals", "wide")
    hidden_flags = ("verdict",)  # of the JSON document this alone: for who wants the text
    valued = ("html",)
    takes_ids = True  # here: FILE

    def run(self, arguments: Arguments) -> None:
        from ompd_core.views import json_document, report

        from .. import session
        from . import documents, output, sections

        for word in arguments.words[1:]:
            self.refuse(word)
        here = session.current()
        style = output.style(arguments)
        picture, judgement, missing = sections.look(here)
        page = arguments.values.get("html")
        as_text = bool(arguments.words) or not (arguments.json or page)
        as_json = bool(page) or arguments.json and "verdict" not in arguments.flags
        shown, made = sections.show(picture, missing, style, arguments.flags, as_text, as_json)
        assessment = picture.assessment(judgement)
        if as_text:
            program, library = here.program(), session.library_facts()
            text = report.lines(assessment, program, library, shown, missing, here.notes(), style)
            output.lines_to(arguments.words[0] if arguments.words else None, text)
        if arguments.json or page:
            document = documents.envelope(
                here,
                "report",
                findings=json_document.findings(assessment),
                signal=json_document.signal(picture.process),
                summary=json_document.summary(assessment),
                library=json_document.library(session.library_facts()),
                unavailable=report.unavailable(missing),
                made=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                **made,
            )
            if page:
                from ompd_core.views import html

                output.file(page, html.page(document))
            if arguments.json:
                output.document(arguments, document)

    def complete(self, text: str, word: str) -> "list[str]":
        return super().complete(text, word) if text.rpartition(" ")[2][:1] == "-" else []
