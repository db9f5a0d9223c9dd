# SPDX-License-Identifier: Apache-2.0
"""`ompd barriers': who has arrived, who is missing."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Barriers(OmpdCommand):
    """Show at which barriers threads wait, and who is missing.

    Usage: ompd barriers [-wide] [-json [FILE]]

    For each region: the barrier (explicit, or the implicit one at the end of a
    construct or of the region), the numbers of the threads that have arrived
    and of those that are missing, and below, what the missing ones do instead:
    they work, are in a call of a function outside OpenMP, wait for something
    else, are in a region inside, or gone. Threads of one region that wait at
    different barriers are pointed out: as a rule that is an error of the
    program.

    gcc's code is the same at an explicit barrier and at the end of a `single',
    of a loop with a static schedule and of a reduction, and has no line at
    these ends: `barrier near heat.c:32' can be any of them, and the line that
    of the code before it.

    -wide shortens nothing. -json prints a JSON document ("ompd/1"), or writes
    it to FILE."""

    name = "ompd barriers"
    flags = ("wide",)

    def run(self, arguments: Arguments) -> None:
        from ompd_core.views import barriers, threads

        from .. import session
        from . import documents, output

        here = session.current()
        picture = here.picture()
        judgement = picture.judgement()
        if arguments.json:
            from ompd_core.views import json_document

            section = json_document.barriers(judgement.barriers)
            output.document(arguments, documents.envelope(here, "barriers", barriers=section))
            return
        style = output.style(arguments)
        shown = barriers.lines(judgement, style)
        output.lines(shown + threads.remarks(picture.process, here.notes(), style))
