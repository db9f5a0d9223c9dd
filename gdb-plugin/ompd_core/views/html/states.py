# SPDX-License-Identifier: Apache-2.0
"""What does a thread do, in words, as a letter and as a colour? Colour is never the only one."""

from __future__ import annotations

from ...light_classes import dataclass
from .document import Json, doubt, members, object_of, word
from .markup import Markup, join, tag


@dataclass(frozen=True)
class Kind:
    style: str  # the class in page.css, which also writes the letter
    letter: str
    name: str


CRASHED = Kind("x", "X", "crashed")
WORKING = Kind("w", "W", "working")
CALLING = Kind("c", "C", "in a call")
BARRIER = Kind("b", "B", "at a barrier")
MUTEX = Kind("l", "L", "at a lock or critical")
TASKS = Kind("t", "T", "waiting for tasks")
DEVICE = Kind("d", "D", "waiting for a device")
IDLE = Kind("i", "I", "idle")
OVERHEAD = Kind("o", "O", "in the runtime")
OUTSIDE = Kind("n", "-", "not OpenMP's")
UNKNOWN = Kind("u", "?", "not known")
INNER = Kind("r", ">", "in a region inside")

# In the order of the legend.
ALL = (
    CRASHED,
    WORKING,
    CALLING,
    BARRIER,
    MUTEX,
    TASKS,
    DEVICE,
    IDLE,
    OVERHEAD,
    INNER,
    OUTSIDE,
    UNKNOWN,
)
_MUTEXES = ("wait_lock", "wait_critical", "wait_mutex", "wait_atomic", "wait_ordered")


def kind(thread: Json, crashed: bool = False) -> Kind:
    if crashed:
        return CRASHED
    found = members(thread)
    if not found:
        return OUTSIDE if thread.get("kind") else UNKNOWN
    # Of several runtimes' the one that it waits in, or is not idle in.
    busy = [member for member in _telling(found) if member.get("state") != "idle"]
    state = word((busy or found)[0], "state")
    if state is None:
        return OUTSIDE if thread.get("kind") == "helper" else UNKNOWN
    if state.startswith("wait_barrier"):
        return BARRIER
    if state in _MUTEXES:
        return MUTEX
    if state in ("wait_taskwait", "wait_taskgroup"):
        return TASKS
    if state.startswith("wait_target"):
        return DEVICE
    if state.startswith("work"):
        return CALLING if object_of(thread, "in_call") else WORKING
    return {"idle": IDLE, "overhead": OVERHEAD}.get(state, UNKNOWN)


def words(thread: Json) -> str:
    """As `ompd threads' says it."""
    return word(thread, "doing") or "?"


def _telling(found: list[Json]) -> list[Json]:
    """What waits in one runtime seems to work in another."""
    return [member for member in found if member.get("wait")] or found


def state_doubt(thread: Json) -> Json | None:
    """Of what `words' says."""
    for member in members(thread):
        wait = object_of(member, "wait")
        found = doubt(member, "state") or (doubt(wait, "name") if wait.get("name") else None)
        if found is not None:
            return found
    return doubt(thread, "kind")


def place(thread: Json) -> str:
    """sweep () at heat.c:32, in usleep; as `ompd threads' says it."""
    return word(thread, "at") or ""


def chip(of: Kind, said: str | None = None) -> Markup:
    return tag(
        "span", tag("i", class_=of.style, aria_hidden="true"), said or of.name, class_="chip"
    )


def legend(shown: set[Kind]) -> Markup:
    items = [tag("li", chip(one)) for one in ALL if one in shown]
    return join(tag("ul", items, class_="legend", aria_label="Colours and letters"))
