# SPDX-License-Identifier: Apache-2.0
"""Which cells of a test's matrix run by default? So many that each value of each parameter is in
one, and a part of the others; all of them with OMPD_FULL=1, or when a test is named."""

from __future__ import annotations

import dataclasses
import zlib
from typing import Any, Sequence

SMALL = 4  # cells of which all run
ONE_IN = 8  # of those that bring no value that is new


def chosen(items: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Those that run, and the others."""
    matrices: dict[tuple[str, str], list[Any]] = {}
    for item in items:
        name = getattr(item, "originalname", item.name)
        matrices.setdefault((str(item.path), name), []).append(item)
    running = {id(item) for cells in matrices.values() for item in _of_matrix(cells)}
    return (
        [item for item in items if id(item) in running],
        [item for item in items if id(item) not in running],
    )


def _of_matrix(cells: Sequence[Any]) -> list[Any]:
    if len(cells) <= SMALL:
        return list(cells)
    seen: set[tuple[str, str]] = set()
    found = []
    # In the order of their names' sums: neighbours in a product have much in common.
    for item in sorted(cells, key=_dealt):
        values = {one for name, value in item.callspec.params.items() for one in _of(name, value)}
        if not values <= seen or _dealt(item) % ONE_IN == 0:
            found.append(item)
        seen |= values
    return found


def _dealt(item: Any) -> int:
    return zlib.crc32(item.name.encode())


def _of(name: str, value: Any) -> list[tuple[str, str]]:
    """Of a record, each of its members; as texts that are the same in each process."""
    if dataclasses.is_dataclass(value):
        return [(f"{name}.{one}", str(member)) for one, member in vars(value).items()]
    return [(name, getattr(value, "__qualname__", None) or str(value))]
