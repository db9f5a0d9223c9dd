# SPDX-License-Identifier: Apache-2.0
"""What may be typed behind `ompd top', `ompd record' and `ompd show'?"""

from __future__ import annotations

import argparse
from typing import Any

from ..outcome import FAILED, NOT_EXECUTABLE, NOT_FOUND
from . import common, types
from .commands import Command

FASTEST = 10_000.0

_RECORD = """\
Record what a program does, from outside: where each thread is, what it waits for, how long. Nothing
is stopped, sent to it or loaded into it, and it needs no preparation. The record ends with the
program, after -d SECONDS, or by Ctrl-C; `ompd show' reads it."""

_TOP = """\
A live table of where a program's time goes, from outside, as `ompd record' sees it. Keys: r for
parallel regions, t for threads, w for waits, s for stacks, a for all time since the beginning
instead of the last seconds, q to end. Where the output is no terminal, the same as lines. Of
`-- PROGRAM', what it prints is shown at the end; `q' ends it by SIGTERM."""

_SHOW = """\
What a record tells: time by state, threads, parallel regions with their efficiency, who waits for
whom at which line, and stacks as the program is written. Records packed by gzip, xz, zstd or lz4
are unpacked into a private folder (in $TMPDIR)."""

_EXIT_OF_A_PROCESS = """\
exit status:
  0  it was recorded; what was not allowed, the record says
  2  it was not recorded, or not to its end; stderr says why
  130, 143  interrupted by Ctrl-C before anything was recorded, or by SIGTERM

With `-- PROGRAM' the program's own, 128 + N by signal N, and:
"""
_EXIT = (
    _EXIT_OF_A_PROCESS
    + f"""\
  {FAILED}  it was not recorded, or not to its end; stderr says why
  {NOT_EXECUTABLE}  the program cannot be executed
  {NOT_FOUND}  there is no such program"""
)

_EXIT_OF_SHOW = """\
exit status:
  0  the record is whole
  1  it ends early, or a part is damaged: what is there is shown, and what is not is said
  2  it is no record, or cannot be read; why is said"""

_TARGET = "PID | -- PROGRAM [ARGUMENT...]"


def top(commands: Any, command: Command) -> None:
    made = _added(commands, command, _TARGET, _TOP, _EXIT)
    _target(made)
    made.add_argument("--json", action="store_true", help="documents, one a line")
    made.add_argument(
        "--once", action="store_true", help="one table after 2 seconds, or -d SECONDS"
    )
    made.add_argument(
        "-i",
        "--interval",
        metavar="SECONDS",
        type=_interval,
        default=1.0,
        help="between two tables; default: 1",
    )
    made.add_argument(
        "-v",
        "--view",
        metavar="TABLE",
        choices=("regions", "threads", "waits", "stacks"),
        default="regions",
        help="the table to begin with: regions, threads, waits or stacks; default: regions",
    )


def record(commands: Any, command: Command) -> None:
    made = _added(commands, command, _TARGET, _RECORD, _EXIT)
    _target(made)
    made.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=types.file_name,
        help="the record, which may hold %%r: the MPI rank, %%h: the host, %%p: the process;"
        " default: ompd-PROGRAM-DATE-TIME.jsonl",
    )


def show(commands: Any, command: Command) -> None:
    made = _added(commands, command, "RECORD", _SHOW, _EXIT_OF_SHOW)
    made.add_argument("record", metavar="RECORD", help="what `ompd record' has written")
    form = made.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="human-readable text (default)")
    form.add_argument("--json", action="store_true", help='a JSON document, schema "ompd/1"')
    made.add_argument("--all", action="store_true", help="no omissions")
    for name, what in (
        ("--output", "write it to FILE"),
        ("--html", "self-contained HTML page"),
        ("--speedscope", "for speedscope: a profile of each thread, in the order of time"),
        ("--chrome-trace", "Chrome's trace events, which Perfetto opens"),
        ("--folded", "folded stacks, of which flame graphs are made"),
        ("--paraver", "for Paraver, FILE.prv with .pcf and .row; states as ovni's"),
        ("--pprof", "for pprof, by stack, with threads and states as labels"),
    ):
        made.add_argument(
            *(["-o"] if name == "--output" else []),
            name,
            metavar="FILE",
            type=types.file_name,
            help=what,
        )


def _added(
    commands: Any, command: Command, what: str, description: str, epilog: str
) -> argparse.ArgumentParser:
    return common.added(
        commands,
        command,
        what,
        description,
        epilog,
        document=command.name,
        html=None,
        json=False,
        text=False,
        program=[],
    )


def _target(made: argparse.ArgumentParser) -> None:
    made.set_defaults(output=None)
    made.add_argument("pid", metavar="PID", nargs="?", type=types.process, help="the process")
    made.add_argument(
        "-d",
        "--duration",
        metavar="SECONDS",
        type=_duration,
        default=0.0,
        help="end after that time; default: with the program, or by Ctrl-C",
    )
    made.add_argument(
        "-F",
        "--rate",
        metavar="HZ",
        type=_rate,
        default=100.0,
        help="samples a second of each thread on a processor; default: 100",
    )


def _rate(text: str) -> float:
    found = _real(text)
    if not 1 <= found <= FASTEST:
        raise argparse.ArgumentTypeError(f"`{text}' is not a rate from 1 to {FASTEST:g}")
    return found


def _duration(text: str) -> float:
    found = types.seconds(text)
    if not found:
        raise argparse.ArgumentTypeError(f"`{text}' is not a duration")
    return found


def _interval(text: str) -> float:
    found = _real(text)
    if not 0.1 <= found <= 3600:
        raise argparse.ArgumentTypeError(f"`{text}' is not a number of seconds from 0.1 to 3600")
    return found


def _real(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1
