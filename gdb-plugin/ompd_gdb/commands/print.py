# SPDX-License-Identifier: Apache-2.0
"""`ompd print': one expression in many threads."""

from __future__ import annotations

from .arguments import Arguments
from .raw import RawCommand


class Print(RawCommand):
    """Print an expression in each thread of the team, grouped by value.

    Usage: ompd print [-all] [-where] [IDS] [--] [/FORMAT] EXPRESSION
               [-json [FILE]]

    The expression is evaluated in the innermost frame of your own code, in each
    thread of the region that the selected thread is in or, if it is in none, in
    all OpenMP threads. IDS choose other threads, as for `ompd threads'. An
    expression that begins like an id, a number for instance, goes behind `--'.
    FORMAT is one of GDB's letters, as in `print/x'.

    What that frame does not have, or what was optimised out there, is looked up
    frame by frame outwards, to the code of the construct, and then in the frame
    that began the region, and marked so: it is that frame's variable, as it is
    now. Of a threadprivate variable it is each thread's own copy. A variable of
    another file comes last, with the file's name.

    The program does not run meanwhile. Where the expression calls a function in
    it, other threads are held; `set may-call-functions off' forbids it.

    A variable is shared if it has one address in all threads, private if each
    has another (threadprivate: a global one, reduction: its part of one).
    Nothing is said where that is not certain, as of a reference, or of gcc's
    copies of variables that are shared.

    -where shows where each thread is. -all gives each thread its own line.
    -json prints a JSON document ("ompd/1"), or writes it to FILE."""

    name = "ompd print"
    flags = ("all", "where")
    what = "an expression"
    completes = "print"
    gives_json = True

    def run(self, arguments: Arguments) -> None:
        from ompd_core.views import values

        from .. import session
        from . import documents, output, selecting

        here = session.current()
        picture = here.picture()
        chosen = selecting.team(here, picture.process, selecting.parse(arguments.words))
        if "where" in arguments.flags:
            picture.locate_threads()
        found = picture.evaluate(chosen, arguments.text)
        if arguments.json:
            section = values.document(arguments.text, found)
            output.document(arguments, documents.envelope(here, "print", **{"print": section}))
            return
        style = output.style(arguments)
        output.lines(values.lines(found, style, "where" in arguments.flags))
