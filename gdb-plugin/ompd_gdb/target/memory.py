# SPDX-License-Identifier: Apache-2.0
"""How are the target's bytes read? Of a process through GDB, of a core file by ourselves: GDB
answers zeros for what was not dumped."""

from __future__ import annotations

import os
import re
import struct

import gdb
from ompd_core import late_patterns
from ompd_core.errors import Unreadable, UserError
from ompd_core.formats.corefile import CoreFile
from ompd_core.formats.elf import ET_CORE, ElfFile, Format, NotElf

from .. import texts
from . import console

_RANDOM = 25  # linux/auxvec.h: where they are


class LiveMemory:
    """A process here or behind a remote stub."""

    def __init__(self, inferior: gdb.Inferior) -> None:
        self._inferior = inferior

    def read(self, address: int, nbytes: int) -> bytes:
        try:
            return bytes(self._inferior.read_memory(address, nbytes))
        except (gdb.MemoryError, OverflowError):
            raise Unreadable() from None

    def close(self) -> None:
        pass


class FreeMemory:
    """Of a process on this machine that runs, and is not attached to."""

    def __init__(self, pid: int) -> None:
        """Raises OSError, NotElf."""
        program = ElfFile(f"/proc/{pid}/exe")
        program.close()
        self.byte_order, self.pointer_size = program.format.byte_order, program.format.pointer_size
        with open(f"/proc/{pid}/auxv", "rb") as file:
            data = file.read()
        kind = program.format.order + ("QQ" if program.format.wide else "II")
        whole = len(data) - len(data) % struct.calcsize(kind)
        self.auxv = {int(key): int(word) for key, word in struct.iter_unpack(kind, data[:whole])}
        self._file = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)

    def read(self, address: int, nbytes: int) -> bytes:
        try:
            data = os.pread(self._file, nbytes, address)
        except (OSError, OverflowError):
            raise Unreadable() from None
        if len(data) != nbytes:
            raise Unreadable()
        return data

    def close(self) -> None:
        os.close(self._file)


def random_bytes(pid: int) -> bytes | None:
    """That the kernel gave to the program when it was executed."""
    try:
        free = FreeMemory(pid)
    except (OSError, NotElf):
        return None
    try:
        return free.read(free.auxv[_RANDOM], 16)
    except (KeyError, Unreadable):
        return None
    finally:
        free.close()


def open_core(progspace: gdb.Progspace) -> CoreFile:
    path = core_path()
    if path is None:
        raise UserError(
            "core_unreadable",
            "GDB does not tell which core file it has opened.",
            "Open it again with `core FILE'.",
        )
    files = [texts.filename(one) for one in (progspace, *progspace.objfiles())]
    try:
        return CoreFile(path, [file for file in files if file])
    except (OSError, NotElf) as error:
        raise UserError(
            "core_unreadable", f"The core file {path} cannot be read: {error}.", ""
        ) from None


def core_path() -> str | None:
    """GDB tells Python only since 18: the lines of `info files' that name a file are as old as
    GDB. A name may have line ends in it."""
    text = console.output("info files")
    quoted = late_patterns.compile(r"^\t[`‘]((?:.|\n)+?)['’], ", re.MULTILINE)
    in_a_line = late_patterns.compile(r"^\t[`‘](.+)['’], ", re.MULTILINE)
    for match in [*in_a_line.finditer(text), *quoted.finditer(text)]:
        try:
            file = ElfFile(match.group(1))
        except (OSError, NotElf, ValueError):
            continue
        kind = file.kind
        file.close()
        if kind == ET_CORE:
            return match.group(1)
    return None


def auxiliary_vector() -> dict[int, int]:
    """Of the selected inferior; empty if there is none."""
    # In the language "unknown" GDB prints no strings, and an error of a command while a library is
    # being loaded has `run' end there without a word.
    output = console.output_in_c if gdb.parameter("language") == "unknown" else console.output
    try:
        text = output("info auxv")
    except gdb.error:
        return {}
    found = {}
    for match in re.finditer(r"^(\d+)\s.*?\s(0x[0-9a-f]+|\d+)(?: \".*\")?$", text, re.MULTILINE):
        found[int(match.group(1))] = int(match.group(2), 0)
    return found


def image_format(inferior: gdb.Inferior) -> Format:
    """Width and byte order: from the program's file, else from GDB's name of the architecture."""
    path = texts.filename(inferior.progspace)
    if path:
        try:
            file = ElfFile(path)
            file.close()
            return file.format
        except (OSError, NotElf, ValueError):
            pass
    # GDB says aarch64, powerpc:common64, riscv:rv64, s390:64-bit, ...
    wide = "64" in inferior.architecture().name()
    little = "big" not in console.output("show endian")
    return Format(bytes([0x7F, 0x45, 0x4C, 0x46, 2 if wide else 1, 1 if little else 2]) + bytes(14))
