# SPDX-License-Identifier: Apache-2.0
"""What can be done before a process is attached to, so that it does not stand meanwhile? Reading
the symbols of its libraries, which is most of what GDB's attach takes, loading our own modules, and
what GDB asks the kernel once.
"""

from __future__ import annotations

import importlib
import os
import subprocess
from contextlib import contextmanager
from typing import Iterator, Sequence

import gdb
from ompd_core.errors import UserError
from ompd_core.formats import procfs, relative_names
from ompd_core.formats.elf import NotElf
from ompd_core.formats.free_memory import FreeMemory
from ompd_core.formats.images import LoadedImage

from . import session, texts
from .target import machines

# Those that are loaded by what is met.
_MODULES = (
    "ompd_core.code.returning",
    "ompd_core.formats.untold_code",
    "ompd_core.model.ended",
    "ompd_core.model.logical_stack.splicing",
    "ompd_core.model.thread_starts",
    "ompd_core.snapshot.cancelling",
    "ompd_core.snapshot.code_holdings",
    "ompd_core.snapshot.environment",
    "ompd_core.snapshot.lock_calls",
    "ompd_core.snapshot.pools",
    "ompd_core.snapshot.processors",
    "ompd_core.snapshot.standstill",
    "ompd_gdb.target.standstill",
)


def load_modules() -> None:
    for command in ("ompd status", "ompd report"):
        try:
            texts.silently(command)
        except gdb.error:
            pass  # there is no process yet
    for name in _MODULES:
        importlib.import_module(name)
    machines.of_inferior(gdb.selected_inferior())  # the program's, or this one


def ask_kernel() -> None:
    """What tracing can do, GDB finds out at its first attach: by a child that stops itself. Where
    GDB is killed just then the child stays, and with it all files that GDB had open: the process
    must not be woken by the end of one of these. So the first attach is to another process."""
    own = gdb.selected_inferior().num
    other = _add_inferior()
    if other is None:
        return
    reads_libraries = gdb.parameter("auto-solib-add")
    quiet = subprocess.DEVNULL
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=quiet, stderr=quiet) as process:
        try:
            texts.silently("set auto-solib-add off")
            texts.silently(f"inferior {other}")
            texts.silently(f"attach {process.pid}")
            texts.silently("detach")
        except gdb.error:
            pass  # so it is with any process, and the next attach says why
        finally:
            process.kill()
    texts.silently(f"inferior {own}")
    texts.silently(f"set auto-solib-add {'on' if reads_libraries else 'off'}")
    texts.silently(f"remove-inferiors {other}")


@contextmanager
def symbols_read(pid: int, files: Sequence[str]) -> Iterator[None]:
    """Of the process' libraries, for all attaches inside. By an inferior without a process: GDB
    keeps what it has read of a file as long as somebody uses it."""
    loaded = _loaded(pid)
    _find_relative(pid, loaded)
    files = _as_loaded(loaded, files)
    own = gdb.selected_inferior().num
    other = _add_inferior()
    try:
        if other is not None:
            texts.silently(f"inferior {other}")
            for file in files:
                _read(file)
            texts.silently(f"inferior {own}")
        yield
    finally:
        if other is not None:
            texts.silently(f"remove-inferiors {other}")


def _loaded(pid: int) -> Sequence[LoadedImage]:
    """Empty: they cannot be listed."""
    try:
        free = FreeMemory(pid)
    except (OSError, NotElf):
        return ()
    try:
        return session.list_images(free, free.auxv).loaded
    except UserError:
        return ()
    finally:
        free.close()


def _as_loaded(loaded: Sequence[LoadedImage], files: Sequence[str]) -> list[str]:
    """By the names that the dynamic linker has for them: GDB opens those when it attaches, and a
    file that it has read by another name it reads again."""
    names = {os.path.realpath(one.path): one.path for one in loaded if one.path.startswith("/")}
    return [names.get(file, file) for file in files]


def _find_relative(pid: int, loaded: Sequence[LoadedImage]) -> None:
    """GDB takes a name that does not begin at the root for one in its own folder."""
    names = {one.dynamic: one.path for one in loaded if not one.path.startswith("/")}
    if not any(names.values()):
        return
    proven = {
        name: mapped.path
        for mapped in procfs.mappings(f"{procfs.ROOT}/{pid}")
        for dynamic, name in names.items()
        if mapped.start <= dynamic < mapped.end and procfs.leads_to(mapped)
    }
    try:
        texts.silently(f"set solib-search-path {relative_names.search_path(proven)}")
    except (gdb.error, UnicodeError):
        pass  # GDB has no file for them, and the report says what is not known


def _add_inferior() -> int | None:
    known = {one.num for one in gdb.inferiors()}
    try:
        texts.silently("add-inferior")
    except gdb.error:
        return None
    return next((one.num for one in gdb.inferiors() if one.num not in known), None)


def _read(file: str) -> None:
    if any(letter in file for letter in "\"'\\ \t"):
        return  # GDB would take it apart: it reads it when it attaches
    try:
        # Else GDB takes the name without links.
        texts.silently(f"add-symbol-file target:{file}")
    except (gdb.error, UnicodeError):
        pass  # so it is when it attaches
