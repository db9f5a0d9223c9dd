# SPDX-License-Identifier: Apache-2.0
"""What does the report of one process say, as far as the reports of many are to be merged? Its
document comes from anywhere: what has the wrong type is not there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Iterator

from .native import Location
from .process import Wait

SCHEMA = "ompd/1"
DEEPEST = 200  # frames of a stack; a report leaves out the middle of deeper ones
MOST_NODES = 1 << 16  # of one report's tree of stacks
MOST_ENTRIES = 1 << 16  # of any list
MOST_RUNTIMES = 8
LONGEST_TEXT = 4096
LONGEST_HOST = 64
LARGEST = 1 << 53


class NoReport(Exception):
    """What is wrong with the document: a clause."""


@dataclass(frozen=True)
class State:
    """What a runtime's thread does."""

    state: str | None
    wait: Wait | None = None
    likely: bool = False  # not certain


@dataclass(frozen=True)
class Doing:
    """What one or many threads do."""

    kind: str | None  # as in the report: "none": not OpenMP's, "helper"; None: not known
    running: bool
    states: tuple[State, ...]
    where: Location | None  # in the user's code
    call: str | None  # what is called there

    @property
    def idle(self) -> bool:
        return bool(self.states) and all(one.state == "idle" for one in self.states)


@dataclass(frozen=True)
class Finding:
    code: str
    text: str
    confirmed: bool = True  # by an earlier look


@dataclass(frozen=True)
class Missing:
    """What could not be read, and why."""

    section: str  # "report": all of it
    code: str
    message: str
    hint: str = ""


@dataclass(frozen=True)
class Runtime:
    kind: str
    version: str | None
    build_id: str | None
    path: str | None


@dataclass(frozen=True)
class Frame:
    """A line of the tree of stacks, for what is equal in all processes of a program."""

    kind: str  # "wait", "user", "construct", "unknown"
    text: str  # of a wait; of the construct's name; of a function without a name
    place: Location | None = None


@dataclass(eq=False)
class Report:
    file: str
    rank: int | None = None
    rank_count: int | None = None
    host: str | None = None
    pid: int | None = None
    program: str | None = None
    findings: list[Finding] = field(default_factory=list)
    doing: Counter[Doing] = field(default_factory=Counter)
    missing: list[Missing] = field(default_factory=list)
    runtimes: tuple[Runtime, ...] = ()
    named_by: str = "file"  # or "rank", "process": what no other report has

    @property
    def failed(self) -> bool:
        """It tells why there is no report."""
        return any(one.section == "report" for one in self.missing)

    @property
    def readable(self) -> bool:
        """Is the state of OpenMP known?"""
        return not any(one.section in ("report", "openmp") for one in self.missing)


def read(file: str, document: object) -> Report:
    """Raises NoReport."""
    top = _fields(document)
    if not isinstance(document, dict) or top.get("schema") != SCHEMA:
        raise NoReport(f'its schema is not "{SCHEMA}"')
    command = _text(top, "command")
    if command != "report":
        raise NoReport(f"it is of `{command or '?'}', and not of a report")
    process = _fields(top.get("inferior"))
    report = Report(
        file,
        _count(top, "rank"),
        _count(top, "rank_count"),
        (_text(top, "host") or "")[:LONGEST_HOST] or None,
        _count(top, "pid"),
        _text(process, "program"),
    )
    if "error" in top:
        report.missing.append(_missing("report", _fields(top["error"])))
        return report
    for section in ("findings", "threads", "unavailable"):
        if not isinstance(top.get(section), list):
            raise NoReport(f"its `{section}' are no list")
        if len(top[section]) > MOST_ENTRIES:
            raise NoReport(f"its `{section}' are more than {MOST_ENTRIES}")
    report.findings = [found for found in map(_finding, _list(top, "findings")) if found.code]
    report.doing = Counter(map(_doing, _list(top, "threads")))
    for one in _list(top, "unavailable"):
        report.missing.append(_missing(_text(one, "section") or "?", one))
    report.runtimes = tuple(map(_runtime, _list(top, "runtimes")[:MOST_RUNTIMES]))
    return report


def stacks(document: Any) -> Iterator[tuple[int, Frame, int, bool]]:
    """The report's tree of stacks, in pre-order: depth, frame, number of threads, and whether the
    frame is certain."""
    pending = [(0, child) for child in reversed(_list(_fields(document.get("merged")), "children"))]
    for _ in range(MOST_NODES):
        if not pending:
            return
        depth, node = pending.pop()
        frame = _fields(node.get("frame"))
        yield depth, _frame(depth, frame), _count(node, "count") or 0, not _is_likely(frame)
        if depth < DEEPEST:
            pending += [(depth + 1, child) for child in reversed(_list(node, "children"))]


def _frame(depth: int, frame: dict[str, Any]) -> Frame:
    kind, text = _text(frame, "kind"), _text(frame, "text") or ""
    if kind == "wait":
        return Frame(kind, text)
    place = _place(frame.get("loc"))
    if kind == "construct":
        return Frame(kind, _text(frame, "construct") or text, place)
    if kind == "user":
        named = place is not None and place.function is not None
        return Frame(kind, "" if named else text, place)
    return Frame("unknown", "" if depth else "outer")


def _finding(told: dict[str, Any]) -> Finding:
    code, text = _text(told, "code") or "", _text(told, "text") or ""
    return Finding(code, text, told.get("confirmed") is not False)


def _missing(section: str, told: dict[str, Any]) -> Missing:
    message = _text(told, "message") or "it is not told why"
    return Missing(section, _text(told, "code") or "?", message, _text(told, "hint") or "")


def _runtime(told: dict[str, Any]) -> Runtime:
    kind = _text(told, "kind") or "?"
    return Runtime(kind, _text(told, "version"), _text(told, "build_id"), _text(told, "path"))


def _doing(thread: dict[str, Any]) -> Doing:
    states = tuple(map(_state, _list(thread, "openmp")[:MOST_RUNTIMES]))
    call = _fields(thread.get("in_call"))
    return Doing(
        _text(thread, "kind"),
        thread.get("running") is True,
        states,
        _place(thread.get("where")),
        _text(call, "function") or _base(_text(call, "objfile")),
    )


def _state(member: dict[str, Any]) -> State:
    doubt = _fields(_fields(member.get("doubts")).get("state"))
    wait = _fields(member.get("wait"))
    waits = Wait(
        _text(wait, "kind") or "", construct=_text(wait, "construct"), name=_text(wait, "name")
    )
    likely = doubt.get("certainty") == "likely"
    return State(_text(member, "state"), waits if wait else None, likely)


def _place(told: object) -> Location | None:
    """What is the same in each process: no addresses."""
    loc = _fields(told)
    if not loc:
        return None
    return Location(
        _text(loc, "function"), _base(_text(loc, "file")), None, _count(loc, "line") or None
    )


def _is_likely(fields: dict[str, Any]) -> bool:
    doubts = _fields(fields.get("doubts")).values()
    return any(_fields(doubt).get("certainty") == "likely" for doubt in doubts)


def _base(path: str | None) -> str | None:
    return None if path is None else path.rsplit("/", 1)[-1]


def _fields(told: object) -> dict[str, Any]:
    return told if isinstance(told, dict) else {}


def _list(fields: dict[str, Any], name: str) -> list[dict[str, Any]]:
    told = fields.get(name)
    entries = told[:MOST_ENTRIES] if isinstance(told, list) else []
    return [one for one in entries if isinstance(one, dict)]


def _text(fields: dict[str, Any], name: str) -> str | None:
    told = fields.get(name)
    return told[:LONGEST_TEXT] if isinstance(told, str) else None


def _count(fields: dict[str, Any], name: str) -> int | None:
    told = fields.get(name)
    usable = isinstance(told, int) and not isinstance(told, bool) and 0 <= told <= LARGEST
    return told if usable else None
