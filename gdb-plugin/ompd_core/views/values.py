# SPDX-License-Identifier: Apache-2.0
"""`ompd print' and `ompd each' as text: one line, or one block, for all threads that agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from ..model import ids, sharing
from ..model.process import Thread, pairs
from ..model.values import Answer, Value, extremes, grouped
from . import threads as threads_view
from .table import Style, Table, count, paragraph, place
from .terminal import plain

if TYPE_CHECKING:
    from ..documents import stop as documents


def who(threads: Sequence[Thread]) -> str:
    """R1.0-6,8, and GDB's numbers of those that are in no region."""
    inside = pairs(member for thread in threads for member in thread.openmp[:1])
    others = [
        t.native.num for t in threads if t.native is not None and not any(m.chain for m in t.openmp)
    ]
    words = [ids.short_thread_list(inside)] if inside else []
    if others:
        words.append(f"T{ids.compress(others)}")
    return " ".join(words)


def lines(found: Sequence[Answer], style: Style, where: bool) -> list[str]:
    mark = sharing.of_answers(found)
    value = f"Value ({mark})" if mark is not None else "Value"
    headings = ["T", "OpenMP", value] + (["Where"] if where else [])
    table = Table(headings, style, folding=(0, 1))
    values = {id(thread): value for thread, value in found}
    for group in grouped(found, lambda t, v: _likeness(t, v, style.every, where)):
        numbers = [t.native.num for t in group if t.native is not None]
        cells = [ids.compress(numbers), who(group), _shown(values[id(group[0])])]
        if where:
            at = threads_view.where_of(group[0])
            cells.append(place(at.name, at.file, at.line) if at is not None else "-")
        table.add(*cells)
    return table.lines() + _summary(found, style)


def _likeness(thread: Thread, value: Value, every: bool, where: bool) -> object:
    at = threads_view.where_of(thread) if where else None
    place_of = (at.function, at.file, at.line) if at is not None else None
    return id(thread) if every else (value, place_of)


def _shown(value: Value) -> str:
    if value.text is None:
        return f"({plain(value.error or '?')})"
    note = f"  (in the frame that began {value.parents})" if value.parents else ""
    if value.in_construct:
        note = "  (in the construct's code, which called it)"
    if value.in_function:
        note = f"  (in {plain(value.in_function)} (), which called it)"
    if value.file:
        note = f"  (a variable of {plain(value.file)})"
    if value.first_of_loop:
        note += "  (the loop's first: clang records no other value of its variable)"
    return plain(value.text) + note


def _summary(found: Sequence[Answer], style: Style) -> list[str]:
    texts = [value.text for _, value in found]
    distinct = len({text for text in texts if text is not None})
    failed = texts.count(None)
    words = f"{count(len(found), 'thread')}: "
    read_once = any(value.parents or value.file for _, value in found if value.text is not None)
    # Of what was read once for all nobody has agreed.
    agree = distinct == 1 and not failed and not read_once
    words += "all agree" if agree else count(distinct, "value")
    limits = extremes(found)
    if limits is not None:
        words += f", from {limits.least} to {limits.greatest}"
        words += f", {limits.nans} nan" if limits.nans else ""
    if failed:
        words += f"; {failed} cannot tell"
    return paragraph(f"{words}.", style)


def document(expression: str, found: Sequence[Answer]) -> documents.Print:
    """The section "print"."""
    values = {id(thread): value for thread, value in found}
    groups = grouped(found, lambda thread, value: value)
    return {
        "expression": expression,
        "sharing": sharing.of_answers(found),
        "values": [_group(group, values[id(group[0])]) for group in groups],
    }


def _group(group: Sequence[Thread], value: Value) -> documents.Value:
    return {
        "text": value.text,
        "error": value.error,
        "parents": value.parents,
        "in_construct": value.in_construct,
        "in_function": value.in_function,
        "file": value.file,
        "first_of_loop": value.first_of_loop,
        "who": who(group),
        "gdb": [thread.native.id for thread in group if thread.native is not None],
    }


def outputs(found: Sequence[tuple[Thread, str]], style: Style) -> list[str]:
    texts = {id(thread): text for thread, text in found}
    shown = []
    for group in grouped(found, lambda t, text: id(t) if style.every else text):
        numbers = [t.native.num for t in group if t.native is not None]
        name = who(group)
        gdbs = f"T{ids.compress(numbers)}"
        shown.append(f"{name} ({gdbs}):" if name and name != gdbs else f"{gdbs}:")
        shown += texts[id(group[0])].expandtabs().splitlines() or ["(no output)"]
    return shown
