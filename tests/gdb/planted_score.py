# SPDX-License-Identifier: Apache-2.0
"""How many planted hangs are found, cannot be told or are passed, by runtime, waiting policy and
kind of look? Counted over all tests of a process."""

from __future__ import annotations

from collections import Counter

ENDS = FOUND, CANNOT_TELL, PASSED = "found", "cannot tell", "passed"
# One thread is at work for ever, and the others wait for it: passed by right.
AT_WORK = "at work"
# gcore has written zeros for the stacks of a newer C library, and the report says so.
ZEROS = "zeros"


class Score:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def judge(self, row: str, kind: str, ended: str) -> None:
        self.counts[f"{row}|{kind}|{ended}"] += 1

    def of(self, row: str, kind: str) -> dict[str, int]:
        return {ended: self.counts[f"{row}|{kind}|{ended}"] for ended in (*ENDS, AT_WORK, ZEROS)}

    def lines(self) -> list[str]:
        keys = [key.split("|") for key in self.counts]
        rows, kinds = sorted({one[0] for one in keys}), sorted({one[1] for one in keys})
        told = []
        for row in rows:
            cells = (f"{kind} {self._cell(row, kind)}" for kind in kinds if self._looks(row, kind))
            told.append(f"planted: {row:<24} {'   '.join(cells)}")
        head = f"planted: {' / '.join(ENDS)} (at work), by kind of look"
        return [head, *told] if told else []

    def _looks(self, row: str, kind: str) -> int:
        return sum(self.of(row, kind).values())

    def _cell(self, row: str, kind: str) -> str:
        of = self.of(row, kind)
        zeros = f" and {of[ZEROS]} with zeros" if of[ZEROS] else ""
        return f"{of[FOUND]:>3} /{of[CANNOT_TELL]:>3} /{of[PASSED]:>2} ({of[AT_WORK]}){zeros}"


score = Score()
