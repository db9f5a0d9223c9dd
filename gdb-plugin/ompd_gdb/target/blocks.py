# SPDX-License-Identifier: Apache-2.0
"""Which blocks of variables are around a frame's place? gcc's code of a construct counts as a part
of the function around it, whose blocks then do not have the place in them."""

from __future__ import annotations

from typing import Iterator

import gdb


def outwards(frame: gdb.Frame) -> Iterator[gdb.Block]:
    """From the innermost to the one that all files have; none without debug information."""
    try:
        block: gdb.Block | None = frame.block()
    except RuntimeError:
        return
    while block is not None:
        yield block
        block = block.superblock


def of_functions(frame: gdb.Frame) -> Iterator[gdb.Block]:
    """Those of the function, and of those that it is inlined in."""
    return (block for block in outwards(frame) if not is_files(block) and _holds(block, frame))


def of_surrounding(frame: gdb.Frame) -> Iterator[gdb.Block]:
    """Those of the function around gcc's code of a construct."""
    return (block for block in outwards(frame) if not is_files(block) and not _holds(block, frame))


def of_functions_and_files(frame: gdb.Frame) -> Iterator[gdb.Block]:
    return (block for block in outwards(frame) if is_files(block) or _holds(block, frame))


def is_files(block: gdb.Block) -> bool:
    """A file's own, or the one that all files have."""
    return bool(block.is_static or block.is_global)


def _holds(block: gdb.Block, frame: gdb.Frame) -> bool:
    return bool(block.start <= frame.pc() <= block.end)
