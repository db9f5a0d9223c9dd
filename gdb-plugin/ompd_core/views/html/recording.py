# SPDX-License-Identifier: Apache-2.0
"""The page of a record: where the time went, of the JSON document of `ompd show'."""

from __future__ import annotations

from ...recording.record import Place
from ...recording.shares import Share
from ..recording import words as said
from . import icicle, time_kinds, timeline
from .document import Json, number, object_of, objects, word, words
from .markup import Markup, Part, join, row, table, tag
from .report import Section, capped, plural
from .states import chip

COMMANDS = ("show", "top")
_FEW_CHARGED = 8


def program(document: Json) -> str:
    path = word(object_of(document, "recording"), "program")
    return path.rsplit("/", 1)[-1] if path else "program"


def title(document: Json) -> str:
    return f"{program(document)}: where the time went"


def size(document: Json) -> str:
    facts = object_of(document, "recording")
    pid, host = number(facts, "pid"), word(facts, "host")
    parts = [
        f"process {pid}" if pid else "",
        f"on {host}" if host else "",
        said.seconds(number(facts, "duration") or 0),
    ]
    return ", ".join(part for part in parts if part)


def banner(document: Json) -> Markup:
    threads = objects(document, "threads")
    kinds = time_kinds.all_kinds(threads)
    total = sum(kinds.values())
    if not total:
        return _verdict("No time is recorded", "No thread of the program was seen.", "unknown")
    work = (number(kinds, "work") or 0) + (number(kinds, "serial") or 0)
    others = sorted(
        ((ns, name) for name, ns in kinds.items() if name not in ("work", "serial")), reverse=True
    )
    most = [f"{100 * ns / total:.0f} % {time_kinds.kind(name).name}" for ns, name in others[:3]]
    return join(
        _verdict(
            f"{100 * work / total:.0f} % of the threads' time is the program's work",
            f"The rest: {', '.join(most)}." if most else "Nothing else.",
            _style(work / total),
        ),
        [_verdict("To be known", note, "unknown") for note in words(document, "notes")],
        time_kinds.bar(kinds),
        _legend(kinds, total),
    )


_MUCH = 0.8  # of work


def _style(work: float) -> str:
    """No alarm: whether less is wrong, only the user knows."""
    return "calm" if work >= _MUCH else "mixed"


def _legend(kinds: Json, total: int) -> Markup:
    items = [
        tag("li", chip(of, f"{100 * (number(kinds, name) or 0) / total:.1f} % {of.name}"))
        for name, of in time_kinds.KINDS.items()
        if number(kinds, name)
    ]
    return tag("ul", items, class_="legend", aria_label="Time of all threads")


def _verdict(heading: str, sentence: str, style: str) -> Markup:
    return tag("article", tag("h2", heading), tag("p", sentence), class_=f"finding {style}")


def sections(document: Json) -> list[Section]:
    makers = (_regions, _waits, timeline.section, icicle.section, _threads, _states, _how)
    return [found for make in makers if (found := make(document)) is not None]


def _share(one: Json) -> str:
    share, error = one.get("share"), one.get("error")
    if not isinstance(share, (int, float)):
        return "?"
    if not isinstance(error, (int, float)):
        return f"~{100 * share:.0f} % (no samples)"
    found = Share(100 * share, 100 * error)
    return f"{found} %"


def _figure(shown: str) -> Markup:
    """A number and its unit, which stay together."""
    return tag("span", shown, class_="figure")


def _place(one: Json) -> Part:
    place = _of_loc(object_of(one, "loc"))
    return tag("code", said.place(place), title=place.file) if place else "?"


def _region(one: Json) -> Part:
    place, callers = _of_loc(object_of(one, "loc")), [*map(_of_loc, objects(one, "callers"))]
    title = place.file or next((caller.file for caller in callers), None)
    return tag("code", said.called(place, callers), title=title) if place else "?"


def _of_loc(loc: Json) -> Place:
    return Place(word(loc, "function"), word(loc, "file"), number(loc, "line"))


def _regions(document: Json) -> Section | None:
    found = objects(document, "regions")
    if not found:
        return None
    shown, more = capped(found)
    rows = [
        row(
            tag("b", _share(one), class_="figure"),
            _region(one),
            f"{number(one, 'threads') or 0}",
            _efficiency(one),
            _imbalance(one),
            time_kinds.bar(object_of(one, "kinds")),
            data_who="",
        )
        for one in shown
    ]
    headings = [
        "Of all time",
        "Region",
        "Threads",
        "Efficiency",
        "Imbalance",
        "What its threads do",
    ]
    lead = (
        "Efficiency: share of its threads' time in the region that is work. Imbalance: maximum work"
        " of any thread / mean."
    )
    body = join(tag("p", lead, class_="lead"), table(headings, rows, "Parallel regions"), more)
    return Section("regions", "Parallel regions", body, f"{len(found):,}")


def _real(one: Json, name: str) -> float | None:
    value = one.get(name)
    return float(value) if isinstance(value, (int, float)) and value == value else None


def _efficiency(one: Json) -> str:
    least, most = _real(one, "efficiency"), _real(one, "efficiency_at_most")
    if least is None:
        return "?"
    if most is None or most - least < 0.01:
        return f"{100 * least:.0f} %"
    return f"{100 * least:.0f} to {100 * most:.0f} %"


def _imbalance(one: Json) -> str:
    found, busiest = _real(one, "imbalance"), object_of(one, "busiest")
    if found is None:
        return "?"
    return f"{found:.2f}" + (f", thread {number(busiest, 'thread')}" if busiest else "")


def _waits(document: Json) -> Section | None:
    found = objects(document, "waits")
    if not found:
        return None
    shown, more = capped(found)
    rows = [
        row(
            tag("b", _share(one), class_="figure"),
            _figure(said.seconds(number(one, "time") or 0)),
            tag("code", word(one, "text")),
            _figure(plural(len(objects(one, "threads")), "thread")),
            _for_whom(one),
            data_who="",
        )
        for one in shown
    ]
    headings = ["Of all time", "Time", "Wait", "Who", "For whom, and what they did then"]
    body = join(table(headings, rows, "Who waits, where, for whom"), more)
    return Section("waits", "Who waits for whom", body, f"{len(found):,}")


def _for_whom(one: Json) -> Part:
    whole = number(one, "time") or 1
    charged = [
        each for each in objects(one, "charged") if 100 * (number(each, "time") or 0) >= whole
    ]
    lines: list[Part] = [
        tag("div", f"{_percent(each, whole)} {word(each, 'text')}")
        for each in charged[:_FEW_CHARGED]
    ]
    left = sum(number(each, "time") or 0 for each in charged[_FEW_CHARGED:])
    if left:
        lines.append(tag("div", f"{100 * left / whole:.0f} % others"))
    nobody, unknown = number(one, "nobody") or 0, number(one, "unknown") or 0
    if nobody >= 0.01 * whole:
        text = "all threads had arrived; not yet released by the runtime"
        lines.append(tag("div", f"{100 * nobody / whole:.0f} % {text}"))
    if unknown >= 0.01 * whole:
        why = word(one, "why_unknown") or "not known"
        lines.append(tag("div", f"{100 * unknown / whole:.0f} % {why}", class_="size"))
    last = objects(one, "last")
    if last:
        times, meetings = number(last[0], "times"), number(one, "meetings")
        lines.append(
            tag("div", f"thread {number(last[0], 'thread')} came last {times} of {meetings} times")
        )
    if one.get("blurred") is True:
        lines.append(tag("div", "blurred: about as short as the time between samples"))
    return lines


def _percent(one: Json, whole: int) -> str:
    return f"{100 * (number(one, 'time') or 0) / whole:.0f} %"


def _threads(document: Json) -> Section | None:
    found = objects(document, "threads")
    if not found:
        return None
    shown, more = capped(found)
    rows = [
        row(
            f"{number(one, 'thread')}",
            f"{number(one, 'lwp') or '?'}",
            word(one, "name") or "-",
            word(one, "kind") or "?",
            _figure(said.seconds(number(one, "time") or 0)),
            f"{number(one, 'samples') or 0:,}",
            time_kinds.bar(object_of(one, "kinds")),
            data_who="",
        )
        for one in shown
    ]
    headings = ["Thread", "LWP", "Name", "Kind", "Time", "Samples", "What it does"]
    body = join(table(headings, rows, "Threads"), more)
    return Section("threads", "Threads", body, f"{len(found):,}")


def _states(document: Json) -> Section | None:
    found = objects(document, "states")
    if not found:
        return None
    rows = [
        row(
            chip(time_kinds.kind(word(one, "kind") or "?"), word(one, "text") or "?"),
            tag("code", word(one, "state") or "?"),
            _figure(said.seconds(number(one, "time") or 0)),
            _figure(_share(one)),
            f"{number(one, 'samples') or 0:,}",
            data_who="",
        )
        for one in found
    ]
    headings = ["State", "Its name in OMPT", "Time", "Of all time", "Samples"]
    return Section("states", "States", table(headings, rows, "States"), f"{len(found):,}")


def _how(document: Json) -> Section | None:
    facts = object_of(document, "recording")
    ended = object_of(facts, "ended")
    rate, clock = _real(facts, "rate"), word(facts, "clock")
    rows = [
        ("Program", word(facts, "program")),
        ("Begun", word(facts, "start")),
        ("Recorded", said.seconds(number(facts, "duration") or 0)),
        (
            "Ended",
            word(ended, "text") or ("-" if ended else "early: its closing line is not there"),
        ),
        ("Samples", f"{number(facts, 'samples') or 0:,}"),
        ("Rate", f"{rate:g} Hz a thread, clock {clock}" if rate else None),
        ("Lost samples", f"{number(facts, 'lost') or 0:,}"),
        ("Stacks not followed to the end", f"{number(facts, 'cut') or 0:,}"),
    ]
    lines = [[tag("dt", name), tag("dd", value)] for name, value in rows if value]
    sentences = [*words(facts, "how"), *words(facts, "limits")]
    note = (
        "± is what sampling leaves open: 95 of 100 such intervals hold the truth, where samples are"
        " independent of each other."
    )
    body = join(tag("dl", lines), [tag("p", sentence) for sentence in sentences], tag("p", note))
    return Section("how", "How it was recorded", body)
