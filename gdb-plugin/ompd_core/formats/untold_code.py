# SPDX-License-Identifier: Apache-2.0
"""Has a file constructs, and code for x86-64 that its unwind information leaves out? What lies
between functions is padding, as a rule."""

from __future__ import annotations

import re
import struct
from typing import Iterator, Sequence

from .. import abi, late_patterns
from .elf import PT_LOAD, SHT_DYNSYM, ElfFile, NotElf, Segment
from .unwind_tables import COUNT_AND_PAIRS, PT_GNU_EH_FRAME, TABLE

EM_X86_64 = 62
# What code of constructs calls.
_CALLED = tuple(b"\0" + prefix.encode() for prefix in abi.PREFIXES)
# Of files with more functions it is not told.
MOST_FUNCTIONS = 1 << 20
# Instructions that do nothing, breakpoints, zeros.
_PADDING = late_patterns.compile(
    rb"(?:[\x66\x2e]*(?:\x90|\x0f\x1f(?:\x00|\x40.|\x44..|\x80.{4}|\x84.{5}))|\xcc|\x00)*",
    re.DOTALL,
)
# The compiler's own code at the start of each file, which asks for two addresses and compares them.
_CRT = late_patterns.compile(
    rb"(\x48\x8d\x3d.{4}\x48\x8d\x05.{4}\x48\x39\xf8|\xb8.{4}\x48\x3d)", re.DOTALL
)
_LONGEST_CRT = 224
# clang's C++ has a stub without any, which calls two functions to end the program.
_SHORTEST = 17


def has_untold_code(path: str) -> bool:
    """False also where it cannot be told."""
    try:
        file = ElfFile(path)
    except (NotElf, OSError):
        return False
    try:
        if struct.unpack_from("<H", file.data, 18)[0] != EM_X86_64 or not file.format.wide:
            return False
        return _has_constructs(file) and any(
            _is_code(file, start, end) for start, end in _gaps(file)
        )
    except (NotElf, struct.error):
        return False
    finally:
        file.close()


def _has_constructs(file: ElfFile) -> bool:
    sections = file.sections()
    for one in sections:
        if one.kind == SHT_DYNSYM and one.link < len(sections):
            names = sections[one.link]
            end = min(names.offset + names.size, file.size)
            return any(file.data.find(name, names.offset, end) >= 0 for name in _CALLED)
    return False


def _gaps(file: ElfFile) -> Iterator[tuple[int, int]]:
    """Between two functions that unwind information is about, and behind the last one; as offsets
    in the file."""
    segments = file.segments()
    tables = [s for s in segments if s.kind == PT_GNU_EH_FRAME]
    if not tables:
        return
    table = tables[0]
    version, _, counted, pairs, _, count = TABLE.unpack(file.read(table.offset, TABLE.size))
    if version != 1 or (counted, pairs) != COUNT_AND_PAIRS or count > MOST_FUNCTIONS:
        return
    entries = file.read(table.offset + TABLE.size, 8 * count)
    functions = []
    for begin, entry in struct.iter_unpack("<ii", entries):
        # The tables lie in a segment whose bytes have the same distance from each other.
        (size,) = struct.unpack_from("<I", file.data, table.offset + entry + 12)
        functions.append((table.address + begin, size))
    # Where code is aligned beyond a page, the linker's stubs have a segment of their own.
    for one in segments:
        if one.kind == PT_LOAD and one.executable:
            yield from _gaps_in(one, functions)


def _gaps_in(code: Segment, functions: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    bias, end = code.address - code.offset, code.address + code.file_size
    known_end = 0
    for start, size in functions:
        if not code.address <= start < end:
            continue
        if known_end and start > known_end:
            yield known_end - bias, start - bias
        known_end = max(known_end, start + size)
    if known_end and end > known_end:
        yield known_end - bias, end - bias


def _is_code(file: ElfFile, start: int, end: int) -> bool:
    between = file.read(start, min(end - start, _LONGEST_CRT + 64))
    padding = _PADDING.match(between)
    code = between[padding.end() :] if padding else between
    return len(code) > _LONGEST_CRT or (len(code) >= _SHORTEST and _CRT.match(code) is None)
