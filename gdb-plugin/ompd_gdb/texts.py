# SPDX-License-Identifier: Apache-2.0
"""What does GDB call it? Names are bytes. GDB makes text of them by the host's character set, which
is ASCII without LANG, and raises where a name has other bytes. So all text is read from GDB here,
and held as Python holds the names of files (os.fsdecode): any bytes can be text, and a file that is
opened by its name is that file, in every locale. Read at GDB's start: imports gdb
alone."""

from __future__ import annotations

import os

import gdb

TYPE_CHECKING = False  # without typing, which takes its time
if TYPE_CHECKING:
    from typing import Any, Callable, Union

    Named = Union[gdb.Symbol, gdb.Type, gdb.Field, gdb.InferiorThread]
    OfFile = Union[gdb.Objfile, gdb.Progspace, gdb.Symtab]


def of(ask: Callable[[], Any]) -> Any:
    """The text that is asked for, or whatever else the answer is."""
    try:
        found = ask()
    except UnicodeDecodeError as error:
        return os.fsdecode(error.object)
    if isinstance(found, str) and not found.isascii():
        return _held(found)
    return found


def _held(text: str) -> str:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        # Some GDBs take some texts for UTF-8 in every locale.
        return os.fsdecode(text.encode("utf-8", "surrogateescape"))
    return text


def name(named: Named | None) -> str | None:
    return of(lambda: None if named is None else named.name)


def linkage_name(symbol: gdb.Symbol) -> str:
    return str(of(lambda: symbol.linkage_name))


def function(frame: gdb.Frame) -> str | None:
    """Its name."""
    return None if (found := of(frame.name)) is None else str(found)


def filename(file: OfFile | None) -> str | None:
    return of(lambda: None if file is None else file.filename)


def fullname(symtab: gdb.Symtab | None) -> str | None:
    return None if symtab is None else str(of(symtab.fullname))


def library(progspace: gdb.Progspace, address: int) -> str | None:
    """The file that is loaded there."""
    return of(lambda: progspace.solib_name(address))


def value(found: gdb.Value, **how: Any) -> str:
    return str(of(lambda: found.format_string(**how)))


def parameter(setting: str) -> str:
    """A setting of GDB's that is text."""
    return of(lambda: gdb.parameter(setting)) or ""


def said(command: str) -> str:
    """What it prints. Raises gdb.error."""
    return str(of(lambda: gdb.execute(command, to_string=True)))


def silently(command: str) -> None:
    """Nobody reads what it prints. Raises gdb.error."""
    of(lambda: gdb.execute(command, to_string=True))


def printable(text: str) -> str:
    """No control characters, and nothing that the host's character set lacks."""
    from ompd_core.views.terminal import plain

    text = plain(text)
    if not has_unicode():
        text = text.encode("ascii", "backslashreplace").decode("ascii")
    return text


def has_unicode() -> bool:
    """May what GDB prints have any character?"""
    if hasattr(gdb, "host_charset"):
        return str(gdb.host_charset()).upper() == "UTF-8"
    return "UTF-8" in said("show host-charset").upper()
