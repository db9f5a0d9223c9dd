# SPDX-License-Identifier: Apache-2.0
"""What does the report of one process say, as far as the reports of many are to be merged? Its
document comes from anywhere: what has the wrong type is not there."""

from __future__ import annotations

from collections import Counter
from typing import Any, Iterator

from ..light_classes import dataclass, field
from .members import LARGEST_RANK
from .messages import FROM, TO, Message
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
class Awaiting:
    """A call of MPI's, and the message that it waits for."""

    call: str
    message: Message


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
    awaiting: set[Awaiting] = field(default_factory=set)
    missing: list[Missing] = field(default_factory=list)
    runtimes: tuple[Runtime, ...] = ()

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
    top = fields_of(document)
    if not isinstance(document, dict) or top.get("schema") != SCHEMA:
        raise NoReport(f'its schema is not "{SCHEMA}"')
    command = text_of(top, "command")
    if command != "report":
        raise NoReport(f"it is of `{command or '?'}', and not of a report")
    process = fields_of(top.get("inferior"))
    rank = count_of(top, "rank")
    report = Report(
        file,
        rank if rank is None or rank <= LARGEST_RANK else None,
        count_of(top, "rank_count"),
        (text_of(top, "host") or "")[:LONGEST_HOST] or None,
        count_of(top, "pid"),
        text_of(process, "program"),
    )
    if "error" in top:
        report.missing.append(_missing("report", fields_of(top["error"])))
        return report
    for section in ("findings", "threads", "unavailable"):
        if not isinstance(top.get(section), list):
            raise NoReport(f"its `{section}' are not a list")
        if len(top[section]) > MOST_ENTRIES:
            raise NoReport(f"its `{section}' are more than {MOST_ENTRIES}")
    report.findings = [found for found in map(_finding, entries_of(top, "findings")) if found.code]
    report.doing = Counter(map(_doing, entries_of(top, "threads")))
    report.awaiting = set(filter(None, map(_awaiting, entries_of(top, "threads"))))
    for one in entries_of(top, "unavailable"):
        report.missing.append(_missing(text_of(one, "section") or "?", one))
    report.runtimes = tuple(map(_runtime, entries_of(top, "runtimes")[:MOST_RUNTIMES]))
    return report


def stacks(document: Any) -> Iterator[tuple[int, Frame, int, bool]]:
    """The report's tree of stacks, in pre-order: depth, frame, number of threads, and whether the
    frame is certain."""
    pending = [
        (0, child) for child in reversed(entries_of(fields_of(document.get("merged")), "children"))
    ]
    for _ in range(MOST_NODES):
        if not pending:
            return
        depth, node = pending.pop()
        frame = fields_of(node.get("frame"))
        yield depth, _frame(depth, frame), count_of(node, "count") or 0, not _is_likely(frame)
        if depth < DEEPEST:
            pending += [(depth + 1, child) for child in reversed(entries_of(node, "children"))]


def _frame(depth: int, frame: dict[str, Any]) -> Frame:
    kind, text = text_of(frame, "kind"), text_of(frame, "text") or ""
    if kind == "wait":
        return Frame(kind, text)
    place = _place(frame.get("loc"))
    if kind == "construct":
        return Frame(kind, text_of(frame, "construct") or text, place)
    if kind == "user":
        named = place is not None and place.function is not None
        return Frame(kind, "" if named else text, place)
    return Frame("unknown", "" if depth else "outer")


def _finding(told: dict[str, Any]) -> Finding:
    code, text = text_of(told, "code") or "", text_of(told, "text") or ""
    return Finding(code, text, told.get("confirmed") is not False)


def _missing(section: str, told: dict[str, Any]) -> Missing:
    message = text_of(told, "message") or "it is not told why"
    return Missing(section, text_of(told, "code") or "?", message, text_of(told, "hint") or "")


def _runtime(told: dict[str, Any]) -> Runtime:
    kind = text_of(told, "kind") or "?"
    return Runtime(kind, text_of(told, "version"), text_of(told, "build_id"), text_of(told, "path"))


def _doing(thread: dict[str, Any]) -> Doing:
    states = tuple(map(_state, entries_of(thread, "openmp")[:MOST_RUNTIMES]))
    call = fields_of(thread.get("in_call"))
    return Doing(
        text_of(thread, "kind"),
        thread.get("running") is True,
        states,
        _place(thread.get("where")),
        text_of(call, "function") or _base(text_of(call, "objfile")),
    )


def _awaiting(thread: dict[str, Any]) -> Awaiting | None:
    call = text_of(fields_of(thread.get("in_call")), "function")
    message = message_of(thread.get("message"))
    return Awaiting(call, message) if call is not None and message is not None else None


def message_of(told: object) -> Message | None:
    message = fields_of(told)
    direction, any_rank, world = (message.get(name) for name in ("direction", "any_rank", "world"))
    if direction not in (FROM, TO):
        return None
    return Message(
        direction,
        count_of(message, "rank"),
        any_rank if isinstance(any_rank, bool) else None,
        world if isinstance(world, bool) else None,
    )


def _state(member: dict[str, Any]) -> State:
    doubt = fields_of(fields_of(member.get("doubts")).get("state"))
    wait = fields_of(member.get("wait"))
    waits = Wait(
        text_of(wait, "kind") or "",
        construct=text_of(wait, "construct"),
        name=text_of(wait, "name"),
    )
    likely = doubt.get("certainty") == "likely"
    return State(text_of(member, "state"), waits if wait else None, likely)


def _place(told: object) -> Location | None:
    """What is the same in each process: no addresses."""
    loc = fields_of(told)
    if not loc:
        return None
    return Location(
        text_of(loc, "function"), _base(text_of(loc, "file")), None, count_of(loc, "line") or None
    )


def _is_likely(fields: dict[str, Any]) -> bool:
    doubts = fields_of(fields.get("doubts")).values()
    return any(fields_of(doubt).get("certainty") == "likely" for doubt in doubts)


def _base(path: str | None) -> str | None:
    return None if path is None else path.rsplit("/", 1)[-1]


def fields_of(told: object) -> dict[str, Any]:
    return told if isinstance(told, dict) else {}


def entries_of(fields: dict[str, Any], name: str) -> list[dict[str, Any]]:
    told = fields.get(name)
    entries = told[:MOST_ENTRIES] if isinstance(told, list) else []
    return [one for one in entries if isinstance(one, dict)]


def text_of(fields: dict[str, Any], name: str) -> str | None:
    told = fields.get(name)
    return told[:LONGEST_TEXT] if isinstance(told, str) else None


def count_of(fields: dict[str, Any], name: str) -> int | None:
    told = fields.get(name)
    usable = isinstance(told, int) and not isinstance(told, bool) and 0 <= told <= LARGEST
    return told if usable else None
