# SPDX-License-Identifier: Apache-2.0
"""`ompd icvs' as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from ..model.icvs import Group, Icv, in_words, is_known
from ..model.process import Thread
from .table import Style, Table, count, paragraph
from .terminal import plain
from .values import who

if TYPE_CHECKING:
    from ..documents import icvs as documents

_ORDER = ("process", "task", "thread", "region")


def changed_lines(icvs: Sequence[Icv], asked: Sequence[Thread], style: Style) -> list[str]:
    """Of the ICVs only those that differ between tasks."""
    changed = [icv for icv in icvs if icv.changed]
    return lines(changed, asked, style) if changed else ["No task's ICV differs from the others'."]


def lines(icvs: Sequence[Icv], asked: Sequence[Thread], style: Style) -> list[str]:
    """asked: the threads that were asked about."""
    threads = sum(1 for t in asked if any(m.region is not None for m in t.openmp))
    left_out = len(asked) - threads  # they execute no task
    table = Table(["ICV", "Of", "Value", "Threads"], style, folding=(2, 3))
    shown = [icv for icv in icvs if any(is_known(group.value) for group in icv.groups)]
    for scope in _ORDER:
        for icv in shown:
            if icv.scope == scope:
                _add(table, icv, style)
    found = table.lines() if shown else []
    words = f"{count(len(shown), 'ICV')}"
    if threads:
        words += f", {count(threads, 'thread')}"
    if left_out:
        verb = "execute" if left_out > 1 else "executes"
        words += f"; {count(left_out, 'other thread')} {verb} no task"
    return found + paragraph(f"{words}.", style) + _reasons(icvs, style)


def _add(table: Table, icv: Icv, style: Style) -> None:
    name, scope = icv.name, icv.scope
    for group in icv.groups:
        value = plain(in_words(icv.name, group.value)) if is_known(group.value) else "?"
        table.add(name, scope, value, who(group.threads) if group.threads else "")
        if not style.every:
            name, scope = "", ""


def _reasons(icvs: Sequence[Icv], style: Style) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for icv in icvs:
        if icv.why_unknown is not None:
            reasons.setdefault(icv.why_unknown, []).append(icv.name)
    found = []
    for reason, names in reasons.items():
        found += paragraph(f"Not known, since {reason}: {', '.join(names)}.", style, "   ")
    return found


def notes(texts: Sequence[str], style: Style) -> list[str]:
    return [line for text in texts for line in paragraph(text, style)]


def document(icvs: Sequence[Icv]) -> list[documents.Icv]:
    """The section "icvs"."""
    return [
        {
            "name": icv.name,
            "scope": icv.scope,
            "changed": icv.changed,
            "values": [_value(icv, group) for group in icv.groups],
        }
        for icv in icvs
    ]


def _value(icv: Icv, group: Group) -> documents.IcvValue:
    found: documents.IcvValue = {
        "value": group.value.number,
        "text": group.value.text,
        "who": who(group.threads) or None,
    }
    if group.value.text is None:
        why = icv.why_unknown or ""
        found["doubts"] = {"text": {"certainty": "unknown", "why": why, "how": None}}
    return found
