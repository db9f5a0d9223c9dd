# SPDX-License-Identifier: Apache-2.0
"""The variables that set up the OpenMP runtime, as text."""

from __future__ import annotations

from typing import Mapping

from ..runtimes import ENVIRONMENT
from .table import Style, fold
from .terminal import plain

_NAMES = ", ".join(f"{prefix}..." for prefix in ENVIRONMENT)
NONE = f"No variable of OpenMP's is set: {_NAMES} ."


def lines(settings: Mapping[str, str], style: Style) -> list[str]:
    if not settings:
        return [NONE]
    shown = [plain(f"{name}={value}") for name, value in settings.items()]
    return [line for text in shown for line in (fold(text, style.width) if style.width else [text])]
