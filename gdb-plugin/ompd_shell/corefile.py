# SPDX-License-Identifier: Apache-2.0
"""`ompd core': of which program is the core file, and are its files here?"""

from __future__ import annotations

import argparse
import os
import stat
from dataclasses import dataclass
from typing import Iterator

from ompd_gdb.errors import UserError
from ompd_gdb.target.corefile import CoreFile
from ompd_gdb.target.elf import NotElf

from . import debugger
from .images import Image, images
from .outcome import Outcome
from .unpacking import unpacked

AT_PHDR, AT_ENTRY = 3, 9
# A tree of libraries of another machine has some ten thousand files.
MOST_FILES = 200_000
MOST_NAMED = 8  # missing libraries in a note


def report(options: argparse.Namespace) -> Outcome:
    """Raises UserError."""
    with debugger.private_folder() as folder:
        core, path = _opened(options.core, folder)
        try:
            search = Search(options.sysroot, options.lib_search_root)
            _refuse_pipes(core)
            known = images(core)
            program = _program(core, known)
            task = debugger.Task("core", doing=f"GDB reads {os.path.basename(options.core)}")
            if path != options.core:
                task.notes.append(f"{options.core} was unpacked for this report, into {folder}.")
            executable = _executable(options, core, program, search, task.notes)
            libraries = [image for image in known if image is not program]
            directories = _libraries(libraries, search, task.notes)
            task.settings = [*search.settings(directories)]
            task.files = [executable, path]
        finally:
            core.close()
        return debugger.report(task, options.gdb, options.timeout, options.all)


def _opened(path: str, folder: str) -> tuple[CoreFile, str]:
    if not os.path.isfile(path):
        what = "is no regular file" if os.path.exists(path) else "does not exist"
        raise UserError("core_unreadable", f"The core file {path} {what}.", "Name another one.")
    try:
        whole = unpacked(path, folder)
        return CoreFile(whole), whole
    except NotElf as error:
        why = "" if str(error).startswith(path) else f" ({error})"
        raise UserError(
            "core_unreadable", f"{path} is no core file{why}.", "Type `ompd core CORE [EXE]'."
        ) from None


def _refuse_pipes(core: CoreFile) -> None:
    """GDB opens what the core names: at a pipe it would wait for ever. No program maps one."""
    for path in {mapping.path for mapping in core.mappings}:
        try:
            is_pipe = stat.S_ISFIFO(os.stat(path).st_mode)
        except (OSError, ValueError):
            continue
        if is_pipe:
            raise UserError(
                "core_unreadable",
                f"The core file names the pipe {path} as a file of its program.",
                "Move that pipe away, if the core file is to be trusted.",
            )


@dataclass
class Search:
    """Where files of another machine are looked for."""

    sysroot: str | None
    root: str | None

    def __post_init__(self) -> None:
        self._below: dict[str, list[str]] | None = None
        for directory in (self.sysroot, self.root):
            if directory is not None and not os.path.isdir(directory):
                raise UserError("file_error", f"{directory} is no directory.", "Name another one.")

    def places(self, path: str) -> Iterator[str]:
        """Files that may be the one that was at path on the core's machine, the likeliest first."""
        if self.sysroot is not None:
            yield os.path.join(self.sysroot, path.lstrip("/"))
        yield from self._named(os.path.basename(path))
        if self.sysroot is None:
            yield path

    def _named(self, name: str) -> list[str]:
        if self._below is None:
            self._below = _tree(self.root) if self.root is not None else {}
        return self._below.get(name, [])

    def settings(self, directories: list[str]) -> Iterator[str]:
        """GDB's own."""
        if self.sysroot is not None:
            yield f"set sysroot {os.path.abspath(self.sysroot)}"
        if directories:
            yield f"set solib-search-path {':'.join(directories)}"


def _tree(root: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    left = MOST_FILES
    for folder, _, names in os.walk(root):
        for name in names:
            found.setdefault(name, []).append(os.path.join(folder, name))
        left -= len(names)
        if left < 0:
            raise UserError(
                "file_error", f"There are too many files below {root}.", "Name a smaller tree."
            )
    return found


def _program(core: CoreFile, known: list[Image]) -> Image | None:
    """Where the kernel says that it began."""
    for entry in (AT_PHDR, AT_ENTRY):
        mapping = core.mapping_of(core.auxv.get(entry, 0))
        if mapping is not None:
            for image in known:
                if mapping.path.startswith(image.path):
                    return image
            return Image(mapping.path, b"", None)
    return None


def _executable(
    options: argparse.Namespace,
    core: CoreFile,
    program: Image | None,
    search: Search,
    notes: list[str],
) -> str:
    """Raises UserError unless it is the one that left the core, as far as can be told."""
    if options.executable is not None:
        return _given(options.executable, program, notes)
    if program is None:
        told = f", which began as `{core.command}'" if core.command else ""
        raise UserError(
            "no_executable",
            f"The core file does not name its program{told}.",
            "Name it: `ompd core CORE EXE'.",
        )
    different = None
    for path in search.places(program.path):
        verdict = _is(program, path)
        if verdict is False:
            different = path
        elif verdict is not None:
            if verdict == "unproven":
                notes.append(_UNPROVEN.format(path))
            return path
    raise _not_found(program, different)


_UNPROVEN = (
    "That {} is the program of this core file cannot be proven: one of them has no build-id. If it"
    " is not, what is told here is wrong."
)


def _is(image: Image, path: str) -> str | bool | None:
    """True, "unproven", False; None: there is no such file."""
    if not os.path.isfile(path):
        return None
    try:
        same = image.is_file(path)
    except (OSError, NotElf):
        return None
    return "unproven" if same is None else same


def _given(path: str, program: Image | None, notes: list[str]) -> str:
    if not os.path.isfile(path):
        raise UserError("no_executable", f"There is no program {path}.", "Name another one.")
    verdict = _is(program, path) if program is not None else "unproven"
    if verdict is None:
        raise UserError("no_executable", f"{path} is no program.", "Name another one.")
    if verdict is False:
        assert program is not None
        raise UserError(
            "wrong_executable",
            f"{path} is not the program of this core file, which is of {program.path}"
            f" with build-id {program.build_id}.",
            "Name the program that crashed, as it was then.",
        )
    if verdict == "unproven":
        notes.append(_UNPROVEN.format(path))
    return path


def _not_found(program: Image, different: str | None) -> UserError:
    build_id = f" with build-id {program.build_id}" if program.build_id else ""
    if different is not None:
        return UserError(
            "wrong_executable",
            f"{different} is not the program of this core file any more: the core's is"
            f" {program.path}{build_id}.",
            "Name a copy of that one: `ompd core CORE EXE'.",
        )
    return UserError(
        "no_executable",
        f"The program of this core file, {program.path}{build_id}, is not here.",
        "Name it, `ompd core CORE EXE', or where the files of its machine are:"
        " --sysroot, --lib-search-root.",
    )


def _libraries(known: list[Image], search: Search, notes: list[str]) -> list[str]:
    """The directories of those that GDB finds only when told so; notes on those that are not
    here."""
    directories: dict[str, None] = {}
    missing: list[str] = []
    different: list[str] = []
    for image in known:
        verdicts = [(path, _is(image, path)) for path in search.places(image.path)]
        here = next((path for path, v in verdicts if v in (True, "unproven")), None)
        if here is None:
            told = f"{image.path} (build-id {image.build_id or 'unknown'})"
            (different if any(v is False for _, v in verdicts) else missing).append(told)
        elif search.root is not None:
            directories[os.path.dirname(os.path.abspath(here))] = None
    if missing:
        notes.append(
            f"Libraries of the core file are not here: {_some(missing)}. Stacks through them may be"
            " wrong. Copy them, and name the place by --sysroot or --lib-search-root."
        )
    if different:
        notes.append(
            f"Libraries of the core file are here in other builds: {_some(different)} are those of"
            " the core. Stacks through them may be wrong. Copy them from its machine, and name the"
            " place by --sysroot or --lib-search-root."
        )
    return list(directories)


def _some(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
