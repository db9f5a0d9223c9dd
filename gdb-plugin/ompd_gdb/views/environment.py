# SPDX-License-Identifier: Apache-2.0
"""The variables that set up the OpenMP runtime, as text."""

from __future__ import annotations

from typing import Mapping

from .table import Style, fold, plain

_NONE = "No variable of OpenMP's is set: OMP_..., KMP_..., GOMP_... ."


def lines(settings: Mapping[str, str], style: Style) -> list[str]:
    if not settings:
        return [_NONE]
    shown = [plain(f"{name}={value}") for name, value in settings.items()]
    return [line for text in shown for line in (fold(text, style.width) if style.width else [text])]
