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

from ompd_gdb.errors import UserError
from ompd_gdb.target.elf import ElfFile, NotElf

from . import debugger
from .origin import Origin
from .outcome import ASKED, AT_ONCE, Outcome
from .progress import Progress

FOR_THE_REPORT = 300.0  # seconds, when the program's are over
WRAPPER = os.path.join(debugger.HOME, "ompd_shell", "wrapper.py")


def report(options: argparse.Namespace, origin: Origin) -> Outcome:
    """Raises UserError."""
    words = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not words:
        raise UserError("bad_argument", "Which program?", "Type `ompd run -- PROGRAM ARGUMENT...'.")
    origin.look_at("self")  # the program has the same environment
    program = _found(words[0])
    gdb = debugger.found(options.gdb)
    with debugger.private_folder() as folder, _own_streams() as streams:
        with open(os.path.join(folder, "start.json"), "w", encoding="ascii") as file:
            json.dump({"name": words[0], "streams": streams, **_inherited()}, file)
        # -I: nothing of the user's is to change what Python does here.
        wrapper = shlex.join([sys.executable, "-I", WRAPPER, folder])
        task = debugger.Task(
            "run",
            after=["--args", program, *words[1:]],
            details={"wrapper": wrapper},
            pass_fds=streams,
            origin=origin,
        )
        limit = options.timeout + FOR_THE_REPORT if options.timeout else 0
        run = debugger.start(task, gdb, folder, limit, debugger.options_of(options))
        try:
            ended = _wait(run, options.timeout)
        except BaseException:
            run.abandon()
            raise
        status = _own_end(debugger.result_of(run))
        return Outcome(status) if status is not None else debugger.outcome(run, ended)


def _found(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise UserError("no_executable", f"There is no program {name}.", "Name another one.")
    try:
        ElfFile(path).close()
    except NotElf:
        raise UserError(
            "no_executable",
            f"{path} is no binary program, but a script perhaps.",
            "Name the program that it starts.",
        ) from None
    return os.path.abspath(path)


# Python ignores them by itself.
_PYTHONS = (signal.SIGPIPE, signal.SIGXFSZ)


def _inherited() -> dict[str, Any]:
    """What the program would have from the user's shell. Of the environment that is what the kernel
    tells: Python may have set LC_CTYPE."""
    with open("/proc/self/environ", "rb") as file:
        lines = [line.partition(b"=") for line in file.read().split(b"\0") if line]
    ignored = [
        int(number)
        for number in signal.valid_signals() - set(_PYTHONS)
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


def _wait(run: debugger.Run, seconds: float) -> dict[str, Any]:
    """The first Ctrl-C is the program's, where GDB meets it; the second is ours. So it is with
    SIGTERM, by which batch systems and launchers announce a SIGKILL. seconds: after that time it is
    interrupted in any case; 0: never."""
    usual: dict[int, Any] = {signal.SIGINT: signal.default_int_handler}
    if signal.getsignal(signal.SIGTERM) != signal.SIG_IGN:
        usual[signal.SIGTERM] = signal.getsignal(signal.SIGTERM)
    terms: list[float] = []

    def by_user(number: int, frame: FrameType | None) -> None:
        signal.signal(number, usual[number])
        if not _interrupt(run):
            os.kill(os.getpid(), number)

    def by_launcher(number: int, frame: FrameType | None) -> None:
        terms.append(time.monotonic())
        if terms[-1] - terms[0] < AT_ONCE:
            with open(os.path.join(run.folder, ASKED), "wb"):
                pass  # the program's own SIGTERM is no request
            if _interrupt(run):
                return
        signal.signal(number, usual[number])
        os.kill(os.getpid(), number)

    def by_time(*_: object) -> None:
        if not _interrupt(run):
            signal.setitimer(signal.ITIMER_REAL, 1)

    for number in usual:
        signal.signal(number, by_user if number == signal.SIGINT else by_launcher)
    signal.signal(signal.SIGALRM, by_time)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return run.wait(Progress())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in usual.items():
            signal.signal(number, handler)


def _interrupt(run: debugger.Run) -> bool:
    """False: it has not begun, or has ended."""
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
