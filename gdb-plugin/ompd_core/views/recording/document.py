# SPDX-License-Identifier: Apache-2.0
"""`ompd show --json' and `ompd top --json': a record's sums, as documents "ompd/1". Durations are
nanoseconds, shares are of 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Sequence

from ...recording import shares
from ...recording.record import Account, Place, Record
from ...recording.regions import RegionUse
from ...recording.stacks import Node
from ...recording.states import EXACT, Kind, in_words, kind
from ...recording.summary import Summary
from ...recording.sums import Sum
from ...recording.timeline import Timeline
from ...recording.waiting import Waiting
from ..json_text import SCHEMA
from . import slow, text, words

if TYPE_CHECKING:
    from ...documents import recording as documents

Json = Dict[str, Any]
MOST_ROWS = 4096  # of one section
MOST_BRANCHES = 8192  # of the tree
MOST_CHARGED = 64
DEEPEST = 200  # frames of the tree: a reader of JSON may give up on more
_SMALL = 0.0005  # of all time, below which a branch is left out


def document(command: str, summary: Summary, timeline: Timeline | None = None) -> documents.Record:
    """timeline: where the record has its rows."""
    record = summary.record
    found: documents.Record = {
        "schema": SCHEMA,
        "command": command,
        "notes": [*text.no_runtime(summary), *slow.notes(summary), *record.damage, *record.notes],
        "recording": _recording(summary),
        "states": [_state(name, total, summary.whole) for name, total in summary.states],
        "threads": [_thread(summary, number) for number in sorted(summary.threads)[:MOST_ROWS]],
        "regions": [_region(summary, use) for use in summary.regions[:MOST_ROWS]],
        "waits": [_wait(summary, waiting) for waiting in summary.waits[:MOST_ROWS]],
        "stacks": _Tree(summary).branches(),
    }
    if timeline is not None:
        found["timeline"] = _timeline(record, timeline)
    return found


def _recording(summary: Summary) -> documents.Recording:
    record = summary.record
    header, end = record.header, record.end
    return {
        "program": header.program,
        "pid": header.pid,
        "host": header.host,
        "start": header.start,
        "duration": record.last,
        "rate": header.rate,
        "clock": header.clock,
        "samples": summary.whole.whole.samples,
        "thread_time": summary.whole.whole.ns,
        "complete": record.complete,
        "ended": None if end is None else {"how": end.how, "text": end.text},
        "lost": None if end is None else end.lost,
        "cut": None if end is None else end.cut,
        "limits": list(header.limits),
        "how": list(header.how),
    }


def _account(total: Account, whole: Account, exact: bool = False) -> Json:
    share = shares.share(total, whole, exact)
    return {
        "time": total.ns,
        "samples": total.samples,
        "share": round(share.percent / 100, 6),
        "error": None if share.error is None else round(share.error / 100, 6),
    }


def _state(name: str, total: Sum, whole: Sum) -> Any:
    made: Json = {
        "state": name,
        "kind": kind(name).value,
        "text": in_words(name),
        **_account(total.whole, whole.whole, kind(name) in EXACT),
    }
    return made


def _kinds(total: Sum) -> documents.Kinds:
    """In the order in which they are shown."""
    return {of.value: total.kinds[of].ns for of in Kind if of in total.kinds}


def _name(record: Record, place: int) -> Json:
    thread = record.threads[place]
    return {"thread": thread.number, "lwp": thread.lwp}


def _thread(summary: Summary, number: int) -> Any:
    thread, total = summary.record.threads[number], summary.threads[number]
    made: Json = {
        **_name(summary.record, number),
        "name": thread.name,
        "kind": thread.kind,
        "begin": thread.born,
        "end": thread.end,
        **_account(total.whole, summary.whole.whole),
        "kinds": _kinds(total),
    }
    return made


def _loc(place: Place) -> documents.CodePlace:
    return {"function": place.function, "file": place.file, "line": place.line}


def _region(summary: Summary, use: RegionUse) -> Any:
    region = summary.record.regions[use.region]
    known = use.available > 0
    busiest = use.busiest
    made: Json = {
        "id": use.region,
        "loc": _loc(region.place),
        "generator": region.generator,
        "callers": [_loc(one) for one in summary.record.callers.get(use.region, ())],
        "threads": use.threads,
        "duration": use.wall if known else None,
        "efficiency": round(use.efficiency, 6) if known else None,
        "efficiency_at_most": round(use.at_most, 6) if known else None,
        "imbalance": round(use.imbalance, 6) if known else None,
        "busiest": None if not known or busiest is None else _name(summary.record, busiest),
        **_account(use.sum.whole, summary.whole.whole),
        "kinds": _kinds(use.sum),
    }
    return made


def _wait(summary: Summary, waiting: Waiting) -> Any:
    record, wait = summary.record, waiting.wait
    construct = None if wait.construct is None else record.constructs[wait.construct]
    charged = [
        {
            **_name(record, doing.thread),
            "kind": doing.kind.value,
            "text": text.doer(record, waiting, doing),
            "loc": _loc(doing.place),
            "time": round(ns),
            "concluded": round(waiting.concluded.get(doing, 0)),
            "certainty": "likely" if doing in waiting.concluded else "certain",
        }
        for doing, ns in waiting.most()[:MOST_CHARGED]
    ]
    last = sorted(waiting.last.items(), key=lambda one: -one[1])[:MOST_CHARGED]
    made: Json = {
        "state": wait.state,
        "text": words.wait(record, wait),
        "construct": construct.kind if construct else None,
        "name": construct.name if construct else None,
        "loc": _loc(construct.place) if construct else None,
        "region": wait.region,
        **_account(waiting.sum.whole, summary.whole.whole),
        "threads": [
            {**_name(record, thread), "time": account.ns}
            for thread, account in sorted(waiting.sum.threads.items())[:MOST_ROWS]
        ],
        "charged": charged,
        "nobody": round(waiting.nobody),
        "unknown": round(waiting.unknown),
        "why_unknown": text.whose(waiting) if waiting.unknown >= 1 else None,
        "meetings": waiting.meetings,
        "last": [{**_name(record, thread), "times": times} for thread, times in last],
        "blurred": waiting.blurred,
        "preempted": waiting.preempted,
    }
    return made


class _Tree:
    """Its smallest branches are left out, and all that would be too many."""

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._least = _SMALL * summary.whole.whole.ns
        self._room = MOST_BRANCHES

    def branches(self) -> list[documents.Branch]:
        return self._below(self._summary.tree, 0)

    def _below(self, node: Node, depth: int) -> list[documents.Branch]:
        found = []
        for one in node.sorted():
            if one.whole.ns < self._least or self._room <= 0 or depth >= DEEPEST:
                break
            self._room -= 1
            found.append(self._branch(one, depth))
        return found

    def _branch(self, node: Node, depth: int) -> documents.Branch:
        step = node.step
        assert step is not None
        return {
            "text": step.text,
            "kind": step.kind,
            "loc": _loc(step.place),
            "time": node.whole.ns,
            "own": node.own.ns,
            "samples": node.whole.samples,
            "threads": len(node.threads),
            "kinds": {of.value: node.kinds[of] for of in Kind if of in node.kinds},
            "children": self._below(node, depth + 1),
        }


def _timeline(record: Record, found: Timeline) -> documents.Timeline:
    """Runs of parts: from, to, and the place of the kind in `kinds'."""
    kinds = [of for of in Kind if of in found.together]
    number = {of: i for i, of in enumerate(kinds)}
    threads: Sequence[Any] = [
        {
            **_name(record, place),
            "runs": [[begin, end, number[of]] for begin, end, of in runs],
        }
        for place, runs in enumerate(found.runs)
    ]
    return {
        "begin": found.begin,
        "end": found.end,
        "parts": found.parts,
        "kinds": [of.value for of in kinds],
        "threads": list(threads),
        "together": [found.together[of] for of in kinds],
        "left_out": found.left_out,
    }
