# SPDX-License-Identifier: Apache-2.0
"""`ompd top': a table of where the time goes, while it goes."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import shutil
import signal
import sys
import tempfile
from typing import IO, Any, Iterator, TextIO

from ompd_core.recording import sums
from ompd_core.recording.reader import Reader
from ompd_core.recording.record import Account
from ompd_core.recording.summary import Summary
from ompd_core.recording.sums import Totals
from ompd_core.views import json_text
from ompd_core.views.recording import document, live
from ompd_core.views.recording.words import seconds
from ompd_core.views.terminal import plain

from .. import terminal
from ..origin import Origin
from ..outcome import CANNOT_READ, INTERRUPTED, Outcome
from . import sampler
from .record import status_of_program, target_of
from .sampler import Target
from .screen import Screen, entered

_ONCE = 2.0  # seconds that `--once' looks at
_FIRST = 0.5  # seconds to the first table, about
_RECENT = 5 * 10**9  # ns that a table is of, unless all is asked for
_PIECE = 1 << 20
_MOST_ROWS = 50_000  # from which it would take too long, each time, to tell who waits for whom


def top(options: argparse.Namespace, _: Origin) -> Outcome:
    """Raises UserError."""
    target = target_of(options)
    duration = options.duration or (_ONCE if options.once else 0.0)
    words = ["-F", f"{options.rate:g}", "--flush", f"{min(options.interval, _FIRST):g}"]
    if duration:
        words += ["-d", f"{duration:g}"]
    on_screen = terminal.obeys(sys.stdout) and not options.json and not options.once
    shown = _Shown(options, target)
    sampler.found()  # before the screen is another
    with _output(target, on_screen) as output, contextlib.ExitStack() as stack:
        screen = stack.enter_context(entered()) if on_screen else None
        with sampler.started(target, words, output) as running:
            try:
                shown.follow(running, screen)
            except KeyboardInterrupt:
                shown.stop(running)
            status, sentence = running.status(), running.sentence()
        stack.close()
        _show_output(output)
    if status != sampler.DONE and not shown.reader.record.last:
        raise sampler.problem(status, sentence, target)
    shown.last_table(on_screen)
    return _outcome(shown, status, sentence, target)


def _outcome(shown: _Shown, status: int, sentence: str, target: Target) -> Outcome:
    if status != sampler.DONE:
        return Outcome(CANNOT_READ, complaints=[sampler.problem(status, sentence, target).message])
    end = shown.reader.record.end
    if target.program and end is not None:
        return Outcome(status_of_program(end.how, end.status, end.signal))
    interrupted = shown.asked and not shown.by_key and not sys.stdout.isatty()
    return Outcome(INTERRUPTED if interrupted else 0)


@contextlib.contextmanager
def _output(target: Target, on_screen: bool) -> Iterator[IO[bytes] | None]:
    """For what a program prints while the screen is ours."""
    if not on_screen or not target.program:
        yield None
        return
    with tempfile.TemporaryFile(prefix="ompd-") as file:
        yield file


def _show_output(output: IO[bytes] | None) -> None:
    """It is the program's own: as it is."""
    if output is None:
        return
    output.seek(0)
    sys.stdout.flush()
    with contextlib.suppress(BrokenPipeError):
        shutil.copyfileobj(output, sys.stdout.buffer)
        sys.stdout.buffer.flush()


class _Shown:
    """What has come so far, and how it is to be shown."""

    def __init__(self, options: argparse.Namespace, target: Target) -> None:
        self.reader = Reader()
        self.asked = False  # it is to end
        self.by_key = False
        self._options = options
        self._target = target
        self._view = options.view
        self._all = options.once
        self._moments: list[tuple[int, dict[tuple[int, int], Account]]] = [(0, {})]
        self._drawn = 0  # ns: the moment of the last table

    def follow(self, running: sampler.Sampler, screen: Screen | None) -> None:
        """Until the sampler ends."""
        if screen is not None:
            screen.draw(["ompd top: waits for the first samples. q ends it."])
        while True:
            keys = screen.keys if screen is not None else []
            ready, _, _ = select.select([running.pipe, *keys], [], [])
            if screen is not None and ready != [running.pipe]:
                self._hear(screen, running)
            if running.pipe in ready:
                data = os.read(running.pipe, _PIECE)
                if not data:
                    return
                self.reader.feed(data)
                self._draw_if_due(screen)

    def stop(self, running: sampler.Sampler) -> None:
        """And take what still comes."""
        self.asked = True
        running.ask_to_end()
        with contextlib.suppress(KeyboardInterrupt):
            while data := os.read(running.pipe, _PIECE):
                self.reader.feed(data)

    def _hear(self, screen: Screen, running: sampler.Sampler) -> None:
        for key in screen.read():
            if key == "q":
                if self.asked or not self._end_program():
                    running.ask_to_end()
                self.asked = self.by_key = True
            elif key == "a":
                self._all = not self._all
            elif key in live.VIEWS:
                self._view = live.VIEWS[key]
        self._draw(screen)

    def _end_program(self) -> bool:
        """That we started: the sampler, whose child it is, ends with it."""
        pid = self.reader.record.header.pid
        if not self._target.program or not pid:
            return False
        try:
            os.kill(pid, signal.SIGTERM)
        except OSError:
            return False
        return True

    def _draw_if_due(self, screen: Screen | None) -> None:
        told = self.reader.record.told
        if told == self._moments[-1][0]:
            return
        now = sums.totals(self.reader.record)
        self._moments.append((told, now))
        while len(self._moments) > 2 and self._moments[1][0] <= told - _RECENT:
            del self._moments[0]
        self.reader.forget(self._moments[0][0])
        # A table without any row would have the next one wait for its turn.
        due = now and (not self._drawn or told - self._drawn >= 0.99e9 * self._options.interval)
        if due and not self._options.once:
            self._drawn = told
            self._draw(screen)

    def _draw(self, screen: Screen | None) -> None:
        lines = self._lines(screen is not None)
        if screen is not None:
            screen.draw(lines)
        elif self._options.json:
            terminal.write(json.dumps(self._document()) + "\n", self._stream())
        else:
            terminal.write("\n".join([*lines, "", ""]), self._stream())

    def last_table(self, on_screen: bool) -> None:
        """Of the whole time, when all is over."""
        if not (on_screen or self._options.once or not self._drawn):
            return
        self._all = True
        self._moments.append((self.reader.record.last, sums.totals(self.reader.record)))
        if self._options.json:
            terminal.write(json_text.text(self._document()) + "\n", self._stream())
        else:
            terminal.write("\n".join([*self._lines(False), ""]), self._stream())

    def _summary(self) -> tuple[Summary, str]:
        """With the words for the time that it is of."""
        told, now = self._moments[-1]
        since, before = self._moments[0]
        if self._all or since == 0:
            # What is forgotten is missing in all of it.
            return self._of(now, since == 0), f"all {seconds(told)}"
        between = sums.since(now, before)
        return self._of(between, True), f"the last {seconds(told - since)} of {seconds(told)}"

    def _of(self, of: Totals, has_rows: bool) -> Summary:
        return Summary(self.reader.record, of, has_rows and self.reader.rows <= _MOST_ROWS)

    def _lines(self, with_keys: bool) -> list[str]:
        stream = sys.stdout if with_keys else self._stream()
        style = terminal.style(stream)
        if with_keys:
            style = style._replace(width=terminal.width(stream))
        found, what = self._summary()
        keys = (
            ["", "r regions  t threads  w waits  s stacks  a " + ("recent" if self._all else "all")]
            if with_keys
            else []
        )
        if keys:
            keys[1] += "  q quit"
        record = self.reader.record
        notes = [*record.header.limits, *record.notes[-2:]]
        return [
            plain(line)
            for line in (
                *live.head(found, what, style),
                *keys[1:],
                *notes,
                "",
                *live.rows(found, self._view, style),
            )
        ]

    def _document(self) -> dict[str, Any]:
        return dict(document.document("top", self._summary()[0]))

    def _stream(self) -> TextIO:
        return sys.stderr if self._target.program else sys.stdout
