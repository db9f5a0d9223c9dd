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
    gives_json = False
    takes_ids = True

    def run(self, arguments: Arguments) -> None:
        from ompd_core.errors import UserError

        raise UserError("bad_argument", "`ompd info' needs a subject.", "Try `ompd info break'.")


class InfoBreak(OmpdCommand):
    """List the OpenMP breakpoints, with how often each was hit.

    Usage: ompd info break [-wide] [-json [FILE]]

    Num is GDB's own number, which `delete', `disable' and `commands' take.

    -wide shortens nothing. -json prints a JSON document ("ompd/1"), or writes
    it to FILE."""

    name = "ompd info break"
    flags = ("wide",)

    def run(self, arguments: Arguments) -> None:
        from ompd_core.views import breakpoints as view

        from .. import breakpoints
        from . import documents, output

        found = breakpoints.listed()
        if arguments.json:
            section = view.document(found)
            output.document(arguments, documents.anywhere("info break", breakpoints=section))
            return
        output.lines(view.lines(found, output.style(arguments)))
