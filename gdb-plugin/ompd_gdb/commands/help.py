# SPDX-License-Identifier: Apache-2.0
"""`ompd help': GDB's `help', of these commands."""

from __future__ import annotations

from .arguments import Arguments
from .raw import RawCommand


class Help(RawCommand):
    """Show the ompd commands, or what one of them does.

    Usage: ompd help [COMMAND]"""

    name = "ompd help"
    takes_ids = False
    text_optional = True
    completes = "help ompd"

    def _options(self) -> "list[str]":
        return []

    def run(self, arguments: Arguments) -> None:
        import gdb

        name = arguments.text
        gdb.execute(f"help {name}" if name.startswith("ompd") else f"help ompd {name}")
