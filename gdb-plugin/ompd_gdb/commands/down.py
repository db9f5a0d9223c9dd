# SPDX-License-Identifier: Apache-2.0
"""`ompd down': GDB's `down', along the stack that `ompd bt' shows."""

from __future__ import annotations

from .up import Up


class Down(Up):
    """Select the next frame further in, also on another's stack.

    Usage: ompd down [N]

    Frames of the runtime and constructs are passed over. N: so many frames."""

    name = "ompd down"
    outwards = False
