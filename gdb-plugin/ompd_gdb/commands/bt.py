# SPDX-License-Identifier: Apache-2.0
"""`ompd bt': the call stack as the user wrote the program."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Bt(OmpdCommand):
    """Show the call stack as you wrote the program, down to main.

    Usage: ompd bt [IDS] [-full] [-runtime] [-all] [-wide] [-depth N] [-json [FILE]]
           ompd bt -merge [IDS] [-wide] [-depth N] [-dot FILE] [-json [FILE]]

    Frames of the runtime are hidden, code of a construct has the name of the function that you
    wrote it in, and where a construct began stands a line for it. Below it the stack goes on with
    the frames of the thread that began the region; an explicit task's with those of the task that
    generated it, where they are still on a stack. What the thread waits for is on top.

    IDS choose threads as for `ompd threads': R1, R1.0-3, *, 2-7; without, the selected one.
    -full shows local variables, -runtime also what is hidden, -all each thread by itself, also
    where their stacks are alike. -depth N looks at the N innermost frames of each stack (256 unless
    given). `ompd frame', `ompd up' and `ompd down' select frames of it.

    -merge shows one tree of many threads' stacks, from main inwards: of those of IDS or, without,
    of all. What most have in common comes first, the odd ones last. -dot writes it to FILE for
    Graphviz.

    -json prints a JSON document ("ompd/1"), or writes it to FILE; a word that could be an id is not
    taken for FILE. `--' ends the options."""

    name = "ompd bt"
    flags = ("merge", "full", "runtime", "all", "wide")
    valued = ("depth", "dot")
    takes_ids = True

    def run(self, arguments: Arguments) -> None:
        from .. import session
        from ..errors import UserError
        from . import following, selecting, stacks

        if "dot" in arguments.values and "merge" not in arguments.flags:
            raise UserError("bad_argument", "`-dot' belongs to `ompd bt -merge'.")
        wanted = selecting.parse(arguments.words)
        here = session.current()
        picture = here.picture()
        process = picture.process
        if "merge" in arguments.flags:
            stacks.merge(
                arguments, here, picture, selecting.threads(process, wanted, here.inferior.num)
            )
        elif wanted:
            stacks.each(
                arguments, here, picture, selecting.threads(process, wanted, here.inferior.num)
            )
        else:
            stacks.each(arguments, here, picture, [following.thread(here, process)])
