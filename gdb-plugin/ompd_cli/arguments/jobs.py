# SPDX-License-Identifier: Apache-2.0
"""`ompd job' and `ompd merge': all processes of a parallel job."""

from __future__ import annotations

import argparse
from typing import Any

from . import common, types
from .commands import Command

_MERGES_EXIT = """\
exit status:
  0  every report was read, and none has a finding
  1  a report has a finding (`ompd pid --help' names them); what could not be read is said
  2  no report has a finding, but not every file is a report: which ones is said
  3  of a report it cannot be told whether threads wait for each other for ever"""

_JOBS_EXIT = """\
exit status:
  0  every rank was looked at, and none has a finding
  1  a rank has a finding (`ompd pid --help' names them); what could not be looked at is said
  2  no rank has a finding, but not every one could be looked at: which ones is said
  3  of a rank it cannot be told whether threads wait for each other for ever"""

_MERGE = """\
Merge the reports of many processes, such as the ranks of an MPI job: which ranks are odd, what all
of them do, all stacks as one tree. Reports are made by `ompd pid --json -o report.%r.json PID' and
so on. A rank's number is in its report if its launcher put it into the environment, or in its
file's name, as in rank3.json; else it goes by its host and process."""

_JOB = """\
Look at all ranks of a parallel job at once, on all of its nodes, and merge what they say: which
ranks are odd, what all of them do, and the command that opens one of each class. Of Slurm's jobs by
a second step inside of the job, which needs no processor; nothing has to run there before, no port
is opened. Each rank is stopped as briefly as by `ompd pid', and runs on whatever happens."""


def merge(commands: Any, command: Command) -> None:
    made = common.added(
        commands,
        command,
        "REPORT.json...",
        _MERGE,
        _MERGES_EXIT,
        document=command.name,
    )
    common.add_output(made)
    made.add_argument("reports", metavar="REPORT.json", nargs="+", help="what --json has written")


def job(commands: Any, command: Command) -> None:
    made = common.added(
        commands,
        command,
        "JOBID[.STEP] | --mpirun PID | --pid PID... | --hosts NODES | --cores DIR",
        _JOB,
        _JOBS_EXIT,
        document=command.name,
    )
    common.add_output(made)
    which = made.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "job", metavar="JOBID[.STEP]", nargs="?", type=types.job_of_slurm, help="Slurm's"
    )
    which.add_argument(
        "--mpirun",
        metavar="PID",
        type=types.process,
        help="the ranks of this launcher, which is here, on all of its hosts",
    )
    which.add_argument(
        "--pid",
        metavar="PID",
        nargs="+",
        type=types.process,
        help="these processes of this machine",
    )
    which.add_argument(
        "--hosts", metavar="NODES", help="all of your ranks on n[1-40], by ClusterShell"
    )
    which.add_argument("--cores", metavar="DIR", help="the core files below DIR")
    which.add_argument("--collect", help=argparse.SUPPRESS)  # on a node: for another ompd
    made.add_argument(
        "--watch",
        metavar="SECONDS",
        type=types.seconds,
        default=0.0,
        help="look again after that time, and say which ranks are elsewhere then",
    )
    common.add_gdb(made)
    common.add_timeout(made, "give up on a rank after that time, 0: never; default: 60", 60)
    made.add_argument(
        "--node-timeout",
        metavar="SECONDS",
        type=types.seconds,
        default=300.0,
        help="give up what is left of a node after that time, 0: never; default: 300",
    )
    made.add_argument(
        "--at-once",
        metavar="N",
        type=types.number,
        default=0,
        help="look at so many ranks of a node at once; default: its free processors",
    )
    made.add_argument(
        "--ship",
        action="store_true",
        help="send this package along: nodes that have it on no file system unpack it into a"
        " private folder, and remove that again",
    )
    made.add_argument("--shipped", help=argparse.SUPPRESS)  # the package that a node has got
    made.add_argument(
        "--fan-out",
        metavar="N",
        type=types.number,
        default=32,
        help="nodes that one node asks; the others are asked by these; default: 32",
    )
