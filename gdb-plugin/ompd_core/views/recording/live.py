# SPDX-License-Identifier: Apache-2.0
"""`ompd top': one table that fits a screen, anew each moment."""

from __future__ import annotations

from ...recording.record import Account
from ...recording.states import Kind
from ...recording.summary import Summary
from ..table import Style, Table, count, paragraph
from ..terminal import plain
from . import slow, text, words

_MOST_NOTES = 2  # that leave room for the table

# By the key that shows it.
VIEWS = {"r": "regions", "t": "threads", "w": "waits", "s": "stacks"}
REGIONS, THREADS, WAITS, STACKS = VIEWS.values()


def head(summary: Summary, what: str, style: Style) -> list[str]:
    """what: of which time it is."""
    header, whole = summary.record.header, summary.whole.whole
    program = plain((header.program or "program").rsplit("/", 1)[-1])
    of = f" {header.pid}" if header.pid else ""
    hertz = summary.record.rate or header.rate
    rate = f", {hertz:g} Hz" if hertz else ""
    lines = [
        f"{program}{of}: {count(len(summary.threads), 'thread')}, {what},"
        f" {whole.samples:,} samples{rate}",
        states(summary),
    ]
    told = (paragraph(note, style) for note in slow.notes(summary)[:_MOST_NOTES])
    return [*(_fit(line, style) for line in lines), *(line for lines in told for line in lines)]


def states(summary: Summary) -> str:
    """work 61 %, barrier 20 %"""
    whole, found = summary.whole.whole, []
    for of in Kind:
        part = summary.whole.of(of)
        if part.ns:
            found.append(f"{of.value} {words.short_percent(part, whole)} %")
    error = text.worst_error(whole)
    return f"{', '.join(found)}  (±{error})" if found else "No time of any thread is told yet."


def rows(summary: Summary, view: str, style: Style) -> list[str]:
    if not summary.whole.whole.ns:
        return []
    if view == THREADS:
        return text.threads(summary, style)
    if view == WAITS:
        return _waits(summary, style)
    if view == STACKS:
        return text.stacks(summary, style)
    return _regions(summary, style)


def _regions(summary: Summary, style: Style) -> list[str]:
    whole = summary.whole.whole
    kinds = columns(summary)
    known = any(use.available for use in summary.regions)
    heads = ["% of time", "Threads", *(["Efficiency"] if known else [])]
    table = Table([*heads, *(name for name, _ in kinds), "Region"], style)
    outside = Account()
    outside.join(whole)
    for use in summary.regions:
        inside = use.sum.whole
        outside.add(-inside.ns, -inside.samples, -inside.exact, -inside.spare)
        table.add(
            words.percent(use.sum.whole, whole),
            str(use.threads),
            *([text.efficiency(use)] if known else []),
            *(words.short_percent(use.sum.of(*of), use.sum.whole) for _, of in kinds),
            words.region(summary.record, use.region),
        )
    if outside.ns > 0:
        table.add(
            words.percent(outside, whole),
            *("" for _ in heads[1:]),
            *("" for _ in kinds),
            lambda room: _OUTSIDE if room is None or room >= len(_OUTSIDE) else "(outside)",
        )
    return table.lines()


_OUTSIDE = "(outside of regions: serial, idle, other threads)"


def columns(summary: Summary) -> list[tuple[str, tuple[Kind, ...]]]:
    kinds: dict[Kind, Account] = {}
    for use in summary.regions:
        for of, account in use.sum.kinds.items():
            kinds.setdefault(of, Account()).join(account)
    return text.columns(kinds)


def _waits(summary: Summary, style: Style) -> list[str]:
    """For whom, where that is known."""
    record = summary.record
    if any(waiting.charged for waiting in summary.waits):
        return text.waits(summary, style)
    table = Table(["% of time", "Threads", "Waits for", "In region"], style)
    for waiting in summary.waits:
        region = waiting.wait.region
        table.add(
            words.percent(waiting.sum.whole, summary.whole.whole),
            str(len(waiting.sum.threads)),
            words.wait(record, waiting.wait),
            "-" if region is None else words.region(record, region),
        )
    return table.lines() if summary.waits else ["Nobody waits."]


def _fit(line: str, style: Style) -> str:
    line = style.drawn(line)
    if style.width is None or len(line) <= style.width:
        return line
    return line[: style.width - 3] + "..."
