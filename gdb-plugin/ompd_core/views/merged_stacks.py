# SPDX-License-Identifier: Apache-2.0
"""`ompd bt -merge' as text, as JSON and for Graphviz: one tree of many threads' stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from ..model import ids
from ..model.logical_stack.backtrace import CONSTRUCT, WAIT, Backtrace, Entry
from ..model.merging import Node, chain, nodes
from ..model.process import Thread
from . import backtrace
from .cxx_names import short_name
from .table import NARROWEST, Style, Table, count, paragraph
from .terminal import plain
from .values import who

if TYPE_CHECKING:
    from ..documents.stacks import Merged

MOST_BRANCHES = 16  # of a frame
_ARROW = " -> "
_CUT = "(not known further out)"


def lines(root: Node, found: Sequence[Backtrace], style: Style) -> list[str]:
    table = Table(["Frames", "Threads", ""], style, folding=(2,))
    room = None if style.width is None else max(style.width * 2 // 3, 2 * NARROWEST)
    for child in root.children:
        _branch(table, child, None, "", "", room, style)
    total = f"{count(len(root.threads), 'thread')}, {count(_leaves(root), 'place')}."
    return [*table.lines(), *paragraph(total, style), *backtrace.footnotes(found, style)]


def _branch(
    table: Table,
    node: Node,
    outer: Node | None,
    stem: str,
    below: str,
    room: int | None,
    style: Style,
) -> None:
    whole = chain(node)
    last = whole[-1]
    trunk = style.trunk if last.children else "   "
    left = None if room is None else room - len(stem)
    labels = [_label(one, before, left) for before, one in zip([outer, *whole], whole)]
    folded = fold_at_arrows(labels, left)
    cell = f"\n{below}{trunk}".join([stem + folded[0], *folded[1:]])
    table.add(cell, str(len(node.threads)), _ids(node.threads))
    left_out = _left_out(last.children, style)
    for child in last.children:
        final = child is last.children[-1]
        branch = style.last_branch if final else style.branch
        trunk = "   " if final else style.trunk
        if child not in left_out:
            _branch(table, child, last, below + branch, below + trunk, room, style)
        elif child is left_out[0]:
            threads = [thread for one in left_out for thread in one.threads]
            words = f"({len(left_out)} more branches; -all shows them)"
            table.add(below + branch + words, str(len(threads)), _ids(threads))


def _left_out(branches: Sequence[Node], style: Style) -> Sequence[Node]:
    """Of very many those in the middle: the largest come first, and the odd ones out last."""
    if style.every or len(branches) <= MOST_BRANCHES:
        return ()
    return branches[MOST_BRANCHES // 2 : -MOST_BRANCHES // 2]


def fold_at_arrows(labels: Sequence[str], room: int | None) -> list[str]:
    """A line of frames, over as many lines as it takes."""
    found = [labels[0]]
    for one in labels[1:]:
        if room is not None and len(found[-1]) + len(_ARROW) + len(one) > room:
            found[-1] += _ARROW.rstrip()
            found.append(one)
        else:
            found[-1] += _ARROW + one
    return found


def _label(node: Node, outer: Node | None, room: int | None = None) -> str:
    """main, heat.c:80. A construct's line is that of the frame that it is in, as a rule."""
    if node.cut:
        return _CUT
    if node.left_out:
        return f"({node.left_out} more)"
    entry = node.entries[0]
    if entry.kind == WAIT:
        return f"<{backtrace.wait(entry.member)}>"
    at = backtrace.at_line(entry.location)
    if entry.kind == CONSTRUCT:
        name = _construct(node.entries)
        before = outer.entries[0].location if outer is not None and outer.entries else None
        at = "" if at == backtrace.at_line(before) else at
    else:
        name = backtrace.function(entry)
        if room is not None:
            name = short_name(name, max(room - len(at) - len(_ARROW) - 2, NARROWEST))
    unsure = any(d.certainty == "likely" for one in node.entries for d in one.doubts.values())
    return (f"{name}, {at}" if at else name) + ("?" if unsure else "")


def _construct(entries: Sequence[Entry]) -> str:
    """parallel R2,10"""
    first = entries[0]
    if first.target is not None:
        return first.target.construct + backtrace.on_device(first.target)
    if first.explicit:
        numbers = [entry.task.number for entry in entries if entry.task is not None]
        name = f"task t{ids.compress(numbers)}" if numbers else "task"
        return f"end of {name}" if first.ended else name
    generator = first.region.raw.generator if first.region is not None else "parallel"
    numbers = [entry.region.number for entry in entries if entry.region is not None]
    return f"{generator} R{ids.compress(numbers)}" if numbers else generator


def _ids(threads: Sequence[Thread]) -> str:
    """Those of OpenMP, where there are any; of a single thread GDB's too, which one can select."""
    name, native = who(threads), threads[0].native
    if len(threads) > 1 or native is None or name == f"T{native.num}":
        return name
    return f"{name} (T{native.num})"


def _leaves(root: Node) -> int:
    return sum(1 for node in nodes(root) if not node.children and node is not root)


def document(root: Node) -> Merged:
    """The section "merged"."""
    return _node(root, None)


def _node(node: Node, outer: Node | None) -> Merged:
    entry = node.entries[0] if node.entries else None
    frame = backtrace.frame(entry, backtrace.Details(), None) if entry is not None else None
    return {
        "who": who(node.threads),
        "count": len(node.threads),
        "frame": frame,
        "label": _label(node, outer) if outer is not None else None,
        "known": not (node.cut or node.left_out),
        "children": [_node(child, node) for child in node.children],
    }


def dot(root: Node) -> str:
    """For Graphviz."""
    names = {id(node): f"n{i}" for i, node in enumerate(nodes(root))}
    found = ["digraph stacks {", "  node [shape=box];"]
    for node in nodes(root):
        if node is not root:
            text = f"{_label(node, None)}\n{len(node.threads)}: {who(node.threads)}"
            found.append(f"  {names[id(node)]} [label={_quoted(text)}];")
        for child in node.children:
            if node is not root:
                edge = f"{names[id(node)]} -> {names[id(child)]}"
                found.append(f"  {edge} [label={len(child.threads)}];")
    return "\n".join([*found, "}"]) + "\n"


def _quoted(text: str) -> str:
    lines_of = [plain(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n")]
    return '"' + "\\n".join(lines_of) + '"'
