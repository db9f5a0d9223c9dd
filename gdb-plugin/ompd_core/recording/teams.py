# SPDX-License-Identifier: Apache-2.0
"""Which team is an activity of? One whose team is not told is of the region's, if that has one."""

from __future__ import annotations

from typing import Tuple

from .record import Activity, Record

TeamKey = Tuple["int | None", int]  # the thread that began it, and the region


class Teams:
    def __init__(self, record: Record) -> None:
        self._known: dict[int, set[int]] = {}
        for activity in record.activities:
            if activity.region is not None:
                known = self._known.setdefault(activity.region, set())
                if activity.team is not None:
                    known.add(activity.team)

    def of(self, activity: Activity) -> TeamKey | None:
        if activity.region is None:
            return None
        if activity.team is not None:
            return activity.team, activity.region
        return self.only(activity.region) or (None, activity.region)

    def only(self, region: int) -> TeamKey | None:
        """The one that began this region, if that was always the same."""
        known = self._known.get(region, set())
        return (next(iter(known)), region) if len(known) == 1 else None
