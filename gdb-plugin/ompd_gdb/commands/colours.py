# SPDX-License-Identifier: Apache-2.0
"""Which words of a line have a style of GDB's? Names of functions and files, as in GDB's own `bt',
and the words of a verdict.

Found when the line is laid out, so that no column's width depends on it. GDB itself leaves styles
out where they do not belong: in pipes, logs, strings, GDB/MI, and with `set style enabled off'.
Before GDB 17 a command cannot tell where its output goes, so that there are no colours.
"""

from __future__ import annotations

from collections.abc import Iterator

import gdb
from ompd_core import late_patterns

_BEFORE_NAME = r"(?:^|(?<=  )|(?<=#\d\d\d )|(?<=\bin )|(?<=, ))"
_BEHIND_NAME = r"(?= \((?:\)|[^()]*\) at \S+:\d))"
_STYLED = late_patterns.compile(
    r"(?P<highlight>^(?:Odd|DEADLOCK|SELF-DEADLOCK)\b)"
    rf"|(?P<function>{_BEFORE_NAME}[^\s()]+{_BEHIND_NAME})"
    r"|(?P<filename>(?<= at )[^\s:]+(?=:\d))"
)
_SUPPORTED = hasattr(gdb, "Style")


def write(line: str) -> None:
    if not _SUPPORTED:
        gdb.write(line)
        return
    for text, style in _parts(line):
        if style is None:
            gdb.write(text)
        else:
            gdb.write(text, style=gdb.Style(style))


def _parts(line: str) -> "Iterator[tuple[str, str | None]]":
    """The line in pieces, with the names of their styles."""
    end = 0
    for match in _STYLED.finditer(line):
        if match.start() > end:
            yield line[end : match.start()], None
        yield match.group(), match.lastgroup
        end = match.end()
    yield line[end:], None
