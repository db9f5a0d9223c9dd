# SPDX-License-Identifier: Apache-2.0
"""Which locks does a thread hold, as its code tells?"""

from __future__ import annotations

from dataclasses import dataclass

from .native import Location


@dataclass(frozen=True)
class Held:
    kind: str
    address: int | None
    location: Location | None
    always: bool
    exact: bool
