# SPDX-License-Identifier: Apache-2.0
"""Which commands are there?"""

from __future__ import annotations

from ompd_core.light_classes import NamedTuple


class Command(NamedTuple):
    name: str
    summary: str
    module: str  # which has a function of that name, that adds its arguments


COMMANDS = (
    Command("core", "report on a core file", "reports"),
    Command("pid", "report on a running process", "reports"),
    Command("run", "run a program, and report if it crashes or hangs", "reports"),
    Command("merge", "merge the reports of many processes", "jobs"),
    Command("job", "look at all ranks of a parallel job", "jobs"),
    Command("top", "a live table of where the time goes", "recordings"),
    Command("record", "record where the time goes", "recordings"),
    Command("show", "what a record tells", "recordings"),
)
