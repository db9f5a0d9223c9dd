# SPDX-License-Identifier: Apache-2.0
"""What does code call, or read the address of, that another image defines?"""

from __future__ import annotations

from typing import Iterator

from .. import abi
from ..arch.base import Machine
from ..debugger import Debugger


class LinkedCalls:
    """Of one picture. Found by the bytes: many times faster than to disassemble."""

    def __init__(self, debugger: Debugger, machine: Machine) -> None:
        self._debugger, self._machine = debugger, machine
        sections = debugger.code.sections()
        self._stubs = [(one.start, one.end) for one in sections if one.name.startswith(".plt")]
        self._tables = [(one.start, one.end) for one in sections if one.name.startswith(".got")]
        self._names: dict[int, str] = {}

    def of(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Where, and its name without what runtimes and Fortran add. Raises Unreadable."""
        text = self._debugger.code.read(start, end - start)
        for site, to in self._machine.references(text, start, self._stubs, self._tables):
            if to not in self._names:
                self._names[to] = abi.normal(self._name(to) or "")
            yield site, self._names[to]

    def _name(self, target: int) -> str | None:
        if any(start <= target < end for start, end in self._tables):
            target = self._debugger.number(target, self._debugger.pointer_size)
        return self._debugger.code.object(target)
