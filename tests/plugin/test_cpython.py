# SPDX-License-Identifier: Apache-2.0
"""Interpreters that cannot be read: refused with the reason, and damaged lists end."""

from __future__ import annotations

import struct

import pytest
from ompd_core.cpython import layouts, states
from ompd_core.cpython.frames import Frames
from ompd_core.cpython.memory import Memory
from ompd_core.errors import Unreadable

RUNTIME, INTERPRETER, STATE, CFRAME = 0x10000, 0x20000, 0x30000, 0x40000
# As a 3.14 publishes them, as far as they are asked for.
SMALL = 100


class Words:
    """Memory in which all else cannot be read."""

    def __init__(self, words: dict[int, int]) -> None:
        self._bytes = {
            address + i: byte
            for address, word in words.items()
            for i, byte in enumerate(struct.pack("<Q", word))
        }

    def read(self, address: int, nbytes: int) -> bytes:
        try:
            return bytes(self._bytes[address + i] for i in range(nbytes))
        except KeyError:
            raise Unreadable(hex(address)) from None


def table(minor: int, free_threaded: int = 0, **damaged: int) -> Memory:
    words = [struct.unpack("<Q", layouts.COOKIE)[0], 3 << 24 | minor << 16, free_threaded]
    words += [SMALL] * 120
    for name, value in damaged.items():
        words[layouts.WORDS[minor][layouts.MEMBERS.index(name)]] = value
    return Memory(Words({RUNTIME + 8 * i: word for i, word in enumerate(words)}).read)


@pytest.mark.parametrize(
    "minor, free_threaded, why",
    [(99, 0, "it is CPython 3.99"), (14, 1, "it is a free-threaded build of CPython 3.14")],
)
def test_unknown_releases(minor: int, free_threaded: int, why: str) -> None:
    with pytest.raises(layouts.Unknown, match=f"^{why}$"):
        layouts.told(table(minor, free_threaded), RUNTIME)


@pytest.mark.parametrize("minor, why", [(8, "it is CPython 3.8"), (-1, "its release is not known")])
def test_releases_that_do_not_tell(minor: int, why: str) -> None:
    with pytest.raises(layouts.Unknown, match=why):
        layouts.of_release(minor)


@pytest.mark.parametrize("minor", layouts.WORDS)
@pytest.mark.parametrize("member", ["code", "first_line", "text_ascii", "states"])
def test_offsets_that_no_release_has(minor: int, member: str) -> None:
    found = layouts.told(table(minor), RUNTIME)
    assert found is not None and getattr(found, member) == SMALL
    with pytest.raises(Unreadable):
        layouts.told(table(minor, **{member: 1 << 25}), RUNTIME)


def test_an_interpreter_that_its_threads_do_not_name() -> None:
    layout = layouts.of_release(11)
    words = {RUNTIME + layout.interpreters: INTERPRETER, INTERPRETER + layout.states: STATE}
    words.update({STATE + 8 * i: 0 for i in range(60)})
    words[STATE + layout.interpreter] = INTERPRETER + 8
    with pytest.raises(Unreadable, match="names another interpreter"):
        states.of(Memory(Words(words).read), layout, RUNTIME)


@pytest.mark.parametrize("minor", [10, 11, 12])
def test_a_list_of_calls_that_leads_nowhere(minor: int) -> None:
    """In a circle, without the one that every list ends with."""
    layout = layouts.of_release(minor)
    assert layout.cframe is not None
    words = {STATE + 8 * i: 0 for i in range(60)}
    words.update({CFRAME + 8 * i: CFRAME for i in range(8)})
    words[STATE + layout.cframe] = CFRAME
    found = Frames(Memory(Words(words).read), layout).of(STATE)
    assert found.damaged or not found.all
