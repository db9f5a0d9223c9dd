# SPDX-License-Identifier: Apache-2.0
"""Is a place in the code inside of a construct that gives out its work by calls: gcc's sections, a
loop? The code of the work can lie behind the call that ends the construct, and far away from it:
the ways that lead to the place tell, and all have to agree."""

from __future__ import annotations

from typing import Callable, Collection, Iterator, Mapping

from .. import abi
from ..code.machine_code import Instruction
from ..code.returning import never_returns
from .function_body import Body

Call = tuple[int, int, str]  # its address, the one behind it, the name of what is called
_GOES_ON = ("next", "padding", "branch", "call")
_LEADS = ("jump", "branch")


class WorkCode:
    """Of one picture. Each function is looked through once."""

    def __init__(
        self,
        body: Callable[[int], Body | None],
        gives: Collection[str],
        left: Collection[str],
    ) -> None:
        """By the calls that give out work, and by those that end the construct."""
        self._body, self._gives, self._left = body, gives, left
        self._reached: dict[int, Mapping[int, set[Call | None]]] = {}

    def begun(self, entry: int, pc: int, returns: bool) -> Collection[Call | None]:
        """The calls by which all ways through a function to the place got their first work, None
        for a way outside of such constructs. returns: a call there returns to it. Empty: it cannot
        be told."""
        body = self._body(entry)
        if body is None:
            return ()
        if entry not in self._reached:
            self._reached[entry] = self._walked(body)
        reached = self._reached[entry]
        call = body.returns.get(pc) if returns else None
        if call is None:
            return reached.get(pc, ())
        return {self._behind(call, begun) for begun in reached.get(call.address, ())}

    def _walked(self, body: Body) -> Mapping[int, set[Call | None]]:
        code = body.code
        if not any(called(one) in self._gives for one in code.values()):
            return {}
        reached: dict[int, set[Call | None]] = {address: set() for address in code}
        waiting: list[tuple[int, Call | None]] = [(body.start, None)]
        while waiting:
            address, begun = waiting.pop()
            if address not in reached or begun in reached[address]:
                continue
            reached[address].add(begun)
            one = code[address]
            behind = self._behind(one, begun)
            waiting += [(to, behind) for to in _ways(one, code)]
        return reached

    def _behind(self, one: Instruction, begun: Call | None) -> Call | None:
        name = called(one)
        if name in self._left:
            return None
        if name not in self._gives or (begun is not None and name not in abi.CONSTRUCT_ENDS):
            return begun
        return one.address, one.following, name


def called(one: Instruction) -> str:
    """Empty: nothing, or nothing that has a name."""
    return abi.normal(one.to.name or "") if one.flow == "call" else ""


def _ways(one: Instruction, code: Mapping[int, Instruction]) -> Iterator[int]:
    """Where it can lead. A jump by a table may lead to any place."""
    if one.flow in _GOES_ON and not never_returns(one):
        yield one.following
    if one.flow in _LEADS:
        yield from code if one.to.address is None else [one.to.address]
