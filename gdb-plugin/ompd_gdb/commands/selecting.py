# SPDX-License-Identifier: Apache-2.0
"""Which threads and regions do the ids mean that a user typed?"""

from __future__ import annotations

from typing import Sequence

from ..errors import UserError
from ..model import ids
from ..model.process import NoSuchId, Process, Region, Thread


def parse(words: Sequence[str]) -> list[ids.Ids]:
    try:
        return [ids.parse(word) for word in words]
    except ids.IdError as error:
        raise UserError("bad_argument", str(error)) from None


def threads(process: Process, wanted: Sequence[ids.Ids], inferior: int) -> list[Thread]:
    try:
        return process.select(wanted, inferior)
    except NoSuchId as error:
        raise UserError("no_such_id", str(error)) from None


def regions(process: Process, wanted: Sequence[ids.Ids], inferior: int) -> list[Region]:
    """Those that are named, and those that the named threads are in."""
    chosen: list[Region] = []
    for one in wanted:
        if isinstance(one, ids.RegionIds) and one.threads is None:
            found = [region for region in process.regions if region.number in one.regions]
            if not found:
                raise UserError("no_such_id", process.no_region(one.text))
        else:
            inside = [m.region for t in threads(process, [one], inferior) for m in t.openmp]
            found = [region for region in inside if region is not None]
            if not found:
                raise UserError("no_such_id", f"Thread {one.text} is in no parallel region.")
        chosen += found
    return list(dict.fromkeys(chosen))
