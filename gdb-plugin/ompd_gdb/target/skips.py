# SPDX-License-Identifier: Apache-2.0
"""Which code has the user told GDB to step over? `skip' is how he says that it is not his own."""

from __future__ import annotations

import gdb
from ompd_core import late_patterns
from ompd_core.model.skips import Skip

from . import console

_NONE = "<none>"
_ROW = late_patterns.compile(r"\s*\d+\s+y\s+([yn])\s+(\S.*?)\s+([yn])\s+(\S.*?)\s*")


def wanted() -> list[Skip]:
    """Those that are enabled."""
    try:
        text = console.output("info skip")
    except gdb.error:
        return []
    rows = (_ROW.fullmatch(line) for line in text.splitlines())
    return [
        Skip(
            None if row.group(2) == _NONE else row.group(2),
            row.group(1) == "y",
            None if row.group(4) == _NONE else row.group(4),
            row.group(3) == "y",
        )
        for row in rows
        if row is not None
    ]
