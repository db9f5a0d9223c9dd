# SPDX-License-Identifier: Apache-2.0
"""`ompd init': the habit of those who come from LLVM's plugin."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Init(OmpdCommand):
    """Do nothing: the ompd commands need no preparation.

    Usage: ompd init

    It is accepted because LLVM's plugin wants it. It does not run the program."""

    name = "ompd init"
    gives_json = False

    def run(self, arguments: Arguments) -> None:
        from . import output

        output.lines(["Nothing to do: the ompd commands need no preparation. Try `ompd'."])

    def complete(self, text: str, word: str) -> "list[str]":
        return []
