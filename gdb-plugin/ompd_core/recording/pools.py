# SPDX-License-Identifier: Apache-2.0
"""Which threads that are not OpenMP's worked beside the teams, and whose are they? Of a pool all
began in the same library, or in the same function of the program's."""

from __future__ import annotations

from typing import Collection, Dict

from ..light_classes import NamedTuple
from ..model.thread_starts import is_in_headers, is_starter
from .record import Account, Frame, Record
from .states import Kind, kind
from .sums import Totals

_BUSY = 0.1  # of its time


class Pool(NamedTuple):
    library: str | None  # its file; None: the program's own
    function: str | None  # of the program's own
    threads: set[int]


# By the number of an activity.
_Moments = Dict[int, Account]


def busy(record: Record, of: Totals, teams: Collection[int]) -> list[Pool]:
    """Those that wanted a processor for long. teams: the threads that are in some."""
    others: dict[int, _Moments] = {}
    for (thread, activity), account in of.items():
        if record.threads[thread].kind == "none":
            others.setdefault(thread, {})[activity] = account
    pools: dict[tuple[str | None, str | None], Pool] = {}
    for thread, moments in others.items():
        began = _began(record, moments) if _is_busy(record, moments) else None
        if began is not None:
            pools.setdefault(began, Pool(*began, set())).threads.add(thread)
    # One alone may be there for anything: it works for a team that calls its library.
    called = _libraries(record, of, teams) if pools else set()
    return [one for one in pools.values() if len(one.threads) > 1 or one.library in called]


def on_processors(record: Record, of: Totals, threads: Collection[int]) -> Account:
    found = Account()
    for (thread, activity), account in of.items():
        if thread in threads and record.activities[activity].on:
            found.join(account)
    return found


def _is_busy(record: Record, moments: _Moments) -> bool:
    whole = wanted = 0
    for number, account in moments.items():
        activity = record.activities[number]
        whole += account.ns
        if activity.on or kind(activity.state) is Kind.PREEMPTED:
            wanted += account.ns
    return wanted >= _BUSY * whole


def _began(record: Record, moments: _Moments) -> tuple[str | None, str | None] | None:
    """The library, or the program's function, that it mostly is in. None: not known."""
    found: dict[tuple[str | None, str | None] | None, int] = {}
    for number, account in moments.items():
        frames = [f for f in record.path(record.activities[number].stack) if f.kind == "user"]
        own = [frame for frame in frames if not is_starter(_file(record, frame))]
        library = _file(record, own[0]) if own else None
        if library == record.header.program:
            names = (frame.place.function for frame in own)
            function = next((name for name in names if not is_in_headers(name)), None)
            found[None, function] = found.get((None, function), 0) + account.ns
        elif library is not None:
            found[library, None] = found.get((library, None), 0) + account.ns
    return max(found, key=lambda key: found[key], default=None)


def _libraries(record: Record, of: Totals, threads: Collection[int]) -> set[str | None]:
    """That these threads are in."""
    stacks = {record.activities[number].stack for thread, number in of if thread in threads}
    return {_file(record, frame) for stack in stacks for frame in record.path(stack)}


def _file(record: Record, frame: Frame) -> str | None:
    return record.images[frame.image].path if frame.image is not None else None
