# SPDX-License-Identifier: Apache-2.0
"""Where is a thread's own copy of a thread-local variable? Libraries other than our own ask; GDB's
evaluator knows, by libthread_db."""

from __future__ import annotations

import re

import gdb

from . import console
from .selection import on_thread


def address(thread: gdb.InferiorThread, name: str) -> int | None:
    """None: no such variable, or GDB cannot tell."""
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        return None
    try:
        with on_thread(thread):
            text = console.output_in_c(f"output/x (long)&{name}")
            return int(text, 16)
    except (gdb.error, ValueError):
        return None
