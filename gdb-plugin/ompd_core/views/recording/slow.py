# SPDX-License-Identifier: Apache-2.0
"""What explains that a recorded program was slow, with its share of the time: as the notes of a
report, which sees one moment."""

from __future__ import annotations

from typing import Iterator, Sequence

from ...model.notable import SMALLEST_TEAM
from ...recording import pools
from ...recording.pools import Pool
from ...recording.record import Place
from ...recording.states import Kind
from ...recording.summary import Summary
from ..slow_words import LOOK_AT_THREADS, TAKE_TURNS, smaller
from ..table import count, listed
from ..terminal import plain
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
        yield (
            f"Threads were ready, and had no processor for {share} % of their time:"
            f" {_why(summary, most, there)}"
        )
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


def _why(summary: Summary, most: int, there: int | None) -> str:
    teams = {place for use in summary.regions if use.threads > 1 for place in use.sum.threads}
    beside = pools.busy(summary.record, summary.totals, teams) if teams else []
    if beside and (there is None or len(teams) + sum(len(one.threads) for one in beside) > there):
        return _pools(summary, teams, beside, there)
    of = f", of {count(there, 'processor')}" if there else ""
    team = f"the largest team has {count(most, 'thread')}{of}"
    # Not more than there are: other programs have had them.
    if there is None or most > there:
        return f"{TAKE_TURNS}: {team}."
    return f"something else used the processors; {team}."


def _pools(summary: Summary, teams: set[int], beside: Sequence[Pool], there: int | None) -> str:
    """2 pools take turns on 4 processors, 4 threads of OpenMP (60 % of the time on them) and ..."""
    record, totals = summary.record, summary.totals
    all_of_it = pools.on_processors(record, totals, range(len(record.threads)))
    parts = []
    for threads, whose in [(teams, "of OpenMP"), *((one.threads, _whose(one)) for one in beside)]:
        ran = pools.on_processors(record, totals, threads)
        share = f"{words.percent(ran, all_of_it)} % of the time on them"
        parts.append(f"{count(len(threads), 'thread')} {whose} ({share})")
    processors = count(there, "processor") if there else "the processors"
    return (
        f"{len(parts)} pools take turns on {processors}, {listed(parts)}."
        f" {smaller(one.library or '' for one in beside)}"
    )


def _whose(pool: Pool) -> str:
    if pool.library is not None:
        return f"of {plain(pool.library.rsplit('/', 1)[-1])}"
    return f"in {words.place(Place(pool.function))}"
