# SPDX-License-Identifier: Apache-2.0
"""At which events can a program be stopped, and does an address that a thread comes to mean one?"""

from __future__ import annotations

import re
from typing import Callable, Hashable

from .. import late_patterns
from ..light_classes import NamedTuple, dataclass
from .native import Location

WHENS = {
    "parallel": ("begin", "end", "entry"),
    "teams": ("begin", "end"),
    "task": ("begin", "end"),
    "barrier": ("all",),
    "thread": ("begin", "end"),
    "target": ("begin", "end"),
    "data": ("begin", "end"),
    "update": ("begin", "end"),
}

_TITLES = {
    ("parallel", "begin"): "begin of a parallel region",
    ("parallel", "end"): "end of a parallel region",
    ("parallel", "entry"): "call that begins a parallel region",
    ("teams", "begin"): "begin of a teams region",
    ("teams", "end"): "end of a teams region",
    ("task", "begin"): "begin of an explicit task",
    ("task", "end"): "end of an explicit task",
    ("barrier", "all"): "barrier, all threads have arrived",
    ("thread", "begin"): "begin of a worker thread",
    ("thread", "end"): "end of a worker thread",
    ("target", "begin"): "call that begins a target construct",
    ("target", "end"): "end of a target construct",
    ("data", "begin"): "call that maps data to a device",
    ("data", "end"): "data of a device are unmapped",
    ("update", "begin"): "call that updates data of a device",
    ("update", "end"): "end of a target update",
}


@dataclass(frozen=True)
class Event:
    kind: str
    when: str

    @property
    def title(self) -> str:
        return _TITLES[self.kind, self.when]

    @property
    def is_of_devices(self) -> bool:
        """The offload runtime is called for it."""
        return self.kind in ("target", "data", "update")

    @property
    def name(self) -> str:
        """As it is typed."""
        return self.kind if self.when == "all" else f"{self.kind} {self.when}"


class NoEvent(ValueError):
    """What was typed names none."""


def parse(text: str) -> tuple[Event, str | None, str | None]:
    """KIND [WHEN] [at LOC] [if COND], with the condition last. Raises NoEvent."""
    kind, rest = _word(text)
    if kind not in WHENS:
        raise NoEvent(f"There is no event `{kind}'. Events are {', '.join(WHENS)}.")
    whens = WHENS[kind]
    word, behind = _word(rest)
    when = whens[0]
    if word in ("begin", "end", "entry"):
        if word not in whens:
            raise NoEvent(f"There is no `{kind} {word}'.")
        when, rest = word, behind
    place = None
    word, behind = _word(rest)
    if word == "at":
        # Names of C++ have blanks in them: only the condition ends one.
        condition_begins = _BEGINS_IF.search(behind)
        end = condition_begins.start() if condition_begins is not None else len(behind)
        place, rest = _place(kind, behind[:end].strip()), behind[end:].strip()
    condition = _IF.match(rest)
    if condition is None and rest:
        raise NoEvent(f"`{rest}' has no place behind `{text[: -len(rest)].strip()}'.")
    if condition is not None and not condition.group(1):
        raise NoEvent("`if' needs a condition.")
    return Event(kind, when), place, condition.group(1) if condition is not None else None


_IF = late_patterns.compile(r"if\b\s*(.*)", re.DOTALL)
_BEGINS_IF = late_patterns.compile(r"(?:^|\s)if\b")


def _word(text: str) -> tuple[str, str]:
    word, *rest = text.split(None, 1) or [""]
    return word, rest[0] if rest else ""


def _place(kind: str, text: str) -> str:
    if kind == "thread":
        raise NoEvent("A thread begins at no construct: leave out `at'.")
    if not text:
        raise NoEvent("`at' needs a place: FILE:LINE of the construct, or the function around it.")
    return text


class Note(NamedTuple):
    """Where a thread will come to next, or after a call."""

    address: int
    stack: int  # the stack pointer after the call
    returning: bool  # it is the call's return address, else a function that is called inside
    construct: Location
    task: int = 0  # of which it executes
    part: int = 0  # this part
    cancellable: bool = False  # a barrier that returns whether it was cancelled


class Notes:
    """By thread. A stack grows downwards: what was noted deeper is over once a thread calls or
    returns further up, also when it left by a jump."""

    def __init__(self) -> None:
        self._notes: dict[Hashable, list[Note]] = {}

    def add(self, thread: Hashable, note: Note) -> None:
        self._notes[thread] = [*self._outside(thread, note.stack), note]

    def take(self, thread: Hashable, address: int, stack: Callable[[], int]) -> Note | None:
        """The one that this address, reached with this stack, fulfils. stack: costly to ask for."""
        for note in self._notes.get(thread, ()):
            if note.address == address and (not note.returning or note.stack == stack()):
                self._notes[thread] = self._outside(thread, note.stack)
                return note
        return None

    def _outside(self, thread: Hashable, stack: int) -> list[Note]:
        return [note for note in self._notes.get(thread, ()) if note.stack > stack]


@dataclass(frozen=True)
class Listed:
    """A breakpoint, as a list shows it."""

    number: int
    event: Event
    place: str | None  # as it was typed
    condition: str | None
    temporary: bool
    enabled: bool
    hits: int
    problem: str | None  # why it cannot be hit


@dataclass(frozen=True)
class Hit:
    """Why the program was stopped."""

    event: Event
    construct: Location
    error: str | None = None  # the condition could not be evaluated
