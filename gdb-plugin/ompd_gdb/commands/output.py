# SPDX-License-Identifier: Apache-2.0
"""How does output reach the user? Text through GDB, so that paging, `pipe' and logging work; JSON
into a file, or to GDB's stdout without paging."""

from __future__ import annotations

import os
from typing import Any, Iterable

import gdb
from ompd_core import files
from ompd_core.errors import UserError
from ompd_core.views import json_text
from ompd_core.views.table import Style
from ompd_core.views.terminal import DEFAULT_WIDTH, plain

from .. import texts
from . import colours
from .arguments import Arguments

# Where the shell's command shows what is written into a file, and escapes what it lacks there.
of_shell: Style | None = None


def style(arguments: Arguments) -> Style:
    found = of_shell if of_shell is not None else _own()
    if "wide" in arguments.flags:
        found = found._replace(width=None)
    return found._replace(every="all" in arguments.flags)


def _own() -> Style:
    """Of GDB's own terminal."""
    width = gdb.parameter("width")  # None: unlimited, as with -batch
    limit = min(DEFAULT_WIDTH, int(width)) if width else DEFAULT_WIDTH
    return Style(limit, texts.has_unicode())


def _safe(text: str) -> str:
    return texts.printable(text) if of_shell is None else plain(text)


def lines(found: Iterable[str]) -> None:
    for line in found:
        colours.write(_safe(line) + "\n")


def lines_to(path: str | None, found: Iterable[str]) -> None:
    """Into a file; without one as `lines'."""
    if path is None:
        lines(found)
    else:
        file(path, "".join(_safe(line) + "\n" for line in found))


def document(arguments: Arguments, json: dict[str, Any]) -> None:
    if arguments.hand_over:
        arguments.document = json
        return
    text = json_text.text(json) + "\n"
    if arguments.json_file is None:
        _unpaged(text)
        return
    file(arguments.json_file, text)


def file(name: str, text: str) -> None:
    """Raises UserError."""
    path = os.path.expanduser(name)
    try:
        files.write(path, text)
    except OSError as error:
        raise UserError(
            "file_error", f"{path} cannot be written: {error.strerror}.", "Name another file."
        ) from None


def _unpaged(text: str) -> None:
    paging = gdb.parameter("pagination")
    texts.silently("set pagination off")
    try:
        gdb.write(text)
    finally:
        if paging:
            texts.silently("set pagination on")


def json_error(command: str, arguments: Arguments, met: UserError) -> None:
    try:
        document(arguments, json_text.error(command.split()[-1], met))
    except UserError:
        pass  # the error itself is still reported, as text
