# SPDX-License-Identifier: Apache-2.0
"""Which functions of the program call the runtime's routines that take locks and give them up?"""

from __future__ import annotations

from typing import Callable

from .. import abi
from ..arch.base import Machine
from ..debugger import Debugger
from ..errors import Unreadable
from ..model.locks import CONSTRUCTS
from .linked_calls import LinkedCalls

# Bytes of code that are looked through: some seconds at the most.
MOST_CODE = 32 << 20
MOST_FUNCTIONS = 4096

ROUTINES = frozenset(
    name
    for table in (abi.BEGINS, abi.ENDS)
    for name, (kind, _) in table.items()
    if kind in CONSTRUCTS
)
# With these a function that holds something may be on no thread's stack.
_CHANGE_STACKS = ("makecontext", "setcontext", "swapcontext")


def callers(debugger: Debugger, is_foreign: Callable[[int], bool]) -> set[int] | None:
    """Where they begin. is_foreign: does the code at an address call nothing of the program's?
    None: it cannot be told."""
    if debugger.machine is None:
        return None
    try:
        return _callers(debugger, debugger.machine, is_foreign)
    except Unreadable:
        return None


def _callers(
    debugger: Debugger, machine: Machine, is_foreign: Callable[[int], bool]
) -> set[int] | None:
    code = debugger.code
    texts = [
        (one.start, one.end)
        for one in code.sections()
        if one.name == ".text" and not is_foreign(one.start)
    ]
    if sum(end - start for start, end in texts) > MOST_CODE:
        return None
    linked = LinkedCalls(debugger, machine)
    found: set[int] = set()
    for start, end in texts:
        if not code.is_known(start, end):
            return None
        for site, name in linked.of(start, end):
            if name in _CHANGE_STACKS:
                return None
            if name in ROUTINES:
                function = code.start(site)
                if function is None or len(found) == MOST_FUNCTIONS:
                    return None
                found.add(function)
    return found
