# SPDX-License-Identifier: Apache-2.0
"""What environment did the program of a core file start with? The kernel lays it on the initial
stack: argc, the arguments, a zero, the environment, a zero, the auxiliary vector, and the strings.
"""

from __future__ import annotations

import struct

from ompd_core.errors import Unreadable
from ompd_core.formats.corefile import CoreFile
from ompd_core.formats.elf import NotElf

from .origin import Environment, parsed

AT_NULL = 0
PAGE = 4096
MOST_BYTES = 8 << 20  # of arguments and environment: the kernel allows 6 MiB
LONGEST_STRING = 1 << 17  # as the kernel's


def environment(core: CoreFile) -> Environment:
    """Empty if it cannot be found with certainty."""
    end = core.first_stack or 0
    stack = _below(core, end)
    vector = b"".join(_words(core, key, value) for key, value in core.auxv.items() if key)
    at = stack.rfind(vector + _words(core, AT_NULL)) if vector else -1
    if at < 0:
        return {}
    start = end - len(stack)
    # What the program has set anew lies elsewhere.
    places = [one - start for one in _pointers(core, stack[:at]) if start <= one < end]
    strings = [stack[place : place + LONGEST_STRING] for place in places]
    return parsed([text.partition(b"\0")[0] for text in strings])


def _below(core: CoreFile, end: int) -> bytes:
    """What the core has of the stack, up to there."""
    parts: list[bytes] = []
    at = end
    while end - at < MOST_BYTES:
        step = at % PAGE or PAGE
        try:
            parts.append(core.dumped(at - step, step))
        except (Unreadable, NotElf):
            break
        at -= step
    return b"".join(reversed(parts))


def _words(core: CoreFile, *values: int) -> bytes:
    kind = "Q" if core.format.wide else "I"
    return struct.pack(f"{core.format.order}{len(values)}{kind}", *values)


def _pointers(core: CoreFile, stack: bytes) -> list[int]:
    """Those of the environment, which end where `stack' does. A program that has taken a variable
    away leaves more than one zero there: it is argc, and as many arguments, that prove the rest."""
    runs: list[list[int]] = [[]]
    word = core.pointer_size
    for at in range(len(stack) - word, -1, -word):
        value = core.format.word(stack, at)
        if value == 0:
            runs.append([])
        elif value == len(runs[-1]):
            return [pointer for run in runs[:-1] for pointer in run]
        else:
            runs[-1].append(value)
    return []
