# SPDX-License-Identifier: Apache-2.0
"""How many mappings were told as programs recorded them, and what that took? By release, and by how
it was looked at; the last lines of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import shown


@dataclass
class Tables:
    tables: int = 0
    recorded: int = 0
    equal: int = 0
    more: int = 0  # that nobody recorded
    reads: int = 0
    bytes: int = 0
    microseconds: int = 0

    def __str__(self) -> str:
        each = max(self.tables, 1)
        return (
            f"{self.equal} of {self.recorded} equal, {self.more} more; a table takes"
            f" {self.reads // each} reads, {self.bytes // each // 1024} KiB,"
            f" {self.microseconds / each / 1000:.1f} ms"
        )


seen: dict[tuple[str, str], Tables] = {}


def count(runtime: str, how: str, offload: Any, account: Any) -> None:
    told, true = shown.shown(offload), shown.recorded(account)
    tables = seen.setdefault((runtime, how), Tables())
    tables.tables += 1
    tables.recorded += len(true)
    tables.equal += sum(told.get(key) == mapping for key, mapping in true.items())
    tables.more += len(told.keys() - true.keys())
    tables.reads += offload["reads"]
    tables.bytes += offload["bytes"]
    tables.microseconds += offload["microseconds"]


def lines() -> list[str]:
    return [f"mappings, {runtime}, {how}: {seen[runtime, how]}" for runtime, how in sorted(seen)]
