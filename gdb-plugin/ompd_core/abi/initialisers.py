# SPDX-License-Identifier: Apache-2.0
"""What do compilers of C++ call around the initialisation of a function's static variable?"""

from __future__ import annotations

from .base import Held

ACQUIRE = "__cxa_guard_acquire"
_KIND = "static"
# The object is the guard, a variable beside the static one. Who gets a zero need not initialise it.
BEGINS: Held = {ACQUIRE: (_KIND, 0)}
ENDS: Held = {"__cxa_guard_release": (_KIND, 0), "__cxa_guard_abort": (_KIND, 0)}
TESTS = (ACQUIRE,)
