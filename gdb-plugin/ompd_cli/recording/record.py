# SPDX-License-Identifier: Apache-2.0
"""`ompd record': what a program does, into a file."""

from __future__ import annotations

import argparse
import contextlib
import errno
import json
import os
import re
import select
import shlex
import signal
import sys
import time
from typing import IO, Any, Iterator

from ompd_core import files, late_patterns
from ompd_core.errors import UserError
from ompd_core.views.recording.words import seconds
from ompd_core.views.table import count
from ompd_core.views.terminal import plain

from .. import terminal
from ..origin import Origin, named
from ..outcome import CANNOT_READ, FAILED, Outcome, check_first_thread
from ..progress import Progress
from . import sampler
from .sampler import Target

_PIECE = 1 << 20
_TAIL = 1 << 16  # bytes that surely hold the closing line
_EACH = 0.5  # seconds between two looks at the progress
_TOLD = late_patterns.compile(rb'^\{"told":([0-9]{1,18})\}', re.MULTILINE)


def record(options: argparse.Namespace, origin: Origin) -> Outcome:
    """Raises UserError."""
    target = target_of(options)
    words = ["-F", f"{options.rate:g}"]
    if options.duration:
        words += ["-d", f"{options.duration:g}"]
    sampler.found()  # before a file is made
    path = named(options.output, origin) if options.output else _own_name(target)
    with _opened(path, bool(options.output)) as file:
        copy = _Copy(file, path)
        try:
            with sampler.started(target, words) as running:
                _follow(running, copy)
                status = running.status()
                sentence = running.sentence()
            if status != sampler.DONE:
                raise sampler.problem(status, sentence, target)
        except BaseException:
            if not copy.size and os.path.isfile(path):
                os.unlink(path)  # there is nothing in it
            raise
    return _ended(copy, target, options)


def target_of(options: argparse.Namespace) -> Target:
    """Raises UserError."""
    if options.program:
        if options.pid is not None:
            raise UserError(
                "bad_argument",
                "A process and a program are two things.",
                f"Type `ompd {options.command} PID' or `ompd {options.command} -- PROGRAM'.",
            )
        return Target(program=[sampler.program_found(options.program[0]), *options.program[1:]])
    if options.pid is None:
        raise UserError(
            "bad_argument",
            "Which program?",
            f"Type `ompd {options.command} PID' or `ompd {options.command} -- PROGRAM'.",
        )
    check_first_thread(options.pid)
    return Target(options.pid)


def _own_name(target: Target) -> str:
    name = os.path.basename(target.program[0]) if target.program else str(target.pid)
    return f"ompd-{name}-{time.strftime('%Y%m%d-%H%M%S')}.jsonl"


@contextlib.contextmanager
def _opened(path: str, replace: bool) -> Iterator[IO[bytes]]:
    """replace: it was named, else it must be new."""
    try:
        file = open(files.opened(path, replace), "wb", buffering=0)
    except OSError as error:
        raise UserError(
            "not_written", f"{path} cannot be written: {error.strerror}.", "Name another by `-o'."
        ) from None
    with file:
        yield file


class _Copy:
    """From the pipe into the file; what goes by is read only as far as the progress needs it."""

    def __init__(self, file: IO[bytes], path: str) -> None:
        self.path = path
        self.size = 0
        self.told = 0
        self.head = b""  # the first line, until it has been read
        self.header: dict[str, Any] | None = None
        self.tail = b""
        self.problem: str | None = None
        self._file = file

    def take(self, data: bytes) -> None:
        if self.problem is not None:
            return
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            self.problem = "there is no room left" if full else str(error.strerror)
        self.size += len(data)
        self.tail = (self.tail + data)[-_TAIL:]
        if self.header is None:
            self.head = (self.head + data)[:_TAIL]
            if b"\n" in self.head:
                self.header = _object(self.head.split(b"\n", 1)[0])
        told = None
        for told in _TOLD.finditer(data):
            pass
        if told is not None:
            self.told = int(told.group(1))

    def end(self) -> dict[str, Any]:
        """The closing line; empty if there is none."""
        found = _object(self.tail.rstrip(b"\n").rsplit(b"\n", 1)[-1])
        return found if "end" in found else {}


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _of_another_clock(header: dict[str, Any]) -> list[str]:
    """What is not allowed, and how it is sampled then: it may be the less that is wanted."""
    if header.get("clock") == "perf":
        return []
    sentences = [*(header.get("limits") or ()), *(header.get("how") or ())[:1]]
    return [one for one in sentences if isinstance(one, str)]


def _follow(running: sampler.Sampler, copy: _Copy) -> None:
    """Until the pipe is at its end. Ctrl-C asks for that."""
    progress = Progress()
    asked = said = False
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    while True:
        try:
            ready, _, _ = select.select([running.pipe], [], [], _EACH)
            if ready:
                data = os.read(running.pipe, _PIECE)
                if not data:
                    break
                copy.take(data)
                if copy.header is not None and not said:
                    said = True
                    progress.clear()
                    for sentence in _of_another_clock(copy.header):
                        terminal.write(f"ompd: {plain(sentence)}\n", sys.stderr)
                if copy.problem is not None and not asked:
                    asked = True
                    running.ask_to_end()
            so_far = f"{seconds(copy.told)} recorded, {copy.size / 1e6:.1f} MB"
            progress.line(f"{so_far}; Ctrl-C ends it")
        except KeyboardInterrupt:
            if asked:
                raise
            asked = True
            running.ask_to_end()
    progress.clear()


def _ended(copy: _Copy, target: Target, options: argparse.Namespace) -> Outcome:
    end = copy.end()
    at = end.get("end")
    long = seconds(at if isinstance(at, int) else copy.told)
    if copy.problem is not None:
        status = FAILED if target.program else CANNOT_READ
        why = f"{copy.path} could not be written further: {copy.problem}."
        return Outcome(status, complaints=[f"{why} What is there, `ompd show' shows."])
    samples = end.get("in_rows")
    number = f", {count(samples, 'sample')}" if isinstance(samples, int) else ""
    said = f"{long}{number} in {copy.path} ({copy.size / 1e6:.1f} MB)."
    text = f"{said} `ompd show {shlex.quote(copy.path)}' tells where the time went."
    return Outcome(_status(end, target), complaints=[text])


def _status(end: dict[str, Any], target: Target) -> int:
    if not target.program:
        return 0
    return status_of_program(end.get("how"), end.get("status"), end.get("signal"))


def status_of_program(how: object, status: object, number: object) -> int:
    """Its own, as a shell tells it, where it has ended."""
    if how == "killed" and isinstance(number, int):
        return 128 + number
    if how == "exited" and isinstance(status, int):
        return status
    return 128 + signal.SIGINT if how == "interrupted" else 0
