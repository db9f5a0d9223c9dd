# SPDX-License-Identifier: Apache-2.0
"""`ompd locks': who holds, who waits."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Locks(OmpdCommand):
    """Show the locks and critical constructs that are held or waited for.

    Usage: ompd locks [-wide] [-json [FILE]]

    For each: its name (the variable's, the critical construct's, else an address), what it is and
    how the runtime makes it (KMP_LOCK_KIND), who holds it and where it was acquired, and who waits,
    in the order of the queue where the runtime keeps one.

    libomp records the holder of nestable locks, and of all locks with KMP_CONSISTENCY_CHECK=all.
    Of others the holder is told by the code, and called likely: a thread that is between the
    construct's begin and its end, whichever way it came. Where the code does not tell: `?'.

    -wide shortens nothing. -json prints a JSON document ("ompd/1"), or writes it to FILE."""

    name = "ompd locks"
    flags = ("wide",)

    def run(self, arguments: Arguments) -> None:
        from .. import session
        from ..views import json_document, locks, threads
        from . import documents, output

        here = session.current()
        found = here.picture().locks
        if arguments.json:
            section = json_document.locks(found)
            output.document(arguments, documents.envelope(here, "locks", locks=section))
            return
        style = output.style(arguments)
        shown = locks.lines(found, style)
        output.lines(shown + threads.remarks(found.process, here.notes(), style))
