# SPDX-License-Identifier: Apache-2.0
"""Which machines are known? A new one is a module like x86_64, and its line here."""

from __future__ import annotations

from . import aarch64, x86_64
from .base import Machine
from .processors import Processor, processor

__all__ = ["MACHINES", "Machine", "Processor", "named", "processor"]

MACHINES: tuple[Machine, ...] = (x86_64, aarch64)


def named(name: str) -> Machine | None:
    """By the debugger's name of the architecture. None: what needs a machine is not known then."""
    return next((one for one in MACHINES if name in one.NAMES), None)
