# SPDX-License-Identifier: Apache-2.0
"""Folded stacks, as flame graphs are made of them: a line for each stack of each thread, its frames
from the outermost on, and nanoseconds."""

from __future__ import annotations

from typing import TextIO

from ...recording.record import Record, Thread
from ...recording.stacks import Steps, label
from ..terminal import plain


def write(record: Record, file: TextIO) -> None:
    steps = Steps(record)
    for thread in record.threads:
        sums: dict[str, int] = {}
        for number, account in thread.sums.items():
            path = steps.of(record.activities[number])
            line = ";".join([_name(thread), *(_clean(label(step)) for step in path)])
            sums[line] = sums.get(line, 0) + account.ns
        for line, ns in sums.items():
            if ns:
                file.write(f"{line} {ns}\n")


def _name(thread: Thread) -> str:
    return _clean(thread.label)


def _clean(name: str) -> str:
    """A semicolon ends a frame, and the last blank the stack."""
    return plain(name).replace(";", ":")
