# SPDX-License-Identifier: Apache-2.0
"""Does code lack unwind information, so that GDB can only guess its caller?

Asked while GDB unwinds, too: no command of GDB's may be executed here."""

from __future__ import annotations

from typing import Callable

import gdb
from ompd_core.formats.unwind_tables import Tables


def is_missing(
    space: gdb.Progspace, tables: Tables, pc: int, is_in_image: Callable[[int], bool]
) -> bool:
    """is_in_image: what a program has made itself is in none, but neither is all whose headers
    cannot be read: that is left to GDB."""
    if space.find_pc_line(pc).symtab is not None:
        return False  # with debug information, there is unwind information as well
    covers = tables.covers(pc)
    return not is_in_image(pc) if covers is None else not covers
