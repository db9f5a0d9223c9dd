# SPDX-License-Identifier: Apache-2.0
"""What is an expression's value in a frame, and what does a command print in a thread?"""

from __future__ import annotations

import re

import gdb

from ..model.native import Frame
from ..model.values import Number, Value
from . import console
from .selection import on_thread, select_frame

_NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL)


def output_of(thread: gdb.InferiorThread, command: str) -> str:
    """What a command of GDB's prints in the thread's innermost frame; also its error."""
    with on_thread(thread):
        gdb.newest_frame().select()
        try:
            return console.output(command)
        except gdb.error as error:
            return f"{error}\n"


def value_in(thread: gdb.InferiorThread, level: int, text: str) -> Value:
    """In the frame so many steps out of the thread's innermost."""
    match = re.match(r"/([a-z])\s+", text)
    form, expression = (match.group(1), text[match.end() :]) if match else (None, text)
    with on_thread(thread):
        try:
            select_frame(level)
            found = _referenced(gdb.parse_and_eval(expression))
            if found.is_optimized_out:
                return Value(None, None, "optimized out")
            shown = found.format_string(format=form) if form else found.format_string()
            return Value(shown, _number(found))
        except gdb.error as error:
            return Value(None, None, str(error).rstrip("."))


def _referenced(value: gdb.Value) -> gdb.Value:
    """Compilers pass shared variables to outlined functions as references: what is meant is the
    variable."""
    code = value.type.strip_typedefs().code
    if code in (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", -1)):
        return value.referenced_value()
    return value


def _number(value: gdb.Value) -> Number | None:
    kind = value.type.strip_typedefs()
    if kind.code in _NUMBERS:
        return int(value)
    if kind.code == gdb.TYPE_CODE_FLT:
        return float(value)
    return None


def level_of(frames: "list[Frame]", frame: Frame) -> int:
    """How far out it is, of frames that were seen from the innermost on."""
    return next(i for i, one in enumerate(frames) if one is frame)
