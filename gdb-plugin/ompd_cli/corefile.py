# SPDX-License-Identifier: Apache-2.0
"""`ompd core': of which program is the core file, and are its files here?"""

from __future__ import annotations

import argparse
import os

from ompd_core.errors import UserError
from ompd_core.formats.corefile import CoreFile
from ompd_core.formats.elf import NotElf

from . import debugger, initial_stack, libraries
from .images import Image, images
from .origin import Origin
from .outcome import Outcome
from .search import Search, compare
from .unpacking import unpacked

AT_PHDR, AT_ENTRY = 3, 9


def report(
    options: argparse.Namespace, origin: Origin, begun: debugger.Begun | None = None
) -> Outcome:
    """Raises UserError."""
    with debugger.private_folder() as folder:
        core, path = _opened(options.core, folder)
        notes = []
        if path != options.core:
            notes.append(f"{options.core} was unpacked for this report, into {folder}.")
        try:
            origin.pid = core.pid
            origin.learn(initial_stack.environment(core))
            search = Search(options.sysroot, options.lib_search_root)
            known = images(core)
            program = _program(core, known)
            executable = _executable(options.executable, core, program, search)
            shared = [image for image in known if image is not program]
            where = {program.mapped: executable} if program is not None else {}
            settings = libraries.settings(core, shared, search, where, folder, notes)
        finally:
            core.close()
        if search.unproven:
            notes.append(_UNPROVEN.format(", ".join(search.unproven)))
        task = debugger.Task(
            "core",
            files=[executable, path],
            settings=settings,
            doing=f"GDB reads {os.path.basename(options.core)}",
            notes=notes,
            origin=origin,
            processor=debugger.foreign(core.machine),
        )
        outcome = debugger.report(task, folder, options, begun)
        outcome.json["inferior"]["core"] = os.path.abspath(options.core)  # as the user knows it
        return outcome


_UNPROVEN = (
    "That these files are those of the core file cannot be proven, since they or the core have no"
    " build-id of them: {}. If they are not, what is told here is wrong."
)


def _opened(path: str, folder: str) -> tuple[CoreFile, str]:
    if not os.path.isfile(path):
        what = "is not a regular file" if os.path.exists(path) else "does not exist"
        raise UserError("core_unreadable", f"The core file {path} {what}.", "Name another one.")
    try:
        whole = unpacked(path, folder)
        return CoreFile(whole), whole
    except NotElf as error:
        why = "" if str(error).startswith(path) else f" ({error})"
        raise UserError(
            "core_unreadable",
            f"{path} is not a core file{why}.",
            "Type `ompd core CORE [EXE]': the core file comes first.",
        ) from None


def _program(core: CoreFile, known: list[Image]) -> Image | None:
    """Where the kernel says that it began."""
    for entry in (AT_PHDR, AT_ENTRY):
        mapping = core.mapping_of(core.auxv.get(entry, 0))
        if mapping is not None:
            images_of_it = [image for image in known if image.mapped == mapping.path]
            return images_of_it[0] if images_of_it else Image(mapping.path, b"", None, core)
    return None


def _executable(given: str | None, core: CoreFile, program: Image | None, search: Search) -> str:
    """Raises UserError unless it is the one that left the core, as far as can be told."""
    if given is not None:
        return _given(given, program, search)
    if program is None:
        told = f", which began as `{core.command}'" if core.command else ""
        raise UserError(
            "no_executable",
            f"The core file does not name its program{told}.",
            "Name it: `ompd core CORE EXE'.",
        )
    path, different = search.find(program)
    if path is not None:
        return path
    if different is not None:
        raise UserError(
            "wrong_executable",
            f"{different} is not the program of this core file any more: the core's is"
            f" {_named(program)}.",
            "Name a copy of that one: `ompd core CORE EXE'.",
        )
    raise UserError(
        "no_executable",
        f"The program of this core file, {_named(program)}, is not here.",
        "Name it, `ompd core CORE EXE', or where the files of its machine are: --sysroot,"
        " --lib-search-root.",
    )


def _given(path: str, program: Image | None, search: Search) -> str:
    if not os.path.isfile(path):
        raise UserError("no_executable", f"There is no program {path}.", "Name another one.")
    verdict = compare(program, path) if program is not None else "unproven"
    if verdict is None:
        raise UserError("no_executable", f"{path} is not a program.", "Name another one.")
    if verdict == "different" and program is not None:
        raise UserError(
            "wrong_executable",
            f"{path} is not the program of this core file, which is of {_named(program)}.",
            "Name the program that crashed, as it was then.",
        )
    if verdict == "unproven":
        search.unproven.append(path)
    return path


def _named(image: Image) -> str:
    return f"{image.path} with build-id {image.build_id}" if image.build_id else image.path
