# SPDX-License-Identifier: Apache-2.0
"""Would GDB come to an end of what a program names as its separate debug information? It opens
whatever lies there, and reads it to its end: a pipe, a device, a file of nothing but holes."""

from __future__ import annotations

import os
import stat
from typing import Iterable, Iterator

from ompd_core.errors import UserError
from ompd_core.formats.elf import ElfFile, NotElf

from .images import file_build_id

FOLDER = "/usr/lib/debug"
# Of the largest programs they have some 10 GB, which takes GDB half a minute.
LARGEST = 16 << 30

_KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


def check(files: Iterable[str], sysroot: str | None = None) -> None:
    """files: programs and libraries. sysroot: of which GDB takes debug files, too. Raises
    UserError."""
    for file in dict.fromkeys(files):
        for candidate in _candidates(file, [FOLDER, *([sysroot + FOLDER] if sysroot else [])]):
            what = _endless(candidate)
            if what is not None:
                raise UserError(
                    "file_error",
                    f"{candidate}, where GDB looks for the debug information of {file}, is {what}:"
                    " GDB would not end.",
                    "Move it away.",
                )


def _endless(path: str) -> str | None:
    """What it is, unless it has an end that can be waited for, or is not there."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(about.st_mode) and about.st_size > LARGEST:
        return f"a file of {about.st_size >> 30} GiB"
    return _KINDS.get(stat.S_IFMT(about.st_mode))


def _candidates(file: str, debug_folders: Iterable[str]) -> Iterator[str]:
    """Where GDB looks; that has the parts in common with others last."""
    link, shared, build_id = _names(file)
    path = os.path.abspath(file)
    for folder in {os.path.dirname(path), os.path.dirname(os.path.realpath(path))}:
        found = []
        if link:
            found += [f"{folder}/{link}", f"{folder}/.debug/{link}"]
            found += [f"{one}{folder}/{link}" for one in debug_folders]
        if build_id:
            places = (f"{one}/.build-id/{build_id[:2]}" for one in debug_folders)
            found += [f"{place}/{build_id[2:]}.debug" for place in places]
        yield from found
        if shared:
            yield os.path.join(folder, shared)
        for one in found:
            shared_by = _names(one)[1] if os.path.isfile(one) else ""
            if shared_by:
                yield os.path.join(os.path.dirname(os.path.realpath(one)), shared_by)


def _names(path: str) -> tuple[str, str, str]:
    """Of its debug file, of the one that it has parts in common with others in, and its build-id;
    "": it names none."""
    try:
        file = ElfFile(path)
    except (OSError, NotElf, ValueError):
        return "", "", ""
    try:
        link, shared = (
            os.fsdecode(file.section(name).partition(b"\0")[0])
            for name in (b".gnu_debuglink", b".gnu_debugaltlink")
        )
        return link, shared, file_build_id(file) or ""
    except NotElf:
        return "", "", ""
    finally:
        file.close()
