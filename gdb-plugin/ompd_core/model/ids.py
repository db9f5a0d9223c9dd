# SPDX-License-Identifier: Apache-2.0
"""How are threads, regions, tasks and locks named? R1, R1.7, t3, L1; lists such as 0-6,8; and what
users type."""

from __future__ import annotations

import re
from typing import Iterable, Union

from ..light_classes import NamedTuple

FORMS = "R1, R1.7, R1.0-6,8, t3, *, or GDB's thread numbers: 3, 2-7, 1.3"
LOCK_FORMS = "L1, L1-3,5"


class IdError(ValueError):
    """What was typed is no id."""


def compress(numbers: Iterable[int]) -> str:
    """0-6,8"""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{low}" if low == high else f"{low}-{high}" for low, high in runs)


def thread_list(threads: Iterable[tuple[int, int]]) -> str:
    """R1.0-6,8 R2.0: of pairs (region, thread number)."""
    members = _by_region(threads)
    return " ".join(f"R{region}.{compress(members[region])}" for region in sorted(members))


def short_thread_list(threads: Iterable[tuple[int, int]]) -> str:
    """R2-5,7.0-1: regions of which the same thread numbers are meant stand together."""
    alike: dict[str, list[int]] = {}
    for region, numbers in sorted(_by_region(threads).items()):
        alike.setdefault(compress(numbers), []).append(region)
    return " ".join(f"R{compress(regions)}.{numbers}" for numbers, regions in alike.items())


def _by_region(threads: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for region, number in threads:
        members.setdefault(region, []).append(number)
    return members


class Numbers:
    """A list of ranges. It is only asked, never spelled out: a user may type 0-999999999."""

    def __init__(self, text: str) -> None:
        self.ranges: list[tuple[int, int]] = []
        for part in text.split(","):
            match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", part)
            if not match:
                raise IdError(f"`{text}' is not a list of numbers")
            low, high = int(match.group(1)), int(match.group(2) or match.group(1))
            if low > high:
                raise IdError(f"`{part}' runs backwards")
            self.ranges.append((low, high))

    def __contains__(self, number: int) -> bool:
        return any(low <= number <= high for low, high in self.ranges)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Numbers) and self.ranges == other.ranges

    def __repr__(self) -> str:
        return f"Numbers({self.ranges})"


class RegionIds(NamedTuple):
    """R1, R1.7, R1.0-6,8, R2-5.0"""

    text: str
    regions: Numbers
    threads: Numbers | None


class TaskIds(NamedTuple):
    """t3"""

    text: str
    tasks: Numbers


class NativeIds(NamedTuple):
    """3, 2-7, 1.3, 1.*"""

    text: str
    inferior: int | None
    threads: Numbers | None


class Everything(NamedTuple):
    """*"""

    text: str


Ids = Union[RegionIds, TaskIds, NativeIds, Everything]


def parse(word: str) -> Ids:
    """One word of a list of ids."""
    try:
        return _parse(word)
    except IdError as error:
        raise IdError(f"`{word}' is not an id{_detail(error, word)}; ids are {FORMS}.") from None


def _detail(error: IdError, word: str) -> str:
    text = str(error)
    return "" if f"`{word}'" in text or not text else f": {text}"


def _parse(word: str) -> Ids:
    if word == "*":
        return Everything(word)
    kind, rest = word[:1], word[1:]
    if kind in ("R", "r"):
        regions, dot, threads = rest.partition(".")
        return RegionIds(word, Numbers(regions), _threads(threads) if dot else None)
    if kind == "t":
        return TaskIds(word, Numbers(rest))
    inferior, dot, threads = word.rpartition(".")
    if not dot:
        return NativeIds(word, None, Numbers(word))
    if not re.fullmatch(r"[0-9]{1,9}", inferior):
        raise IdError("")
    return NativeIds(word, int(inferior), _threads(threads))


def _threads(text: str) -> Numbers | None:
    return None if text == "*" else Numbers(text)


def is_id(word: str) -> bool:
    try:
        _parse(word)
    except IdError:
        return False
    return True


# ---- Locks: commands that take their ids take no others ------------------------------------------


class LockIds(NamedTuple):
    """L1, L1-3,5"""

    text: str
    locks: Numbers


def parse_lock(word: str) -> LockIds:
    try:
        return _parse_lock(word)
    except IdError as error:
        detail = _detail(error, word)
        raise IdError(f"`{word}' is not an id of a lock{detail}; those are {LOCK_FORMS}.") from None


def _parse_lock(word: str) -> LockIds:
    if word[:1] not in ("L", "l"):
        raise IdError("")
    return LockIds(word, Numbers(word[1:]))


def is_lock_id(word: str) -> bool:
    try:
        _parse_lock(word)
    except IdError:
        return False
    return True
