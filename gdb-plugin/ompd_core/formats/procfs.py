# SPDX-License-Identifier: Apache-2.0
"""What is in the kernel's files about processes? Whoever has ended has empty ones."""

from __future__ import annotations

import os
from typing import Iterator

from ..light_classes import NamedTuple

ROOT = "/proc"


class Mapped(NamedTuple):
    """A line of `maps'."""

    start: int
    end: int
    rights: str  # rw-p
    offset: int
    file: tuple[int, int]  # its device and inode, as os.stat tells them of most file systems
    path: str


def text(path: str) -> str:
    """Empty: it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read().strip()
    except OSError:
        return ""


def status(folder: str) -> dict[str, str]:
    """folder: of a process or a thread."""
    lines = text(f"{folder}/status").splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}


def mappings(folder: str) -> Iterator[Mapped]:
    for line in text(f"{folder}/maps").splitlines():
        bounds, rights, *rest = line.split(None, 5)
        start, _, end = bounds.partition("-")
        major, _, minor = rest[1].partition(":")
        yield Mapped(
            int(start, 16),
            int(end, 16),
            rights,
            int(rest[0], 16),
            (os.makedev(int(major, 16), int(minor, 16)), int(rest[2])),
            rest[3] if len(rest) > 3 else "",
        )


def leads_to(one: Mapped) -> bool:
    """The path leads to the file that is mapped. Some file systems have other devices in the list
    than of the file."""
    try:
        status = os.stat(one.path)
    except OSError:
        return False
    return (status.st_dev, status.st_ino) == one.file


def processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def hides_processes() -> bool:
    """Those of others (mount option hidepid), as far as the first one tells."""
    return not os.path.exists("/proc/1")
