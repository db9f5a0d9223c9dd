# SPDX-License-Identifier: Apache-2.0
"""Chrome's trace events in JSON, which Perfetto opens: a track for each thread, on it its regions,
and in these its states."""

from __future__ import annotations

import json
from typing import Dict, Iterator, TextIO

from ...recording.record import Activity, Record, Thread
from ...recording.stacks import Steps, at, label
from ...recording.states import in_words
from ..terminal import plain

REGION, STATE = "region", "state"  # categories

Event = Dict[str, object]


def write(record: Record, file: TextIO) -> None:
    pid = record.header.pid or 0
    file.write('{"displayTimeUnit":"ns","otherData":')
    file.write(json.dumps({"made by": "ompd", "program": plain(record.header.program or "?")}))
    file.write(',"traceEvents":[\n')
    file.write(json.dumps(_name("process_name", pid, 0, record.header.program or "program")))
    steps = Steps(record)
    arguments = [_arguments(record, steps, activity) for activity in record.activities]
    for place, thread in enumerate(record.threads):
        of_thread: Event = {"pid": pid, "tid": place + 1}
        file.write(",\n" + json.dumps(_name("thread_name", pid, place + 1, thread.label)))
        order = _name("thread_sort_index", pid, place + 1, "")
        file.write(",\n" + json.dumps({**order, "args": {"sort_index": place}}))
        for event in _events(record, thread, arguments):
            file.write(",\n" + json.dumps({**event, **of_thread}, separators=(",", ":")))
    file.write("\n]}\n")


def _name(what: str, pid: int, tid: int, name: str) -> Event:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": plain(name)}}


def _events(record: Record, thread: Thread, arguments: list[Event]) -> Iterator[Event]:
    """Each region and state begins and ends by an event of its own: an end that is told as a
    duration is not the next one's begin, after readers have added it up."""
    region: int | None = None
    for row in thread.rows():
        activity = record.activities[row.activity]
        if activity.region != region:
            if region is not None:
                yield _event("E", _region_name(record, region), REGION, row.start)
            region = activity.region
            if region is not None:
                yield _event("B", _region_name(record, region), REGION, row.start)
        name = in_words(activity.state)
        told: Event = dict(arguments[row.activity])
        told["samples"] = row.samples
        # Some readers tell events apart by all of it, so the end says the same as the begin.
        yield {**_event("B", name, STATE, row.start), "args": told}
        yield {**_event("E", name, STATE, row.end), "args": told}
    if region is not None:
        yield _event("E", _region_name(record, region), REGION, thread.end)


def _region_name(record: Record, region: int) -> str:
    found = record.regions[region]
    return f"{found.generator or 'parallel'} {at(found.place) or found.place.function or '?'}"


def _event(phase: str, name: str, category: str, at_ns: int) -> Event:
    """Its time is microseconds; as a decimal of three places it is exact."""
    return {"ph": phase, "name": plain(name), "cat": category, "ts": at_ns / 1000}


def _arguments(record: Record, steps: Steps, activity: Activity) -> Event:
    found: Event = {
        "state": plain(activity.state),
        "at": plain(label(steps.of(activity)[-1])),
    }
    if activity.holder is not None:
        found["held by"] = plain(record.threads[activity.holder].label)
    if activity.certainty not in (None, "certain"):
        found["certainty"] = plain(f"{activity.certainty}: {activity.why or 'no reason is told'}")
    return found
