# SPDX-License-Identifier: Apache-2.0
"""How much of it, and how sure is that? A share is known as well as its samples allow."""

from __future__ import annotations

import math

from ..light_classes import dataclass
from .record import Account

_Z = 1.96  # 95 of 100 intervals hold the truth
_VAGUE = 10.0  # points of error from which a share says little
_NOTHING = 0.05  # below which it is none as it is written


@dataclass(frozen=True)
class Share:
    percent: float
    error: float | None  # points, half of the interval of 95 %; None: no sample says anything

    @property
    def vague(self) -> bool:
        return self.error is None or self.error > _VAGUE

    def __str__(self) -> str:
        if self.error is None:
            return f"~{self.percent:.0f} ±?"
        if self.vague:
            return f"~{self.percent:.0f} ±{self.error:.0f}"
        if self.error < _NOTHING:
            return f"{self.percent:.1f}"
        return f"{self.percent:.1f} ±{self.error:.1f}"


def share(part: Account, whole: Account, exact: bool = False) -> Share:
    """exact: no sample is needed for it. What is exact in the whole, samples do not blur: they
    divide the rest."""
    percent = 100 * min(part.ns / whole.ns, 1.0) if whole.ns else 0.0
    rest = whole.ns - whole.exact
    fraction = min((part.ns - part.exact) / rest, 1.0) if rest > 0 else 0.0
    return Share(percent, 0.0 if exact else _blurred(fraction, whole))


def worst(whole: Account) -> float | None:
    """The error of a half of what is not exact, which is known worst."""
    return _blurred(0.5, whole)


def _blurred(fraction: float, whole: Account) -> float | None:
    """Of the whole, by a share of its rest. Without a sample that may be all of anything."""
    if whole.exact and whole.exact >= whole.ns:
        return 0.0
    found = error(fraction, whole.samples - whole.spare)
    if found is None:
        found = 100.0 if whole.exact else None
    return None if found is None else found * (whole.ns - whole.exact) / whole.ns


def error(fraction: float, samples: int) -> float | None:
    """Of Wilson's interval, which holds for small shares and few samples too. Samples that are not
    independent of each other tell less than that."""
    if samples < 1:
        return None
    square = _Z * _Z
    inner = fraction * (1 - fraction) / samples + square / (4 * samples * samples)
    return 100 * _Z * math.sqrt(inner) / (1 + square / samples)
