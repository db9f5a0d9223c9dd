# SPDX-License-Identifier: Apache-2.0
"""How does text become HTML that no name can break out of?

Whatever is no Markup is escaped: names come from core files, which may be anybody's. Control
characters, and those that turn the direction of text, are shown as escapes.
"""

from __future__ import annotations

import html
from typing import Iterable, Union

from ..terminal import plain

LONGEST_TEXT = 2000  # characters; C++ has names of hundreds


class Markup(str):
    """HTML, all of whose text is escaped."""


Part = Union[str, int, float, None, Iterable["Part"]]


def text(value: object) -> Markup:
    shown = str(value)
    if len(shown) > LONGEST_TEXT:
        more = len(shown) - LONGEST_TEXT
        shown = f"{shown[:LONGEST_TEXT]}... ({more} more characters)"
    return Markup(html.escape(plain(shown), quote=True))


def join(*parts: Part) -> Markup:
    """None is nothing; a list stands for its items."""
    return Markup("".join(_flat(parts)))


def _flat(parts: Iterable[Part]) -> Iterable[str]:
    for part in parts:
        if part is None:
            continue
        if isinstance(part, Markup):
            yield part
        elif isinstance(part, (str, int, float)):
            yield text(part)
        else:
            yield from _flat(part)


_EMPTY = frozenset(("ellipse", "input", "path", "rect", "wbr"))


def tag(name: str, *parts: Part, **attributes: object) -> Markup:
    """class_="x" is the attribute class, data_who="R1" is data-who; None and False are left out."""
    words = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        words.append(key if value is True else f'{key}="{text(value)}"')
    opened = " ".join(words)
    if name in _EMPTY:
        return Markup(f"<{opened}/>")
    return Markup(f"<{opened}>{join(*parts)}</{name}>")


def table(
    headings: Iterable[Part], rows: Iterable[Markup], caption: str, **attributes: object
) -> Markup:
    """caption: what it is, for those who do not see where it stands."""
    head = tag("tr", [tag("th", heading, scope="col") for heading in headings])
    return tag(
        "div",
        tag(
            "table",
            tag("caption", caption, class_="unseen"),
            tag("thead", head),
            tag("tbody", list(rows)),
            **attributes,
        ),
        class_="scroll",
    )


def row(*cells: Part, **attributes: object) -> Markup:
    return tag("tr", [tag("td", cell) for cell in cells], **attributes)


def fold(summary: Part, *parts: Part, opened: bool = False, **attributes: object) -> Markup:
    return tag("details", tag("summary", summary), *parts, open=opened, **attributes)
