# SPDX-License-Identifier: Apache-2.0
"""Which machines are known? A new one is a module like x86_64, and its line here. It is loaded when
a process of that machine is looked at."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

from .processors import Processor, processor

if TYPE_CHECKING:
    from .base import Machine

__all__ = ["MODULES", "Processor", "named", "processor"]

# By debuggers' names of the architecture.
MODULES = {
    "i386:x86-64": f"{__name__}.x86_64",
    "aarch64": f"{__name__}.aarch64",
}


def named(name: str) -> Machine | None:
    """By the debugger's name of the architecture. None: what needs a machine is not known then."""
    module = MODULES.get(name)
    return cast("Machine", importlib.import_module(module)) if module is not None else None
