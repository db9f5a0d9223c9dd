# SPDX-License-Identifier: Apache-2.0
"""Where in the program was the time spent? The stacks as its user wrote them, from above: as wide
as their share; and the same as a list that folds."""

from __future__ import annotations

from ...recording import stacks
from ...recording.record import Place
from . import time_kinds
from .document import Json, number, object_of, objects, word
from .markup import Markup, Part, join, tag
from .report import Section

_NARROWEST = 0.002  # of all, that is drawn
_LISTED = 0.01  # of all, that is in the list
_DEEPEST = 64


def section(document: Json) -> Section | None:
    roots = objects(document, "stacks")
    total = sum(number(one, "time") or 0 for one in roots)
    if not total:
        return None
    body = join(
        tag(
            "p",
            "The program's frames, below each what it called; as wide as its share of all threads'"
            " time. Waits stand in angle brackets, and colours are of what there is most.",
            class_="lead",
        ),
        tag("div", _row(roots, total, total, 0), class_="icicle", aria_hidden="true"),
        tag("h3", "The same as a list"),
        tag("div", _list(roots, total, 0), class_="stacks times"),
    )
    return Section("stacks", "Stacks", body)


def _row(nodes: list[Json], whole: int, total: int, depth: int) -> Markup:
    """whole: of the row, of which these have a part."""
    shown = [one for one in nodes if (number(one, "time") or 0) >= _NARROWEST * total]
    cells = [_cell(one, whole, total, depth) for one in shown]
    rest = whole - sum(number(one, "time") or 0 for one in shown)
    if rest > 0:
        cells.append(tag("span", class_="rest", style=f"flex-grow:{rest / whole:.5f}"))
    return tag("div", cells, class_="level")


def _cell(node: Json, whole: int, total: int, depth: int) -> Markup:
    ns = number(node, "time") or 0
    below = objects(node, "children") if depth < _DEEPEST else []
    said = f"{label(node)}: {100 * ns / total:.1f} %"
    return tag(
        "div",
        tag("span", label(node), class_=f"box {_style(node)}", title=said),
        _row(below, ns, total, depth + 1) if below else None,
        class_="cell",
        style=f"flex-grow:{ns / max(whole, 1):.5f}",
    )


def _style(node: Json) -> str:
    kinds = object_of(node, "kinds")
    most = max(time_kinds.KINDS, key=lambda word: number(kinds, word) or 0)
    return time_kinds.kind(most).style


def label(node: Json) -> str:
    loc = object_of(node, "loc")
    place = Place(word(loc, "function"), word(loc, "file"), number(loc, "line"))
    return stacks.label(stacks.Step(word(node, "text") or "?", "", place))


def _list(nodes: list[Json], total: int, depth: int) -> list[Markup]:
    found: list[Markup] = []
    for one in nodes:
        ns = number(one, "time") or 0
        if ns < _LISTED * total or depth >= _DEEPEST:
            continue
        below = _list(objects(one, "children"), total, depth + 1)
        path = word(object_of(one, "loc"), "file")
        line: list[Part] = [
            tag("span", tag("code", label(one), class_=f"frame {word(one, 'kind')}"), title=path),
            tag(
                "span",
                tag("span", class_="share-bar", style=f"--share:{100 * ns / total:.1f}%"),
                f" {100 * ns / total:.1f} %",
                class_="threads",
            ),
        ]
        if below:
            found.append(
                tag(
                    "details",
                    tag("summary", line),
                    tag("div", below, class_="inside"),
                    class_="branch",
                    open=depth < 6,
                    data_who="",
                )
            )
        else:
            found.append(tag("div", line, class_="branch leaf", data_who=""))
    return found
