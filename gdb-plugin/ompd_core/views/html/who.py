# SPDX-License-Identifier: Apache-2.0
"""Which threads does a list of ids mean, and which list means these threads?"""

from __future__ import annotations

import re
from typing import Iterable

from ...model import ids
from .document import Json, members, word

MOST_IDS = 1 << 15  # that a list may spell out, whatever it says


def expanded(text: str | None) -> list[str]:
    """R1.0-2 T5 is R1.0, R1.1, R1.2, T5. What is no list of ids stands for itself."""
    found: list[str] = []
    for part in (text or "").split():
        found += _expanded(part, MOST_IDS - len(found))
    return found


def _expanded(part: str, room: int) -> list[str]:
    try:
        if part.startswith("T"):
            return _limited(part, room, [f"T{n}" for n in _numbers(ids.Numbers(part[1:]), room)])
        parsed = ids.parse(part)
    except ids.IdError:
        return [part]
    if not isinstance(parsed, ids.RegionIds) or parsed.threads is None:
        return [part]
    regions, threads = _numbers(parsed.regions, room), _numbers(parsed.threads, room)
    if len(regions) * len(threads) > room:
        return [part]
    return [f"R{region}.{number}" for region in regions for number in threads]


def _limited(part: str, room: int, found: list[str]) -> list[str]:
    return found if len(found) < room else [part]


def _numbers(numbers: ids.Numbers, room: int) -> list[int]:
    found: list[int] = []
    for low, high in numbers.ranges:
        found += range(low, min(high, low + room) + 1)
    return found


def compressed(names: Iterable[str]) -> str:
    """R1.0-2 T5"""
    inside, outside, others = [], [], []
    for name in names:
        match = re.fullmatch(r"R([0-9]{1,9})\.([0-9]{1,9})", name)
        if match:
            inside.append((int(match.group(1)), int(match.group(2))))
        elif re.fullmatch(r"T[0-9]{1,9}", name):
            outside.append(int(name[1:]))
        else:
            others.append(name)
    found = [ids.short_thread_list(inside)] if inside else []
    found += [f"T{ids.compress(outside)}"] if outside else []
    return " ".join([*found, *others])


def name(thread: Json) -> str:
    """R1.3, or GDB's number of a thread in no region."""
    for member in members(thread):
        found = word(member, "id")
        if found is not None:
            return found
    return gdb_name(thread) or "(unknown)"


def gdb_name(thread: Json) -> str:
    """T4"""
    found = word(thread, "gdb")
    return f"T{found.rpartition('.')[2]}" if found else ""


def of_threads(threads: Iterable[Json]) -> str:
    return compressed(name(thread) for thread in threads)


def gdb_names(threads: Iterable[Json]) -> str:
    return compressed(found for thread in threads if (found := gdb_name(thread)))
