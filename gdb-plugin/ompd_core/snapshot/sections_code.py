# SPDX-License-Identifier: Apache-2.0
"""Is a place in gcc's code inside of a sections construct? The code of the sections can lie behind
the call that ends the construct: the ways that lead to the place tell, and all have to agree."""

from __future__ import annotations

from typing import Iterator, Mapping

from .. import abi
from ..arch.base import Machine, Range
from ..code.machine_code import Instruction
from ..debugger import LONGEST_FUNCTION, Debugger
from ..errors import Unreadable

Site = int  # the call that gave the thread its first section
_GOES_ON = ("next", "padding", "branch", "call")
_LEADS = ("jump", "branch")


class SectionsCode:
    """Of one picture. Each function is looked through once."""

    def __init__(self, debugger: Debugger, machine: Machine) -> None:
        self._debugger, self._machine = debugger, machine
        self._reached: dict[int, Mapping[int, set[Site | None]]] = {}

    def of(self, pc: int, span: Range) -> Site | None:
        """span: of its function, from where that begins. None: it is in none, or that cannot be
        told."""
        if span[0] not in self._reached:
            self._reached[span[0]] = self._look_through(*span)
        sites = self._reached[span[0]].get(pc, set())
        return next(iter(sites)) if len(sites) == 1 else None

    def _look_through(self, start: int, end: int) -> Mapping[int, set[Site | None]]:
        if end - start > LONGEST_FUNCTION or not self._debugger.code.is_known(start, end):
            return {}
        try:
            code = self._machine.instructions(self._debugger.disassembler, start, end)
        except Unreadable:
            return {}
        if not any(_name(one) in abi.SECTIONS_NEXT for one in code.values()):
            return {}
        reached: dict[int, set[Site | None]] = {address: set() for address in code}
        waiting: list[tuple[int, Site | None]] = [(start, None)]
        while waiting:
            address, site = waiting.pop()
            if address not in reached or site in reached[address]:
                continue
            reached[address].add(site)
            one = code[address]
            behind = _behind(one, site)
            waiting += [(to, behind) for to in _ways(one, code)]
        return reached


def _name(one: Instruction) -> str:
    return abi.normal(one.to.name or "") if one.flow == "call" else ""


def _behind(one: Instruction, site: Site | None) -> Site | None:
    name = _name(one)
    if name in abi.SECTIONS_LEFT:
        return None
    if name not in abi.SECTIONS_NEXT or (site is not None and name not in abi.CONSTRUCT_ENDS):
        return site
    return one.address


def _ways(one: Instruction, code: Mapping[int, Instruction]) -> Iterator[int]:
    """Where it can lead. A jump by a table may lead to any place. What lies elsewhere is another
    function, or seldom executed: no way from there enters a section."""
    if one.flow in _GOES_ON:
        yield one.following
    if one.flow in _LEADS:
        yield from code if one.to.address is None else [one.to.address]
