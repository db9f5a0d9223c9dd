# SPDX-License-Identifier: Apache-2.0
"""What was typed? Of a command only its own module is read."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import NoReturn, Sequence

from ompd_core.views.terminal import plain

from .commands import COMMANDS, Command
from .help_text import Help

LONGEST = 300  # characters of an argument parser's sentence: it repeats what was typed

_TOP = """\
Report the OpenMP state of a program: why it died or what it waits for, its threads, parallel
regions, barriers, tasks and changed settings. Runs GDB; the program needs no preparation."""

_RUNS_EXIT = """

`ompd run' has others, since these may be the program's own: `ompd run --help' tells."""

WITH_PROGRAM = ("top", "record")  # which is everything behind `--'


class BadArgument(Exception):
    """What is said of it: a sentence."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        from ompd_core.views.cxx_names import shorten

        raise BadArgument(f"{shorten(plain(message), LONGEST)}. `{self.prog} --help' tells more.")


class _Version(argparse.Action):
    """Found out only if asked."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from .. import terminal, version

        terminal.write("\n".join([*version.lines(), ""]), sys.stdout)
        parser.exit()


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """make: what answers, a function of the options and an Origin that returns an Outcome; program:
    of those that have one. Raises BadArgument, SystemExit."""
    asked = [command for command in COMMANDS if [command.name] == list(words[:1])]
    ours, program = _without_program(words)
    if asked:
        options = _parser(asked).parse_args(ours)
    else:
        options = whole().parse_args(ours)
    if program:
        options.program = program
    return options


def _without_program(words: Sequence[str]) -> tuple[list[str], list[str]]:
    if words and words[0] in WITH_PROGRAM and "--" in words:
        at = list(words).index("--")
        return list(words[:at]), list(words[at + 1 :])
    return list(words), []


def runs_a_program(words: Sequence[str]) -> bool:
    return list(words[:1]) == ["run"] or bool(_without_program(words)[1])


def whole() -> argparse.ArgumentParser:
    from .common import EXIT

    whole = _parser(COMMANDS)
    whole.description = _TOP
    whole.epilog = EXIT + _RUNS_EXIT
    whole.add_argument(
        "--version", action=_Version, help="of ompd, Python and the GDB that would be used"
    )
    return whole


def _parser(asked: Sequence[Command]) -> argparse.ArgumentParser:
    made = _Parser(prog="ompd", allow_abbrev=False, formatter_class=Help)
    commands = made.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in asked:
        module = import_module(f".{command.arguments}", __package__)
        getattr(module, command.name)(commands, command)
    return made
