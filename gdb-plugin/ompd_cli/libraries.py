# SPDX-License-Identifier: Apache-2.0
"""Which files does GDB get for the libraries of a core file? Those that are proven to be the
core's, and nothing else that it names: through another build of one, GDB would show stacks that
never were, and what a hostile core names may be a pipe or a device."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Mapping, Sequence

from ompd_core.errors import UserError
from ompd_core.formats import relative_names
from ompd_core.formats.corefile import CoreFile
from ompd_core.formats.images import LoadedImage

from . import debug_files
from .images import Image
from .search import Search

if TYPE_CHECKING:
    from ompd_core.library.images import Memory

MOST_NAMED = 8  # in a note
DEBUG_FILES = "usr/lib/debug"
ROOT = "root"  # in the private folder
PACKAGE = os.path.dirname(os.path.abspath(__file__))

_MISSING = (
    "Libraries of the core file are not here: {}. Stacks through them may be wrong. Copy them, and"
    " name the place by --sysroot or --lib-search-root."
)
_DIFFERENT = (
    "Libraries of the core file are here in other builds, which are not used; the core's are: {}."
    " Stacks through them may be wrong. Copy those from its machine, and name the place by"
    " --sysroot or --lib-search-root."
)


def settings(
    core: CoreFile,
    libraries: Sequence[Image],
    search: Search,
    program: dict[str, str],
    folder: str,
    notes: list[str],
) -> list[str]:
    """For GDB; program: where it is now, by the path that it had; notes: on what is not here."""
    here = dict(program)
    missing: list[Image] = []
    different: list[Image] = []
    for image in libraries:
        path, other = search.find(image)
        if path is not None:
            here[image.mapped] = path
        else:
            (missing if other is None else different).append(image)
    if missing:
        notes.append(_MISSING.format(_named(missing)))
    if different:
        notes.append(_DIFFERENT.format(_named(different)))
    debug_files.check(here.values(), search.sysroot)
    root = os.path.join(folder, ROOT)
    names = _names(core, here, search)
    make_root(root, names, search.sysroot)
    found = [f"set sysroot {root}"]
    elsewhere = relative_names.search_path(names)
    return [*found, f"set solib-search-path {elsewhere}"] if elsewhere else found


def _named(images: Sequence[Image]) -> str:
    names = [f"{image.path} (build-id {image.build_id or 'unknown'})" for image in images]
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _names(core: CoreFile, here: dict[str, str], search: Search) -> dict[str, str]:
    """With those that the dynamic linker has."""
    names = dict(here)
    for image in loaded(core, core.auxv):
        mapping = core.mapping_of(image.dynamic)
        if mapping is not None and mapping.path in here:
            names[image.path] = here[mapping.path]
        elif not core.mappings:
            # A core without the kernel's list of files: by its name alone.
            path, _ = search.find(Image(image.path, b"", None, core))
            if path is not None:
                names[image.path] = path
    return names


def make_root(root: str, names: Mapping[str, str], sysroot: str | None) -> None:
    """A root of links. GDB looks there for what was mapped, also for the program, whatever file it
    was given of it, and for the names that the dynamic linker has for libraries: it finds the right
    file, or none. Raises UserError."""
    os.mkdir(root)
    for name, path in names.items():
        if not name.startswith("/"):
            continue
        link = place_in(root, name)
        try:
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(os.path.abspath(path), link)
        except FileExistsError:
            pass  # by another spelling of its name
        except (OSError, ValueError) as error:
            raise UserError(
                "core_unreadable", f"No link can be made for {name}: {error}.", "Copy it again."
            ) from None
    if sysroot is not None:
        _link_debug_files(sysroot, root)


def place_in(root: str, name: str) -> str:
    """The name is the core's or the process's: it must not lead out of the root."""
    return os.path.join(root, os.path.normpath(name).lstrip("/"))


def loaded(memory: Memory, auxv: Mapping[int, int]) -> Sequence[LoadedImage]:
    """In the dynamic linker's list. Raises UserError."""
    # Which no other command needs here.
    from ompd_core.library import search as library_search
    from ompd_core.library.images import images
    from ompd_core.library.library import Library

    library = Library(library_search.find(PACKAGE, "", ""))
    try:
        return images(library, memory, auxv).loaded
    finally:
        library.close()


def _link_debug_files(sysroot: str, root: str) -> None:
    """GDB looks for them in its sysroot too. The last link: through it nothing is written."""
    link = os.path.join(root, DEBUG_FILES)
    if not os.path.lexists(link):
        os.makedirs(os.path.dirname(link), exist_ok=True)
        os.symlink(os.path.join(os.path.abspath(sysroot), DEBUG_FILES), link)
