# SPDX-License-Identifier: Apache-2.0
"""In which of the kernel's control groups is a process? Version 2 has one tree of them, version 1
one for each controller; a machine may have both."""

from __future__ import annotations

import os
from typing import Iterator

from ..light_classes import NamedTuple
from . import procfs

ROOT = "/sys/fs/cgroup"


class Group(NamedTuple):
    version: int
    folder: str

    def numbers(self, file: str) -> dict[str, int]:
        """Of a file with a name and a number in each line. Empty: it cannot be read."""
        words = (line.split() for line in procfs.text(f"{self.folder}/{file}").splitlines())
        return {one[0]: int(one[1]) for one in words if len(one) == 2 and one[1].isdecimal()}


def of(pid: int | str, controller: str) -> Iterator[Group]:
    """The process's own, and then those that it is in. That of a container, seen from inside of
    it, may not be there."""
    for line in procfs.text(f"{procfs.ROOT}/{pid}/cgroup").splitlines():
        _, controllers, group = (line.split(":", 2) + ["", ""])[:3]
        if not controllers:
            yield from _up(2, ROOT, group)
        elif controller in controllers.split(","):
            yield from _up(1, os.path.join(ROOT, controllers), group)


def _up(version: int, root: str, group: str) -> Iterator[Group]:
    names = [name for name in group.split("/") if name and name != ".."]
    for depth in range(len(names), -1, -1):
        yield Group(version, os.path.join(root, *names[:depth]))
