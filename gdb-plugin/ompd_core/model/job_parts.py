# SPDX-License-Identifier: Apache-2.0
"""How does what is known of some processes of a job travel to where the rest is? As a document
whose size depends on what they do, and on how many hosts there are, not on how many do it. It
comes from anywhere: what has the wrong type makes it none."""

from __future__ import annotations

from collections import Counter
from typing import Any, Collection, Iterator

from . import members as sets
from .job import MOST_PLACES, Group, Job, Node, RankClass, Said, Unread
from .members import Members
from .native import Location
from .process import Wait
from .rank_reports import (
    LONGEST_TEXT,
    MOST_RUNTIMES,
    SCHEMA,
    Awaiting,
    Doing,
    Finding,
    Frame,
    Missing,
    NoReport,
    Runtime,
    State,
    count_of,
    entries_of,
    fields_of,
    message_of,
    text_of,
)
from .roll import Entry, Row

Json = dict[str, Any]

COMMAND = "part"
MOST_ROWS = 1 << 17  # hosts, and reports that came one by one
MOST_MEMBERS = 1 << 21
MOST_OTHERS = 1 << 17  # members without a rank, in a set
_ABBREVIATED = {"kind": None, "call": None, "where": None, "running": False}


# ---- Written -------------------------------------------------------------------------------------


def part(job: Job) -> Json:
    """Equal jobs have equal documents, in whatever order they were put together."""
    return {
        "schema": SCHEMA,
        "command": COMMAND,
        "rows": [_row(row) for row in job.fold_rows()],
        "rank_counts": sorted(job.rank_counts),
        "repeated": {str(rank): names for rank, names in sorted(job.repeated.items())},
        "shared": [list(one) for one in sorted(job.shared)],
        "failed": _set(job.failed),
        "untold": _set(job.untold),
        "by_line": job.by_line,
        "classes": [
            {
                "codes": list(one.codes),
                "readable": one.readable,
                "threads": _ordered(
                    [{**_doing(doing), "count": number} for doing, number in one.doing.items()]
                ),
                "members": _set(one.members),
            }
            for one in sorted(job.by_class.values(), key=lambda one: one.members.first())
        ],
        "findings": _ordered(
            [
                {
                    "code": said.finding.code,
                    "text": said.finding.text,
                    "confirmed": said.finding.confirmed,
                    "same_text": said.same,
                    "by": _by(said.by),
                    "members": _set(said.members),
                }
                for said in job.said.values()
            ]
        ),
        "unavailable": _ordered(
            [
                {**vars(one.what), "by": _by(one.by), "members": _set(one.members)}
                for one in job.without.values()
            ]
        ),
        "programs": _ordered(
            [{"program": what, "members": _set(who)} for what, who in job.programs.items()]
        ),
        "runtimes": _ordered(
            [
                {"runtimes": [vars(one) for one in what], "members": _set(who)}
                for what, who in job.runtimes.items()
            ]
        ),
        "awaiting": _ordered(
            [
                {"call": one.call, "message": one.message._asdict(), "members": _set(who)}
                for one, who in job.awaiting.items()
            ]
        ),
        "by_rank_awaited": job.by_rank_awaited,
        "stacks": [_line(depth, node) for depth, node in _in_order(job.tree)],
        "unreadable": [{"file": one.file, "message": one.why} for one in job.unread],
        "twice": job.counted_twice,
        "lost": dict(sorted(job.lost.items())),
        "stopped": {str(seconds): number for seconds, number in sorted(job.stopped.items())},
        "places": {digest: _set(who) for digest, who in sorted(job.places.items())},
    }


def _set(members: Members) -> str | list[Any]:
    """ "0-7", and [host, process, file] for what has no rank."""
    ranks = sets.in_words(members.runs)
    return [ranks, *(list(one) for one in sorted(members.others))] if members.others else ranks


def _row(row: Row) -> Json:
    found: Json = {"host": row.host, "ranks": row.ranks, "pids": row.pids, "threads": row.threads}
    if row.label:
        found["label"] = row.label
    return {**found, "files": list(row.files)} if row.files else found


def _by(entry: Entry | None) -> list[Any] | None:
    return None if entry is None else [entry.rank, entry.host, entry.pid, entry.file, entry.label]


def _doing(doing: Doing) -> Json:
    told = {
        "kind": doing.kind,
        "running": doing.running,
        "where": _place(doing.where),
        "call": doing.call,
        "states": [_state(one) for one in doing.states],
    }
    return {name: value for name, value in told.items() if value != _ABBREVIATED.get(name, ())}


def _state(state: State) -> Json:
    found: Json = {"state": state.state}
    if state.wait is not None:
        found["wait"] = [state.wait.kind, state.wait.construct, state.wait.name]
    if state.likely:
        found["likely"] = True
    return found


def _place(place: Location | None) -> list[Any] | None:
    return None if place is None else [place.function, place.file, place.line]


def _ordered(found: list[Json]) -> list[Json]:
    return sorted(found, key=repr)


def _in_order(tree: Node) -> Iterator[tuple[int, Node]]:
    pending = [(0, child) for child in _children(tree)]
    while pending:
        depth, node = pending.pop()
        yield depth, node
        pending += [(depth + 1, child) for child in _children(node)]


def _children(node: Node) -> list[Node]:
    return sorted(node.children.values(), key=lambda child: repr(child.frame), reverse=True)


def _line(depth: int, node: Node) -> list[Any]:
    frame = node.frame or Frame("unknown", "")
    found = [depth, node.threads, _set(node.members), frame.kind, frame.text, _place(frame.place)]
    return [*found, True] if node.likely else found


# ---- Read ----------------------------------------------------------------------------------------


def is_part(document: object) -> bool:
    return _within(document) is not None


def _within(document: object) -> Json | None:
    """What `ompd merge' and `ompd job' wrote holds one, too."""
    top = fields_of(document)
    inner = fields_of(top.get("part")) or top
    if inner.get("schema") != SCHEMA or inner.get("command") != COMMAND:
        return None
    return inner


def read(document: object, wrong: Collection[str]) -> Job:
    """Raises NoReport."""
    told = _within(document)
    if told is None:
        raise NoReport("it is not part of a job")
    job = Job(wrong)
    try:
        _read(job, told)
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError):
        raise NoReport("it is a part of a job that is damaged") from None
    return job


def _read(job: Job, told: Json) -> None:
    rows = entries_of(told, "rows")
    if len(rows) > MOST_ROWS:
        raise ValueError("rows")
    total = 0
    for one in rows:
        files = one.get("files", [])
        names = tuple(str(name)[:LONGEST_TEXT] for name in files) if files else ()
        host = text_of(one, "host")
        columns = (str(one["ranks"]), str(one["pids"]), str(one["threads"]))
        row = Row(host, *columns, names, text_of(one, "label") or "")
        total += len(row.entries())
        if total > MOST_MEMBERS:
            raise ValueError("members")
        job.rows.append(row)
    job.rank_counts = {number for number in told["rank_counts"][:2] if count_of({"": number}, "")}
    for rank, claims in fields_of(told.get("repeated")).items():
        job.repeated[int(str(rank)[:10])] = [str(name)[:LONGEST_TEXT] for name in claims[:2]]
    job.shared = _members(["", *told["shared"]]).others
    job.by_line = told["by_line"] is not False
    claimed = [entry.rank for entry in job.entries() if entry.rank is not None]
    job.claimed = Members([(rank, rank) for rank in claimed])
    job.everybody = Members([(rank, rank) for rank in claimed if rank not in job.repeated])
    for entry in job.entries():
        if entry.rank is None or entry.rank in job.repeated:
            process = entry.process
            alone = process is not None and process not in job.shared
            job.everybody.others.add(process if process and alone else entry.by_file)
    job.failed = _of(job, told["failed"])
    job.untold = _of(job, told["untold"])
    for one in entries_of(told, "classes"):
        doing = Counter(
            {_read_doing(it): count_of(it, "count") or 0 for it in entries_of(one, "threads")}
        )
        codes = tuple(str(code) for code in one["codes"])
        job.classify(RankClass(_of(job, one["members"]), codes, doing, one["readable"] is True))
    for one in entries_of(told, "findings"):
        finding = Finding(
            text_of(one, "code") or "?", text_of(one, "text") or "", one["confirmed"] is True
        )
        by = _read_by(one["by"])
        job.say(Said(finding, one["same_text"] is True, _of(job, one["members"]), by))
    for one in entries_of(told, "unavailable"):
        words = [text_of(one, name) or "" for name in ("section", "code", "message", "hint")]
        job.miss(Group(_of(job, one["members"]), Missing(*words), _read_by(one["by"])))
    for one in entries_of(told, "programs"):
        job.programs[text_of(one, "program")] = _of(job, one["members"])
    for one in entries_of(told, "runtimes"):
        runtimes = tuple(map(_read_runtime, entries_of(one, "runtimes")[:MOST_RUNTIMES]))
        job.runtimes[runtimes] = _of(job, one["members"])
    awaited = [
        (_read_awaiting(one), _of(job, one["members"])) for one in entries_of(told, "awaiting")
    ]
    job.await_messages(dict(awaited), told.get("by_rank_awaited") is not False)
    _read_stacks(job, told["stacks"])
    for one in entries_of(told, "unreadable"):
        job.unread.append(Unread(str(one["file"]), text_of(one, "message") or ""))
    job.counted_twice = [str(name) for name in told["twice"]]
    for host, why in fields_of(told.get("lost")).items():
        job.lost[str(host)[:LONGEST_TEXT]] = str(why)[:LONGEST_TEXT]
    for seconds, number in fields_of(told.get("stopped")).items():
        job.stopped[float(seconds)] += int(number)
    for digest, who in fields_of(told.get("places")).items():
        job.places[str(digest)] = _of(job, who)


def _read_stacks(job: Job, lines: list[Any]) -> None:
    path = [job.tree]
    for depth, threads, who, kind, text, place, *likely in lines[:MOST_PLACES]:
        if not isinstance(depth, int) or not 0 <= depth < len(path):
            raise ValueError("depth")
        del path[depth + 1 :]
        frame = Frame(str(kind), str(text)[:LONGEST_TEXT], _read_place(place))
        node = Node(frame, int(threads), _of(job, who), likely=bool(likely))
        path[-1].children[frame] = node
        path.append(node)
        job.places_taken += 1


def _read_awaiting(told: Json) -> Awaiting:
    message = message_of(told["message"])
    if message is None:
        raise ValueError("message")
    return Awaiting(text_of(told, "call") or "?", message)


def _read_doing(told: Json) -> Doing:
    return Doing(
        text_of(told, "kind"),
        told.get("running") is True,
        tuple(map(_read_state, entries_of(told, "states")[:MOST_RUNTIMES])),
        _read_place(told.get("where")),
        text_of(told, "call"),
    )


def _read_by(told: Any) -> Entry:
    rank, host, pid, file, label = told
    numbers = [count_of({"": one}, "") for one in (rank, pid)]
    words = [text_of({"": one}, "") for one in (host, file, label)]
    return Entry(numbers[0], words[0], numbers[1], 0, words[1] or "", words[2] or "")


def _read_state(told: Json) -> State:
    wait = told.get("wait")
    waits = None
    if wait is not None:
        kind, construct, name = (text_of({"": one}, "") for one in wait)
        waits = Wait(kind or "", construct=construct, name=name)
    return State(text_of(told, "state"), waits, told.get("likely") is True)


def _read_place(told: Any) -> Location | None:
    if told is None:
        return None
    function, file, line = told
    return Location(
        text_of({"": function}, ""), text_of({"": file}, ""), None, count_of({"": line}, "") or None
    )


def _read_runtime(told: Json) -> Runtime:
    return Runtime(
        text_of(told, "kind") or "?",
        text_of(told, "version"),
        text_of(told, "build_id"),
        text_of(told, "path"),
    )


def _of(job: Job, told: Any) -> Members:
    """Nobody else than the rows have."""
    found = _members(told)
    if not found.is_within(job.everybody):
        raise ValueError("members")
    return found


def _members(told: Any) -> Members:
    parts: list[Any] = [told] if isinstance(told, str) else told
    ranks, *others = parts
    if len(others) > MOST_OTHERS:
        raise ValueError("members")
    found = Members(sets.parsed(str(ranks)))
    for host, pid, file in others:
        found.others.add((str(host)[:LONGEST_TEXT], int(pid), str(file)[:LONGEST_TEXT]))
    return found
