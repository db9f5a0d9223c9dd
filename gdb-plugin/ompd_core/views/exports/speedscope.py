# SPDX-License-Identifier: Apache-2.0
"""speedscope's own format (https://www.speedscope.app/file-format-schema.json): a profile of each
thread, in the order of time."""

from __future__ import annotations

import json
from typing import Dict, TextIO

from ...recording.record import Record, Thread
from ...recording.stacks import Step, Steps
from ..terminal import plain

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def write(record: Record, file: TextIO) -> None:
    frames = _Frames()
    steps = Steps(record)
    stacks = [
        [frames.number(step) for step in steps.of(activity)] for activity in record.activities
    ]
    file.write('{"$schema":' + json.dumps(SCHEMA))
    file.write(',"exporter":"ompd","activeProfileIndex":0')
    file.write(f',"name":{json.dumps(plain(_title(record)))}')
    file.write(f',"shared":{{"frames":{json.dumps(frames.all)}}},"profiles":[')
    for place, thread in enumerate(record.threads):
        file.write(",\n" if place else "\n")
        file.write(json.dumps(_profile(thread, stacks), separators=(",", ":")))
    file.write("\n]}\n")


def _title(record: Record) -> str:
    return (record.header.program or "program").rsplit("/", 1)[-1]


def _profile(thread: Thread, stacks: list[list[int]]) -> Dict[str, object]:
    """Its moments before the thread was born are none: a profile begins with its own first."""
    return {
        "type": "sampled",
        "name": plain(thread.label),
        "unit": "nanoseconds",
        "startValue": thread.born,
        "endValue": thread.end,
        "samples": [stacks[number] for number in thread.activities],
        "weights": list(thread.durations),
    }


class _Frames:
    def __init__(self) -> None:
        self.all: list[Dict[str, object]] = []
        self._numbers: dict[Step, int] = {}

    def number(self, step: Step) -> int:
        found = self._numbers.get(step)
        if found is None:
            found = self._numbers[step] = len(self.all)
            frame: Dict[str, object] = {"name": plain(step.text)}
            if step.place.file:
                frame["file"] = plain(step.place.file)
            if step.place.line:
                frame["line"] = step.place.line
            self.all.append(frame)
        return found
