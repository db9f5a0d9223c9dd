# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a core file? Each mutation changes one that is sound, by a seed."""

from __future__ import annotations

import os
import random
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

PAGE = 4096
HEADER, SEGMENT = 64, 56  # bytes, of ELF for 64 bits
PT_LOAD, PT_NOTE = 1, 4
NT_PRSTATUS, NT_PRPSINFO, NT_AUXV, NT_SIGINFO, NT_FILE = 1, 3, 6, 0x53494749, 0x46494C45
LIKELIEST = (1, 1, 1, 2, 4)  # mutations of one core
FEWEST, LONGEST = 6, 120  # characters of what is taken for a string
NUMBERS = (0, 1, 2, 7, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
WIDE = (*NUMBERS, 1 << 40, (1 << 47) - 1, 1 << 47, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
# What a terminal, a page or a format would obey.
NASTY = (
    b"\x1b]0;steered\x07",
    b"\x1b[2J\x1b[31m",
    b"\x9b31m\x90q\x9c",
    b"<script>x()</script>",
    b"\"'&<!--",
    b"%s%n%x{0.__class__}",
    b"\r\n\x08\x7f\x00",
    b"\xff\xfe\xc3\x28\xed\xa0\x80",
    b"\xe2\x80\xae\xe2\x81\xa6",
    b"$(touch told)`touch told`",
    b"';!touch told #",
)


@dataclass(frozen=True)
class Segment:
    kind: int
    at: int  # of its header
    offset: int
    address: int
    size: int  # in the file


class Core:
    """A sound one, of 64 bits and little endian, that becomes another."""

    def __init__(
        self, data: bytes, chance: random.Random, decoys: Path, places: Sequence[int] = ()
    ) -> None:
        """decoys: where files lie that nobody may run or load; places: addresses of structures that
        are to be hit, too."""
        self.data = bytearray(data)
        self.chance = chance
        self.decoys = decoys
        self.places = places
        (table,) = struct.unpack_from("<Q", data, 32)
        (count,) = struct.unpack_from("<H", data, 56)
        self.segments = []
        for at in range(table, table + count * SEGMENT, SEGMENT):
            kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, at)
            self.segments.append(Segment(kind, at, offset, address, size))
        loads = [one for one in self.segments if one.kind == PT_LOAD and one.size]
        pages = (
            (one, at) for one in loads for at in range(one.offset, one.offset + one.size, PAGE)
        )
        whole = len(data)
        # Where something is: most of a core is zeros.
        self.pages = [(one, at) for one, at in pages if at < whole and any(data[at : at + PAGE])]

    def notes(self) -> list[tuple[int, int, int, int]]:
        """Header, type, body and size of each."""
        found = []
        for segment in (one for one in self.segments if one.kind == PT_NOTE):
            at, end = segment.offset, segment.offset + segment.size
            while at + 12 <= min(end, len(self.data)):
                name, size, kind = struct.unpack_from("<III", self.data, at)
                body = at + 12 + (name + 3) // 4 * 4
                found.append((at, kind, body, size))
                at = body + (size + 3) // 4 * 4
        return found

    def note(self, kind: int) -> tuple[int, int]:
        """Body and size of one of a kind."""
        found = [(body, size) for _, known, body, size in self.notes() if known == kind]
        return self.chance.choice(found) if found else (0, 0)

    def put(self, at: int, layout: str, number: int) -> None:
        size = struct.calcsize(layout)
        if 0 <= at <= len(self.data) - size:
            struct.pack_into(layout, self.data, at, number & ((1 << 8 * size) - 1))

    def put_bytes(self, at: int, text: bytes) -> None:
        text = text[: max(len(self.data) - at, 0)]
        self.data[at : at + len(text)] = text

    def a_page(self) -> tuple[Segment, int]:
        return self.chance.choice(self.pages)

    def an_address(self) -> int:
        """Of memory that the core has."""
        segment, at = self.a_page()
        return segment.address + at - segment.offset + self.chance.randrange(0, PAGE, 8)

    def offset(self, address: int) -> int | None:
        """Of what lies there."""
        for one in self.segments:
            if one.kind == PT_LOAD and one.address <= address < one.address + one.size - 8:
                return one.offset + address - one.address
        return None

    def pointers(self) -> list[int]:
        """Where a page has some, to what the core has: of the first of a few pages that has any."""
        starts = [(one.address, one.address + one.size) for one in self.segments if one.size]
        for _ in range(16):
            _, page = self.a_page()
            text = bytes(self.data[page : page + PAGE]).ljust(PAGE, b"\0")
            words = struct.unpack(f"<{PAGE // 8}Q", text)
            found = [
                page + 8 * i
                for i, word in enumerate(words)
                if word > PAGE and any(start <= word < end for start, end in starts)
            ]
            if found:
                return found
        return []


def some_bytes(core: Core) -> None:
    for _ in range(core.chance.choice((1, 8, 64))):
        _, page = core.a_page()
        core.put(page + core.chance.randrange(PAGE), "<B", core.chance.randrange(256))


def a_whole_page(core: Core) -> None:
    _, page = core.a_page()
    _, other = core.a_page()
    what = core.chance.randrange(4)
    filling = (bytes(PAGE), b"\xff" * PAGE, core.chance.randbytes(PAGE))
    text = bytes(core.data[other : other + PAGE]) if what == 3 else filling[what]
    core.put_bytes(page, text)


def the_header(core: Core) -> None:
    at, layout = core.chance.choice(
        [(4, "<B"), (5, "<B"), (16, "<H"), (18, "<H"), (32, "<Q"), (40, "<Q"), (52, "<H")]
        + [(54, "<H"), (56, "<H"), (58, "<H"), (60, "<H"), (62, "<H")]
    )
    core.put(at, layout, core.chance.choice(WIDE))


def a_segment(core: Core) -> None:
    segment = core.chance.choice(core.segments)
    at, layout = core.chance.choice(
        [(0, "<I"), (4, "<I"), (8, "<Q"), (16, "<Q"), (32, "<Q"), (40, "<Q"), (48, "<Q")]
    )
    near = core.chance.choice(core.segments)
    values = (*WIDE, near.address, near.offset, near.size, len(core.data))
    core.put(segment.at + at, layout, core.chance.choice(values))


def a_note(core: Core) -> None:
    at, _, _, _ = core.chance.choice(core.notes())
    core.put(at + core.chance.choice((0, 4, 8)), "<I", core.chance.choice(NUMBERS))


def the_list_of_files(core: Core) -> None:
    """Its counts and addresses."""
    body, size = core.note(NT_FILE)
    if size:
        at = body + 8 * core.chance.randrange(min(size // 8, 2 + 3 * 24))
        core.put(
            at, "<Q", core.chance.choice((*WIDE, core.an_address(), core.an_address() & -PAGE))
        )


def a_files_name(core: Core) -> None:
    """Files that would do something if they were opened, run or loaded."""
    body, size = core.note(NT_FILE)
    (count,) = struct.unpack_from("<Q", core.data, body)
    names = core.data[body : body + size].split(b"\0")[:-1] if size else []
    paths = [name[name.find(b"/") :] for name in names if b"/" in name]
    if not paths or count > len(core.data):
        return
    old = core.chance.choice(paths)
    new = core.chance.choice(_names(core))
    at = core.data.find(old, body, body + size)
    text = (new + bytes(len(old)))[: len(old)]
    core.put_bytes(at, text)


def _names(core: Core) -> list[bytes]:
    decoys = [os.fsencode(path) for path in sorted(core.decoys.iterdir())]
    other = [
        b"/dev/zero",
        b"/dev/tty",
        b"/proc/self/mem",
        b"/proc/self/fd/0",
        b"/../../etc",
        b"/",
    ]
    return [*decoys, *other, *NASTY]


def the_auxiliary_vector(core: Core) -> None:
    body, size = core.note(NT_AUXV)
    if size:
        at = body + 8 * core.chance.randrange(size // 8)
        core.put(at, "<Q", core.chance.choice((*WIDE, core.an_address())))


def a_threads_registers(core: Core) -> None:
    body, size = core.note(NT_PRSTATUS)
    if size:
        at = body + 8 * core.chance.randrange(size // 8)
        core.put(at, "<Q", core.chance.choice((*WIDE, core.an_address())))


def its_process(core: Core) -> None:
    kind = core.chance.choice((NT_PRPSINFO, NT_SIGINFO))
    body, size = core.note(kind)
    if size and kind == NT_PRPSINFO:
        core.put_bytes(body + size - 80, core.chance.choice(NASTY) * 4)
    elif size:
        core.put(body + 4 * core.chance.randrange(8), "<I", core.chance.choice(NUMBERS))


def a_pointer(core: Core) -> None:
    for _ in range(core.chance.choice((1, 4, 16))):
        found = core.pointers()
        if not found:
            return
        at = core.chance.choice(found)
        (old,) = struct.unpack_from("<Q", core.data, at)
        _, page = core.a_page()
        itself = next(s.address + at - s.offset for s in core.segments if _holds(s, at))
        values = (*WIDE, old + 1, old + 8, old - 64, itself, core.an_address(), page)
        core.put(at, "<Q", core.chance.choice(values))


def _holds(segment: Segment, at: int) -> bool:
    return segment.kind == PT_LOAD and segment.offset <= at < segment.offset + segment.size


def known_structures(core: Core) -> None:
    """Words of those whose places are told, and of what lies beside them."""
    for _ in range(core.chance.choice((1, 1, 3, 10))):
        at = core.offset(core.chance.choice(core.places) + 8 * core.chance.randrange(-8, 24))
        near = core.chance.choice(core.places) + 8 * core.chance.randrange(24)
        values = (*WIDE, near, core.chance.choice(core.places), core.an_address())
        if at is not None:
            core.put(at, "<Q", core.chance.choice(values))


def a_count(core: Core) -> None:
    """A small number, which may be one of elements, threads or levels."""
    for _ in range(64):
        _, page = core.a_page()
        at = page + core.chance.randrange(0, PAGE, 4)
        if at + 4 <= len(core.data) and 0 < struct.unpack_from("<I", core.data, at)[0] < 1024:
            core.put(at, "<I", core.chance.choice(NUMBERS))
            return


def a_string(core: Core) -> None:
    for _ in range(64):
        _, page = core.a_page()
        text = bytes(core.data[page : page + PAGE])
        starts = [i for i in range(0, PAGE - FEWEST) if text[i : i + FEWEST].isalnum()]
        if starts:
            at = core.chance.choice(starts)
            new = core.chance.choice((*NASTY, *_names(core), b"A" * LONGEST))
            core.put_bytes(page + at, new)
            return


def its_end(core: Core) -> None:
    del core.data[core.chance.randrange(64, len(core.data)) :]


MUTATIONS: tuple[Callable[[Core], None], ...] = (
    some_bytes,
    a_whole_page,
    the_header,
    a_segment,
    a_note,
    the_list_of_files,
    a_files_name,
    the_auxiliary_vector,
    a_threads_registers,
    its_process,
    a_pointer,
    a_pointer,
    a_pointer,
    a_count,
    a_count,
    a_string,
    a_string,
    its_end,
)


def mutated(
    data: bytes, chance: random.Random, decoys: Path, places: Sequence[int] = ()
) -> tuple[bytes, list[str]]:
    """Another core, and what was done to it."""
    core = Core(data, chance, decoys, places)
    # Every other mutation is of what is known, where anything is.
    known = (known_structures,) * (len(MUTATIONS) if places else 0)
    done = [chance.choice(MUTATIONS + known) for _ in range(chance.choice(LIKELIEST))]
    # What cuts it off comes last.
    done.sort(key=lambda mutation: mutation is its_end)
    for mutation in done:
        mutation(core)
    return bytes(core.data), [mutation.__name__ for mutation in done]
