# SPDX-License-Identifier: Apache-2.0
"""The same answers for front ends, in GDB 12 and later.

Usage: -ompd-threads [IDS] [OPTIONS]        and so on: see the table
       -ompd-json [COMMAND] [IDS] [OPTIONS]

Each answers what the command's -json document says, under the same keys, and takes the same ids and
options but -json and -watch; options begin with one dash. As MI has it, numbers are strings, true
and false are 1 and 0; what is null is left out. Threads of a kind are counted in a list:
classes=[{name="barrier",count="3"}].

-ompd-json answers json="...", the text of the document as one string. COMMAND is any ompd command
that has one: threads, bt, print, info break; without it, `ompd'.

A mistake is an ^error with the sentence that the command would print. The thread and the frame that
are selected stay selected; GDB's own --thread and --frame may stand before the ids."""

from __future__ import annotations

import gdb

# By their names in MI: whose documents they answer.
ANSWERED = {
    "-ompd-threads": "ompd threads",
    "-ompd-parallel": "ompd parallel",
    "-ompd-tasks": "ompd tasks",
    "-ompd-icvs": "ompd icvs",
    "-ompd-stacks": "ompd bt",
    "-ompd-locks": "ompd locks",
    "-ompd-barriers": "ompd barriers",
    "-ompd-deadlock": "ompd deadlock",
    "-ompd-target": "ompd target",
    "-ompd-status": "ompd status",
    "-ompd-report": "ompd report",
}


def register() -> None:
    """Again when sourced again, as the commands."""
    if not hasattr(gdb, "MICommand"):
        return
    from . import commands

    for name, command in ANSWERED.items():
        commands.Fields(name, command)
    commands.Json("-ompd-json")
