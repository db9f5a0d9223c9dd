# SPDX-License-Identifier: Apache-2.0
"""The stacks of all ranks of a job, as one tree: where do odd ranks part from the others?"""

from __future__ import annotations

import sys
from typing import Sequence

from ..model.job import Job, Node, RankClass
from ..model.members import Members, who
from ..model.naming import without_parameters
from ..model.rank_reports import Frame
from . import backtrace
from .merged_stacks import fold_at_arrows
from .table import NARROWEST, Style, Table, count, cut_list, paragraph
from .terminal import plain

MOST_BRANCHES = 20  # that are shown


def lines(job: Job, classes: Sequence[RankClass], nouns: str, style: Style) -> list[str]:
    odd = odd_members(classes)
    table = Table(["Frames", "Threads", nouns.capitalize()], style, folding=(2,))
    room = None if style.width is None else max(style.width * 2 // 3, 2 * NARROWEST)
    left = [sys.maxsize if style.every else MOST_BRANCHES]
    for child in ordered(job.tree, odd):
        _branch(table, child, None, "", "", room, style, odd, left)
    found = table.lines() if job.tree.children else ["No stack is told."]
    if left[0] < 0:
        found.append(f"{count(-left[0], 'more branch', 'more branches')}: --all shows them.")
    if job.untold:
        found += paragraph(
            f"Not all stacks of {nouns} {cut_list(plain(who(job.untold)))} are here: there are too"
            " many different ones.",
            style,
        )
    return found


def odd_members(classes: Sequence[RankClass]) -> Members:
    found = Members()
    for one in classes:
        if one.odd:
            found.update(one.members)
    return found


def ordered(node: Node, odd: Members) -> list[Node]:
    """Where only odd ranks go comes first, then where most threads are."""
    return sorted(
        node.children.values(),
        key=lambda child: (
            not child.members.is_within(odd),
            -child.threads,
            child.members.first(),
            repr(child.frame),
        ),
    )


def _branch(
    table: Table,
    node: Node,
    outer: Node | None,
    stem: str,
    below: str,
    room: int | None,
    style: Style,
    odd: Members,
    left: list[int],
) -> None:
    left[0] -= 1
    whole = [node]
    while _goes_straight_on(whole[-1]):
        whole += whole[-1].children.values()
    last = whole[-1]
    if left[0] >= 0:
        labels = [label(one, before) for before, one in zip([outer, *whole], whole)]
        folded = fold_at_arrows(labels, None if room is None else room - len(stem))
        trunk = style.trunk if last.children else "   "
        cell = f"\n{below}{trunk}".join([stem + folded[0], *folded[1:]])
        table.add(cell, str(node.threads), plain(who(node.members)))
    children = ordered(last, odd)
    for i, child in enumerate(children):
        final = i + 1 == len(children)
        branch = style.last_branch if final else style.branch
        trunk = "   " if final else style.trunk
        _branch(table, child, last, below + branch, below + trunk, room, style, odd, left)


def _goes_straight_on(node: Node) -> bool:
    """The same threads do."""
    (only,) = node.children.values() if len(node.children) == 1 else (None,)
    return only is not None and only.threads == node.threads


def label(node: Node, outer: Node | None) -> str:
    frame = node.frame or Frame("unknown", "")
    if frame.kind == "unknown":
        return "(not known further out)" if frame.text == "outer" else "(more)"
    if frame.kind == "wait":
        return plain(frame.text)
    at = backtrace.at_line(frame.place)
    before = outer.frame.place if outer is not None and outer.frame is not None else None
    if frame.kind == "construct":
        name = plain(frame.text)
        at = "" if at == backtrace.at_line(before) else at
    else:
        function = frame.place.function if frame.place is not None else None
        name = plain(without_parameters(function) if function else frame.text.partition(" (")[0])
    return (f"{name}, {at}" if at else name) + ("?" if node.likely else "")
