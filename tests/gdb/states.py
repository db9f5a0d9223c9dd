# SPDX-License-Identifier: Apache-2.0
"""Are the states that we tell those that the threads declared? Counted over all tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions import Target

# gcc calls the same for barriers that the user wrote and for those at the end of constructs.
OF_ANY_KIND = {
    "wait_barrier",
    "wait_barrier_explicit",
    "wait_barrier_implicit_workshare",
    "wait_barrier_implementation",
}


@dataclass(frozen=True)
class Declared:
    """What a thread said that it is going to do."""

    state: str
    line: int  # of the construct that it waits for; 0: not said
    call: str | None  # the function outside OpenMP that it is in


def truth_of(made: Target) -> dict[int, Declared]:
    lines = Path(f"{made.record}.states").read_text(encoding="utf-8").splitlines()
    return {
        int(tid): Declared(state, int(line), None if call == "-" else call)
        for tid, state, line, call in map(str.split, lines)
    }


@dataclass
class Score:
    right: int = 0
    judged: int = 0  # threads, each time that they were asked for
    in_transition: int = 0  # threads of which nobody can tell what is right

    def judge(self, told: object, *true: object) -> bool:
        self.judged += 1
        self.right += told in true
        return told in true

    def add(self, right: int, judged: int, in_transition: int) -> None:
        self.right += right
        self.judged += judged
        self.in_transition += in_transition

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.right, self.judged, self.in_transition


score = Score()  # by all tests of this process


def told_of(member: Any) -> tuple[str | None, bool]:
    """The state, and whether it is certain."""
    return member["state"], "state" not in member.get("doubts", {})
