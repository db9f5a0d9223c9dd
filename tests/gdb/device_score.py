# SPDX-License-Identifier: Apache-2.0
"""How much of what is told of devices is right? Counted over all tests of a process."""

from __future__ import annotations

from collections import Counter

ENDS = RIGHT, UNKNOWN, WRONG = "right", "unknown", "wrong"


class Score:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def judge(self, what: str, said: object, true: object) -> str:
        """said: None, if it is told as not known."""
        ended = UNKNOWN if said is None else RIGHT if said == true else WRONG
        self.counts[f"{what} {ended}"] += 1
        return ended

    def find(self, planted: int, told: int) -> None:
        """How many findings are due, and how many there are."""
        if planted:
            self.counts["planted"] += planted
            self.counts["found"] += min(told, planted)
        else:
            self.counts["innocents"] += 1
        self.counts["accusations"] += max(told - planted, 0)

    def lines(self) -> list[str]:
        count = self.counts
        told = []
        for what in ("kernels", "lines", "devices", "mappings"):
            ends = ", ".join(f"{count[f'{what} {how}']} {how}" for how in ENDS)
            told.append(f"{what} {ends}")
        found = (
            f"findings {count['found']} of {count['planted']} planted,"
            f" {count['accusations']} accusations of {count['innocents']} innocents"
        )
        return [f"devices: {'; '.join([*told, found])}"] if count else []


score = Score()
