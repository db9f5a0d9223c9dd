# SPDX-License-Identifier: Apache-2.0
"""How does a command's help fit the terminal?"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from typing import Any, Iterator

from ompd_core.views.terminal import DEFAULT_WIDTH

from .. import terminal


class Help(argparse.HelpFormatter):
    """Descriptions are paragraphs, and tables whose rows begin with two blanks: `  123  text'."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=min(terminal.width(sys.stdout), DEFAULT_WIDTH))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(line for part in _parts(text) for line in _wrapped(part, width) or [""])

    def _format_usage(self, usage: str | None, actions: Any, groups: Any, prefix: Any) -> str:
        if usage is None:
            return super()._format_usage(usage, actions, groups, prefix)
        return "\n".join(_wrapped(f"usage: {usage}", self._width, " " * 8)) + "\n\n"


def _parts(text: str) -> Iterator[str]:
    """Paragraphs, rows and empty lines, each as one line."""
    part = None
    for line in text.rstrip().split("\n"):
        goes_on = part and (line.startswith("   ") or line[:1].strip() and not part.startswith(" "))
        if goes_on:
            part = f"{part} {line.strip()}"
            continue
        if part is not None:
            yield part
        part = line
    if part is not None:
        yield part


def _wrapped(line: str, width: int, hanging: str | None = None) -> list[str]:
    if hanging is None:
        code = re.match(r"  \S+(, \d+)*  ", line)
        hanging = " " * (code.end() if code else len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
