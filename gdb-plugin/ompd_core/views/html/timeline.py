# SPDX-License-Identifier: Apache-2.0
"""What did each thread do, and all of them together, from the record's begin to its end?"""

from __future__ import annotations

from ..recording.words import seconds
from . import time_kinds
from .document import Json, number, object_of, objects, words
from .markup import Markup, Part, join, tag
from .report import Section
from .states import Kind

_HEIGHT = 1000  # of the picture of all threads, in its own units
_TALL = 48  # threads from which their lines are thin
_TICKS = 6
_PIECE = 75  # parts of one path, whose text is not to be cut


def section(document: Json) -> Section | None:
    found = object_of(document, "timeline")
    parts, kinds = number(found, "parts") or 0, [time_kinds.kind(w) for w in words(found, "kinds")]
    threads = objects(found, "threads")
    if not parts or not threads:
        return None
    end = number(found, "end") or 0
    thin = " thin" if len(threads) > _TALL else ""
    lines = [_line(thread, parts, kinds, _share(document, thread)) for thread in threads]
    left = number(found, "left_out") or 0
    body: list[Part] = [
        tag(
            "p",
            f"Each line is a thread, each of its {parts:,} parts ({seconds(end / parts)}) has the"
            " colour of what it did most.",
            class_="lead",
        ),
        time_kinds.legend(time_kinds.all_kinds(objects(document, "threads"))),
        _patterns(),
        tag(
            "div",
            tag(
                "table",
                tag("caption", "What each thread did, over time", class_="unseen"),
                tag(
                    "thead",
                    tag(
                        "tr",
                        tag("th", "Thread", scope="col"),
                        tag("th", "Work", scope="col"),
                        tag("th", _axis(end), scope="col"),
                    ),
                ),
                tag("tbody", lines),
                class_=f"timeline{thin}",
            ),
            class_="scroll",
        ),
        tag("p", f"{left:,} more threads are in the record only.") if left else None,
        tag("h3", "All threads together"),
        _together(found, parts, kinds),
    ]
    return Section("timeline", "Over time", join(body), f"{len(threads):,}")


def _patterns() -> Markup:
    """Of those that wait, for both pictures. Across only: these are stretched to the page."""
    gradients = []
    for of in dict.fromkeys(time_kinds.WAITING):
        colour = f"var(--{of.style})"
        rails = [(0, 15, colour), (15, 30, _CARD), (30, 70, colour), (70, 85, _CARD)]
        bands = [(0, 65, colour), (65, 100, _CARD)]
        across: dict[str, object] = {"x1": 0, "y1": 0, "x2": 0}
        gradients += [
            tag(
                "linearGradient",
                _stops([*rails, (85, 100, colour)]),
                id=f"rails-{of.style}",
                **across,
                y2=1,
            ),
            tag(
                "linearGradient",
                _stops(bands),
                id=f"bands-{of.style}",
                **across,
                y2=_HEIGHT // 16,
                gradientUnits="userSpaceOnUse",
                spreadMethod="repeat",
            ),
        ]
    return tag("svg", tag("defs", gradients), class_="patterns", aria_hidden="true")


_CARD = "var(--card)"


def _stops(parts: list[tuple[int, int, str]]) -> list[Markup]:
    return [
        tag("stop", offset=f"{at}%", style=f"stop-color:{colour}")
        for begin, end, colour in parts
        for at in (begin, end)
    ]


def _share(document: Json, thread: Json) -> str:
    for one in objects(document, "threads"):
        if one.get("thread") == thread.get("thread"):
            kinds, whole = object_of(one, "kinds"), number(one, "time") or 0
            work = (number(kinds, "work") or 0) + (number(kinds, "serial") or 0)
            return f"{100 * work / whole:.0f} %" if whole else "-"
    return "-"


def _line(thread: Json, parts: int, kinds: list[Kind], work: str) -> Markup:
    found = thread.get("runs")
    runs = found if isinstance(found, list) else []
    drawn = []
    for run in runs:
        if not (isinstance(run, list) and len(run) == 3 and all(isinstance(n, int) for n in run)):
            continue
        begin, end, of = run
        if 0 <= begin < end <= parts and 0 <= of < len(kinds):
            drawn.append(
                tag("rect", x=begin, y=0, width=end - begin, height=1, class_=kinds[of].style)
            )
    return tag(
        "tr",
        tag("th", _name(thread), scope="row"),
        tag("td", work),
        tag("td", _svg(parts, 1, drawn, "lane")),
        data_who="",
    )


def _name(thread: Json) -> Part:
    lwp = number(thread, "lwp")
    return [str(number(thread, "thread")), tag("small", f" LWP {lwp}") if lwp else None]


def _svg(width: int, height: int, drawn: list[Markup], style: str) -> Markup:
    return tag(
        "svg",
        drawn,
        viewBox=f"0 0 {width} {height}",
        preserveAspectRatio="none",
        class_=style,
        aria_hidden="true",
    )


def _axis(end: int) -> Markup:
    ticks = [tag("span", seconds(end * i / _TICKS)) for i in range(_TICKS + 1)]
    return tag("span", ticks, class_="axis")


def _together(found: Json, parts: int, kinds: list[Kind]) -> Markup:
    """Of each part how many threads did what: areas on top of each other."""
    columns = found.get("together")
    rows = columns if isinstance(columns, list) else []
    good = [
        [ns if isinstance(ns, int) and ns >= 0 else 0 for ns in row]
        for row in rows
        if isinstance(row, list) and len(row) == parts
    ]
    if len(good) != len(kinds) or not good:
        return join()
    most = max(sum(row[part] for row in good) for part in range(parts)) or 1
    below = [0] * parts
    drawn = []
    for of, row in zip(kinds, good):
        above = [low + ns for low, ns in zip(below, row)]
        for begin in range(0, parts, _PIECE):
            path = _area(begin, below[begin : begin + _PIECE], above[begin : begin + _PIECE], most)
            drawn.append(tag("path", d=path, class_=of.style))
        below = above
    return tag(
        "figure",
        _svg(parts, _HEIGHT, drawn, "areas"),
        tag(
            "figcaption",
            "How much of all threads' time went where, from below in the legend's order.",
        ),
    )


def _area(begin: int, below: list[int], above: list[int], most: int) -> str:
    """In steps, as the parts are."""
    end = begin + len(above)
    top = "".join(f"V{_y(ns, most)}H{begin + i + 1}" for i, ns in enumerate(above))
    back = "".join(f"V{_y(ns, most)}H{end - i - 1}" for i, ns in enumerate(reversed(below)))
    return f"M{begin},{_y(below[0], most)}{top}{back}Z"


def _y(ns: int, most: int) -> int:
    return _HEIGHT - round(_HEIGHT * ns / most)
