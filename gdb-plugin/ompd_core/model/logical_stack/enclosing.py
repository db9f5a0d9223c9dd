# SPDX-License-Identifier: Apache-2.0
"""Which region did each part of a stack execute? The runtime knows the regions around a thread, the
stack shows where constructs began: the two are laid side by side."""

from __future__ import annotations

from typing import Sequence

from ...light_classes import dataclass, field
from ..native import Frame
from ..process import Membership, Region
from .stack import CALL, FORK, START, Part

Place = tuple[Region, int]  # a region and the thread number in it


@dataclass
class Enclosing:
    """The regions that a part is inside of, and the next part is not."""

    begun: Place | None = None  # by the construct at the part's end
    loose: list[Place] = field(default_factory=list)  # inside of it, and no frame shows where
    sure: bool = True


def own_chain(member: Membership) -> list[Place]:
    """The regions that have a place on the thread's own stack, innermost first: up to the one that
    another thread began."""
    found: list[Place] = []
    for region, num in member.chain:
        if region.raw.generator == "program":
            break
        found.append((region, num))
        if num != 0 or region.raw.team_num:
            break
    return found


def enclosing(
    parts: Sequence[Part], chain: Sequence[Place], runtime: int, whole: bool
) -> list[Enclosing]:
    """One for each part. chain: of one runtime."""
    found = [Enclosing() for _ in parts]
    items = [
        i
        for i, part in enumerate(parts)
        if part.began in (FORK, START, CALL) and part.runtime in (None, runtime)
    ]
    pairs, sure = _pair(parts, items, chain, whole)
    for at, i in pairs.items():
        found[i].begun, found[i].sure = chain[at], sure
    for at, place in enumerate(chain):
        if at not in pairs:
            outer = [i for other, i in pairs.items() if other > at]
            found[min(outer) if outer else len(parts) - 1].loose.append(place)
    return found


def code_on_worker(
    parts: Sequence[Part], member: Membership, region: Region, whole: bool
) -> Frame | None:
    """Of a thread that did not begin the region: the frame of its code that the runtime called."""
    around = enclosing(parts, own_chain(member), member.runtime, whole)
    for part, one in zip(parts, around):
        begun = one.begun[0] if one.begun is not None and one.sure else None
        if part.began == START and begun is region:
            return part.base
    return None


def _pair(
    parts: Sequence[Part], items: Sequence[int], chain: Sequence[Place], whole: bool
) -> tuple[dict[int, int], bool]:
    """The part of each region, by the region's index; and whether there is no other way."""
    forks = [i for i in items if parts[i].began != CALL]
    for candidates in (items, forks):
        if len(candidates) == len(chain) and not any(
            parts[i].began == CALL and is_active(region)
            for i, (region, _) in zip(candidates, chain)
        ):
            return dict(enumerate(candidates)), True
    pairs: dict[int, int] = {}
    active = sum(1 for region, _ in chain if is_active(region))
    surplus = len(forks) - active
    # Every region of several threads has a call of the runtime's; one of a single thread can have.
    left = list(forks)
    order = list(range(len(chain)))
    for at in reversed(order) if whole else order:
        region = chain[at][0]
        if left and (is_active(region) or (whole and surplus > 0)):
            surplus -= 0 if is_active(region) else 1
            pairs[at] = left.pop(-1 if whole else 0)
    _pair_calls(parts, items, chain, pairs)
    return pairs, len(forks) == active


def _pair_calls(
    parts: Sequence[Part], items: Sequence[int], chain: Sequence[Place], pairs: dict[int, int]
) -> None:
    """Between two that are paired: as many calls as regions belong together."""
    bounds = [(-1, -1), *sorted(pairs.items()), (len(chain), len(parts))]
    for (low, first), (high, last) in zip(bounds, bounds[1:]):
        calls = [i for i in items if first < i < last and parts[i].began == CALL]
        if len(calls) == high - low - 1:
            pairs.update(zip(range(low + 1, high), calls))


def is_active(region: Region) -> bool:
    return not region.raw.serialized or region.raw.generator == "teams"
