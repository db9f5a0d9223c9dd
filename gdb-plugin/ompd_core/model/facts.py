# SPDX-License-Identifier: Apache-2.0
"""What is looked at, and through which library?"""

from __future__ import annotations

from ..light_classes import NamedTuple


class Program(NamedTuple):
    inferior: int
    pid: int
    kind: str  # "live", "core", "remote"
    path: str | None
    core: str | None = None
    nameless: bool = False  # some of its libraries cannot be told from others


class Library(NamedTuple):
    path: str
    version: str
    api_version: int
    missing: tuple[str, ...] = ()  # routines of ompd-ext.h that it lacks
