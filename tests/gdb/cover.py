# SPDX-License-Identifier: Apache-2.0
"""Which cells of the tests' matrices run by default? One of each test, and so many more that each
way to make, start and look at a program (WHERE) is in some cell of the suite, and each value of
the parameters that a test names by `pytest.mark.each'; none of a test that is marked `full'. All
of them with OMPD_FULL=1, or when a test is named."""

from __future__ import annotations

import collections
import dataclasses
import os
import zlib
from typing import Any, Counter, Sequence

Value = tuple[str, str]  # a parameter's name, and what it is
WHERE = {"kind", "runtime", "gdb", "build", "compiler", "settings", "level", "stripped"}


def configure(config: Any) -> None:
    for line in (
        "each(name, ...): by default, too, all values of these parameters are tested",
        "full: not tested by default",
    ):
        config.addinivalue_line("markers", line)


def choose(config: Any, items: list[Any]) -> None:
    named = config.option.keyword or any("::" in word for word in config.args)
    if named or os.environ.get("OMPD_FULL") == "1":
        return
    items[:], others = chosen(items)
    if others:
        config.hook.pytest_deselected(items=others)


def chosen(items: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Those that run, and the others."""
    matrices: dict[tuple[str, str], list[Any]] = {}
    for item in items:
        name = getattr(item, "originalname", item.name)
        matrices.setdefault((str(item.path), name), []).append(item)
    met: Counter[Value] = collections.Counter()
    running = {id(item) for cells in matrices.values() for item in _of_matrix(cells, met)}
    return (
        [item for item in items if id(item) in running],
        [item for item in items if id(item) not in running],
    )


def _of_matrix(cells: Sequence[Any], met: Counter[Value]) -> list[Any]:
    """MET: how often the tests before met each value of WHERE. What was met least comes first, so
    that the tests deal runtimes, sessions and GDBs out among each other."""
    if cells[0].get_closest_marker("full"):
        return []
    each = {name for marker in cells[0].iter_markers("each") for name in marker.args}
    values = {id(item): _values(item) for item in cells}
    where = {key: {one for one in of_cell if one[0] in WHERE} for key, of_cell in values.items()}
    missing = {one for of_cell in values.values() for one in of_cell if one[0] in each}

    def rareness(item: Any) -> tuple[list[int], int]:
        # In the order of their names' sums: neighbours in a product have much in common.
        return sorted(met[value] for value in where[id(item)]), zlib.crc32(item.name.encode())

    found: list[Any] = []
    for item in sorted(cells, key=rareness):
        key = id(item)
        if not found or missing & values[key] or where[key] - met.keys():
            found.append(item)
            met.update(where[key])
            missing -= values[key]
    return found


def _values(item: Any) -> set[Value]:
    if not hasattr(item, "callspec"):
        return set()
    return {one for name, value in item.callspec.params.items() for one in _of(name, value)}


def _of(name: str, value: Any) -> list[Value]:
    """Of a record, each of its members; as texts that are the same in each process."""
    if dataclasses.is_dataclass(value):
        return [(one, str(member)) for one, member in vars(value).items()]
    return [(name, getattr(value, "__qualname__", None) or str(value))]
