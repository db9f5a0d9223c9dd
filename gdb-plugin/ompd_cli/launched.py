# SPDX-License-Identifier: Apache-2.0
"""`ompd run': a program that crashes, or is interrupted, while GDB looks on."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import signal
import sys
import time
from contextlib import contextmanager
from types import FrameType
from typing import Any, Iterator

from ompd_core.errors import UserError
from ompd_core.formats.elf import ElfFile, NotElf

from . import debug_files, debugger
from .guardian import PYTHONS
from .killed import Kills
from .origin import Origin
from .outcome import (
    ASKED,
    AT_ONCE,
    CANNOT_READ,
    FAILED,
    FINDING,
    FOUND,
    LATE,
    Outcome,
    not_executable,
)
from .progress import Progress
from .wrapper import NOT_BEGUN

FOR_THE_REPORT = 300.0  # seconds, when the program's are over

WRAPPER = os.path.join(debugger.HOME, "ompd_cli", "wrapper.py")


def report(options: argparse.Namespace, origin: Origin) -> Outcome:
    """Raises UserError."""
    words = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not words:
        raise UserError("bad_argument", "Which program?", "Type `ompd run -- PROGRAM ARGUMENT...'.")
    origin.look_at("self")  # the program has the same environment
    program = _found(words[0])
    debug_files.check([program])
    gdb = debugger.found(options.gdb)
    with debugger.private_folder() as folder, _own_streams() as streams:
        with open(os.path.join(folder, "start.json"), "w", encoding="ascii") as file:
            json.dump({"name": words[0], "streams": streams, **_inherited()}, file)
        # -I: nothing of the user's is to change what Python does here.
        wrapper = shlex.join([sys.executable, "-I", WRAPPER, folder])
        task = debugger.Task(
            "run",
            after=["--args", program, *words[1:]],
            settings=["set disable-randomization off", f"set exec-wrapper {wrapper}"],
            pass_fds=streams,
            origin=origin,
        )
        limit = options.timeout + FOR_THE_REPORT if options.timeout else 0
        kills = Kills()
        run = debugger.start(task, gdb, folder, limit, options)
        try:
            ended, asked = _wait(run, options.timeout)
        except BaseException:
            run.abandon()
            raise
        _check_begun(folder, program)
        result = debugger.result_of(run)
        status = _own_end(result)
        if status is not None and result.get("gave_up"):
            outcome = debugger.outcome(run, ended)
            outcome.status = status
            return outcome
        if status is not None:
            why = kills.sentence(int(result.get("exitsignal", 0)))
            return Outcome(status, complaints=[why] if why is not None else [])
        outcome = debugger.outcome(run, ended)
        outcome.status = _STATUS.get(outcome.status, asked)
        return outcome


_STATUS = {FINDING: FOUND, CANNOT_READ: FAILED}


def _found(name: str) -> str:
    path = shutil.which(name)
    if path is None and os.path.isfile(name) and "/" in name:
        raise not_executable(name)
    if path is None:
        raise UserError("no_executable", f"There is no program {name}.", "Name another one.")
    try:
        ElfFile(path).close()
    except NotElf:
        raise UserError(
            "not_executable",
            f"{path} is not a binary program; it may be a script.",
            "Name the program that it starts.",
        ) from None
    return os.path.abspath(path)


def _check_begun(folder: str, program: str) -> None:
    """Raises UserError if the kernel would not execute it."""
    try:
        with open(os.path.join(folder, NOT_BEGUN), encoding="utf-8") as file:
            why = file.read()
    except OSError:
        return
    raise UserError(
        "not_executable",
        f"{program} cannot be executed here: {why}.",
        "It has to be of this machine's kind, and the dynamic linker there that it names.",
    )


def _inherited() -> dict[str, Any]:
    """What the program would have from the user's shell. Of the environment that is what the kernel
    tells: Python may have set LC_CTYPE."""
    with open("/proc/self/environ", "rb") as file:
        lines = [line.partition(b"=") for line in file.read().split(b"\0") if line]
    ignored = [
        int(number)
        for number in signal.valid_signals() - set(PYTHONS)
        if signal.getsignal(number) == signal.SIG_IGN
    ]
    environment = {os.fsdecode(name): os.fsdecode(value) for name, _, value in lines}
    return {"environment": environment, "ignored": ignored}


@contextmanager
def _own_streams() -> Iterator[list[int]]:
    """Copies of stdin, stdout and stderr, which the program gets: GDB has others."""
    copies = []
    try:
        for stream in range(3):
            copies.append(os.dup(stream))
        yield copies
    finally:
        for copy in copies:
            os.close(copy)


def _wait(run: debugger.Run, seconds: float) -> tuple[dict[str, Any], int]:
    """The first Ctrl-C is the program's, where GDB meets it; the second is ours. So it is with
    SIGTERM, by which batch systems and launchers announce a SIGKILL. seconds: after that time of
    the program's it is interrupted in any case; 0: never. With the exit status that says who asked
    for the report."""
    usual: dict[int, Any] = {signal.SIGINT: signal.default_int_handler}
    if signal.getsignal(signal.SIGTERM) != signal.SIG_IGN:
        usual[signal.SIGTERM] = signal.getsignal(signal.SIGTERM)
    terms: list[float] = []
    asked: list[int] = []

    def by_user(number: int, frame: FrameType | None) -> None:
        signal.signal(number, usual[number])
        asked.append(128 + number)
        if not _interrupt(run):
            os.kill(os.getpid(), number)

    def by_launcher(number: int, frame: FrameType | None) -> None:
        terms.append(time.monotonic())
        asked.append(128 + number)
        if terms[-1] - terms[0] < AT_ONCE:
            if _interrupt(run):
                return
        signal.signal(number, usual[number])
        os.kill(os.getpid(), number)

    def by_time(*_: object) -> None:
        left = seconds - _age_of_program(run)
        if left > 0:
            signal.setitimer(signal.ITIMER_REAL, left)
            return
        asked.append(LATE)
        if not _interrupt(run):
            signal.setitimer(signal.ITIMER_REAL, 1)

    for number in usual:
        signal.signal(number, by_user if number == signal.SIGINT else by_launcher)
    signal.signal(signal.SIGALRM, by_time)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        ended = run.wait(Progress())
        return ended, asked[0] if asked else 128 + signal.SIGINT
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in usual.items():
            signal.signal(number, handler)


def _age_of_program(run: debugger.Run) -> float:
    """In seconds; 0: GDB has not started it yet."""
    try:
        return time.time() - os.stat(os.path.join(run.folder, "pid")).st_mtime
    except OSError:
        return 0


def _interrupt(run: debugger.Run) -> bool:
    """False: it has not begun, or has ended."""
    with open(os.path.join(run.folder, ASKED), "wb"):
        pass  # a signal that the program got alone is no request
    try:
        with open(os.path.join(run.folder, "pid"), encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGINT)
    except (OSError, ValueError):
        return False
    return True


def _own_end(result: dict[str, Any]) -> int | None:
    """The status of a program that ended by itself, as a shell tells it."""
    if "exitsignal" in result:
        return 128 + int(result["exitsignal"])
    return int(result["exitcode"]) if "exitcode" in result else None
