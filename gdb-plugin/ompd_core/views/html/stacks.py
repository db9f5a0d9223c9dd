# SPDX-License-Identifier: Apache-2.0
"""Where are all threads, from main inwards? One tree of all stacks; what few do is marked."""

from __future__ import annotations

from . import places, states, who
from .document import Json, number, object_of, objects, word
from .markup import Markup, Part, fold, join, tag
from .report import Report, Section, names_line, plural

FEW = 8  # times less than the most beside it
MOST_DEPTH = 200  # branches within each other; HTML readers have limits
MOST_BRANCHES = 5000


def section(report: Report) -> Section | None:
    root = object_of(report.document, "merged")
    if not objects(root, "children"):
        return None
    tree = _Tree(report, number(root, "count") or len(report.threads) or 1)
    body = tree.branches(root, 0)
    leaves = f"{plural(tree.total, 'thread')}, {plural(tree.places, 'place')}."
    return Section(
        "stacks",
        "Stacks, merged",
        join(
            tag(
                "p",
                leaves,
                " From the outermost frame inwards; the bar is the share of all threads.",
                class_="lead",
            ),
            tag("div", body, class_="stacks"),
        ),
        f"{tree.places:,}",
    )


class _Tree:
    def __init__(self, report: Report, total: int) -> None:
        self._report = report
        self.total = total
        self.places = 0
        self._branches = 0

    def branches(self, node: Json, depth: int) -> list[Part]:
        children = objects(node, "children")
        most = max((number(child, "count") or 0 for child in children), default=0)
        found: list[Part] = []
        for child in children:
            self._branches += 1
            if self._branches > MOST_BRANCHES or depth > MOST_DEPTH:
                found.append(tag("p", "More branches are in the JSON document only."))
                break
            found.append(self._branch(child, most, depth))
        return found

    def _branch(self, node: Json, most: int, depth: int) -> Markup:
        frames = _chain(node)
        last = frames[-1]
        names = who.expanded(word(node, "who"))
        marks = self._marks(node, names, most, bool(objects(last, "children")))
        shown = join(
            tag("span", [self._frame(frame) for frame in frames], class_="frames"),
            self._threads(node, marks),
        )
        facts = {"data_who": word(node, "who"), "data_gdb": self._report.in_gdb(names)}
        style = "branch few" if marks else "branch"
        if objects(last, "children"):
            inside = tag("div", self.branches(last, depth + 1), class_="inside")
            return fold(shown, inside, opened=True, class_=style, **facts)
        self.places += 1
        return tag("div", shown, class_=f"{style} leaf", **facts)

    def _marks(self, node: Json, names: list[str], most: int, leads_on: bool) -> list[str]:
        """Why it is to be looked at."""
        found = ["few"] if (number(node, "count") or 0) * FEW <= most else []
        if not leads_on:
            threads = [self._report.thread(name) for name in names]
            if any(t is not None and self._report.kind(t) is states.CRASHED for t in threads):
                found.append("crashed")
            if any(name in self._report.stuck for name in names):
                found.append("in the circle")
        return found

    def _threads(self, node: Json, marks: list[str]) -> Markup:
        counted = number(node, "count") or 0
        percent = 100 * counted / max(self.total, 1)
        return tag(
            "span",
            tag("b", f"{counted:,}"),
            tag("i", class_="share-bar", style=f"--share:{percent:.1f}%", aria_hidden="true"),
            names_line(word(node, "who") or ""),
            [[" ", tag("span", mark, class_="tag wrong")] for mark in marks],
            class_="threads",
        )

    def _frame(self, node: Json) -> Markup:
        frame = object_of(node, "frame")
        kind = word(frame, "kind") or "cut"
        place = object_of(frame, "loc")
        words = word(node, "label") or word(frame, "text") or "(not known further out)"
        return tag(
            "span",
            self._report.doubts.marked(words, frame),
            class_=f"frame {kind}",
            title=places.path(place) if kind == "user" else None,
        )


def _chain(node: Json) -> list[Json]:
    """With the frames that all of its threads share."""
    found = [node]
    while True:
        children = objects(found[-1], "children")
        if len(children) != 1 or children[0].get("count") != node.get("count"):
            return found
        found.append(children[0])
