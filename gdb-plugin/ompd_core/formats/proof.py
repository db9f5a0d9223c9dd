# SPDX-License-Identifier: Apache-2.0
"""Is a file on disk the one that was mapped into the process of a core file?"""

from __future__ import annotations

from typing import Callable

from ..errors import Unreadable
from .elf import PT_DYNAMIC, PT_LOAD, ElfFile, NotElf

# Enough for the ELF header, the program headers and the build-id note of every linker.
PROOF_BYTES = 1024
PAGE = 4096
DT_NULL, DT_DEBUG = 0, 21
# Real dynamic sections have twenty to forty entries, a page of them at most.
FEWEST_ENTRIES, LONGEST_DYNAMIC = 8, 4096

Dumped = Callable[[int, int], bytes]  # what the core itself has; raises Unreadable, NotElf
OffsetAt = Callable[[int], "int | None"]  # in the file that was mapped at an address


def begins_alike(file: ElfFile, start: int, dumped: Dumped) -> bool | None:
    """By the first bytes, at start. None: the core was told to leave them out."""
    try:
        there = dumped(start, PROOF_BYTES)
    except (Unreadable, NotElf):
        return None
    try:
        return there == file.read(0, PROOF_BYTES)
    except NotElf:
        return False


def is_linked_alike(file: ElfFile, start: int, dumped: Dumped, offset_at: OffsetAt) -> bool | None:
    """By the dynamic section, which each process has a copy of, as the dynamic linker writes there:
    addresses and sizes of all tables of a build. Builds that differ in code or data differ there,
    but for the rarest cases. None: the core has not even that."""
    try:
        segments = file.segments()
        first = min(segment.address for segment in segments if segment.kind == PT_LOAD)
        section = next(segment for segment in segments if segment.kind == PT_DYNAMIC)
        size = min(section.file_size, LONGEST_DYNAMIC)
        bias = start - first // PAGE * PAGE
        if offset_at(bias + section.address) != section.offset:
            return False
        there, here = dumped(bias + section.address, size), file.read(section.offset, size)
    except (Unreadable, NotElf, StopIteration, ValueError):
        return None
    word = file.format.pointer_size
    most = 1 << 8 * word
    entries = 0
    for at in range(0, size - 2 * word + 1, 2 * word):
        tag, value = file.format.word(here, at), file.format.word(here, at + word)
        told = file.format.word(there, at + word)
        if file.format.word(there, at) != tag:
            return False
        if tag == DT_NULL:
            break
        if tag != DT_DEBUG and told not in (value, (value + bias) % most):
            return False
        entries += 1
    return entries >= FEWEST_ENTRIES
