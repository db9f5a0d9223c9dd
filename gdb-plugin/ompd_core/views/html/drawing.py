# SPDX-License-Identifier: Apache-2.0
"""How does a graph look? As SVG that page.css colours; what is not certain is dashed."""

from __future__ import annotations

import textwrap

from . import layout
from .graph import Arrow, Graph, Node
from .layout import Box
from .markup import Markup, Part, tag

LINE, GLYPH, SMALL = 18.0, 7.9, 6.9  # height of a line, widths of letters: the font is monospaced
SAID = 6.2  # of a letter beside an arrow, at most
LONGEST_LINE, MOST_LINES = 38, 3


def svg(graph: Graph, description: str) -> Markup:
    boxes = [_box(node) for node in graph.nodes]
    number = {id(node): i for i, node in enumerate(graph.nodes)}
    ways = [(number[id(a.source)], number[id(a.target)]) for a in graph.arrows]
    rings = [[number[id(node)] for node in ring] for ring in graph.rings]
    width, height = layout.arrange(boxes, ways, rings)
    members = {i: ring for ring in rings for i in ring}
    drawn: list[Markup] = []
    texts: list[Markup] = []
    labels: list[Box] = []
    top, bottom = 0.0, height
    for arrow, (source, target) in zip(graph.arrows, ways):
        centre = _centre(boxes, members, source, target)
        bend = _bend(boxes[source], boxes[target], centre)
        if centre is None:
            bend = layout.past_others(boxes, source, target, bend)
        curve = _curve(arrow, boxes[source], boxes[target], bend)
        said = _said(arrow)
        label = layout.free(curve, Box(len(said) * SAID + 6, LINE - 2), [*boxes, *labels])
        labels.append(label)
        drawn.append(_arrow(arrow, curve))
        texts.append(tag("text", said, x=f"{label.x:.1f}", y=f"{label.y + 4:.1f}", class_="said"))
        low, high = (label.y - LINE, label.y + LINE)
        top, bottom = min(top, low), max(bottom, high)
    height = bottom - top
    return tag(
        "svg",
        tag("title", "Who waits for whom"),
        tag("desc", description),
        tag("defs", _marker("arrow"), _marker("arrow-stuck")),
        drawn,
        texts,
        [_node(node, box) for node, box in zip(graph.nodes, boxes)],
        viewBox=f"0 {top:.0f} {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        style=f"min-width:min({width:.0f}px,36rem)",  # narrower, it scrolls
        role="img",
        class_="graph",
    )


def _marker(name: str) -> Markup:
    return tag(
        "marker",
        tag("path", d="M0 0L8 4L0 8z"),
        id=name,
        class_=name,
        viewBox="0 0 8 8",
        refX="7",
        refY="4",
        markerWidth="7",
        markerHeight="7",
        orient="auto",
    )


def _lines(node: Node) -> list[str]:
    """The rest is told by its title."""
    found: list[str] = []
    for line in node.lines:
        wrapped = textwrap.wrap(line, LONGEST_LINE, max_lines=MOST_LINES, placeholder=" ...")
        found += [part if len(part) <= LONGEST_LINE else part[:LONGEST_LINE] for part in wrapped]
    return found or ["?"]


def _box(node: Node) -> Box:
    lines = _lines(node)
    width = max([len(lines[0]) * GLYPH, *(len(line) * SMALL for line in lines[1:])], default=0)
    roomy = 30 if node.kind == "thread" else 52  # round ones lose their corners
    return Box(max(width + roomy, 90), len(lines) * LINE + (20 if node.kind == "thread" else 26))


def _node(node: Node, box: Box) -> Markup:
    shape: Part
    if node.kind == "thread":
        shape = tag(
            "rect",
            x=f"{box.x - box.width / 2:.1f}",
            y=f"{box.y - box.height / 2:.1f}",
            width=f"{box.width:.1f}",
            height=f"{box.height:.1f}",
            rx="6",
        )
    else:
        shape = tag(
            "ellipse",
            cx=f"{box.x:.1f}",
            cy=f"{box.y:.1f}",
            rx=f"{box.width / 2:.1f}",
            ry=f"{box.height / 2:.1f}",
        )
    lines = _lines(node)
    top = box.y - (len(lines) - 1) * LINE / 2 + 4.5
    texts = [
        tag(
            "text",
            line,
            x=f"{box.x:.1f}",
            y=f"{top + i * LINE:.1f}",
            class_="first" if i == 0 else "more",
        )
        for i, line in enumerate(lines)
    ]
    whole = tag("title", ", ".join(line for line in node.lines if line))
    style = f"node {node.kind}{' stuck' if node.stuck else ''}"
    return tag("g", whole, shape, texts, class_=style)


def _centre(
    boxes: list[Box], members: dict[int, list[int]], source: int, target: int
) -> tuple[float, float] | None:
    """Of the ring that both are in."""
    ring = members.get(source)
    if ring is None or members.get(target) is not ring:
        return None
    return (
        sum(boxes[i].x for i in ring) / len(ring),
        sum(boxes[i].y for i in ring) / len(ring),
    )


def _bend(one: Box, other: Box, centre: tuple[float, float] | None) -> tuple[float, float]:
    """The point that an arrow bends to."""
    if centre is not None:
        return _outwards(one, other, centre)
    middle = (one.x + other.x) / 2, (one.y + other.y) / 2
    if one.x <= other.x:
        return middle
    # Against the others' direction: below what lies between.
    return middle[0], middle[1] + 60 + 0.3 * (one.x - other.x)


def _curve(arrow: Arrow, one: Box, other: Box, bend: layout.Point) -> layout.Curve:
    rounded = arrow.source.kind != "thread", arrow.target.kind != "thread"
    return one.towards(*bend, rounded[0]), bend, other.towards(*bend, rounded[1])


def _said(arrow: Arrow) -> str:
    return arrow.words + (" (likely)" if arrow.likely else "")


def _arrow(arrow: Arrow, curve: layout.Curve) -> Markup:
    start, bend, end = curve
    style = "arrow" + (" stuck" if arrow.stuck else "") + (" likely" if arrow.likely else "")
    marker = "arrow-stuck" if arrow.stuck else "arrow"
    return tag(
        "path",
        d=f"M{_point(start)}Q{_point(bend)} {_point(end)}",
        class_=style,
        marker_end=f"url(#{marker})",
    )


def _outwards(one: Box, other: Box, centre: tuple[float, float]) -> tuple[float, float]:
    """The point that bends an arrow of a ring away from its centre, going round as a clock does."""
    dx, dy = other.x - one.x, other.y - one.y
    x, y = (one.x + other.x) / 2, (one.y + other.y) / 2
    away = (x - centre[0]) * dy - (y - centre[1]) * dx
    side = 0.28 if away >= -1 else -0.28
    return x + side * dy, y - side * dx


def _point(at: tuple[float, float]) -> str:
    return f"{at[0]:.1f} {at[1]:.1f}"
