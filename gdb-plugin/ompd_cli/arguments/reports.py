# SPDX-License-Identifier: Apache-2.0
"""`ompd core', `ompd pid', `ompd run': reports that GDB makes."""

from __future__ import annotations

import argparse
from typing import Any

from ompd_core.views.finding_codes import listed

from ..outcome import FAILED, FOUND, LATE, NOT_EXECUTABLE, NOT_FOUND
from . import common, types
from .commands import Command

EXIT_OF_A_RUN = f"""\
exit status:
  the program's own, if it ends by itself: 0 to 255, 128 + N by signal N
  {FOUND}  a finding: {listed()}
  {LATE}  the time of --timeout was over, and no problems were found, or that is not known
  130, 143  the same, when interrupted by Ctrl-C or SIGTERM
  {FAILED}  no report, or no OpenMP state that could be read; stderr says what would help
  {NOT_EXECUTABLE}  the program cannot be executed
  {NOT_FOUND}  there is no such program"""

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
stderr, since stdout is the program's. A program that ends by itself keeps its status, and gets a
report only where the library of OpenMP or Fortran gave it up. It has no controlling terminal."""


def core(commands: Any, command: Command) -> None:
    made = _added(commands, command, "CORE [EXE]", _CORE)
    made.add_argument("core", metavar="CORE", help="the core file, packed or not")
    made.add_argument("executable", metavar="EXE", nargs="?", help="the program that left it")
    made.add_argument(
        "--sysroot", metavar="DIR", help="where the root of the core's machine is copied to"
    )
    made.add_argument(
        "--lib-search-root",
        metavar="DIR",
        help="search for the program and its libraries below DIR, by name and build-id",
    )


def pid(commands: Any, command: Command) -> None:
    made = _added(commands, command, "PID", _PID, seconds=60)
    made.add_argument("pid", metavar="PID", type=types.process, help="the process")


def run(commands: Any, command: Command) -> None:
    what = "-- PROGRAM [ARGUMENT...]"
    late = "interrupt the program and report"
    made = _added(commands, command, what, _RUN, EXIT_OF_A_RUN, late, seconds=0)
    made.add_argument("program", help=argparse.SUPPRESS, nargs=argparse.REMAINDER)


def _added(
    commands: Any,
    command: Command,
    what: str,
    description: str,
    epilog: str = common.EXIT,
    late: str = "give up",
    seconds: int = 600,
) -> argparse.ArgumentParser:
    made = common.added(commands, command, what, description, epilog, document="report")
    common.add_output(made)
    made.add_argument(
        "--locals",
        action="store_true",
        help="local variables of odd threads: crashed, in a deadlock, at different barriers",
    )
    common.add_gdb(made)
    common.add_timeout(made, f"{late} after that time, 0: never; default: {seconds}", seconds)
    return made
