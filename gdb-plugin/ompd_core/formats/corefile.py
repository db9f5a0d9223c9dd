# SPDX-License-Identifier: Apache-2.0
"""What of a core file's memory is really known?

A core leaves out pages that a file backs. GDB reads them from that file, and answers zeros when it
does not have it. So here the core's own headers decide: bytes come from the core, or from the file
that backed them if its beginning is the same as the one in the core, or they are not known.
"""

from __future__ import annotations

import bisect
import os
import struct
from typing import Iterable, Sequence

from ..errors import Unreadable
from ..light_classes import NamedTuple
from ..signals import Signal, from_siginfo
from . import proof
from .elf import (
    AT_EXECFN,
    ET_CORE,
    NT_AUXV,
    NT_FILE,
    NT_PRPSINFO,
    NT_PRSTATUS,
    NT_SIGINFO,
    PT_LOAD,
    ElfFile,
    NotElf,
    Segment,
)


class Mapping(NamedTuple):
    """A line of the core's NT_FILE note."""

    start: int
    end: int
    offset: int
    path: str


class CoreFile:
    def __init__(self, path: str, files: Iterable[str] = ()) -> None:
        """files: where else to look for what the core names, such as the files that GDB has found
        for the program and its libraries. Raises NotElf, OSError."""
        self._elf = ElfFile(path)
        if self._elf.kind != ET_CORE:
            raise NotElf(f"{path} is not a core file")
        self.path = path
        self.byte_order = self._elf.format.byte_order
        self.pointer_size = self._elf.format.pointer_size
        self.format = self._elf.format
        self.machine = self._elf.machine  # ELF's number of the processor
        self._loads = sorted(
            (s for s in self._elf.segments() if s.kind == PT_LOAD), key=lambda s: s.address
        )
        self._starts = [segment.address for segment in self._loads]
        # Of each: where that ends which the file has; how far its place there is from its address.
        whole = self._elf.size
        self._dumped_to = [
            s.address + min(s.file_size, max(whole - s.offset, 0)) for s in self._loads
        ]
        self._shifts = [segment.offset - segment.address for segment in self._loads]
        self.missing = max(
            [s.offset + s.file_size - self._elf.size for s in self._elf.segments()] + [0]
        )
        self.mappings: list[Mapping] = []
        self._mapped: list[int] = []  # where each begins
        self.auxv: dict[int, int] = {}
        self.pid: int | None = None
        self.command = ""  # the beginning of its command line
        self.lwps: set[int] = set()  # of the threads that lived
        self.signal: Signal | None = None  # at which the program died
        self._read_notes()
        self._files = list(files)
        self._opened: dict[str, ElfFile | None] = {}
        self.likely: set[str] = set()  # paths whose files were found without a build-id

    @property
    def loads(self) -> Sequence[Segment]:
        """Of memory, by their addresses."""
        return self._loads

    @property
    def is_kernels(self) -> bool:
        """GDB's have headers of sections; of the kernel's only one with very many segments has
        one."""
        return len(self._elf.sections()) <= 1

    @property
    def first_stack(self) -> int | None:
        """An address on the stack that the kernel made for the program: of the file's name."""
        return self.auxv.get(AT_EXECFN)

    def close(self) -> None:
        self._elf.close()
        for file in self._opened.values():
            if file is not None:
                file.close()

    def _read_notes(self) -> None:
        first: dict[int, bytes] = {}
        for kind, offset, size in self._elf.notes():
            if kind == NT_FILE and not self.mappings:
                self._read_mappings(self._elf.read(offset, size))
            elif kind == NT_AUXV and not self.auxv:
                data, word = self._elf.read(offset, size), self.pointer_size
                for at in range(0, len(data) - 2 * word + 1, 2 * word):
                    entry = self._elf.format.word(data, at)
                    self.auxv[entry] = self._elf.format.word(data, at + word)
            elif kind in (NT_PRSTATUS, NT_PRPSINFO, NT_SIGINFO):
                note = self._elf.read(offset, size)
                first.setdefault(kind, note)  # the thread that died comes first
                if kind == NT_PRSTATUS:
                    self.lwps.add(self._lwp_of(note))
        self._read_process(first.get(NT_PRPSINFO, b""))
        self._read_status(first.get(NT_PRSTATUS, b""))
        self._read_siginfo(first.get(NT_SIGINFO, b""))

    def blocked(self, lwp: int) -> int | None:
        """A bit for each signal that a thread had blocked, from 1 on; gcore says of all that none
        is."""
        mask_at = 12 + 4 + self.pointer_size
        for kind, offset, size in self._elf.notes():
            lwp_at = mask_at + self.pointer_size
            if kind == NT_PRSTATUS and size >= lwp_at + 4:
                note = self._elf.read(offset, size)
                if struct.unpack_from(self.format.order + "i", note, lwp_at)[0] == lwp:
                    return self.format.word(note, mask_at)
        return None

    def _read_process(self, note: bytes) -> None:
        size, pid_at = (136, 24) if self.format.wide else (124, 12)
        if len(note) == size:
            (self.pid,) = struct.unpack_from(self.format.order + "i", note, pid_at)
            self.command = note[-80:].partition(b"\0")[0].decode("utf-8", "replace").strip()

    def _read_status(self, note: bytes) -> None:
        """A core of gcore has no signal there."""
        lwp = self._lwp_of(note)
        if lwp:
            (number,) = struct.unpack_from(self.format.order + "h", note, 12)
            self.signal = Signal(number, lwp) if number > 0 else None

    def _lwp_of(self, note: bytes) -> int:
        """0: it is cut."""
        at = 12 + 4 + 2 * self.pointer_size
        return (
            int(struct.unpack_from(self.format.order + "i", note, at)[0]) if note[at + 3 :] else 0
        )

    def _read_siginfo(self, note: bytes) -> None:
        fields = 16 if self.format.wide else 12
        if self.signal is None or len(note) < fields + self.pointer_size:
            return
        number, _, code = struct.unpack_from(self.format.order + "3i", note)
        (sender,) = struct.unpack_from(self.format.order + "i", note, fields)
        if number == self.signal.number:
            address = self.format.word(note, fields)
            lwp = self.signal.lwp
            self.signal = from_siginfo(number, lwp, code, address, sender, self.pid)

    def _read_mappings(self, note: bytes) -> None:
        word = self.pointer_size
        if len(note) < 2 * word:
            return
        count, page = self._elf.format.word(note), self._elf.format.word(note, word)
        names_at = 2 * word + count * 3 * word
        if names_at > len(note):
            return
        names = note[names_at:].split(b"\0")
        for i in range(min(count, len(names))):
            start, end, offset = (
                self._elf.format.word(note, (2 + i * 3 + k) * word) for k in range(3)
            )
            path = os.fsdecode(names[i])
            self.mappings.append(Mapping(start, end, offset * page, path))
        self.mappings.sort(key=lambda mapping: mapping.start)
        self._mapped = [mapping.start for mapping in self.mappings]

    def read(self, address: int, nbytes: int) -> bytes:
        """Raises Unreadable if a single byte is not known."""
        # Most of what is read lies in one segment, and a report reads twenty thousand times.
        i = bisect.bisect_right(self._starts, address) - 1
        if i >= 0 and address + nbytes <= self._dumped_to[i]:
            at = address + self._shifts[i]
            return self._elf.data[at : at + nbytes]
        parts = []
        while nbytes:
            part = self._read_some(address, nbytes)
            parts.append(part)
            address += len(part)
            nbytes -= len(part)
        return b"".join(parts)

    def _read_some(self, address: int, nbytes: int) -> bytes:
        """At least one byte, from one place."""
        i = bisect.bisect_right(self._starts, address) - 1
        segment = self._loads[i] if i >= 0 else None
        if segment is None or address - segment.address >= segment.memory_size:
            # gcore writes no header for the pages that it leaves to their file.
            end = self._starts[i + 1] if i + 1 < len(self._starts) else address + nbytes
            return self._from_file(address, min(nbytes, end - address))
        inside = address - segment.address
        dumped = self._dumped_to[i] - segment.address
        if inside < dumped:
            step = min(nbytes, dumped - inside)
            return self._elf.read(segment.offset + inside, step)
        if inside < segment.file_size:
            raise Unreadable()
        return self._from_file(address, min(nbytes, segment.memory_size - inside))

    def _from_file(self, address: int, nbytes: int) -> bytes:
        mapping = self.mapping_of(address)
        file = None if mapping is None else self._backing(mapping.path)
        if mapping is None or file is None:
            raise Unreadable()
        offset = mapping.offset + address - mapping.start
        step = min(nbytes, mapping.end - address, file.size - offset)
        if step <= 0:
            raise Unreadable()
        return file.read(offset, step)

    def _offset_at(self, address: int, path: str) -> int | None:
        """In the file that was mapped from path."""
        mapping = self.mapping_of(address)
        if mapping is None or mapping.path != path:
            return None
        return mapping.offset + address - mapping.start

    def holds_code(self, path: str) -> bool:
        """Was it mapped to be executed?"""
        return any(
            load.executable
            for mapping in self.mappings
            if mapping.path == path
            for load in self._within(mapping)
        )

    def _within(self, mapping: Mapping) -> list[Segment]:
        first = bisect.bisect_left(self._starts, mapping.start)
        return self._loads[first : bisect.bisect_left(self._starts, mapping.end)]

    def is_mapped(self, address: int) -> bool:
        """In the process: also what was not dumped."""
        i = bisect.bisect_right(self._starts, address) - 1
        load = self._loads[i] if i >= 0 else None
        inside = load is not None and address < load.address + load.memory_size
        return inside or self.mapping_of(address) is not None

    def mapping_of(self, address: int) -> Mapping | None:
        i = bisect.bisect_right(self._mapped, address) - 1
        return self.mappings[i] if i >= 0 and address < self.mappings[i].end else None

    def _backing(self, path: str) -> ElfFile | None:
        """The file that was mapped from path: that path, or one that GDB found for it."""
        if path not in self._opened:
            self._opened[path] = self._find_backing(path)
        return self._opened[path]

    def _find_backing(self, path: str) -> ElfFile | None:
        name = path.rsplit("/", 1)[-1]
        same_name = [file for file in self._files if file.rsplit("/", 1)[-1] == name]
        others = [file for file in self._files if file not in same_name]
        for candidate in [path, *same_name, *others]:
            try:
                file = ElfFile(candidate)
            except (OSError, NotElf, ValueError):
                continue
            if self.is_what_was_mapped(file, path):
                return file
            file.close()
        return None

    def is_what_was_mapped(self, file: ElfFile, path: str) -> bool | None:
        """None: it cannot be told, and then the file is not taken. The core holds the first page of
        each ELF file unless its filter was changed."""
        for mapping in self.mappings:
            if mapping.path == path and mapping.offset == 0:
                same = proof.begins_alike(file, mapping.start, self.dumped)
                if same is None:
                    same = proof.is_linked_alike(
                        file, mapping.start, self.dumped, lambda at: self._offset_at(at, path)
                    )
                    if same:
                        self.likely.add(path)
                return same
        return None

    def dumped(self, address: int, nbytes: int) -> bytes:
        """What the core itself has. Raises Unreadable, NotElf."""
        i = bisect.bisect_right(self._starts, address) - 1
        if i < 0:
            raise Unreadable()
        segment = self._loads[i]
        inside = address - segment.address
        if inside + nbytes > segment.file_size:
            raise Unreadable()
        return self._elf.read(segment.offset + inside, nbytes)
