# SPDX-License-Identifier: Apache-2.0
"""How are collectors started on other nodes, and what do they bring back? As a tree: a collector
looks at its own node, starts those of its part of the nodes, and sends one document for all of
them. A node that does not answer is named."""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from typing import IO, Any, Callable, Sequence

from ompd_core.errors import UserError
from ompd_core.light_classes import dataclass, field
from ompd_core.model import job_parts
from ompd_core.model.job import Job
from ompd_core.model.members import folded
from ompd_core.model.rank_reports import NoReport
from ompd_core.views.status import WRONG
from ompd_core.views.terminal import plain

from ..debugger import HOME
from ..progress import Progress
from . import shipping, wire

GRACE = 15.0  # seconds for collectors that are asked to end: what they look at runs on first
FOR_THE_WAY = 20.0  # seconds that a level of the tree may take beside its collectors
LONGEST_WORDS = 4096  # bytes of a launcher's own last words
SILENT = "It did not answer."


@dataclass
class Errand:
    """What a collector is to do: an argument of its command."""

    job: str = ""  # of Slurm; empty: all of the user's ranks on that node
    steps: list[str] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)  # of this level of the tree
    fan_out: int = 32
    alone: bool = False  # the collector is the only one of this level, and all are its part
    daemon: list[str] = field(default_factory=list)  # a launcher's on that node: job and number
    host: str = ""  # what that launcher calls the node
    levels: int = 0  # that may be below

    def text(self) -> str:
        return json.dumps({**vars(self), "nodes": folded(self.nodes)})

    @classmethod
    def of(cls, text: str, expand: Callable[[str], list[str]]) -> Errand:
        told: dict[str, Any] = json.loads(text)
        told["nodes"] = expand(told["nodes"])
        return cls(**told)


def depth(number: int, fan_out: int) -> int:
    """Levels of the tree below who asks."""
    levels = 0
    while number > 0:
        levels += 1
        number = -(-number // fan_out) - 1 if number > fan_out else 0
    return levels


def limit(options: argparse.Namespace, levels: int) -> float:
    """For this level and all below; 0: none."""
    return options.node_timeout + levels * FOR_THE_WAY if options.node_timeout else 0.0


def parted(nodes: Sequence[str], fan_out: int) -> list[list[str]]:
    """The part of each collector of this level; the first of a part is the collector's own node.
    Whoever knows the same nodes, in whatever order, comes to the same parts."""
    ordered = sorted(nodes)
    number = min(fan_out, len(ordered))
    size, more = divmod(len(ordered), max(number, 1))
    found, at = [], 0
    for i in range(number):
        end = at + size + (i < more)
        found.append(ordered[at:end])
        at = end
    return found


def package(options: argparse.Namespace) -> bytes:
    """That is sent along; empty: nodes have it on a file system of theirs. Raises UserError."""
    if options.shipped:
        return shipping.received(options.shipped)
    return shipping.package() if options.ship else b""


def collector_command(options: argparse.Namespace, errand: str, package: bytes) -> list[str]:
    words = ["job", "--collect", errand]
    words += ["--gdb", options.gdb, "--timeout", f"{options.timeout:g}"]
    words += ["--node-timeout", f"{options.node_timeout:g}"]
    if options.at_once:
        words += ["--at-once", str(options.at_once)]
    if options.watch:
        words += ["--watch", f"{options.watch:g}"]
    if package:
        return shipping.command(words, len(package))
    return [sys.executable, os.path.join(HOME, "bin", "ompd"), *words]


class Launched:
    """Collectors on other nodes, by one command of the launcher's."""

    def __init__(
        self,
        command: Sequence[str],
        parts: Sequence[Sequence[str]],
        limit: float,
        end_step: Callable[[str], None] = lambda step: None,
        package: bytes = b"",
        folder: str | None = None,
    ) -> None:
        """parts: of each collector; limit: seconds, 0: none. end_step: of what may be left.
        package: what each gets first. folder: where the command is started. Raises UserError."""
        self.job = Job(WRONG)
        self.reasons: list[str] = []  # of errors that collectors have told
        self.silent: list[Sequence[str]] = []  # parts: lost, neither late nor the reason told
        self.nodes = [node for part in parts for node in part]
        self._parts = {part[0]: part for part in parts}
        self._end = time.monotonic() + limit if limit else None
        self._limit = limit
        self._late = False
        self._receiver = wire.Receiver()
        self._steps: set[str] = set()
        self._end_step = end_step
        self._words: IO[bytes] = tempfile.TemporaryFile()
        self._rest = b""
        # Not in the terminal's group: Ctrl-C is ours alone. stdin stays open as long as somebody
        # wants the answer: the launcher tells all collectors when it is closed.
        try:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._words,
                start_new_session=True,
            )
        except OSError as error:
            message = f"`{plain(command[0])}' cannot be started: {error.strerror}."
            raise UserError("no_launcher", message) from None
        if package:
            threading.Thread(target=self._ship, args=(package,), daemon=True).start()

    def _ship(self, package: bytes) -> None:
        """The launcher may want its output read meanwhile."""
        assert self.process.stdin is not None
        with suppress(OSError, ValueError):  # it has ended
            self.process.stdin.write(package)
            self.process.stdin.flush()

    def wait(self, progress: Progress) -> None:
        """Until all have answered, or the time is over."""
        assert self.process.stdout is not None
        number = len(self._parts)
        while self._parts:
            done = number - len(self._parts)
            progress.show(f"{done} of {number} {'nodes' if number > 1 else 'node'} answered")
            if select.select([self.process.stdout], [], [], 0.2)[0] and not self._read():
                break
            if self._end is not None and time.monotonic() > self._end:
                self._late = True
                break
        progress.clear()

    def _read(self) -> bool:
        """False: there will be no more."""
        assert self.process.stdout is not None
        piece = os.read(self.process.stdout.fileno(), 1 << 16)
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > wire.LONGEST_LINE:
            self._rest = b""
        for line in lines:
            found = self._receiver.take(line.decode("ascii", "replace"))
            if found is not None:
                self._take(*found)
        return bool(piece)

    def _take(self, sender: str, kind: str, document: Any) -> None:
        if sender == wire.UNKNOWN and len(self.nodes) == 1:
            sender = self.nodes[0]  # whose stream it is
        if kind == "step":
            self._steps.add(str(document)[:64])
        elif sender in self._parts:
            if kind == "error":
                self.reasons.append(str(document)[:LONGEST_WORDS])
                self._lose(sender, self.reasons[-1])
                return
            try:
                self.job.take(job_parts.read(document, WRONG))
                del self._parts[sender]
            except NoReport as error:
                self._lose(sender, f"What it answered cannot be used: {error}.")

    def _lose(self, head: str, why: str) -> None:
        for node in self._parts.pop(head):
            self.job.lost[node] = why

    def finish(self) -> None:
        """Nothing of it is left then. Also after an interruption."""
        assert self.process.stdin is not None and self.process.stdout is not None
        lost = bool(self._parts)
        if lost:
            # Not by a signal: srun ends its tasks by SIGKILL then, in the middle of what they do.
            self._close(self.process.stdin)
        end = time.monotonic() + GRACE
        while self.process.poll() is None and time.monotonic() < end:
            if select.select([self.process.stdout], [], [], 0.05)[0] and not self._read():
                time.sleep(0.01)
        if lost:
            for step in self._steps:
                self._end_step(step)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        words = self._words_of_launcher()
        for head in list(self._parts):
            if not self._late:
                self.silent.append(self._parts[head])
            late = f"It did not answer in {self._limit:g} s."
            self._lose(head, late if self._late else _last_words(words, head))
        for stream in (self.process.stdin, self.process.stdout, self._words):
            self._close(stream)

    @staticmethod
    def _close(stream: IO[bytes]) -> None:
        with suppress(OSError):
            stream.close()

    def _words_of_launcher(self) -> list[str]:
        size = os.fstat(self._words.fileno()).st_size
        self._words.seek(max(0, size - LONGEST_WORDS))
        lines = self._words.read().decode("utf-8", "replace").split("\n")
        return [line.strip() for line in lines if line.strip()] or self._receiver.others


def _last_words(lines: Sequence[str], node: str) -> str:
    """Of that node, as far as they are told apart; of all nodes alike."""
    label = f"{node}: "
    its = [line[len(label) :] for line in lines if line.startswith(label)] or list(lines)
    told = [line for line in its if "exit code" not in line] or its
    return f"{SILENT} {plain(told[-1])[:300].rstrip('.')}." if told else SILENT
