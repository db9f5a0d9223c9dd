# SPDX-License-Identifier: Apache-2.0
"""Where is libompd? Only places that the user trusts are looked at: what `set ompd library' names,
the library that came with this plugin, and the directories of `set ompd library-path'. What the
debugged program names (ompd_dll_locations) is never loaded: it could be anybody's code.
"""

from __future__ import annotations

import glob
import os

from .. import source_tree
from ..errors import UserError
from ..formats.elf import PT_LOAD, ElfFile, NotElf

NAME = "libompd.so"


def own_candidates(package: str) -> list[str]:
    """Where our library lies, seen from the directory of this package: in the source tree it is
    SOURCE/gdb-plugin/ompd_gdb with the build of SOURCE, installed PREFIX/share/ompd/ompd_gdb with
    PREFIX/lib*/ompd.
    """
    home = os.path.dirname(os.path.realpath(package))
    source, prefix = os.path.dirname(home), os.path.dirname(os.path.dirname(home))
    installed = os.path.basename(home) == "ompd" and os.path.basename(source) == "share"
    if not installed:
        return [os.path.join(source_tree.build(source), "libompd", NAME)]
    escaped = glob.escape(prefix)
    return sorted(
        glob.glob(os.path.join(escaped, "lib*", "ompd", NAME))
        + glob.glob(os.path.join(escaped, "lib", "*-linux-*", "ompd", NAME))
    ) or [os.path.join(prefix, "lib", "ompd", NAME)]


def find(package: str, named: str, path: str) -> str:
    """named: `set ompd library', path: `set ompd library-path', both may be empty."""
    if named:
        return os.path.abspath(os.path.expanduser(named))
    directories = [directory for directory in path.split(os.pathsep) if directory]
    candidates = own_candidates(package) + [
        os.path.join(os.path.abspath(os.path.expanduser(directory)), NAME)
        for directory in directories
    ]
    for candidate in candidates:
        if os.path.exists(candidate):
            return candidate
    raise UserError(
        "library_not_found",
        f"{NAME} was not found; looked for {', '.join(candidates)}.",
        "Build it (cmake -S . -B build && cmake --build build), or name it with"
        " `set ompd library FILE'.",
    )


def refuse_truncated(path: str) -> None:
    """The dynamic linker would map what is not there, and the debugger die of SIGBUS."""
    try:
        file = ElfFile(path)
    except (OSError, NotElf, ValueError):
        return  # the dynamic linker says what it is
    try:
        ends = [s.offset + s.file_size for s in file.segments() if s.kind == PT_LOAD]
        whole = max(ends, default=0) <= file.size
    except NotElf:
        whole = False
    finally:
        file.close()
    if not whole:
        raise UserError(
            "library_not_loadable",
            f"{path} is truncated.",
            "Copy or build it again, or name another one with `set ompd library FILE'.",
        )
