# SPDX-License-Identifier: Apache-2.0
"""What kinds of time are there in a record's document, as letters and colours?"""

from __future__ import annotations

from .document import Json, number, object_of
from .markup import Markup, join, tag
from .states import Kind, chip

# By the document's word, in the order of the legend.
KINDS = {
    "work": Kind("w", "W", "work"),
    "serial": Kind("e", "S", "serial"),
    "barrier": Kind("b", "B", "at a barrier"),
    "lock": Kind("l", "L", "for a lock or critical"),
    "tasks": Kind("t", "T", "waiting for tasks"),
    "other wait": Kind("d", "D", "another wait"),
    "overhead": Kind("o", "O", "in the runtime"),
    "kernel": Kind("k", "K", "in the kernel"),
    "preempted": Kind("p", "P", "preempted"),
    "asleep": Kind("z", "Z", "asleep"),
    "idle": Kind("i", "I", "idle"),
    "outside": Kind("n", "-", "outside of OpenMP"),
    "?": Kind("u", "?", "not known"),
}


# Drawn in two colours.
WAITING = [KINDS[name] for name in ("barrier", "lock", "tasks", "other wait", "preempted")]


def kind(word: str) -> Kind:
    return KINDS.get(word, KINDS["?"])


def bar(kinds: Json) -> Markup | None:
    """Of what has these kinds of time."""
    found = [(kind(word), number(kinds, word) or 0) for word in KINDS if number(kinds, word)]
    total = sum(ns for _, ns in found)
    if not total:
        return None
    parts = [
        tag(
            "i",
            class_=of.style,
            style=f"flex-grow:{ns / total:.5f}",
            title=f"{of.name}: {100 * ns / total:.1f} %",
        )
        for of, ns in found
    ]
    return join(tag("div", parts, class_="bar", aria_hidden="true"))


def legend(kinds: Json) -> Markup:
    shown = [KINDS[word] for word in KINDS if number(kinds, word)]
    items = [tag("li", chip(one)) for one in shown]
    return join(tag("ul", items, class_="legend", aria_label="Colours and letters"))


def all_kinds(rows: list[Json]) -> Json:
    """Of all of them together."""
    found: Json = {}
    for one in rows:
        for word, ns in object_of(one, "kinds").items():
            if isinstance(ns, int):
                found[word] = found.get(word, 0) + ns
    return found
