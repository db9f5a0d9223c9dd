# SPDX-License-Identifier: Apache-2.0
"""What does a command of GDB's print?"""

from __future__ import annotations

import re

from ompd_core import late_patterns

from .. import texts

# GDB 18 writes what a command prints as records of MI when its session is one, although it was
# asked for the text: ~"a line\n", and beside it what it tells front ends: =cmd-param-changed,...
_RECORD = late_patterns.compile(r'~"((?:[^"\\\n]|\\.)*)"\n')
_NOTICE = late_patterns.compile(r"^=[a-z-]+,.*\n", re.MULTILINE)
_ESCAPE = late_patterns.compile(r"\\([0-7]{3}|.)")
_C_FAMILY = late_patterns.compile(r'["‘“](auto; currently )?c(\+\+)?["’”]')
_CONTROLS = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}


def output(command: str) -> str:
    """Raises gdb.error."""
    text = texts.said(command)
    if not (_RECORD.search(text) or _NOTICE.search(text)):
        return text
    if texts.said("echo x") == "x":
        return text
    return _RECORD.sub(lambda record: _unescaped(record.group(1)), _NOTICE.sub("", text))


def output_in_c(command: str) -> str:
    """Read by C's rules, whatever the selected frame's language is. Raises gdb.error."""
    # Each change of the language is told to front ends: none where there is no need.
    if _C_FAMILY.search(output("show language")):
        return output(command)
    return output(f"with language c -- {command}")


def _unescaped(text: str) -> str:
    # Bytes of one character may be several escapes.
    found = bytearray()
    at = 0
    for escape in _ESCAPE.finditer(text):
        found += text[at : escape.start()].encode()
        code = escape.group(1)
        found.append(int(code, 8) if len(code) == 3 else _CONTROLS.get(code, ord(code)))
        at = escape.end()
    return (found + text[at:].encode()).decode(errors="replace")
