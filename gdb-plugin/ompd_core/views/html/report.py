# SPDX-License-Identifier: Apache-2.0
"""What do the sections of a page share? The document, who is stuck or crashed, what is doubted."""

from __future__ import annotations

import re
from typing import Callable, Iterable, Sequence, TypeVar

from ...light_classes import dataclass
from . import states, who
from .document import Json, object_of, objects, word
from .doubts import Doubts
from .markup import Markup, fold, tag


@dataclass
class Section:
    id: str
    title: str
    body: Markup
    count: str = ""  # for the table of contents


class Report:
    def __init__(self, document: Json) -> None:
        self.document = document
        self.doubts = Doubts()
        self.threads = objects(self.document, "threads")
        self.locks = {str(lock.get("id")): lock for lock in objects(self.document, "locks")}
        self.deadlock = object_of(self.document, "deadlock")
        cycles = self.deadlock.get("cycles")
        self.cycles = [objects(cycle) for cycle in cycles] if isinstance(cycles, list) else []
        self.stuck = {str(edge.get("thread")) for cycle in self.cycles for edge in cycle}
        signal = object_of(self.document, "signal")
        self._crashed = word(signal, "gdb") if signal.get("crash") else None
        self._names = {who.name(thread): thread for thread in self.threads}

    def thread(self, name: str) -> Json | None:
        """By R1.3 or T4."""
        return self._names.get(name)

    def in_gdb(self, names: Iterable[str]) -> str:
        """T2-5, of R1.0-3."""
        found = [self._names[name] for name in names if name in self._names]
        return who.gdb_names(found)

    def kind(self, thread: Json) -> states.Kind:
        gdb = word(thread, "gdb")
        return states.kind(thread, gdb is not None and gdb == self._crashed)

    def is_odd(self, thread: Json) -> bool:
        """Stuck or crashed."""
        return who.name(thread) in self.stuck or self.kind(thread) is states.CRASHED


Item = TypeVar("Item")
Maker = Callable[[Report], "Section | None"]


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


MOST_ROWS = 4096  # of one table


def capped(items: Sequence[Item]) -> tuple[Sequence[Item], Markup | None]:
    """What a page has room for, and a sentence on the rest."""
    more = len(items) - MOST_ROWS
    note = tag("p", f"{more:,} more are in the JSON document only.") if more > 0 else None
    return items[:MOST_ROWS], note


LONGEST_LIST = 26  # characters; longer ones are cut, or fold


def names_line(names: str) -> Markup:
    """Ids that may be many, where a line has no room for all."""
    if len(names) <= LONGEST_LIST:
        return tag("span", _broken(names), class_="ids")
    return tag("span", _broken(_start(names)), class_="ids", title=names)


def names_cell(names: str) -> Markup:
    """The same where they can be unfolded."""
    if len(names) <= LONGEST_LIST:
        return names_line(names)
    return fold(_start(names), tag("span", _broken(names), class_="ids"), class_="all-ids")


def _start(names: str) -> str:
    at = max(names.rfind(",", 0, LONGEST_LIST), names.rfind(" ", 0, LONGEST_LIST))
    return f"{names[:at if at > 0 else LONGEST_LIST]},..."


def _broken(names: str) -> list[Markup | str]:
    """At commas and blanks a line may end."""
    found: list[Markup | str] = []
    for part in re.split(r"(?<=[, ])", names):
        found += [part, tag("wbr")]
    return found[:-1]
