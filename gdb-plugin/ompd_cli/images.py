# SPDX-License-Identifier: Apache-2.0
"""Which files does a core file or a process name, and are those that are here the same ones?

By build-id, else by how they begin: the core has the first page of each, unless its filter was
changed; else by what the dynamic linker wrote of them."""

from __future__ import annotations

import os
import struct
from typing import Protocol

from ompd_core.errors import Unreadable
from ompd_core.formats.corefile import CoreFile
from ompd_core.formats.elf import PT_NOTE, ElfFile, Format, NotElf
from ompd_core.formats.proof import PROOF_BYTES
from ompd_core.light_classes import dataclass

NT_GNU_BUILD_ID = 3
MOST_SEGMENTS = 64  # that lie on an image's first page
LONGEST_NOTES = 1 << 16
_DELETED = " (deleted)"
ELF = b"\x7fELF"


class Source(Protocol):
    """Where the images are in: a core file, or a process."""

    def dumped(self, address: int, nbytes: int) -> bytes:
        """Raises Unreadable, NotElf."""

    def is_what_was_mapped(self, file: ElfFile, path: str) -> bool | None:
        """By anything but its beginning. None: it cannot be told."""


@dataclass(frozen=True)
class Image:
    """A program or library."""

    mapped: str  # the path, as the core or the kernel has it
    start: bytes  # its first bytes, as far as they are there
    build_id: str | None
    source: Source

    @property
    def path(self) -> str:
        deleted = self.mapped.endswith(_DELETED)
        return self.mapped[: -len(_DELETED)] if deleted else self.mapped

    @property
    def name(self) -> str:
        return os.path.basename(self.path)

    def is_file(self, path: str) -> bool | None:
        """None: it cannot be told. Raises OSError, NotElf."""
        file = ElfFile(path)
        try:
            there = file_build_id(file)
            if self.build_id is not None and there is not None:
                return self.build_id == there
            if self.start:
                same = file.read(0, min(len(self.start), file.size)) == self.start
                return True if same else None
            return self.source.is_what_was_mapped(file, self.mapped)
        finally:
            file.close()


def images(core: CoreFile) -> list[Image]:
    """Of all that is mapped, what begins as ELF does; where the core has no beginnings, what has
    code."""
    found: dict[str, Image] = {}
    for mapping in core.mappings:
        if mapping.offset == 0 and mapping.path not in found:
            image = image_at(core, mapping.start, mapping.path)
            if image.start[:4] == ELF or not image.start and core.holds_code(mapping.path):
                found[mapping.path] = image
    return list(found.values())


def image_at(source: Source, base: int, path: str) -> Image:
    """Of a file that is mapped there from its beginning on, whatever it is."""
    start = _dumped(source, base, PROOF_BYTES)
    return Image(path, start, _build_id(source, base, start), source)


def _dumped(source: Source, address: int, nbytes: int) -> bytes:
    try:
        return source.dumped(address, nbytes)
    except (Unreadable, NotElf):
        return b""


def _build_id(source: Source, base: int, start: bytes) -> str | None:
    try:
        form = Format(start)
    except NotElf:
        return None
    offset, count = form.table(start)
    size = min(count, MOST_SEGMENTS) * form.segment_size
    for segment in form.segments(_dumped(source, base + offset, size)):
        if segment.kind == PT_NOTE and segment.file_size <= LONGEST_NOTES:
            # The file's beginning is mapped at base, and its notes lie there too.
            notes = _dumped(source, base + segment.offset, segment.file_size)
            found = _in_notes(notes, form.order)
            if found is not None:
                return found
    return None


def file_build_id(file: ElfFile) -> str | None:
    """Raises NotElf."""
    for segment in file.segments():
        if segment.kind == PT_NOTE and segment.file_size <= LONGEST_NOTES:
            notes = file.read(segment.offset, segment.file_size)
            found = _in_notes(notes, file.format.order)
            if found is not None:
                return found
    return None


def _in_notes(notes: bytes, order: str) -> str | None:
    at = 0
    while at + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from(order + "III", notes, at)
        body = at + 12 + (name_size + 3) // 4 * 4
        if kind == NT_GNU_BUILD_ID and notes[at + 12 : at + 16] == b"GNU\0":
            return notes[body : body + size].hex() or None
        at = body + (size + 3) // 4 * 4
    return None
