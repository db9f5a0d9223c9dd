# SPDX-License-Identifier: Apache-2.0
"""Where do the call stacks of many threads part? One tree of all, from main inwards."""

from __future__ import annotations

from typing import Iterable, Sequence

from ..light_classes import dataclass, field
from .logical_stack.backtrace import Backtrace, Entry, likeness
from .process import Thread

# What is further out and further in of a recursion that is deeper; its middle is left out.
OUTERMOST, INNERMOST = 40, 16


@dataclass(eq=False)
class Node:
    entries: list[Entry] = field(default_factory=list)  # one for each thread
    threads: list[Thread] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    cut: bool = False  # stands for what is not known of a stack's outer end
    left_out: int = 0  # stands for so many lines of a stack, or more


def merged(backtraces: Sequence[Backtrace]) -> Node:
    """The root stands for nothing but all threads."""
    root = Node()
    known: dict[tuple[int, object], Node] = {}
    for backtrace in backtraces:
        root.threads.append(backtrace.thread)
        node = root
        if backtrace.cut is not None:
            node = _inner(node, "cut", known)
            node.cut = True
            node.threads.append(backtrace.thread)
        count = len(backtrace.entries)
        for at, entry in enumerate(reversed(backtrace.entries)):
            if OUTERMOST <= at < count - INNERMOST:
                if at > OUTERMOST:
                    continue
                node = _inner(node, "left out", known)
                node.left_out = max(node.left_out, count - INNERMOST - OUTERMOST)
            else:
                node = _inner(node, likeness(entry), known)
                node.entries.append(entry)
            node.threads.append(backtrace.thread)
    for node in nodes(root):
        node.children.sort(key=lambda child: -len(child.threads))
    return root


def _inner(node: Node, key: object, known: dict[tuple[int, object], Node]) -> Node:
    """One frame further in."""
    where = (id(node), key)
    if where not in known:
        known[where] = Node()
        node.children.append(known[where])
    return known[where]


def nodes(root: Node) -> Iterable[Node]:
    """All below, and itself."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += node.children


def chain(node: Node) -> list[Node]:
    """The node and those further in that the same threads go through."""
    found = [node]
    while len(found[-1].children) == 1 and len(found[-1].children[0].threads) == len(node.threads):
        found.append(found[-1].children[0])
    return found
