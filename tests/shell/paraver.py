# SPDX-License-Identifier: Apache-2.0
"""A strict reader of Paraver's traces: .prv, .pcf and .row, by BSC's "Paraver: Trace Generation
Manual". What that does not allow is an error."""

from __future__ import annotations

import re
from pathlib import Path

_HEADER = re.compile(
    r"#Paraver \(\d\d/\d\d/\d\d at \d\d:\d\d\):(\d+)_ns:(?:0|\d+\([\d,]+\)):1:1\((\d+):1\)"
)
_SECTIONS = ("DEFAULT_OPTIONS", "DEFAULT_SEMANTIC", "STATES", "STATES_COLOR", "EVENT_TYPE")


class Trace:
    def __init__(self, duration: int, rows: list[str], names: Names) -> None:
        self.duration, self.rows = duration, rows
        self.spans: list[tuple[int, int, int, int]] = []  # thread, begin, end, state
        self.events: dict[tuple[int, int], list[tuple[int, int]]] = {}  # time, value
        self._names = names

    def states(self) -> dict[tuple[int, str], int]:
        found: dict[tuple[int, str], int] = {}
        for thread, begin, end, state in self.spans:
            key = (thread, self._names.states[state])
            found[key] = found.get(key, 0) + end - begin
        return found

    def sums(self, event: str) -> dict[tuple[int, str], float]:
        """How long each value of an event held, until the next of its thread."""
        (number,) = [number for number, name in self._names.types.items() if name == event]
        found: dict[tuple[int, str], float] = {}
        for (thread, of), moments in self.events.items():
            if of != number:
                continue
            for (begin, value), (end, _) in zip(moments, moments[1:]):
                key = (thread, self._names.values[number][value])
                found[key] = found.get(key, 0) + end - begin
            assert moments[-1][1] == 0, "the last of a thread ends it"
        return found


class Names:
    """Of a .pcf."""

    def __init__(self, path: Path) -> None:
        self.states: dict[int, str] = {}
        self.types: dict[int, str] = {}
        self.values: dict[int, dict[int, str]] = {}
        section, current = "", -1
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line in _SECTIONS or line == "VALUES":
                section = line
            elif not line.strip():
                continue
            elif section == "STATES":
                number, name = _pair(line)
                self.states[number] = name
            elif section == "STATES_COLOR":
                assert re.fullmatch(r"\d+ +\{\d{1,3},\d{1,3},\d{1,3}\}", line), line
            elif section == "EVENT_TYPE":
                match = re.fullmatch(r"0 +(\d+) +(\S.*)", line)
                assert match, line
                current = int(match.group(1))
                assert current not in self.types
                self.types[current], self.values[current] = match.group(2), {}
            elif section == "VALUES":
                number, name = _pair(line)
                assert number not in self.values[current], line
                self.values[current][number] = name
            else:
                assert section in ("DEFAULT_OPTIONS", "DEFAULT_SEMANTIC"), line


def _pair(line: str) -> tuple[int, str]:
    match = re.fullmatch(r"(\d+) +(\S.*)", line)
    assert match, line
    return int(match.group(1)), match.group(2)


def read(prv: Path) -> Trace:
    lines = prv.read_text(encoding="utf-8").split("\n")
    assert lines.pop() == "", "its last line has no end"
    header = _HEADER.fullmatch(lines[0])
    assert header, lines[0]
    names = Names(prv.with_suffix(".pcf"))
    trace = Trace(int(header.group(1)), _rows(prv.with_suffix(".row")), names)
    threads = int(header.group(2))
    assert len(trace.rows) == threads
    before, ends = 0, [0] * threads
    for line in lines[1:]:
        fields = [int(field) for field in line.split(":")]
        kind, cpu, application, task, thread, time = fields[:6]
        assert (cpu, application, task) == (0, 1, 1) and 1 <= thread <= threads
        assert before <= time <= trace.duration, f"not in the order of time: {line}"
        before = time
        if kind == 1:
            _, state = fields[6:]
            assert ends[thread - 1] <= time <= fields[6] <= trace.duration, f"overlaps: {line}"
            ends[thread - 1] = fields[6]
            assert state in names.states, line
            trace.spans.append((thread - 1, time, fields[6], state))
        else:
            assert kind == 2 and len(fields) > 6 and len(fields) % 2 == 0, line
            for of, value in zip(fields[6::2], fields[7::2]):
                assert value in names.values[of], f"a value without a name: {line}"
                trace.events.setdefault((thread - 1, of), []).append((time, value))
    return trace


def _rows(path: Path) -> list[str]:
    """Of its level of threads."""
    lines = path.read_text(encoding="utf-8").split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("LEVEL THREAD SIZE "))
    size = int(lines[at].rsplit(" ", 1)[1])
    rows = lines[at + 1 : at + 1 + size]
    assert all(rows) and not any(lines[at + 1 + size :])
    return rows
