# SPDX-License-Identifier: Apache-2.0
"""What do several commands have in common?"""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any

from ompd_core.views.finding_codes import listed

from ..origin import Origin
from ..outcome import Outcome
from . import types
from .commands import Command
from .help_text import Help

EXIT = f"""\
exit status:
  0  no problems found; idle worker threads are normal
  1  a finding: {listed()}
  2  no report, or no OpenMP state that could be read; stderr says what would help
  3  it is not known whether threads wait for each other for ever; the report says why"""


def added(
    commands: Any, command: Command, what: str, description: str, epilog: str, **defaults: Any
) -> argparse.ArgumentParser:
    """defaults: what other code asks for and the command has not."""

    def make(options: argparse.Namespace, origin: Origin) -> Outcome:
        """The answer, by modules that no other command needs."""
        module, _, function = command.answer.rpartition(".")
        answer = getattr(import_module(f"ompd_cli.{module}"), function)
        outcome: Outcome = answer(options, origin)
        return outcome

    made: argparse.ArgumentParser = commands.add_parser(
        command.name,
        usage=f"ompd {command.name} [OPTION...] {what}",
        help=command.summary,
        description=description,
        epilog=epilog,
        allow_abbrev=False,
        formatter_class=Help,
    )
    made.set_defaults(make=make, **defaults)
    return made


def add_output(made: argparse.ArgumentParser) -> None:
    """Of what makes one text or document."""
    form = made.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="human-readable text (default)")
    form.add_argument("--json", action="store_true", help='a JSON document, schema "ompd/1"')
    made.add_argument("--all", action="store_true", help="no omissions, no grouping")
    made.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=types.file_name,
        help="write it to FILE, whose name may hold %%r: the MPI rank, %%h: the host, %%p: the"
        " process",
    )
    made.add_argument(
        "--html",
        metavar="FILE",
        type=types.file_name,
        help="self-contained HTML page; may be combined with --text, --json, -o",
    )


def add_gdb(made: argparse.ArgumentParser) -> None:
    default = "gdb, or gdb-multiarch for a core file of another processor"
    made.add_argument(
        "--gdb",
        metavar="PATH",
        default="gdb",
        help=f"the GDB to use; 10 or newer; default: {default}",
    )


def add_timeout(made: argparse.ArgumentParser, what: str, seconds: int) -> None:
    made.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=types.seconds,
        default=float(seconds),
        help=what,
    )
