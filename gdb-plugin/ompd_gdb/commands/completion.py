# SPDX-License-Identifier: Apache-2.0
"""What does GDB complete behind a command of its own?"""

from __future__ import annotations

import gdb

from .. import texts

# The last line, where there are more.
_CUT = "max-completions reached"


def of_gdb(command: str, text: str, word: "str | None") -> "list[str]":
    """word: the end of the text, which GDB wants to be completed; None: it asks where that begins
    only."""
    if word is None:
        return []
    typed = f"{command} {text.lstrip()}" if command else text.lstrip()
    try:
        lines = texts.said(f"complete {typed}").splitlines()
    except gdb.error:
        return []
    before = len(typed) - len(word)
    return [line[before:] for line in lines if line.startswith(typed) and _CUT not in line]
