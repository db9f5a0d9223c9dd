# SPDX-License-Identifier: Apache-2.0
"""By which names does GDB get the files that a process has mapped? Of a process in a container, or
with files that were replaced or deleted since, the kernel's paths lead to others here, or to
none."""

from __future__ import annotations

import os
import shutil
from typing import Mapping, Sequence

from ompd_core.errors import UserError
from ompd_core.formats import procfs
from ompd_core.formats.elf import ElfFile, NotElf
from ompd_core.formats.free_memory import FreeMemory
from ompd_core.light_classes import NamedTuple

from . import debug_files, images, libraries
from .images import Image
from .search import compare

MOST_LIBRARIES = 1000


class Files(NamedTuple):
    program: Sequence[str]  # empty: GDB finds it by itself
    libraries: Sequence[str]  # whose symbols it may read before it attaches
    settings: Sequence[str] = ()


class _Source:
    def __init__(self, memory: FreeMemory) -> None:
        self.dumped = memory.read

    def is_what_was_mapped(self, file: ElfFile, path: str) -> bool | None:
        return None  # all of a process can be read, so its beginning has told


def files(pid: int, folder: str) -> Files:
    """folder: a private one. Raises UserError."""
    mappings = [one for one in procfs.mappings(f"/proc/{pid}") if one.path.startswith("/")]
    code = [one.path for one in mappings if "x" in one.rights]
    try:
        program = os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return Files([], [])
    firsts = {one.path: one for one in reversed(mappings) if one.path in code and not one.offset}
    reached: dict[str, str | None] = {
        path: path for path in firsts if procfs.leads_to(firsts[path])
    }
    other_root = _has_other_root(pid)
    if other_root or len(reached) < len(firsts):
        try:
            memory = FreeMemory(pid)
        except (OSError, NotElf):
            pass  # it may not be looked at, which GDB says
        else:
            try:
                for path in firsts.keys() - reached.keys():
                    image = images.image_at(_Source(memory), firsts[path].start, path)
                    if image.start[:4] == images.ELF:  # else code that was made while it ran
                        reached[path] = _found(pid, firsts[path], image)
                if other_root or any(place != path for path, place in reached.items()):
                    return _rooted(pid, mappings, reached, program, folder, memory)
            finally:
                memory.close()
    others = [path for path in reached if path != program]
    return Files([program] if program in reached else [], others[:MOST_LIBRARIES])


def _has_other_root(pid: int) -> bool:
    """Then the dynamic linker's names are not ours, whatever the kernel's are."""
    try:
        return not os.path.samefile(f"/proc/{pid}/root", "/")
    except OSError:
        return False


def _found(pid: int, one: procfs.Mapped, image: Image) -> str | None:
    places = (
        image.path,
        f"/proc/{pid}/root{image.path}",
        # Also of a file that has no name any more: it needs a right of root's on the machine.
        f"/proc/{pid}/map_files/{one.start:x}-{one.end:x}",
    )
    return next((place for place in places if compare(image, place) == "same"), None)


def _rooted(
    pid: int,
    mappings: Sequence[procfs.Mapped],
    reached: Mapping[str, str | None],
    program: str,
    folder: str,
    memory: FreeMemory,
) -> Files:
    names = {path: place for path, place in reached.items() if place is not None}
    sysroot = f"/proc/{pid}/root"
    debug_files.check(names.values(), sysroot)
    for loaded in libraries.loaded(memory, memory.auxv):
        mapped = next((m.path for m in mappings if m.start <= loaded.dynamic < m.end), "")
        place = reached.get(mapped)
        if place is not None:
            names[loaded.path] = place
    root = os.path.join(folder, libraries.ROOT)
    libraries.make_root(root, names, sysroot)
    settings = [f"set sysroot {root}"]
    if program not in names:
        return Files([], [], settings)
    return Files([_without_links(names[program], libraries.place_in(root, program))], [], settings)


def _without_links(path: str, link: str) -> str:
    """GDB takes a program's name without links. The kernel's link to a process's root then names
    the file as that process does, and there may be another file here: a copy takes its place."""
    plain = os.path.realpath(path)
    if os.path.exists(plain) and not os.path.samefile(plain, path):
        try:
            os.unlink(link)
            shutil.copyfile(path, link)
        except OSError as error:
            raise UserError(
                "file_error",
                f"The program {path} cannot be copied ({error.strerror}).",
                "Set TMPDIR to a directory with room.",
            ) from None
    return link
