# SPDX-License-Identifier: Apache-2.0
"""`ompd info break': the breakpoints at OpenMP's events."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Info(OmpdCommand):
    """Show what was set by ompd commands.

    Usage: ompd info break"""

    name = "ompd info"
    prefix = True
    takes_ids = True

    def run(self, arguments: Arguments) -> None:
        from ..errors import UserError

        raise UserError("bad_argument", "`ompd info' needs a subject.", "Try `ompd info break'.")


class InfoBreak(OmpdCommand):
    """List the OpenMP breakpoints, with how often each was hit.

    Usage: ompd info break [-wide] [-json [FILE]]

    Num is GDB's own number, which `delete', `disable' and `commands' take.

    -wide shortens nothing. -json prints a JSON document ("ompd/1"), or writes it to FILE."""

    name = "ompd info break"
    flags = ("wide",)

    def run(self, arguments: Arguments) -> None:
        import gdb

        from .. import breakpoints, session
        from ..views import breakpoints as view
        from ..views import json_document
        from . import documents, output

        found = breakpoints.listed()
        if not arguments.json:
            output.lines(view.lines(found, output.style(arguments)))
            return
        section = {"breakpoints": view.document(found)}
        if session.has_process():
            document = documents.envelope(session.current(), "info break", **section)
        else:
            document = json_document.envelope("info break", 0, gdb.VERSION, [], None, [], **section)
        output.document(arguments, document)
