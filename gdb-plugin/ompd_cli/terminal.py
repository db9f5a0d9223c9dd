# SPDX-License-Identifier: Apache-2.0
"""What can the user's terminal show: how wide is it, which characters has it, does it obey escape
sequences? All commands ask here. None of them has colours, so that NO_COLOR forbids nothing."""

from __future__ import annotations

import argparse
import codecs
import locale
import os
import sys
from typing import TextIO

from ompd_core.views.table import Style
from ompd_core.views.terminal import DEFAULT_WIDTH

from .origin import environment_of


def style_of_report(options: argparse.Namespace) -> Style:
    """Of what a command writes once, to a terminal or a file."""
    stream = sys.stderr if options.command == "run" else sys.stdout
    return style(None if options.output else stream, options.all)


def style(stream: TextIO | None, every: bool = False) -> Style:
    """stream: None for a file, which is as wide as usual."""
    return Style(min(width(stream), DEFAULT_WIDTH), charset(stream) == _UTF_8, every)


def width(stream: TextIO | None) -> int:
    """As $COLUMNS says, else as the terminal does."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    try:
        if stream is not None and stream.isatty():
            return os.get_terminal_size(stream.fileno()).columns or DEFAULT_WIDTH
    except OSError:
        pass  # it has no file, or no size
    return DEFAULT_WIDTH


def obeys(stream: TextIO) -> bool:
    """A terminal on which a line can be cleared and the cursor moved."""
    return stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


_UTF_8, _ASCII = "utf-8", "ascii"


def charset(stream: TextIO | None) -> str:
    """Where the locale is C, Python takes UTF-8 all the same: the terminal may not."""
    found = codecs.lookup(getattr(stream, "encoding", None) or _UTF_8).name
    return _ASCII if found == _UTF_8 and not _is_utf_8() else found


def _is_utf_8() -> bool:
    # Python changes LC_CTYPE of its own environment where the locale is C.
    environment = environment_of("self") or os.environ
    names = [environment.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG")]
    name = next((name for name in names if name), "C")
    return name not in ("C", "POSIX") and locale.nl_langinfo(locale.CODESET).upper() == "UTF-8"


def shown(text: str, stream: TextIO) -> str:
    """What it has no character for is written in ASCII."""
    encoding = charset(stream)
    return text.encode(encoding, "backslashreplace").decode(encoding)


def write(text: str, stream: TextIO) -> None:
    """Raises OSError."""
    try:
        stream.write(shown(text, stream))
        stream.flush()
    except OSError as error:
        raise OSError(error.errno, error.strerror, "The output") from None
