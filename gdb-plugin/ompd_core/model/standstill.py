# SPDX-License-Identifier: Apache-2.0
"""Who sleeps on though what he sleeps for has changed? Do all threads of a process sleep, each
until another one wakes it, and may anything else wake one? Seen while the process runs free."""

from __future__ import annotations

from ..light_classes import NamedTuple


class Standstill(NamedTuple):
    lwps: frozenset[int]
    signals: tuple[str, ...] = ()  # that have handlers, and that anybody may send
    faults: tuple[str, ...] = ()  # that have handlers, and that come of a thread's own work
    doubts: tuple[str, ...] = ()  # what else may wake one, or is not known
    changed: frozenset[int] = frozenset()  # that sleep on though their words have changed
    unseen: str | None = None  # why it is only likely
    awake: frozenset[int] = frozenset()  # the others: they can only wait

    @property
    def lasts(self) -> bool:
        """Nobody goes on any more."""
        return not (self.signals or self.doubts)


class Slept(NamedTuple):
    """Told shortly before a stop."""

    overslept: frozenset[int] | None = None  # LWPs, see Kept.changed; None: it was not seen
    standstill: Standstill | None = None  # None: somebody is awake, or it was not seen
