# SPDX-License-Identifier: Apache-2.0
"""How are the target's bytes read? Of a process through GDB, of a core file by ourselves: GDB
answers zeros for what was not dumped."""

from __future__ import annotations

import re

import gdb
from ompd_core import late_patterns
from ompd_core.errors import Unreadable, UserError
from ompd_core.formats.corefile import CoreFile
from ompd_core.formats.elf import ET_CORE, ElfFile, Format, NotElf

from .. import texts
from . import console


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
