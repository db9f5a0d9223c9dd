# SPDX-License-Identifier: Apache-2.0
"""`ompd': one screen about the program's OpenMP state."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Ompd(OmpdCommand):
    """Show the program's OpenMP state on one screen.

    Usage: ompd [-json [FILE]]

    What is odd comes first, then a line for each OpenMP runtime, then what the
    threads do and what holds them back, and last the command to type next. The
    program needs no preparation; a core file will do.

    Ids: R1 is a parallel region and R1.7 the OpenMP thread 7 in it. They are
    numbered anew at each stop. T1 is GDB's thread 1.

    -json prints a JSON document ("ompd/1"), or writes it to FILE."""

    name = "ompd"
    prefix = True
    takes_ids = True  # so that an unknown subcommand gets a sentence of its own

    def run(self, arguments: Arguments) -> None:
        from ompd_core.errors import UserError
        from ompd_core.views import status

        from .. import session
        from . import documents, output

        if arguments.words:
            raise UserError(
                "bad_argument",
                f"There is no command `ompd {arguments.words[0]}'.",
                "`help ompd' lists the commands.",
            )
        here = session.current()
        picture = here.picture()
        assessment = picture.assessment(picture.judgement())
        if arguments.json:
            from ompd_core.views import json_document

            section = json_document.summary(assessment)
            output.document(arguments, documents.envelope(here, "ompd", summary=section))
        else:
            output.lines(status.summary(assessment, here.notes(), output.style(arguments)))

    def complete(self, text: str, word: str) -> "list[str]":
        return super().complete(text, word) if text.startswith("-") else []
