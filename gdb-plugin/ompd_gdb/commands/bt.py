# SPDX-License-Identifier: Apache-2.0
"""`ompd bt': the call stack as the user wrote the program."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Bt(OmpdCommand):
    """Show the call stack as you wrote the program, down to main.

    Usage: ompd bt [IDS] [N|-N] [-full] [-runtime] [-all] [-wide]
               [-depth N] [-json [FILE]]
           ompd bt -merge [IDS] [-all] [-wide] [-depth N]
               [-dot FILE] [-json [FILE]]

    Frames of the runtime are hidden, code of a construct has the name of the
    function that you wrote it in, and where a construct began stands a line for
    it. Below it the stack goes on with the frames of the thread that began the
    region; an explicit task's with those of the task that generated it, where
    they are still on a stack. Of an untied task that the runtime continues
    within itself the frames of the innermost part are shown. What the thread
    waits for is on top.

    Code without unwind information is followed to where it returns. Where that
    cannot be told, who may have called it is looked for on its stack: such
    frames have a `?', and no variables.

    IDS choose threads as for `ompd threads': R1, R1.0-3, *, 2-7; without, the
    selected one. -full shows local variables, -runtime also what is hidden,
    -all each thread by itself, also where their stacks are alike. -depth N
    looks at the N innermost frames of each stack (256 unless given). `ompd
    frame', `ompd up' and `ompd down' select frames of it.

    As in GDB's bt, N shows the N innermost frames, -N the N outermost ones, and
    `full' is -full. A single number is N: thread 3 alone is 1.3 or 3-3.

    -merge shows one tree of many threads' stacks, from main inwards: of those
    of IDS or, without, of all. What most have in common comes first, the odd
    ones last. Where more than 16 branches leave a frame, those in the middle
    are counted; -all shows them. -dot writes the tree to FILE for Graphviz.

    -json prints a JSON document ("ompd/1"), or writes it to FILE; a word that
    could be an id is not taken for FILE. `--' ends the options."""

    name = "ompd bt"
    flags = ("merge", "full", "runtime", "all", "wide")
    valued = ("depth", "dot")
    takes_ids = True

    def run(self, arguments: Arguments) -> None:
        from ompd_core.errors import UserError

        from .. import session
        from . import following, selecting, stacks

        if "dot" in arguments.values and "merge" not in arguments.flags:
            raise UserError("bad_argument", "`-dot' belongs to `ompd bt -merge'.")
        merges = "merge" in arguments.flags
        most = None if merges else stacks.frames_asked(arguments)
        wanted = selecting.parse(arguments.words)
        here = session.current()
        picture = here.picture()
        process = picture.process
        if merges or wanted:
            chosen = selecting.threads(process, wanted, here.inferior.num)
        else:
            chosen = [following.thread(here, process)]
        if merges:
            stacks.merge(arguments, here, picture, chosen)
        else:
            stacks.each(arguments, here, picture, chosen, most)

    def _parse_words(self, words: "list[str]", arguments: Arguments) -> None:
        """-3 is a number of frames, and no option."""
        before = ""
        others = []
        for word in words:
            if word[:1] == "-" and word[1:].isdecimal() and before not in ("-depth", "-dot"):
                arguments.values["outermost"] = word[1:]
            else:
                others.append(word)
            before = word
        super()._parse_words(others, arguments)


class Where(Bt):
    """Show the call stack as you wrote the program, as `ompd bt'.

    Usage: ompd where, with what `ompd bt' takes, as -json [FILE].

    See `help ompd bt'."""

    name = "ompd where"
