# SPDX-License-Identifier: Apache-2.0
"""Is a runtime part of a program that has no names any more? Then it cannot be read, and it is not
said that there is none."""

from __future__ import annotations

from typing import Iterable

from .. import runtimes
from ..debugger import Debugger
from ..errors import Unreadable
from ..runtimes.base import Runtime

CHUNK = 1 << 20
# Larger programs are looked through to here.
MOST = 256 << 20


def runtime_in(debugger: Debugger) -> Runtime | None:
    """By a text that it brings along."""
    program = debugger.images.program
    texts = [(one, one.text) for one in runtimes.RUNTIMES if one.text is not None]
    if program is None or not texts:
        return None
    tail = b""
    longest = max(len(text) for _, text in texts)
    for part in _parts(debugger, program.start, min(program.end, program.start + MOST)):
        data = tail + part
        for one, text in texts:
            if text in data:
                return one
        tail = data[-longest:]
    return None


def _parts(debugger: Debugger, start: int, end: int) -> Iterable[bytes]:
    for address in range(start, end, CHUNK):
        size = min(CHUNK, end - address)
        try:
            yield debugger.read(address, size)
        except Unreadable:
            # Between segments there may be nothing.
            for page in range(address, address + size, 4096):
                try:
                    yield debugger.read(page, min(4096, end - page))
                except Unreadable:
                    yield b""
