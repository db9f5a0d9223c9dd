# SPDX-License-Identifier: Apache-2.0
"""Where do the boxes of a graph stand? Circles as rings on the right, one above the other; what
leads to them in columns to the left, nearest first. Who waits for nobody stands with the rings."""

from __future__ import annotations

import math
from typing import Sequence

from ...light_classes import dataclass

GAP_ACROSS, GAP_DOWN, MARGIN = 98.0, 26.0, 16.0
STEP, MOST_STEPS, SAMPLES = 30.0, 16, 48  # of the search for an arrow's way
PLACES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)  # of a label on its arrow
ASIDE = (0.0, -12.0, 12.0)


Point = tuple[float, float]
Curve = tuple[Point, Point, Point]  # begin, the point that it bends to, end


@dataclass
class Box:
    """x and y are its centre."""

    width: float
    height: float
    x: float = 0.0
    y: float = 0.0

    def is_near(self, other: Box) -> bool:
        """Too near for an arrow with its words between them."""
        return (
            abs(self.x - other.x) < (self.width + other.width) / 2 + 50
            and abs(self.y - other.y) < (self.height + other.height) / 2 + 46
        )

    def holds(self, x: float, y: float) -> bool:
        """Or is it so near that one could think so?"""
        return abs(x - self.x) < self.width / 2 + 6 and abs(y - self.y) < self.height / 2 + 6

    def covers(self, other: Box) -> float:
        """How much of the other."""
        across = (self.width + other.width) / 2 - abs(self.x - other.x)
        down = (self.height + other.height) / 2 - abs(self.y - other.y)
        return max(across, 0.0) * max(down, 0.0)

    def towards(self, x: float, y: float, rounded: bool) -> tuple[float, float]:
        """Where the line from its centre to a point leaves it."""
        dx, dy = x - self.x, y - self.y
        if dx == 0 and dy == 0:
            return self.x, self.y
        w, h = self.width / 2, self.height / 2
        if rounded:
            scale = 1 / math.hypot(dx / w, dy / h)
        else:
            scale = min(w / abs(dx) if dx else math.inf, h / abs(dy) if dy else math.inf)
        return self.x + dx * scale, self.y + dy * scale


def past_others(
    boxes: Sequence[Box], source: int, target: int, bend: tuple[float, float]
) -> tuple[float, float]:
    """The point that an arrow bends to, so that it meets no third box: behind one it would seem to
    lead there. As near to `bend' as that goes."""
    tried = [bend]
    for step in range(1, MOST_STEPS + 1):
        tried += [(bend[0], bend[1] + side * step * STEP) for side in (1, -1)]
    return min(tried, key=lambda one: _met(boxes, source, target, one))


def _met(boxes: Sequence[Box], source: int, target: int, bend: tuple[float, float]) -> int:
    """How many others the arrow meets."""
    one, other = boxes[source], boxes[target]
    curve = (one.x, one.y), bend, (other.x, other.y)
    points = [_on(curve, i / SAMPLES) for i in range(1, SAMPLES)]
    others = [box for i, box in enumerate(boxes) if i not in (source, target)]
    return sum(any(box.holds(x, y) for x, y in points) for box in others)


def free(curve: Curve, label: Box, taken: Sequence[Box]) -> Box:
    """The label on the curve, as near to its middle as nothing lies there already."""
    best, least = label, math.inf
    for place in PLACES:
        for aside in ASIDE:
            x, y = _on(curve, place)
            tried = Box(label.width, label.height, x, y + aside)
            covered = sum(one.covers(tried) for one in taken)
            if covered < least:
                best, least = tried, covered
        if least == 0:
            break
    return best


def _on(curve: Curve, t: float) -> Point:
    a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
    (x, y), (bx, by), (ex, ey) = curve
    return a * x + b * bx + c * ex, a * y + b * by + c * ey


def arrange(
    boxes: Sequence[Box], arrows: Sequence[tuple[int, int]], rings: Sequence[Sequence[int]]
) -> tuple[float, float]:
    """Gives each its place. arrows: from which to which box; rings: the boxes of each circle, in
    its order. Returns width and height of all."""
    in_rings = {i for ring in rings for i in ring}
    columns = _columns(len(boxes), arrows, in_rings)
    left = MARGIN
    for column in reversed(columns[1:]):
        width = max(boxes[i].width for i in column)
        _stack(boxes, column, left + width / 2)
        left += width + GAP_ACROSS
    top = MARGIN
    widest = 0.0
    for ring in rings:
        wide, high = _ring(boxes, ring, _most_wanted(ring, arrows, in_rings), left, top)
        widest, top = max(widest, wide), top + high + GAP_DOWN
    ends = columns[0]
    if ends:
        width = max(boxes[i].width for i in ends)
        for i in ends:
            boxes[i].x, boxes[i].y = left + width / 2, top + boxes[i].height / 2
            top += boxes[i].height + GAP_DOWN
        widest = max(widest, width)
    return _centred(
        boxes, columns, [*in_rings, *ends], top - GAP_DOWN, left + widest + MARGIN, arrows
    )


def _columns(count: int, arrows: Sequence[tuple[int, int]], in_rings: set[int]) -> list[list[int]]:
    """By the distance to a ring, or to who does not wait; the first holds the latter."""
    leads = {source for source, _ in arrows}
    near = [i for i in range(count) if i in in_rings or i not in leads]
    distance = dict.fromkeys(near, 0)
    while near:
        further = []
        for source, target in arrows:
            if target in near and source not in distance:
                distance[source] = distance[target] + 1
                further.append(source)
        near = further
    columns: list[list[int]] = [[] for _ in range(max(distance.values(), default=0) + 1)]
    for i in range(count):
        if i not in in_rings:
            columns[distance.get(i, 0)].append(i)
    return [columns[0], *(column for column in columns[1:] if column)]


def _stack(boxes: Sequence[Box], column: Sequence[int], x: float) -> float:
    top = MARGIN
    for i in column:
        boxes[i].x, boxes[i].y = x, top + boxes[i].height / 2
        top += boxes[i].height + GAP_DOWN
    return top - GAP_DOWN


def _most_wanted(ring: Sequence[int], arrows: Sequence[tuple[int, int]], in_rings: set[int]) -> int:
    """To stand where the others' arrows come from."""
    wanted = [sum(1 for s, t in arrows if t == i and s not in in_rings) for i in ring]
    return wanted.index(max(wanted)) if any(wanted) else 0


def _ring(
    boxes: Sequence[Box], ring: Sequence[int], first: int, left: float, top: float
) -> tuple[float, float]:
    """In the order of the hands of a clock, the first one on the left."""
    across = max(boxes[i].width for i in ring) * 0.75
    down = max(boxes[i].height for i in ring) * 1.1
    ordered = [*ring[first:], *ring[:first]]
    for _ in range(60):
        for k, i in enumerate(ordered):
            angle = math.pi + 2 * math.pi * k / len(ordered)
            boxes[i].x, boxes[i].y = across * math.cos(angle), down * math.sin(angle)
        pairs = [(boxes[i], boxes[j]) for i in ring for j in ring if i < j]
        if not any(one.is_near(other) for one, other in pairs):
            break
        across, down = across * 1.05, down * 1.08
    low = min(boxes[i].x - boxes[i].width / 2 for i in ring)
    high = max(boxes[i].x + boxes[i].width / 2 for i in ring)
    # Its arrows bend outwards, with words on them: room for both.
    bend = (0.1 if len(ring) > 2 else 0.3) * (high - low) / 2 + 6
    upper = min(boxes[i].y - boxes[i].height / 2 for i in ring) - bend
    lower = max(boxes[i].y + boxes[i].height / 2 for i in ring) + bend
    aside = 30.0 if len(ring) > 2 else 0.0
    for i in ring:
        boxes[i].x += left - low + aside
        boxes[i].y += top - upper
    return high - low + 2 * aside, lower - upper


def _centred(
    boxes: Sequence[Box],
    columns: Sequence[Sequence[int]],
    right: Sequence[int],
    bottom: float,
    width: float,
    arrows: Sequence[tuple[int, int]],
) -> tuple[float, float]:
    """All columns about one line; in a column as their targets stand, to cross less."""
    heights = [bottom]
    for column in columns[1:]:
        targets = {i: [boxes[t].y for s, t in arrows if s == i and t in right] for i in column}
        ordered = sorted(column, key=lambda i: sum(targets[i]) / max(len(targets[i]), 1))
        heights.append(_stack(boxes, ordered, boxes[column[0]].x))
    height = max(heights)
    for group, own in zip([list(right), *columns[1:]], heights):
        for i in group:
            boxes[i].y += (height - own) / 2
    return width, height + MARGIN
