# SPDX-License-Identifier: Apache-2.0
"""What does a field of a record's line hold? Whoever wrote the file: a field of another type is not
there, and a number out of all bounds neither."""

from __future__ import annotations

import re
from typing import Any, Dict

MOST = 1 << 53  # of any number: ns of 104 days, and what a JSON reader holds exactly
LONGEST_TEXT = 4096  # characters of a name or sentence

Json = Dict[str, Any]


def number(line: Json, name: str, most: int = MOST) -> int | None:
    found = line.get(name)
    return found if is_number(found, most) else None


def is_number(value: object, most: int = MOST) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def real(line: Json, name: str) -> float | None:
    found = line.get(name)
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        return None
    return float(found) if 0 <= found <= MOST else None


def word(line: Json, name: str) -> str | None:
    found = line.get(name)
    return found[:LONGEST_TEXT] if isinstance(found, str) and found else None


def flag(line: Json, name: str) -> bool | None:
    found = line.get(name)
    return found if isinstance(found, bool) else None


def sentences(line: Json, name: str) -> tuple[str, ...]:
    found = line.get(name)
    if not isinstance(found, list):
        return ()
    return tuple(one[:LONGEST_TEXT] for one in found[:100] if isinstance(one, str))


def decimal(line: Json, name: str) -> int | None:
    """Of a string, since it may be longer than a JSON reader's numbers."""
    found = line.get(name)
    return int(found) if isinstance(found, str) and re.fullmatch("[0-9]{1,19}", found) else None


def address(line: Json, name: str) -> int | None:
    found = line.get(name)
    if isinstance(found, str) and re.fullmatch("0x[0-9a-fA-F]{1,16}", found):
        return int(found, 16)
    return None


def part(line: Json, name: str) -> Json:
    found = line.get(name)
    return found if isinstance(found, dict) else {}
