# SPDX-License-Identifier: Apache-2.0
"""`ompd break' and `ompd tbreak': stop at OpenMP's events."""

from __future__ import annotations

from .arguments import Arguments
from .raw import RawCommand


class Break(RawCommand):
    """Stop at OpenMP events: regions, tasks, barriers, workers, devices.

    Usage: ompd break parallel [begin|end|entry] [at LOC] [if COND]
               [-json [FILE]]
           ompd break teams [begin|end] [at LOC] [if COND] [-json [FILE]]
           ompd break task [begin|end] [at LOC] [if COND] [-json [FILE]]
           ompd break barrier [at LOC] [if COND] [-json [FILE]]
           ompd break thread [begin|end] [if COND] [-json [FILE]]
           ompd break target|data|update [begin|end] [at LOC] [if COND]
               [-json [FILE]]

    parallel begin, the default, stops once per region, in the first instruction
    of the region's own code, in its thread 0: there the team is complete. end
    stops behind the region, entry at the runtime's entry point, before there is
    a team. Serialized regions count too, and regions inside of teams
    constructs, once in each team.
    teams begin stops once per team, in the first instruction of the teams
    construct's own code, in the team's initial thread; end stops once, behind
    the construct. To stop once at the begin too: `if $_omp_team_num() == 0'.
    task begin stops in the first instruction of each explicit task, end when it
    has returned to the runtime, or behind the construct when that ran the task
    by itself, as with if(0). barrier stops in thread 0 when it leaves a
    barrier: all threads have arrived then. Explicit ones count and those at the
    end of worksharing constructs; those at which a region is cancelled do not.
    For the end of a region use parallel end.
    thread begin stops in the first instruction of each worker that the runtime
    creates, end when it has returned from the runtime.
    target begin stops where a thread calls LLVM's offload runtime to execute a
    target construct, end behind that call. data begin is the same for target
    enter data and the begin of target data, data end for target exit data and
    the end of target data, behind the call; update for target update. For what
    `if' keeps on the host there is no such call.

    LOC is the construct: FILE:LINE of its directive, LINE, or the function
    around it, spelled as for GDB's `break'. A line or a function that contains
    no such construct is refused. COND is any expression of GDB's,
    evaluated where the program would stop; for parallel begin, one of numbers
    and global variables alone already where the region is begun, a moment
    before, which costs less than a breakpoint of GDB's there. $_omp_level(),
    $_omp_thread_num(), $_omp_team_size(), $_omp_team_num() and
    $_omp_num_teams() can be used in it.

    A LOC that GDB does not know yet is pending until a library with it is
    loaded; `set breakpoint pending off' refuses it.

    GDB lists the breakpoint too, as pending; `delete', `disable', `ignore',
    `condition' and `commands' take its number. `ompd info break' counts the
    hits. At a construct that is met for the first time the program is stopped
    for a moment; a `next', `until', `advance' or `finish' goes on behind it,
    but of `next N' only the line that was under way, and `finish' tells no
    value. Set while threads are inside constructs, it stops at these
    constructs' end too, but not at that of tasks. A recording that GDB replays
    backwards has no such events."""

    name = "ompd break"
    takes_ids = False
    gives_json = True
    what = "an event: parallel, teams, task, barrier, thread, target, data or update"
    temporary = False

    def _options(self) -> "list[str]":
        return []

    def run(self, arguments: Arguments) -> None:
        from ompd_core.errors import UserError
        from ompd_core.model import events
        from ompd_core.views import breakpoints as view

        from .. import breakpoints
        from . import documents, output

        try:
            event, place, condition = events.parse(arguments.text)
        except events.NoEvent as error:
            raise UserError("bad_argument", str(error), f"See `help {self.name}'.") from None
        made = breakpoints.create(event, place, condition, self.temporary)
        if arguments.json:
            document = documents.anywhere("break", breakpoints=view.document([made]))
            output.document(arguments, document)
            return
        output.lines(view.created(made))

    def complete(self, text: str, word: str) -> "list[str]":
        from ompd_core.model.events import WHENS

        from . import completion

        words = text.split() if text[-1:] in ("", " ") else text.split()[:-1]
        if not words:
            found = list(WHENS)
        elif words[-1] == "at":
            return completion.of_gdb("break", text[len(text.rstrip()) :] or text.split()[-1], word)
        elif "if" in words:
            return completion.of_gdb("print", text.rpartition(" if ")[2], word)
        elif len(words) == 1:
            found = [when for when in WHENS.get(words[0], ()) if when != "all"] + ["at", "if"]
        else:
            found = ["at", "if"]
        return [one for one in found if one.startswith(word or "")]


class Tbreak(Break):
    """Stop at an OpenMP event once, as `ompd break'.

    Usage: ompd tbreak EVENT [at LOC] [if COND] [-json [FILE]]

    See `help ompd break'."""

    name = "ompd tbreak"
    temporary = True
