# SPDX-License-Identifier: Apache-2.0
"""What did the user type, and what is the answer's exit status?"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import NoReturn, Sequence

from ompd_gdb.errors import UserError
from ompd_gdb.views import json_text
from ompd_gdb.views.table import plain, shorten

from . import corefile, launched, living
from .origin import Origin, named, problem_of
from .outcome import CANNOT_READ, INTERRUPTED, Outcome

LONGEST = 300  # characters of an argument parser's sentence: it repeats what was typed

_TOP = """\
Report the OpenMP state of a program: why it died or what it waits for, its threads, parallel
regions, barriers, tasks and changed settings. Runs GDB; the program needs no preparation."""

_EXIT = """\
exit status:
  0  nothing odd was seen; idle worker threads are nothing odd
  1  a finding: crash, deadlock, self_deadlock, barrier_divergence (threads of one team at
     different barriers), standing_still (every thread waits for another)
  2  no report, or no OpenMP state that could be read; what would help is said

`ompd run' ends with the program's own status if the program ends by itself."""

_CORE = """\
Report on a core file. The program is found in the core's own notes; EXE names it where it is not
there any more. Cores packed by gzip, xz, zstd or lz4 are unpacked into a private folder (in
$TMPDIR)."""

_PID = """\
Report on a running process, which is stopped as briefly as possible. It runs on whatever happens:
a guardian outside GDB sees to that."""

_RUN = """\
Run a program in GDB, and report when it crashes, when you press Ctrl-C, at SIGTERM (by which batch
systems and launchers end a job), or after a time; then the program is ended. The report goes to
stderr, since stdout is the program's. A program that ends by itself gets no report, and its status
is passed on. It has no controlling terminal."""


_MERGE = """\
Merge the reports of many processes, such as the ranks of an MPI job: which ranks are odd, what all
of them do, all stacks as one tree. Reports are made by `ompd pid --json -o report.%r.json PID' and
so on. A rank's number is in its report if its launcher put it into the environment, or in its
file's name, as in rank3.json; else it goes by its host and process."""


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    origin = Origin()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _leave)
    try:
        outcome = options.make(options, origin)
        if options.html and outcome.json:
            _to_file(named(options.html, origin), outcome.page())
        if options.json or options.text or options.output or not options.html:
            _write(outcome.document() if options.json else outcome.text, options, origin)
        for sentence in outcome.complaints:
            _complain(sentence)
        return int(outcome.status)
    except UserError as error:
        if options.json:
            failed = json_text.error(options.document, error)
            if options.document == "report":
                failed.update(origin.fields())
            _write(json_text.text(failed) + "\n", options, origin)
        _complain(error.sentence())
        return CANNOT_READ
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads any more
        return CANNOT_READ
    except OSError as error:
        _complain(f"{error.filename or 'A file'}: {error.strerror}.")
        return CANNOT_READ
    except KeyboardInterrupt:
        _complain("interrupted.")
        return INTERRUPTED


def _leave(number: int, _: object) -> NoReturn:
    """With private folders removed, and GDB ended."""
    raise SystemExit(128 + number)


def _complain(sentence: str) -> None:
    print(f"ompd: {plain(sentence)}", file=sys.stderr)


def _write(text: str, options: argparse.Namespace, origin: Origin) -> None:
    if not text:
        return  # a program that ended by itself has no report
    if options.output:
        _to_file(named(options.output, origin), text)
        return
    stream = sys.stderr if options.command == "run" else sys.stdout
    encoding = stream.encoding or "ascii"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def _to_file(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        _complain(f"{path} cannot be written: {error.strerror}.")
        sys.exit(CANNOT_READ)


def _merge(options: argparse.Namespace, origin: Origin) -> Outcome:
    from .merge import merge  # the model of a job, which no other command needs

    return merge(options, origin)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(
            CANNOT_READ,
            f"ompd: {shorten(plain(message), LONGEST)}. `{self.prog} --help' tells more.\n",
        )


def _parser() -> argparse.ArgumentParser:
    whole = _Parser(
        prog="ompd",
        description=_TOP,
        epilog=_EXIT,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = whole.add_subparsers(dest="command", metavar="COMMAND", required=True)
    core = _command(
        commands, "core", "CORE [EXE]", "report on a core file", _CORE, corefile.report, 600
    )
    core.add_argument("core", metavar="CORE", help="the core file, packed or not")
    core.add_argument("executable", metavar="EXE", nargs="?", help="the program that left it")
    core.add_argument(
        "--sysroot", metavar="DIR", help="where the root of the core's machine is copied to"
    )
    core.add_argument(
        "--lib-search-root",
        metavar="DIR",
        help="search for the program and its libraries below DIR, by name and build-id",
    )
    pid = _command(commands, "pid", "PID", "report on a running process", _PID, living.report, 60)
    pid.add_argument("pid", metavar="PID", type=int, help="the process")
    run = _command(
        commands,
        "run",
        "-- PROGRAM [ARGUMENT...]",
        "run a program, and report if it crashes or hangs",
        _RUN,
        launched.report,
        0,
    )
    run.add_argument("program", help=argparse.SUPPRESS, nargs=argparse.REMAINDER)
    made = _subcommand(
        commands, "merge", "REPORT.json...", "merge the reports of many processes", _MERGE, _merge
    )
    made.add_argument("reports", metavar="REPORT.json", nargs="+", help="what --json has written")
    return whole


def _file_name(text: str) -> str:
    problem = problem_of(text)
    if problem is not None:
        raise argparse.ArgumentTypeError(problem)
    return text


def _seconds(text: str) -> float:
    found = float(text)
    if not 0 <= found < 1e9:
        raise ValueError
    return found


def _subcommand(
    commands: argparse._SubParsersAction[_Parser],
    name: str,
    what: str,
    summary: str,
    description: str,
    make: object,
) -> argparse.ArgumentParser:
    """make: what answers it, with an Outcome."""
    made = commands.add_parser(
        name,
        usage=f"ompd {name} [OPTION...] {what}",
        help=summary,
        description=description,
        epilog=_EXIT,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.set_defaults(make=make, document="merge" if name == "merge" else "report", html=None)
    form = made.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="for people, which is the default")
    form.add_argument("--json", action="store_true", help='a JSON document, schema "ompd/1"')
    made.add_argument("--all", action="store_true", help="leave nothing out, and join nothing")
    made.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=_file_name,
        help="write it to FILE, whose name may hold %%r: the MPI rank, %%h: the host, %%p: the"
        " process",
    )
    return made


def _command(
    commands: argparse._SubParsersAction[_Parser],
    name: str,
    what: str,
    summary: str,
    description: str,
    make: object,
    seconds: int,
) -> argparse.ArgumentParser:
    """What runs GDB."""
    made = _subcommand(commands, name, what, summary, description, make)
    made.add_argument(
        "--html",
        metavar="FILE",
        type=_file_name,
        help="one page for a browser, complete in itself; beside it what --text, --json, -o say",
    )
    made.add_argument(
        "--locals",
        action="store_true",
        help="local variables of odd threads: crashed, in a deadlock, at different barriers",
    )
    made.add_argument("--gdb", metavar="PATH", default="gdb", help="the GDB to use; 10 or newer")
    late = "give up" if name != "run" else "interrupt the program and report"
    made.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=_seconds,
        default=float(seconds),
        help=f"{late} after that time, 0: never; default: {seconds}",
    )
    return made
