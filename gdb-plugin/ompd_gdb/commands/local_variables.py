# SPDX-License-Identifier: Apache-2.0
"""What do the variables of odd threads hold? A section of `ompd report -locals'."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from ompd_core.errors import UserError
from ompd_core.light_classes import NamedTuple, replace
from ompd_core.model import doubts, odd
from ompd_core.model.logical_stack.backtrace import USER, Backtrace
from ompd_core.model.process import Thread
from ompd_core.views import backtrace
from ompd_core.views.table import Style

from ..picture import Picture
from .base import in_users_terms
from .stacks import USUAL_DEPTH

MOST_FRAMES = 8  # of the program's own, of each thread
SECONDS = 10.0  # for all; a report is not to wait for a huge structure


class Found(NamedTuple):
    stacks: list[Backtrace]
    details: dict[Thread, backtrace.Details]


def of_odd_threads(picture: Picture) -> Found:
    judgement = None
    with suppress(UserError), in_users_terms():  # told in the section that is about it
        judgement = picture.judgement()
    chosen = odd.threads(picture.process, judgement)
    splicer = picture.splicer(USUAL_DEPTH)
    found = [_innermost(splicer.backtrace(thread)) for thread in chosen]
    return Found(found, _details(picture, found))


def lines(found: Found, style: Style) -> list[str]:
    shown = backtrace.lines(*found, style._replace(every=True), named=True)
    return shown or ["No thread is odd."]


def document(found: Found) -> Any:
    return backtrace.document(*found)


def _innermost(whole: Backtrace) -> Backtrace:
    own = [at for at, entry in enumerate(whole.entries) if entry.kind == USER]
    if len(own) <= MOST_FRAMES:
        return whole
    entries = whole.entries[: own[MOST_FRAMES - 1] + 1]
    return replace(whole, entries=entries, cut=doubts.FRAMES_ENOUGH, limited=True)


def _details(picture: Picture, found: list[Backtrace]) -> dict[Thread, backtrace.Details]:
    levels: dict[Thread, set[int]] = {}
    for one in found:
        for entry in one.entries:
            if entry.kind == USER and entry.level is not None:
                levels.setdefault(entry.thread, set()).add(entry.level)
    end = time.monotonic() + SECONDS
    return {
        thread: backtrace.Details(
            picture.frames.arguments(thread, wanted),
            picture.frames.short_locals(thread, wanted, end),
        )
        for thread, wanted in levels.items()
    }
