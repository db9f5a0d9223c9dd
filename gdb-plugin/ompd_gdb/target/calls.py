# SPDX-License-Identifier: Apache-2.0
"""Who has called an entry point of the runtime's?"""

from __future__ import annotations

from ..model import where
from ..model.native import Frame
from . import arch_x86_64
from .inferior import InferiorTarget


class Calls:
    """Of one process, by the address that a call returns to. Answers are kept."""

    def __init__(self, target: InferiorTarget, code: where.CodeMap) -> None:
        self._target = target
        self._code = code
        self._inner: dict[int, bool] = {}

    def is_runtime(self, address: int) -> bool:
        return self._code.is_runtime(Frame(self._target.code.location(address)))

    def is_inner(self, back: int) -> bool:
        """Entry points call each other. A jump at the end of the user's function also returns to
        the runtime: to where that was called by its address."""
        if back not in self._inner:
            called = arch_x86_64.direct_call(self._target.read, back)
            self._inner[back] = (
                called is not None and self.is_runtime(back) and self.is_runtime(called)
            )
        return self._inner[back]
