# SPDX-License-Identifier: Apache-2.0
"""Is what `ompd print' says what the threads say of themselves (tests/programs/oracle.h)? Counted
over all tests of a process: a value that is wrong has to be marked as another frame's, another
file's, or the loop's first one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Iterator

RIGHT, MARKED, UNKNOWN, WRONG = "right", "marked", "unknown", "wrong"
MARKS = ("parents", "in_construct", "in_function", "file", "first_of_loop")
# Where it is not known why each thread has its own.
OWN = {"reduction": "private", "lastprivate": "private", "threadprivate": "private"}


class Score:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def judge(self, record: Path, stops: list[dict[str, Any]]) -> list[str]:
        """What is wrong. stops: as tell_values.py writes them."""
        wrong = []
        for stop, who, name, true in _lines(record):
            said = stops[stop].get(name)
            if who == "sharing":
                told = said.get("sharing") if said is not None else None
                ended = UNKNOWN if told is None else _judged(told in (true, OWN.get(true)))
                told, what = f"({told})", "attributes"
            else:
                told, ended, what = *_value(said, int(who), true), "values"
            self.counts[f"{what} {ended}"] += 1
            if ended == WRONG:
                wrong.append(f"stop {stop}, {who}: {name} is {true}, told {told}")
        return wrong

    def lines(self) -> list[str]:
        count = self.counts
        ends = {"values": (RIGHT, MARKED, UNKNOWN, WRONG), "attributes": (RIGHT, UNKNOWN, WRONG)}
        told = [
            f"{what} " + ", ".join(f"{count[f'{what} {how}']} {how}" for how in hows)
            for what, hows in ends.items()
        ]
        return [f"oracle: {'; '.join(told)}"] if count else []


def _lines(record: Path) -> Iterator[tuple[int, str, str, str]]:
    for line in record.read_text(encoding="utf-8").splitlines():
        stop, who, name, value = line.split("\t")
        yield int(stop), who, name, value


def _judged(right: bool) -> str:
    return RIGHT if right else WRONG


def _value(said: Any, lwp: int, true: str) -> tuple[str, str]:
    """What is told, and how that is judged."""
    if said is None or "failed" in said:
        return str(said), WRONG
    (value,) = [one for one in said["values"] if lwp in one["lwps"]]
    text = value["text"]
    if text is None:
        return str(value["error"]), UNKNOWN
    if any(value[mark] for mark in MARKS):
        return text, MARKED
    # A pretty-printer's words may be in front of what a container holds.
    return text, _judged(text == true or text.endswith(f" = {true}") or _is_near(text, true))


def _is_near(text: str, true: str) -> bool:
    try:
        return abs(float(text) - float(true)) <= 1e-6 * abs(float(true))
    except ValueError:
        return False


score = Score()
