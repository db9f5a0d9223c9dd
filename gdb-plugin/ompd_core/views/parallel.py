# SPDX-License-Identifier: Apache-2.0
"""`ompd parallel' as text: the tree of regions, and one region in detail."""

from __future__ import annotations

from typing import Sequence

from ..model import ids
from ..model.native import Location
from ..model.process import Region, Thread
from . import loops
from .cxx_names import short_name
from .table import NARROWEST, Style, Table, count, fold, paragraph, place
from .terminal import plain

# A construct's name gives way to what cannot be cut.
LONGEST_NAME = 40
UNSURE = "?"


def lines(roots: Sequence[Region], unsure: Sequence[Thread], style: Style) -> list[str]:
    """The tree; unsure: the threads of which it is not known what regions they are in."""
    table = Table(["Region", "Construct", "Team", "GDB threads"], style, folding=(3,))
    _branch(table, _groups(roots, style.every), style, "", root=True)
    found = table.lines()
    shown = _all_below(roots)
    parallel = [region for region in shown if region.raw.generator != "program"]
    deepest = max([region.raw.level or 0 for region in shown] + [0])
    total = f"{count(len(parallel), 'region')} beside the initial one"
    total += "s" if len(shown) - len(parallel) > 1 else ""
    if parallel:
        total += f", {count(deepest, 'level')} deep."
    else:
        total += "." if unsure else ": no thread is in a parallel region."
    found.append(total)
    if unsure:
        found += paragraph(
            f"The regions of {count(len(unsure), 'thread')} ({gdb_threads(unsure)}) are not known:"
            " `ompd threads' tells why.",
            style,
            "   ",
        )
    return found + _footnotes(shown, style)


def _branch(
    table: Table, groups: list[list[Region]], style: Style, trunk: str, root: bool = False
) -> None:
    for i, group in enumerate(groups):
        last = i + 1 == len(groups)
        stem = "" if root else trunk + (style.last_branch if last else style.branch)
        below = "" if root else trunk + ("   " if last else style.trunk)
        names = _folded(f"R{ids.compress(r.number for r in group)}", style)
        table.add(f"\n{below} ".join([stem + names[0], *names[1:]]), *_cells(group))
        children = [child for region in group for child in region.children]
        _branch(table, _groups(children, style.every), style, below)


def _folded(names: str, style: Style) -> list[str]:
    return [names] if style.width is None else fold(names, max(style.width // 4, NARROWEST))


def _groups(regions: Sequence[Region], every: bool) -> list[list[Region]]:
    groups: dict[object, list[Region]] = {}
    for region in regions:
        groups.setdefault(region if every else _likeness(region), []).append(region)
    return list(groups.values())


def _likeness(region: Region) -> object:
    raw = region.raw
    return (
        raw.generator,
        raw.team_size,
        raw.serialized,
        raw.league_size,
        construct(region),
        tuple(sorted({hash(_likeness(child)) for child in region.children})),
    )


def _cells(group: Sequence[Region]) -> list[str]:
    threads = [t for region in group for t in region.members]
    return [construct(group[0]), _team(group), gdb_threads(threads)]


def construct(region: Region) -> str:
    """main, heat.c:80; with a ? behind it that is only likely"""
    if region.raw.generator == "program":
        return "initial region"
    if region.raw.helpers:
        return "(hidden helper threads)"
    location = region.location or region.function
    if location is None or not (location.function or location.file):
        return UNSURE
    name = short_name(plain(location.function), LONGEST_NAME) if location.function else ""
    file = plain((location.file or "").rsplit("/", 1)[-1])
    at = f"{file}:{location.line}" if location.line and file else ""
    return ", ".join(part for part in (name, at) if part) + _mark(region)


def _mark(region: Region) -> str:
    doubt = region.doubts.get("loc")
    return UNSURE if doubt is not None and doubt.certainty == "likely" else ""


def _team(group: Sequence[Region]) -> str:
    raw = group[0].raw
    size = "? threads" if raw.team_size is None else count(raw.team_size, "thread")
    text = size if len(group) == 1 else f"{len(group)} x {size}"
    if raw.generator == "teams":
        team = "" if raw.team_num is None or len(group) > 1 else f"team {raw.team_num} "
        text += f", {team}of a league of {'?' if raw.league_size is None else raw.league_size}"
    elif raw.generator == "target":
        text += ", target"
    if raw.serialized and raw.generator != "program":
        text += ", serialized"
    return text


def gdb_threads(threads: Sequence[Thread | None]) -> str:
    known = [t.native.num for t in threads if t is not None and t.native is not None]
    text = f"T{ids.compress(known)}" if known else ""
    missing = sum(1 for t in threads if t is None or t.native is None)
    if missing:
        text += f" and {missing} unknown" if text else f"{missing} unknown"
    return text or "-"


def _all_below(roots: Sequence[Region]) -> list[Region]:
    found: list[Region] = []
    pending = list(roots)
    while pending:
        region = pending.pop()
        found.append(region)
        pending += region.children
    return found


def _footnotes(regions: Sequence[Region], style: Style) -> list[str]:
    reasons: dict[str, None] = {}
    for region in regions:
        for field, doubt in region.doubts.items():
            if field in ("loc", "members"):
                reasons[f"{field}: {doubt.sentence}"] = None
    found = []
    for reason in reasons:
        found += paragraph(reason.replace("loc:", f"{UNSURE}:", 1) + ".", style, "   ")
    return found


def detail(region: Region, style: Style) -> list[str]:
    raw = region.raw
    rows = [
        ("construct", _construct_in_full(region)),
        ("code", _where(region.function, "?") if raw.generator != "program" else "-"),
        ("begun by", _begun_by(region)),
        ("team", _team([region])),
        ("level", f"{_number(raw.level)}, active level {_number(raw.active_level)}"),
        (
            "structure",
            f"{raw.address:#x}"
            + (f", serialized region {raw.serial_depth} of it" if raw.serial_depth else ""),
        ),
        ("regions in it", " ".join(child.id for child in region.children) or "none"),
    ]
    found = [region.id]
    found += [f"  {name:<14}{text}" for name, text in rows]
    table = Table(["  OpenMP", "T", "Now in"], style)
    for num, thread in enumerate(region.members):
        native = thread.native if thread is not None else None
        table.add(
            f"  {region.id}.{num}", str(native.num) if native else "?", _now_in(region, thread)
        )
    found += table.lines() if region.members else []
    return found + loops.lines(region, style) + _footnotes([region], style)


def _construct_in_full(region: Region) -> str:
    if region.location is None:
        return construct(region)
    return _where(region.location, "") + _mark(region)


def _where(location: Location | None, otherwise: str) -> str:
    if location is None:
        return otherwise
    text = place(location.function, location.file, location.line)
    return text + (f", {location.pc:#x}" if location.pc else "")


def _number(number: int | None) -> str:
    return "?" if number is None else str(number)


def _begun_by(region: Region) -> str:
    if region.parent is None:
        return "the program"
    if region.primary_num is None:
        return f"a thread of {region.parent.id}"
    return f"{region.parent.id}.{region.primary_num}, a {region.raw.generator} construct"


def _now_in(region: Region, thread: Thread | None) -> str:
    if thread is None:
        return "?"
    for member in thread.openmp:
        if member.runtime == region.runtime and member.id is not None:
            return "this region" if member.region is region else f"{member.id}"
    return "?"
