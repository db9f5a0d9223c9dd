# SPDX-License-Identifier: Apache-2.0
"""What does a command of GDB's print?"""

from __future__ import annotations

import os
import re
from typing import Any, Mapping

import gdb
from ompd_core import late_patterns

# GDB 18 writes what a command prints as records of MI when its session is one, although it was
# asked for the text: ~"a line\n", and beside it what it tells front ends: =cmd-param-changed,...
_RECORD = late_patterns.compile(r'~"((?:[^"\\\n]|\\.)*)"\n')
_NOTICE = late_patterns.compile(r"^=[a-z-]+,.*\n", re.MULTILINE)
_ESCAPE = late_patterns.compile(r"\\([0-7]{3}|.)")
_C_FAMILY = late_patterns.compile(r'["‘“](auto; currently )?c(\+\+)?["’”]')
_CONTROLS = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}


def output(command: str) -> str:
    """Raises gdb.error."""
    text = _said(command)
    if not (_RECORD.search(text) or _NOTICE.search(text)):
        return text
    if gdb.execute("echo x", to_string=True) == "x":
        return text
    return _RECORD.sub(lambda record: _unescaped(record.group(1)), _NOTICE.sub("", text))


def _said(command: str) -> str:
    try:
        return str(gdb.execute(command, to_string=True))
    except UnicodeDecodeError:
        # A name of the program's is no text, and GDB makes text of all in one.
        return _logged(command).decode("utf-8", "surrogateescape")


def _logged(command: str) -> bytes:
    """GDB's log has the bytes. It goes to memory; nothing is written anywhere."""
    settings = ("file", "redirect", "overwrite")
    before = {name: gdb.parameter(f"logging {name}") for name in settings}
    log = os.memfd_create("ompd")
    wanted = {"file": f"/proc/self/fd/{log}", "redirect": True, "overwrite": False}
    try:
        _set_logging(wanted)
        _switch_logging("on")
        try:
            gdb.execute(command)
        finally:
            _switch_logging("off")
        return os.pread(log, os.fstat(log).st_size, 0)
    finally:
        _set_logging(before)
        os.close(log)


def _set_logging(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        text = value if name == "file" else "on" if value else "off"
        gdb.execute(f"set logging {name} {text}", to_string=True)


def _switch_logging(state: str) -> None:
    """Asked for as a string, it would be switched for that string alone."""
    try:
        gdb.execute(f"set logging enabled {state}")
    except gdb.error:
        gdb.execute(f"set logging {state}")  # before GDB 12


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
