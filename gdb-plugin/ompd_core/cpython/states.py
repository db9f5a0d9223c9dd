# SPDX-License-Identifier: Apache-2.0
"""The interpreters of a process, and the threads that each knows."""

from __future__ import annotations

from typing import Iterator, Sequence

from ..errors import Unreadable
from ..light_classes import NamedTuple
from .layouts import Layout
from .memory import MOST_INTERPRETERS, MOST_STATES, Memory, Record


class State(NamedTuple):
    """What an interpreter keeps of a thread."""

    address: int
    pthread_id: int


def interpreters(memory: Memory, layout: Layout, runtime: int) -> Iterator[int]:
    first = memory.word(runtime + layout.interpreters)
    return memory.chain(first, layout.next_interpreter, MOST_INTERPRETERS)


def of(memory: Memory, layout: Layout, runtime: int) -> Sequence[State]:
    """Of all interpreters. A thread has one in each whose code it runs. Raises Unreadable, also
    where they contradict the layout."""
    found = []
    end = max(layout.interpreter, layout.thread_id) + 8
    for interpreter in interpreters(memory, layout, runtime):
        first = memory.word(interpreter + layout.states)
        for address in memory.chain(first, layout.next_state, MOST_STATES):
            record = Record(memory, address, end)
            if record.word(layout.interpreter) != interpreter:
                raise Unreadable("a thread's state that names another interpreter")
            found.append(State(address, record.word(layout.thread_id)))
    return found
