# SPDX-License-Identifier: Apache-2.0
"""How is ompd-sampler found, started, heard and ended?"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import gc
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import IO, Iterator, Sequence

from ompd_core import source_tree
from ompd_core.errors import UserError
from ompd_core.light_classes import dataclass

from ..outcome import not_executable
from . import loading

NAME = "ompd-sampler"
_NOT_BUILT = "sampler-not-built.txt"  # the build's reason
_PIPE = 1 << 20  # bytes: what is not read at once does not hold the sampler up
_LAST_WORDS = 4000  # bytes
_PATIENCE = 5.0  # seconds that it may take to close a record

# Its exit statuses (docs/record-format.md).
DONE, USAGE, NOT_ALLOWED, NO_PROCESS, NOT_WRITTEN, NO_READER = 0, 2, 3, 4, 5, 6


@dataclass(frozen=True)
class Target:
    pid: int | None = None
    program: Sequence[str] = ()

    def words(self) -> list[str]:
        return ["-p", str(self.pid)] if self.pid is not None else ["--", *self.program]


@functools.lru_cache(maxsize=None)
def found() -> str:
    """In the source tree or installed, as this file is; it can be started. Raises UserError."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    source, prefix = os.path.dirname(home), os.path.dirname(os.path.dirname(home))
    build = source_tree.build(source)
    candidates = [os.path.join(build, "sampler", NAME)]
    if os.path.basename(home) == "ompd" and os.path.basename(source) == "share":
        escaped = glob.escape(prefix)
        candidates = sorted(glob.glob(os.path.join(escaped, "lib*", "ompd", NAME)))
        candidates = candidates or [os.path.join(prefix, "libexec", "ompd", NAME)]
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            loading.check(candidate)
            return candidate
    for folder in (home, build):
        with contextlib.suppress(OSError), open(os.path.join(folder, _NOT_BUILT)) as file:
            raise UserError("no_sampler", f"{NAME} was not built: {file.read().strip()}.")
    raise UserError(
        "no_sampler",
        f"{NAME} was not found; looked for {', '.join(candidates)}.",
        "Build it (cmake -S . -B build && cmake --build build); it is for Linux on x86-64 and"
        " aarch64.",
    )


def program_found(name: str) -> str:
    """Raises UserError."""
    path = shutil.which(name)
    if path is not None:
        return path
    if os.path.isfile(name) and "/" in name:
        raise not_executable(name)
    raise UserError("no_executable", f"There is no program {name}.", "Name another one.")


class Sampler:
    """While it runs. `pipe' is where its lines come out."""

    def __init__(self, process: subprocess.Popen[bytes], pipe: int, words: IO[bytes] | None):
        self.pipe = pipe
        self._process = process
        self._words = words

    def ask_to_end(self) -> None:
        """It closes the record; what is still in the pipe has to be read."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def status(self) -> int:
        """When it has ended, which it does when its pipe is at an end."""
        try:
            return self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def sentence(self) -> str:
        """What it said last."""
        if self._words is None:
            return ""
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(size - _LAST_WORDS, 0))
        lines = self._words.read().decode("utf-8", "replace").strip().split("\n")
        return lines[-1].removeprefix(f"{NAME}: ").strip()


@contextlib.contextmanager
def started(
    target: Target, options: Sequence[str], output: IO[bytes] | None = None
) -> Iterator[Sampler]:
    """output: for what a program prints that is started; else it prints where we do. Raises
    UserError."""
    path = found()
    gc.enable()  # it may go on for days
    reading, writing = os.pipe()
    with contextlib.suppress(OSError):  # more than an ordinary user may have
        fcntl.fcntl(writing, getattr(fcntl, "F_SETPIPE_SZ", 1031), _PIPE)
    # A program's words are not to be taken for the sampler's.
    words = tempfile.TemporaryFile() if target.pid is not None else None
    try:
        process = subprocess.Popen(
            [path, "--fd", str(writing), *options, *target.words()],
            stdin=subprocess.DEVNULL if target.pid is not None or output else None,
            stdout=output or sys.stdout,
            stderr=words or output,
            pass_fds=(writing,),
        )
    except OSError as error:
        os.close(reading)
        raise UserError("no_sampler", f"{path} cannot be started: {error.strerror}.") from None
    finally:
        os.close(writing)
    sampler = Sampler(process, reading, words)
    try:
        yield sampler
    finally:
        with contextlib.suppress(OSError):
            os.close(reading)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        sampler.status()
        if words is not None:
            words.close()


def problem(status: int, sentence: str, target: Target) -> UserError:
    """Of a status that is not DONE."""
    said = sentence or _USUAL.get(status) or f"{NAME} ended with status {status}."
    said = said if said.endswith((".", "?", "!")) else f"{said}."
    if target.program and status == NO_PROCESS:
        return UserError("not_executable", f"{target.program[0]} cannot be started.", "")
    code = {NOT_ALLOWED: "not_allowed", NO_PROCESS: "no_process"}.get(status, "not_recorded")
    return UserError(code, said)


_USUAL = {
    NOT_ALLOWED: "The kernel does not allow it.",
    NO_PROCESS: "There is no such process.",
    NOT_WRITTEN: "The record could not be written.",
}
