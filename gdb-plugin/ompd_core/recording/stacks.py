# SPDX-License-Identifier: Apache-2.0
"""What did the program do, as its user wrote it? Stacks with their names, a state as the innermost
frame where it is no work, and all of them as one tree."""

from __future__ import annotations

from ..light_classes import dataclass, field
from .record import Account, Activity, Frame, Place, Record
from .states import Kind, construct_in_words, in_words, kind
from .sums import REGION_ENDS, Totals, each

MOST_NODES = 100_000  # of the tree


@dataclass(frozen=True)
class Step:
    """A frame, or a state in the place of one."""

    text: str
    kind: str  # user, construct, wait, runtime, system, unknown
    place: Place = Place()


class Steps:
    """Of all activities of a record."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._frames: dict[int, Step] = {}
        self._paths: dict[int, tuple[Step, ...]] = {}

    def of(self, activity: Activity) -> tuple[Step, ...]:
        """Outermost first, never empty."""
        found = self._path(activity.stack)
        if found and found[-1].kind == "wait":
            found = found[:-1]  # the state says it
        if kind(activity.state) in (Kind.WORK, Kind.SERIAL) and found:
            return found
        return (*found, self._state(activity))

    def _state(self, activity: Activity) -> Step:
        if activity.state in REGION_ENDS and activity.region is not None:
            place = Place(None, *self._line_of(activity.region))
            return Step(f"<{in_words(activity.state)}>", "wait", place)
        if activity.construct is None or not activity.state.startswith("wait_"):
            return Step(f"<{in_words(activity.state)}>", "wait")
        construct = self._record.constructs[activity.construct]
        words = construct_in_words(construct.kind) or in_words(activity.state)
        return Step(f"<{words}>", "wait", construct.place)

    def _line_of(self, region: int) -> tuple[str | None, int | None]:
        place = self._record.regions[region].place
        return place.file, place.line

    def _path(self, stack: int | None) -> tuple[Step, ...]:
        if stack is None:
            return ()
        if stack not in self._paths:
            steps = []
            at: int | None = stack
            while at is not None:
                number, at = self._record.stacks[at]
                steps.append(self._step(number))
            self._paths[stack] = _from_main(steps[::-1])
        return self._paths[stack]

    def _step(self, number: int) -> Step:
        if number not in self._frames:
            self._frames[number] = _step(self._record.frames[number])
        return self._frames[number]


_BEFORE_MAIN = ("_start", "__libc_start_", "start_thread", "__clone", "clone3")


def _from_main(steps: list[Step]) -> tuple[Step, ...]:
    """Without what calls it."""
    at = 0
    while at < len(steps) and steps[at].text.startswith(_BEFORE_MAIN):
        at += 1
    return tuple(steps[at:] or steps)


def _step(frame: Frame) -> Step:
    if frame.kind == "construct":
        return Step(frame.text or "#pragma omp parallel", frame.kind, frame.place)
    if frame.kind == "wait":
        return Step(f"<{in_words(frame.text or '?')}>", frame.kind, frame.place)
    if frame.language is not None and not frame.place:
        return Step("<lines of Python that differ>", frame.kind)
    if frame.kind == "unknown" and not frame.place:
        return Step("<the stack goes on, and cannot be followed>", frame.kind)
    name = frame.place.function or frame.text
    if not name and frame.place.file:
        return Step(at(frame.place), frame.kind, Place())
    return Step(name or "??", frame.kind, frame.place)


def at(place: Place) -> str:
    """heat.c:42"""
    if not place.file:
        return ""
    name = place.file.rsplit("/", 1)[-1]
    return f"{name}:{place.line}" if place.line else name


def label(step: Step) -> str:
    """solve (heat.c:42), #pragma omp parallel (heat+0x1463)"""
    where = at(step.place)
    if not where and step.text != step.place.function:
        where = step.place.function or ""
    return f"{step.text} ({where})" if where else step.text


@dataclass
class Node:
    """All stacks that begin so."""

    step: Step | None  # None: the root, of all
    whole: Account = field(default_factory=Account)
    own: Account = field(default_factory=Account)
    kinds: dict[Kind, int] = field(default_factory=dict)  # ns
    threads: set[int] = field(default_factory=set)
    children: dict[str, "Node"] = field(default_factory=dict)

    def sorted(self) -> list["Node"]:
        return sorted(self.children.values(), key=lambda one: -one.whole.ns)

    def _add(self, thread: int, of: Kind, account: Account) -> None:
        self.whole.join(account)
        self.kinds[of] = self.kinds.get(of, 0) + account.ns
        self.threads.add(thread)


def tree(record: Record, of: Totals) -> Node:
    """What has no room in it is charged to the frame that it would stand below."""
    steps, root, nodes = Steps(record), Node(None), 0
    for thread, activity, account in each(record, of):
        state, node = kind(activity.state), root
        node._add(thread, state, account)
        for step in steps.of(activity):
            name = label(step)
            child = node.children.get(name)
            if child is None:
                if nodes >= MOST_NODES:
                    break
                nodes += 1
                child = node.children[name] = Node(step)
            node = child
            node._add(thread, state, account)
        node.own.join(account)
    return root


def hot(record: Record, of: Totals) -> list[tuple[tuple[Step, ...], Account, set[int]]]:
    """Whole stacks, those with the most time first."""
    steps = Steps(record)
    found: dict[tuple[Step, ...], tuple[Account, set[int]]] = {}
    for thread, activity, account in each(record, of):
        into = found.setdefault(steps.of(activity), (Account(), set()))
        into[0].join(account)
        into[1].add(thread)
    listed = [(path, account, threads) for path, (account, threads) in found.items()]
    return sorted(listed, key=lambda one: -one[1].ns)
