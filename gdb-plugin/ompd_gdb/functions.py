# SPDX-License-Identifier: Apache-2.0
"""$_omp_thread_num() and its kin, for conditions and for print. Read at GDB's start: imports gdb
alone."""

from __future__ import annotations

import gdb


class _Question(gdb.Function):
    """-1 where the selected thread is in no region: in no thread of OpenMP's, or
    in an idle one."""

    name = ""
    question = ""

    def __init__(self) -> None:
        super().__init__(self.name)

    def invoke(self) -> int:
        from ompd_core.errors import UserError
        from ompd_core.library.library import OmpdError

        from . import session

        try:
            found = session.current().of_selected_thread(self.question)
        except UserError as error:
            raise gdb.GdbError(error.sentence()) from None
        except OmpdError as error:
            raise gdb.GdbError(f"libompd failed: {error}.") from None
        return -1 if found is None else found


class ThreadNum(_Question):
    """$_omp_thread_num(): the selected thread's number in its innermost team.
    -1 if it is in no team."""

    name = "_omp_thread_num"
    question = "thread_num"


class Level(_Question):
    """$_omp_level(): how many parallel regions are nested around the selected
    thread. 0 outside of them, -1 if the thread is none of OpenMP's, or idle."""

    name = "_omp_level"
    question = "level"


class TeamSize(_Question):
    """$_omp_team_size(): how many threads the selected thread's innermost team
    has. -1 if it is in no team."""

    name = "_omp_team_size"
    question = "team_size"


class NumTeams(_Question):
    """$_omp_num_teams(): how many teams the selected thread's league has.
    1 outside of teams constructs, -1 if the thread is none of OpenMP's, or
    idle."""

    name = "_omp_num_teams"
    question = "num_teams"


class TeamNum(_Question):
    """$_omp_team_num(): the number of the selected thread's team in its league. 0
    outside of teams constructs, -1 if the thread is none of OpenMP's, or idle."""

    name = "_omp_team_num"
    question = "team_num"


def register() -> None:
    for function in (ThreadNum, Level, TeamSize, NumTeams, TeamNum):
        function()
