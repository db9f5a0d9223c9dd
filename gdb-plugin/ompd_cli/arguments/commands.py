# SPDX-License-Identifier: Apache-2.0
"""Which commands are there?"""

from __future__ import annotations

from ompd_core.light_classes import NamedTuple


class Command(NamedTuple):
    name: str
    summary: str
    arguments: str  # the module here that has a function of that name, which adds its arguments
    answer: str  # the module that answers, and its function


COMMANDS = (
    Command("core", "report on a core file", "reports", "corefile.report"),
    Command("pid", "report on a running process", "reports", "living.report"),
    Command(
        "run", "run a program, and report if it crashes or hangs", "reports", "launched.report"
    ),
    Command("merge", "merge the reports of many processes", "jobs", "merge.merge"),
    Command("job", "look at all ranks of a parallel job", "jobs", "job.command.report"),
    Command("top", "a live table of where the time goes", "recordings", "recording.top.top"),
    Command("record", "record where the time goes", "recordings", "recording.record.record"),
    Command("show", "what a record tells", "recordings", "recording.show.show"),
)
