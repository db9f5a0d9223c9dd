# SPDX-License-Identifier: Apache-2.0
"""`ompd merge' as a JSON document."""

from __future__ import annotations

from typing import Any, Sequence

from ..model.job import Job, Node, RankClass, Unread, who
from ..model.native import Location
from ..model.rank_reports import Doing, Missing, Report, Runtime
from . import job as view
from . import job_tree
from .json_text import SCHEMA

Json = dict[str, Any]


def document(job: Job) -> Json:
    classes = job.classes()
    return {
        "schema": SCHEMA,
        "command": "merge",
        "notes": view.notes(job),
        "verdict": view.headline(job, classes),
        "reports": [_report(report) for report in job.reports],
        "rank_count": job.size,
        "absent": ",".join(
            f"{low}" if low == high else f"{low}-{high}" for low, high in job.absent()
        )
        or None,
        "unreadable": [_unread(one) for one in job.unread],
        "findings": [
            {
                "code": finding.code,
                "text": finding.text,
                "confirmed": finding.confirmed,
                "same_text": same,
                **_whose(reports),
            }
            for finding, same, reports in job.findings()
        ],
        "unclear": _whose(view.unclear(job)) if view.unclear(job) else None,
        "classes": [_class(one) for one in classes],
        "merged": _node(job.tree, None, job_tree.odd_reports(classes)),
        "programs": [
            {"program": group.what, **_whose(group.reports)}
            for group in job.groups(lambda report: report.program)
        ],
        "runtimes": [
            {"runtimes": list(map(_runtime, group.reports[0].runtimes)), **_whose(group.reports)}
            for group in job.groups(lambda report: report.runtimes)
        ],
        "unavailable": [_missing(one, reports) for one, reports in job.missing()],
    }


def _whose(reports: Sequence[Report]) -> Json:
    return {"ranks": who(reports), "count": len(reports)}


def _report(report: Report) -> Json:
    return {
        "file": report.file,
        "name": who([report]),
        "rank": report.rank,
        "host": report.host,
        "pid": report.pid,
        "program": report.program,
        "threads": sum(report.doing.values()),
        "failed": report.failed,
    }


def _unread(one: Unread) -> Json:
    return {"file": one.file, "message": one.why}


def _class(one: RankClass) -> Json:
    doing = sorted(one.doing.items(), key=lambda pair: -pair[1])
    return {
        **_whose(one.reports),
        "odd": one.odd,
        "readable": one.readable,
        "codes": list(one.codes),
        "threads": [_doing(what, count) for what, count in doing],
    }


def _doing(doing: Doing, count: int) -> Json:
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


def _place(place: Location | None) -> Json | None:
    if place is None:
        return None
    return {"function": place.function, "file": place.file, "line": place.line}


def _node(node: Node, outer: Node | None, odd: set[int]) -> Json:
    frame = node.frame
    return {
        "frame": job_tree.label(node, outer) if frame is not None else None,
        "kind": frame.kind if frame is not None else None,
        "place": _place(frame.place) if frame is not None else None,
        "certain": not node.likely,
        "threads": node.threads,
        **_whose(node.reports),
        "children": [_node(child, node, odd) for child in job_tree.ordered(node, odd)],
    }


def _runtime(runtime: Runtime) -> Json:
    return {
        "kind": runtime.kind,
        "version": runtime.version,
        "build_id": runtime.build_id,
        "path": runtime.path,
    }


def _missing(one: Missing, reports: Sequence[Report]) -> Json:
    return {
        "section": one.section,
        "code": one.code,
        "message": one.message,
        "hint": one.hint or None,
        **_whose(reports),
    }
