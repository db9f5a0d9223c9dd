# SPDX-License-Identifier: Apache-2.0
"""`ompd icvs': the internal control variables."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Icvs(OmpdCommand):
    """Show the internal control variables (ICVs) that rule threads.

    Usage: ompd icvs [IDS] [-changed] [-all] [-wide] [-json [FILE]]

    Names are the specification's. Of says whose it is: the process's, or each
    task's, thread's or innermost region's; those are grouped by value, with the
    OpenMP threads for which it holds. A task's ICVs are those of the task that
    the thread executes. Lists (nthreads-var, bind-var) begin with the item for
    the next nested region. IDS choose threads, as for `ompd threads'.

    -changed shows only ICVs of tasks that differ between the threads, or from
    those of the program's initial task, outside of all regions. With what a
    program started cannot be told, so what the environment set for all is not
    called changed.

    What is not known is listed below the table, with the reason. -all repeats
    names on each line. -wide shortens nothing. -json prints a JSON document
    ("ompd/1"), or writes it to FILE."""

    name = "ompd icvs"
    flags = ("changed", "all", "wide")
    takes_ids = True

    def run(self, arguments: Arguments) -> None:
        from ompd_core.views import icvs

        from .. import session
        from . import documents, output, selecting

        wanted = selecting.parse(arguments.words)
        here = session.current()
        picture = here.picture()
        chosen = [
            t for t in selecting.threads(picture.process, wanted, here.inferior.num) if t.openmp
        ]
        found = picture.icvs(chosen)
        changed = "changed" in arguments.flags
        if arguments.json:
            section = icvs.document([icv for icv in found if icv.changed or not changed])
            output.document(arguments, documents.envelope(here, "icvs", icvs=section))
            return
        style = output.style(arguments)
        shown = (icvs.changed_lines if changed else icvs.lines)(found, chosen, style)
        output.lines(shown + icvs.notes(here.notes(), style))
