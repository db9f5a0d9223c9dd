# SPDX-License-Identifier: Apache-2.0
"""Where in the program is that?"""

from __future__ import annotations

from ..cxx_names import short_name
from .document import Json, number, word
from .markup import Markup, tag

LONGEST_NAME = 120  # of a function


def short(place: Json) -> str:
    """sweep () at heat.c:32; nothing where nothing is known."""
    function, at = _function(place), line(place)
    if function and at:
        return f"{function} () at {at}"
    if function:
        return f"{function} ()"
    return at or (word(place, "pc") or "")


def line(place: Json) -> str:
    """heat.c:32"""
    file, found = word(place, "file"), number(place, "line")
    if not file:
        return ""
    name = file.rsplit("/", 1)[-1]
    return f"{name}:{found}" if found else name


def path(place: Json) -> str | None:
    """The file's whole name, for who looks for it."""
    return word(place, "fullname") or word(place, "file") or word(place, "objfile")


def _function(place: Json) -> str:
    name = word(place, "function") or ""
    return short_name(name, LONGEST_NAME)


def shown(place: Json, said: str | None = None) -> Markup | str:
    """said: in other words."""
    words = said if said is not None else short(place)
    return tag("code", words, title=path(place)) if words else "-"
