# SPDX-License-Identifier: Apache-2.0
"""How does text fit a screen? Columns and trees."""

from __future__ import annotations

import itertools
import re
import textwrap
from typing import Callable, Sequence, Union

from ..light_classes import NamedTuple
from ..model.naming import NAMELESS
from .cxx_names import short_name
from .terminal import DEFAULT_WIDTH, plain

NARROWEST = 16
MOST_LINES = 4  # of a list
LONGEST_PLACE = 80  # characters, in a sentence
LONGEST_LIST = 60  # characters, in a sentence
_KEPT = "\x1f"  # stands for a blank at which no line may break; plain() lets none through


class Style(NamedTuple):
    """What the screen can do, and what the user asked for."""

    width: int | None = DEFAULT_WIDTH  # None: as wide as it gets
    unicode: bool = False
    every: bool = False  # one line each, instead of merging equal ones

    @property
    def branch(self) -> str:
        return "├─ " if self.unicode else "|- "

    @property
    def last_branch(self) -> str:
        return "└─ " if self.unicode else "`- "

    @property
    def trunk(self) -> str:
        return "│  " if self.unicode else "|  "

    def drawn(self, text: str) -> str:
        """With what the screen has no characters for written in others."""
        return text if self.unicode else text.replace("±", "+-")


def place(
    function: str | None, file: str | None, line: int | None, width: int | None = LONGEST_PLACE
) -> str:
    """func () at file.c:12. The line is never cut, the name is. width: None for all of it."""
    at = f" at {plain(file.rsplit('/', 1)[-1])}:{line}" if file and line else ""
    name = plain(function or "??")
    call = "" if name.endswith(")") or name == NAMELESS else " ()"
    if width is not None:
        name = short_name(name, max(width - len(at) - len(call), NARROWEST))
    return name + call + at


Cell = Union[str, Callable[[Union[int, None]], str]]


class Table:
    """Columns as wide as their cells. Those named in `folding' break lists over several lines, as
    cells with line ends do, and after a few lines leave the rest out; a cell of the last column may
    be a function of the room that is left.
    """

    def __init__(self, headings: Sequence[str], style: Style, folding: Sequence[int] = ()) -> None:
        self._rows: list[list[Cell]] = [list(headings)]
        self._style = style
        self._folding = folding

    def add(self, *cells: Cell) -> None:
        self._rows.append(list(cells))

    def lines(self) -> list[str]:
        folded = [[self._cell(i, cell) for i, cell in enumerate(row[:-1])] for row in self._rows]
        widths = [
            max(len(line) for row in folded for line in row[i])
            for i in range(len(self._rows[0]) - 1)
        ]
        room = None
        if self._style.width is not None:
            room = self._style.width - sum(widths) - 2 * len(widths)
        found = []
        for row, cells in zip(self._rows, folded):
            for parts in itertools.zip_longest(*cells, self._last(row[-1], room), fillvalue=""):
                padded = [part.ljust(width) for part, width in zip(parts, widths)]
                found.append("  ".join([*padded, parts[-1]]).rstrip())
        return found

    def _cell(self, column: int, cell: Cell) -> list[str]:
        assert isinstance(cell, str)
        if column in self._folding and self._style.width is not None:
            return cut(fold(cell, max(self._style.width // 4, NARROWEST)))
        return self._style.drawn(cell).split("\n")

    def _last(self, cell: Cell, room: int | None) -> list[str]:
        if not isinstance(cell, str):
            return [cell(room)]
        if room is not None and len(self._rows[0]) - 1 in self._folding:
            return cut(fold(cell, max(room, NARROWEST)))
        return [self._style.drawn(cell)]


def cut(lines: list[str]) -> list[str]:
    """What is left out of a long list, -wide shows."""
    if len(lines) <= MOST_LINES:
        return lines
    last = lines[MOST_LINES - 1].rstrip(",").rpartition(",")[0]
    return [*lines[: MOST_LINES - 1], f"{last},..."]


def cut_list(text: str) -> str:
    """The same within a sentence."""
    if len(text) <= LONGEST_LIST:
        return text
    whole = re.sub(r"[, ][^, ]*$", "", text[:LONGEST_LIST])
    return whole + ",..." + (")" if text.endswith(")") else "")


def fold(text: str, width: int) -> list[str]:
    """At blanks, else behind commas: an id is never cut."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
            continue
        lines += _at_commas(word, width)
    return lines


def _at_commas(word: str, width: int) -> list[str]:
    lines = [""]
    parts = word.split(",")
    for i, part in enumerate(parts):
        piece = part + ("," if i + 1 < len(parts) else "")
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append("")
        lines[-1] += piece
    return lines


def paragraph(text: str, style: Style, indent: str = "") -> list[str]:
    text = style.drawn(plain(text))
    if style.width is None:
        return [text]
    # A command that is to be typed stays whole.
    whole = re.sub(r"`[^`']*'", lambda command: command.group().replace(" ", _KEPT), text)
    found = textwrap.wrap(
        whole,
        max(style.width, 40),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_KEPT, " ") for line in found]


def listed(parts: Sequence[str]) -> str:
    """A, B and C"""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def count(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
