# SPDX-License-Identifier: Apache-2.0
"""What does a function pass for certain in a call, if its code behind the call counts too?"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ompd_core.arch import aarch64
from ompd_core.model.native import Frame, Location
from ompd_core.snapshot import passed
from test_aarch64 import AT, PASSES, Code

RETURN, TO_THE_CALL, TO_THE_BEGIN = 0xD65F03C0, 0x17FFFFFF, 0x17FFFFFC


@pytest.mark.parametrize(
    "behind,value",
    [((RETURN,), 2), ((TO_THE_CALL, RETURN), None), ((TO_THE_BEGIN, RETURN), 2)],
)
def test_jumps_from_behind(behind: tuple[int, ...], value: int | None) -> None:
    code = Code(*PASSES, *behind, names={AT + 12: "omp_set_lock@plt"})
    end = AT + 4 * (len(PASSES) + len(behind))
    of_symbols = SimpleNamespace(
        read=code.read, start=lambda address: AT if AT <= address < end else end
    )
    debugger: Any = SimpleNamespace(code=of_symbols, machine=aarch64, disassembler=code)
    caller = Frame(Location("f", pc=AT + 16))
    assert passed.constant(debugger, caller, {"omp_set_lock": 1}.get) == value
