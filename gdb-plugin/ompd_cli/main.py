# SPDX-License-Identifier: Apache-2.0
"""What did the user type, and what is the answer's exit status?"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import NoReturn, Sequence

from ompd_core.errors import UserError
from ompd_core.views import json_text
from ompd_core.views.cxx_names import shorten
from ompd_core.views.table import plain

from . import argument_types, corefile, launched, living
from .debugger import USUAL
from .guardian import STDERR
from .origin import Origin, named
from .outcome import CANNOT_READ, INTERRUPTED, Outcome
from .recording import arguments as recording

LONGEST = 300  # characters of an argument parser's sentence: it repeats what was typed

_TOP = """\
Report the OpenMP state of a program: why it died or what it waits for, its threads, parallel
regions, barriers, tasks and changed settings. Runs GDB; the program needs no preparation."""

_EXIT = """\
exit status:
  0  nothing odd was seen; idle worker threads are nothing odd
  1  a finding: crash, deadlock, self_deadlock, lock_never_released, thread_ended (others wait
     for it), barrier_divergence (threads of one team at different barriers), standing_still
     (nobody goes on: two looks show the same)
  2  no report, or no OpenMP state that could be read; what would help is said
  3  it cannot be told whether threads wait for each other for ever; why is said"""

_RUNS_EXIT = """

`ompd run' has others, since these may be the program's own: `ompd run --help' tells."""

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

_EXIT_OF_A_RUN = f"""\
exit status:
  the program's own, if it ends by itself: 0 to 255, 128 + N by signal N
  {launched.FOUND}  a finding: crash, deadlock, self_deadlock, lock_never_released,
       thread_ended (others wait for it), barrier_divergence (threads of one team at different
       barriers), standing_still (nobody goes on: two looks show the same)
  {launched.LATE}  the time of --timeout was over, and nothing odd was seen, or it cannot be told
  130, 143  so it was at Ctrl-C, or at SIGTERM
  {launched.FAILED}  no report, or no OpenMP state that could be read; what would help is said
  {launched.NOT_EXECUTABLE}  the program cannot be executed
  {launched.NOT_FOUND}  there is no such program"""

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


_JOB = """\
Look at all ranks of a parallel job at once, on all of its nodes, and merge what they say: which
ranks are odd, what all of them do, and the command that opens one of each class. Of Slurm's jobs by
a second step inside of the job, which needs no processor; nothing has to run there before, no port
is opened. Each rank is stopped as briefly as by `ompd pid', and runs on whatever happens."""


def main(arguments: Sequence[str]) -> int:
    _open_streams()
    words, program = recording.without_program(arguments)
    failed = launched.FAILED if arguments[:1] == ["run"] or program else CANNOT_READ
    try:
        options = _parser().parse_args(words)
        if program:
            options.program = program
        return _answer(options)
    except _Failure as failure:
        _complain(str(failure))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads any more
    except OSError as error:
        _complain(f"{error.filename or 'A file'}: {error.strerror}.")
    except KeyboardInterrupt:
        _complain("interrupted.")
        return INTERRUPTED
    return failed


def _open_streams() -> None:
    """Those that the user has closed: what is opened later would take their numbers."""
    while os.open(os.devnull, os.O_RDWR) <= STDERR:
        pass
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")


_WATCHES = ("top", "record")
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
_OWN = 0o600  # of a whole job


class _Failure(Exception):
    """What is said of it: a sentence."""


def _answer(options: argparse.Namespace) -> int:
    origin = Origin()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _leave)
    try:
        outcome = options.make(options, origin)
        if options.html and outcome.json:
            _to_file(named(options.html, origin), outcome.page(), _mode(options))
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
        of_program = options.command == "run" or (options.command in _WATCHES and options.program)
        return launched.status_of(error) if of_program else CANNOT_READ


def _leave(number: int, _: object) -> NoReturn:
    """With private folders removed, and GDB ended."""
    raise SystemExit(128 + number)


def _complain(sentence: str) -> None:
    print(f"ompd: {plain(sentence)}", file=sys.stderr)


def _write(text: str, options: argparse.Namespace, origin: Origin) -> None:
    if not text:
        return  # a program that ended by itself has no report
    if options.output:
        _to_file(named(options.output, origin), text, _mode(options))
        return
    stream = sys.stderr if options.command == "run" else sys.stdout
    encoding = stream.encoding or "ascii"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def _mode(options: argparse.Namespace) -> int:
    return _OWN if options.command == "job" else 0o666


def _to_file(path: str, text: str, mode: int = 0o666) -> None:
    try:
        with open(os.open(path, _WRITE, mode), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise _Failure(f"{path} cannot be written: {error.strerror}.") from None


def _merge(options: argparse.Namespace, origin: Origin) -> Outcome:
    from .merge import merge  # the model of a job, which no other command needs

    return merge(options, origin)


def _job(options: argparse.Namespace, origin: Origin) -> Outcome:
    from .job import command

    return command.report(options, origin)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Failure(f"{shorten(plain(message), LONGEST)}. `{self.prog} --help' tells more.")


class _Version(argparse.Action):
    """Found out only if asked."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from . import version

        print("\n".join(version.lines()))
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    whole = _Parser(
        prog="ompd",
        description=_TOP,
        epilog=_EXIT + _RUNS_EXIT,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument(
        "--version", action=_Version, help="of ompd, Python and the GDB that would be used"
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
    pid.add_argument("pid", metavar="PID", type=argument_types.process, help="the process")
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
    _add_html(made)
    _add_job(commands)
    recording.add(commands)
    return whole


def _add_job(commands: argparse._SubParsersAction[_Parser]) -> None:
    made = _subcommand(
        commands,
        "job",
        "JOBID[.STEP] | --mpirun PID | --pid PID... | --hosts NODES | --cores DIR",
        "look at all ranks of a parallel job",
        _JOB,
        _job,
    )
    which = made.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "job", metavar="JOBID[.STEP]", nargs="?", type=argument_types.job_of_slurm, help="Slurm's"
    )
    which.add_argument(
        "--mpirun",
        metavar="PID",
        type=argument_types.process,
        help="the ranks of this launcher, which is here, on all of its hosts",
    )
    which.add_argument(
        "--pid",
        metavar="PID",
        nargs="+",
        type=argument_types.process,
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
        type=argument_types.seconds,
        default=0.0,
        help="look again after that time, and say which ranks are elsewhere then",
    )
    _add_html(made)
    _add_gdb(made)
    _add_timeout(made, "give a rank up after that time, 0: never; default: 60", 60)
    made.add_argument(
        "--node-timeout",
        metavar="SECONDS",
        type=argument_types.seconds,
        default=300.0,
        help="give up what is left of a node after that time, 0: never; default: 300",
    )
    made.add_argument(
        "--at-once",
        metavar="N",
        type=argument_types.number,
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
        type=argument_types.number,
        default=32,
        help="nodes that one node asks; the others are asked by these; default: 32",
    )


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
        epilog={"run": _EXIT_OF_A_RUN, "merge": _MERGES_EXIT, "job": _JOBS_EXIT}.get(name, _EXIT),
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.set_defaults(make=make, document=name if name in ("merge", "job") else "report", html=None)
    form = made.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="for people, which is the default")
    form.add_argument("--json", action="store_true", help='a JSON document, schema "ompd/1"')
    made.add_argument("--all", action="store_true", help="leave nothing out, and join nothing")
    made.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=argument_types.file_name,
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
    _add_html(made)
    made.add_argument(
        "--locals",
        action="store_true",
        help="local variables of odd threads: crashed, in a deadlock, at different barriers",
    )
    _add_gdb(made)
    late = "give up" if name != "run" else "interrupt the program and report"
    _add_timeout(made, f"{late} after that time, 0: never; default: {seconds}", seconds)
    return made


def _add_html(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--html",
        metavar="FILE",
        type=argument_types.file_name,
        help="one page for a browser, complete in itself; beside it what --text, --json, -o say",
    )


def _add_gdb(made: argparse.ArgumentParser) -> None:
    default = "gdb, or gdb-multiarch for a core file of another processor"
    made.add_argument(
        "--gdb",
        metavar="PATH",
        default=USUAL,
        help=f"the GDB to use; 10 or newer; default: {default}",
    )


def _add_timeout(made: argparse.ArgumentParser, what: str, seconds: int) -> None:
    made.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=argument_types.seconds,
        default=float(seconds),
        help=what,
    )
