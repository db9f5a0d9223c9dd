# SPDX-License-Identifier: Apache-2.0
"""What do x86-64's registers tell? Nothing else knows a register's name."""

from __future__ import annotations

import gdb

# glibc keeps a thread's descriptor at its thread pointer: the value is also the pthread_t.
THREAD_POINTER = "fs_base"


def serves(architecture: str) -> bool:
    return architecture == "i386:x86-64"


def thread_pointer(frame: gdb.Frame) -> int | None:
    """Of the selected thread, whose frame this is."""
    try:
        return int(frame.read_register(THREAD_POINTER)) & 0xFFFFFFFFFFFFFFFF or None
    except (gdb.error, ValueError):
        return None
