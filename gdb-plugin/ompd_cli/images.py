# SPDX-License-Identifier: Apache-2.0
"""Which files does a core file name, and are those that are here the same ones? By build-id, else
by how they begin: the core has the first page of each, unless its filter was changed; else by what
the dynamic linker wrote of them."""

from __future__ import annotations

import os
import struct

from ompd_core.errors import Unreadable
from ompd_core.formats.corefile import CoreFile
from ompd_core.formats.elf import PT_NOTE, ElfFile, Format, NotElf
from ompd_core.formats.proof import PROOF_BYTES
from ompd_core.light_classes import dataclass

NT_GNU_BUILD_ID = 3
MOST_SEGMENTS = 64  # that lie on an image's first page
LONGEST_NOTES = 1 << 16
_DELETED = " (deleted)"


@dataclass(frozen=True)
class Image:
    """A program or library in the core."""

    mapped: str  # the path, as the core has it
    start: bytes  # its first bytes, as far as the core has them
    build_id: str | None
    core: CoreFile

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
            return self.core.is_what_was_mapped(file, self.mapped)
        finally:
            file.close()


def images(core: CoreFile) -> list[Image]:
    """Of all that is mapped, what begins as ELF does; where the core has no beginnings, what has
    code."""
    found: dict[str, Image] = {}
    for mapping in core.mappings:
        if mapping.offset == 0 and mapping.path not in found:
            start = _dumped(core, mapping.start, PROOF_BYTES)
            if start[:4] == b"\x7fELF":
                build_id = _build_id(core, mapping.start, start)
                found[mapping.path] = Image(mapping.path, start, build_id, core)
            elif not start and core.holds_code(mapping.path):
                found[mapping.path] = Image(mapping.path, b"", None, core)
    return list(found.values())


def _dumped(core: CoreFile, address: int, nbytes: int) -> bytes:
    try:
        return core.dumped(address, nbytes)
    except (Unreadable, NotElf):
        return b""


def _build_id(core: CoreFile, base: int, start: bytes) -> str | None:
    try:
        form = Format(start)
    except NotElf:
        return None
    offset, count = form.table(start)
    size = min(count, MOST_SEGMENTS) * form.segment_size
    for segment in form.segments(_dumped(core, base + offset, size)):
        if segment.kind == PT_NOTE and segment.file_size <= LONGEST_NOTES:
            # The file's beginning is mapped at base, and its notes lie there too.
            notes = _dumped(core, base + segment.offset, segment.file_size)
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
