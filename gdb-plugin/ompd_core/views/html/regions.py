# SPDX-License-Identifier: Apache-2.0
"""Which parallel regions are there, inside of each other, and what do their threads do?"""

from __future__ import annotations

from typing import Sequence

from ...model import ids
from . import places, states, who
from .document import Json, doubt, members, number, object_of, objects, word
from .markup import Markup, Part, fold, join, tag
from .report import Report, Section, names_line, plural

MOST_CELLS = 4096  # of single threads on the page
MANY = 128  # squares that are drawn smaller
MOST_DEPTH = 100
OPEN_DEPTH = 8  # levels that are unfolded at first


def section(report: Report) -> Section | None:
    regions = objects(report.document, "regions")
    if not regions:
        return None
    tree = _Tree(report, regions)
    shown = tag("div", tree.branches(tree.roots, 0), class_="regions")
    parallel = [one for one in regions if one.get("generator") != "program"]
    lead = plural(len(parallel), "region") + " beside the initial one. A square is a thread."
    body = join(tag("p", lead, class_="lead"), states.legend(tree.met), shown)
    return Section("regions", "Parallel regions", body, f"{len(parallel):,}")


class _Tree:
    def __init__(self, report: Report, regions: Sequence[Json]) -> None:
        self._report = report
        self._by_gdb = {word(thread, "gdb"): thread for thread in report.threads}
        self._children: dict[str | None, list[Json]] = {}
        known = {word(region, "id") for region in regions}
        for region in regions:
            parent = word(region, "parent")
            self._children.setdefault(parent if parent in known else None, []).append(region)
        self.roots = self._children.get(None, [])
        self.met: set[states.Kind] = set()
        self._cells = 0
        self._likenesses: dict[str | None, object] = {}

    def branches(self, regions: Sequence[Json], depth: int) -> list[Part]:
        groups: dict[object, list[Json]] = {}
        for region in regions:
            groups.setdefault(self._likeness(region, depth), []).append(region)
        return [self._branch(group, depth) for group in groups.values()]

    def _likeness(self, region: Json, depth: int) -> object:
        """Regions that look the same stand together."""
        name = word(region, "id")
        if name not in self._likenesses and depth <= MOST_DEPTH:
            below = {self._likeness(child, depth + 1) for child in self._children.get(name, [])}
            kinds = sorted(kind.style for _, kind in self._team(region))
            fields = ("generator", "team_size", "serialized", "league_size")
            self._likenesses[name] = hash(
                (
                    *(str(region.get(field)) for field in fields),
                    _place(region),
                    word(doubt(region, "loc"), "certainty"),
                    tuple(kinds),
                    frozenset(below),
                )
            )
        return self._likenesses.get(name, name)

    def _branch(self, group: Sequence[Json], depth: int) -> Markup:
        below = [one for region in group for one in self._children.get(word(region, "id"), [])]
        head = self._head(group)
        names = [f"{word(r, 'id')}.{number(m, 'thread_num')}" for r in group for m in _members(r)]
        facts = {
            "data_who": who.compressed([*names, *(word(r, "id") or "" for r in group)]),
            "data_gdb": who.compressed(
                f"T{(word(m, 'gdb') or '.0').rpartition('.')[2]}"
                for r in group
                for m in _members(r)
            ),
        }
        if not below or depth >= MOST_DEPTH:
            more = tag("p", "What is inside is in the JSON document only.") if below else None
            return tag("div", head, more, class_="branch leaf", **facts)
        inside = tag("div", self.branches(below, depth + 1), class_="inside")
        return fold(head, inside, opened=depth < OPEN_DEPTH, class_="branch", **facts)

    def _head(self, group: Sequence[Json]) -> Markup:
        region = group[0]
        counts: dict[states.Kind, list[str]] = {}
        for one in group:
            for num, kind in self._team(one):
                counts.setdefault(kind, []).append(f"{word(one, 'id')}.{num}")
        if region.get("generator") == "program":
            counts.pop(states.INNER, None)  # as a rule, and no news
        self.met |= set(counts)
        numbers = [
            int(name[1:]) for one in group if (name := word(one, "id") or "R0")[1:].isdigit()
        ]
        return join(
            tag(
                "span",
                tag("b", names_line(f"R{ids.compress(numbers)}")),
                " ",
                self._construct(region),
                " ",
                tag("span", _team_size(group), class_="size"),
                self._report.doubts.mark(doubt(region, "members")),
                class_="region",
            ),
            self._squares(group) if counts else None,
            tag(
                "span",
                [
                    tag("span", of.name, " ", names_line(_in_team(names, group)), class_="count")
                    for of in states.ALL
                    if (names := counts.get(of))
                ],
                class_="counts",
            ),
        )

    def _construct(self, region: Json) -> Part:
        if region.get("generator") == "program":
            return "initial region"
        if self._is_of_helpers(region):
            return "hidden helper threads"
        generator = word(region, "generator") or "parallel"
        return [
            generator,
            " at ",
            tag("code", _place(region), title=places.path(object_of(region, "loc"))),
            self._report.doubts.mark(doubt(region, "loc")) or (None if _place(region) else "?"),
        ]

    def _is_of_helpers(self, region: Json) -> bool:
        threads = [self._by_gdb.get(word(member, "gdb")) for member in _members(region)]
        return bool(threads) and all(t is not None and t.get("kind") == "helper" for t in threads)

    def _team(self, region: Json) -> list[tuple[int, states.Kind]]:
        found = []
        for member in _members(region):
            thread = self._by_gdb.get(word(member, "gdb"))
            found.append((number(member, "thread_num") or 0, self._kind(region, thread)))
        return found

    def _kind(self, region: Json, thread: Json | None) -> states.Kind:
        if thread is None:
            return states.UNKNOWN
        own = [m for m in members(thread) if m.get("runtime") == region.get("runtime")]
        if own and own[0].get("region") != region.get("id"):
            return states.INNER
        return self._report.kind(thread)

    def _squares(self, group: Sequence[Json]) -> Markup | None:
        size = sum(len(_members(region)) for region in group)
        if self._cells + size > MOST_CELLS:
            return None
        self._cells += size
        teams = [
            tag("span", [self._square(region, num, kind) for num, kind in self._team(region)])
            for region in group
        ]
        style = "squares small" if size > MANY else "squares"
        return tag("span", teams, class_=style, aria_hidden="true")

    def _square(self, region: Json, num: int, kind: states.Kind) -> Markup:
        name = f"{word(region, 'id')}.{num}"
        style = f"{kind.style} stuck" if name in self._report.stuck else kind.style
        return tag("i", class_=style, title=f"{name}: {kind.name}")


def _members(region: Json) -> list[Json]:
    return objects(region, "members")


def _place(region: Json) -> str:
    place = object_of(region, "loc") or object_of(region, "function")
    return ", ".join(part for part in (word(place, "function"), places.line(place)) if part)


def _team_size(group: Sequence[Json]) -> str:
    region = group[0]
    size = number(region, "team_size")
    text = "? threads" if size is None else plural(size, "thread")
    if len(group) > 1:
        text = f"{len(group):,} regions of {text} each"
    if region.get("generator") == "teams":
        text += f", of a league of {number(region, 'league_size') or '?'}"
    if region.get("serialized") and region.get("generator") != "program":
        text += ", serialized"
    return text


def _in_team(names: list[str], group: Sequence[Json]) -> str:
    """0-2,5 is enough where the region's name stands before."""
    if len(group) > 1:
        return f"{len(names):,}"
    return ids.compress(int(name.rpartition(".")[2]) for name in names)
