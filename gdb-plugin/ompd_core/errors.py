# SPDX-License-Identifier: Apache-2.0
"""What can go wrong that a user can act on: a code for scripts, a sentence, and what to do."""

from __future__ import annotations


class UserError(Exception):
    """Becomes a gdb.GdbError, or the "error" of a JSON document, in commands/base.py alone."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint

    def sentence(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class Unreadable(Exception):
    """Memory of the target that is not there."""
