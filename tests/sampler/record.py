# SPDX-License-Identifier: Apache-2.0
"""Reads a record, and holds it against what every record promises (docs/record-format.md)."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator

TABLES = "runtime image frame stack region construct thread activity sums".split()


@dataclass
class Record:
    lines: list[dict[str, Any]]
    tables: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)

    @property
    def header(self) -> dict[str, Any]:
        return self.lines[0]

    @property
    def end(self) -> dict[str, Any]:
        return self.lines[-1]

    @property
    def start(self) -> int:
        """By the monotonic clock."""
        return int(self.header["monotonic"])

    def rows(self) -> Iterator[tuple[int, int, int, dict[str, Any], int]]:
        """Of each thread in turn: thread, start, duration, activity, samples."""
        last: dict[int, tuple[int, int]] = {}  # where it ends, and its activity
        for line in self.lines:
            if "segments" in line:
                at, thread = line["start"], line["segments"]
                for duration, activity, samples in line["rows"]:
                    yield thread, at, duration, self.tables["activity"][activity], samples
                    at += duration
                    last[thread] = at, activity
            for first, final in line["threads"] if "go_on" in line else ():
                for thread in range(first, final + 1):
                    at, activity = last[thread]
                    yield thread, at, line["go_on"] - at, self.tables["activity"][activity], 0
                    last[thread] = line["go_on"], activity

    def stack(self, number: int | None) -> list[dict[str, Any]]:
        """Its frames, the outermost first."""
        found: list[dict[str, Any]] = []
        while number is not None:
            stack = self.tables["stack"][number]
            found.insert(0, self.tables["frame"][stack["frame"]])
            number = stack["parent"]
        return found

    def on_by_state(self) -> dict[int, dict[str, int]]:
        """Of each LWP: nanoseconds on a processor, by state."""
        sums: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for thread, _, duration, activity, _ in self.rows():
            if activity.get("on"):
                lwp = self.tables["thread"][thread]["lwp"]
                sums[lwp][activity["state"]] += duration
        return sums


def parse(text: str) -> Record:
    """Each line is checked as it comes: what it refers to has stood before."""
    record = Record([json.loads(line) for line in text.splitlines()])
    record.tables = {name: {} for name in TABLES}
    for line in record.lines:
        kind = next(iter(line))
        _refers_to_what_is_there(record, kind, line)
        if kind in TABLES:
            record.tables[kind][line[kind]] = line
    return record


def read(path: Path) -> Record:
    record = parse(path.read_text(encoding="utf-8"))
    assert record.header["schema"] == "ompd-record/1"
    assert next(iter(record.end)) == "end"
    adds_up(record)
    return record


def _refers_to_what_is_there(record: Record, kind: str, line: dict[str, Any]) -> None:
    referred = {name: line.get(name) for name in TABLES if name != kind}
    referred["stack"] = (
        line.get("parent", line.get("stack")) if kind == "stack" else line.get("stack")
    )
    referred["thread"] = line.get("segments", line.get("gone", line.get("thread")))
    if kind == "thread":
        del referred["thread"]
    for name, number in referred.items():
        if isinstance(number, int) and not isinstance(number, bool):
            if kind != name or number != line[kind]:
                assert number in record.tables[name], (name, line)
    for _, activity, _ in line.get("rows", ()):
        assert activity in record.tables["activity"], line


def adds_up(record: Record) -> None:
    """A thread's rows follow each other without gaps, and add up to its wall time."""
    at: dict[int, int] = {}
    on: dict[int, int] = defaultdict(int)
    for thread, start, duration, activity, _ in record.rows():
        born = record.tables["thread"][thread]["born"]
        assert start == at.get(thread, born), (thread, start)
        at[thread] = start + duration
        on[thread] += duration if activity.get("on") else 0
    for number, sums in record.tables["sums"].items():
        wall = at.get(number, 0) - record.tables["thread"][number]["born"] if number in at else 0
        assert abs(wall - sums["wall"]) <= 0.01 * sums["wall"], sums
        assert on[number] == sums["on"], sums
