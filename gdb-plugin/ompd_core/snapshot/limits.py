# SPDX-License-Identifier: Apache-2.0
"""Which limits did the kernel set to a living process? A core file does not have them."""

from __future__ import annotations

from ..debugger import Debugger

STACK = "Max stack size"


def of(debugger: Debugger, name: str) -> int | None:
    """None: there is none, or it is not known."""
    if debugger.kind != "live":
        return None
    try:
        with open(f"/proc/{debugger.pid}/limits", encoding="ascii") as lines:
            for line in lines:
                if line.startswith(name):
                    value = line[len(name) :].split()[0]
                    return int(value) if value.isdigit() else None
    except (OSError, ValueError, IndexError):
        pass
    return None
