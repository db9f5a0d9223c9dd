# SPDX-License-Identifier: Apache-2.0
"""What GDB calls for -ompd-threads and the like. Read at GDB's start, where it has MI commands at
all: imports gdb and what the commands import then, no more."""

from __future__ import annotations

import gdb

from ..commands import registered
from ..commands.base import without_traceback


class Fields(gdb.MICommand):
    """Answers a command's document field by field."""

    def __init__(self, name: str, command: str) -> None:
        super().__init__(name)
        self._command = command

    def invoke(self, words: "list[str]") -> "dict[str, object]":
        from . import fields

        with without_traceback(self.name):
            return fields.of_document(registered[self._command].document(words))


class Json(gdb.MICommand):
    """Answers a command's document as one string."""

    def invoke(self, words: "list[str]") -> "dict[str, object]":
        from ompd_core.views import json_text

        with without_traceback(self.name):
            count = _words_of_name(words)
            command = registered[_name(words[:count])]
            return {"json": json_text.text(command.document(words[count:]))}


def _words_of_name(words: "list[str]") -> int:
    """How many of them name a command; if none do, `ompd' itself tells what is wrong with them."""
    return next(count for count in (2, 1, 0) if _name(words[:count]) in registered)


def _name(words: "list[str]") -> str:
    return " ".join(["ompd", *words])
