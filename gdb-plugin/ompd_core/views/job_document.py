# SPDX-License-Identifier: Apache-2.0
"""`ompd merge' and `ompd job' as a JSON document: `documents.job' says what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ..model.job import Job, Node, RankClass, Unread
from ..model.job_parts import part
from ..model.members import Members, in_words, who
from ..model.native import Location
from ..model.rank_reports import Awaiting, Doing, Missing, Runtime
from ..model.roll import Entry
from . import job as view
from . import job_tree
from .json_text import SCHEMA

if TYPE_CHECKING:
    from ..documents import job as documents

Json = dict[str, Any]


def document(job: Job, command: str = "merge") -> Json:
    classes = job.classes()
    unclear = view.unclear(job)
    found: documents.Merge = {
        "schema": SCHEMA,
        "command": command,
        "notes": view.notes(job),
        "verdict": view.headline(job, classes),
        "reports": [_report(job, entry) for entry in view.in_order(job)],
        "rank_count": job.size,
        "absent": in_words(job.absent()) or None,
        "unreadable": [_unread(one) for one in job.unread],
        "findings": [
            {
                "code": said.finding.code,
                "text": said.finding.text,
                "confirmed": said.finding.confirmed,
                "same_text": said.same,
                "ranks": who(said.members),
                "count": len(said.members),
            }
            for said in job.findings()
        ],
        "unclear": {"ranks": who(unclear), "count": len(unclear)} if unclear else None,
        "classes": [_class(job, one) for one in classes],
        "awaiting": [_awaiting(job, one, members) for one, members in view.awaited(job)],
        "merged": _node(job.tree, None, job_tree.odd_members(classes)),
        "programs": [
            {"program": one.what, "ranks": who(one.members), "count": len(one.members)}
            for one in job.groups(job.programs)
        ],
        "runtimes": [
            {
                "runtimes": list(map(_runtime, one.what)),
                "ranks": who(one.members),
                "count": len(one.members),
            }
            for one in job.groups(job.runtimes)
        ],
        "unavailable": [_missing(one.what, one.members) for one in job.missing()],
        "lost": [{"hosts": hosts, "message": why} for why, hosts in view.lost(job)],
        "stopped_seconds": _stopped(job),
        "part": cast("documents.Part", part(job)),
    }
    return cast(Json, found)


def _awaiting(job: Job, one: Awaiting, members: Members) -> documents.RankAwaiting:
    return {
        "call": one.call,
        "message": cast(Any, vars(one.message)),
        "text": view.words_of_message(job, one),
        "ranks": who(members),
        "count": len(members),
    }


def _report(job: Job, entry: Entry) -> documents.Report:
    name = view.member(job, entry)
    return {
        "file": entry.file,
        "name": who(name),
        "rank": entry.rank,
        "host": entry.host,
        "pid": entry.pid,
        "program": _program(job, name),
        "threads": entry.threads,
        "failed": view.has_failed(job, entry),
    }


def _program(job: Job, name: Members) -> str | None:
    if len(job.programs) == 1 and not job.failed:
        return next(iter(job.programs))
    return next((what for what, of in job.programs.items() if name.is_within(of)), None)


def _stopped(job: Job) -> documents.Stopped | None:
    times = sorted(job.stopped.elements())
    return {"median": times[len(times) // 2], "most": times[-1]} if times else None


def _unread(one: Unread) -> documents.Unreadable:
    return {"file": one.file, "message": one.why}


def _class(job: Job, one: RankClass) -> documents.RankClass:
    return {
        "ranks": who(one.members),
        "count": len(one.members),
        "nodes": job.where(one.members) or None,
        "odd": one.odd,
        "readable": one.readable,
        "codes": list(one.codes),
        "threads": [_doing(what, count) for what, count in view.by_number(one.doing)],
    }


def _doing(doing: Doing, count: int) -> documents.RankThreads:
    return {
        "count": count,
        "kind": doing.kind,
        "running": doing.running,
        "states": [state.state for state in doing.states],
        "certain": not any(state.likely for state in doing.states),
        "text": view.words_of(doing),
        "where": _place(doing.where),
        "in_call": doing.call,
    }


def _place(place: Location | None) -> documents.Place | None:
    if place is None:
        return None
    return {"function": place.function, "file": place.file, "line": place.line}


def _node(node: Node, outer: Node | None, odd: Members) -> documents.RankStacks:
    frame = node.frame
    return {
        "frame": job_tree.label(node, outer) if frame is not None else None,
        "kind": frame.kind if frame is not None else None,
        "place": _place(frame.place) if frame is not None else None,
        "certain": not node.likely,
        "threads": node.threads,
        "ranks": who(node.members),
        "count": len(node.members),
        "children": [_node(child, node, odd) for child in job_tree.ordered(node, odd)],
    }


def _runtime(runtime: Runtime) -> documents.RuntimeBuild:
    return {
        "kind": runtime.kind,
        "version": runtime.version,
        "build_id": runtime.build_id,
        "path": runtime.path,
    }


def _missing(one: Missing, members: Members) -> documents.RankMissing:
    return {
        "section": one.section,
        "code": one.code,
        "message": one.message,
        "hint": one.hint or None,
        "ranks": who(members),
        "count": len(members),
    }
