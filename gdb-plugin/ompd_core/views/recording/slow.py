# SPDX-License-Identifier: Apache-2.0
"""What explains that a recorded program was slow, with its share of the time: as the notes of a
report, which sees one moment."""

from __future__ import annotations

from typing import Iterator

from ...model.notable import SMALLEST_TEAM
from ...recording.states import Kind
from ...recording.summary import Summary
from ..slow_words import LOOK_AT_THREADS, TAKE_TURNS
from ..table import count
from . import words

# Of the time.
_MUCH, _MOST = 0.1, 0.5


def notes(summary: Summary) -> list[str]:
    return list(_notes(summary))


def _notes(summary: Summary) -> Iterator[str]:
    whole, without = summary.whole.whole, summary.whole.of(Kind.PREEMPTED)
    if not whole.ns or not summary.regions:
        return
    there = summary.record.header.processors
    most = max(use.threads for use in summary.regions)
    if without.ns >= _MUCH * whole.ns:
        share = words.percent(without, whole, True)
        of = f", of {count(there, 'processor')}" if there else ""
        team = f"the largest team has {count(most, 'thread')}{of}"
        # Not more than there are: other programs have had them, or the program's other threads.
        why = (
            f"{TAKE_TURNS}: {team}"
            if there is None or most > there
            else f"something else used the processors; {team}"
        )
        yield f"Threads were ready, and had no processor for {share} % of their time: {why}."
    if most == 1 and there is not None and there > 1:
        yield (f"All regions have one thread, of {count(there, 'processor')}. {LOOK_AT_THREADS}")
    for use in summary.regions:
        inside, waits = use.sum.whole, use.sum.of(Kind.BARRIER)
        is_large = inside.ns >= _MUCH * whole.ns and use.threads >= SMALLEST_TEAM
        is_held_back = use.sum.of(Kind.PREEMPTED).ns >= _MUCH * inside.ns
        if is_large and not is_held_back and waits.ns >= _MOST * inside.ns:
            yield (
                f"The threads of {words.region(summary.record, use.region)} wait at its barriers"
                f" for {words.percent(waits, inside)} % of their time in it: their work is uneven,"
                " or too little for so many."
            )
