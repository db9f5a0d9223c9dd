# SPDX-License-Identifier: Apache-2.0
"""Is a thread in code of a library that has been unloaded?"""

from __future__ import annotations

from typing import Sequence

from ..debugger import Debugger
from ..model.native import Frame

# Libraries are mapped near each other; a damaged address leads anywhere.
_NEAR = 1 << 32


def unloaded(debugger: Debugger, frames: Sequence[Frame]) -> int | None:
    """Where on a stack code was. Behind it the stack cannot be followed."""
    for frame in frames:
        place = frame.location
        if place.objfile is None and place.function is None and not frame.signal:
            libraries = [one for one in debugger.images.loaded if one.path]
            near = any(abs(frame.pc - one.start) < _NEAR for one in libraries)
            return frame.pc if near and not debugger.is_mapped(frame.pc) else None
    return None
