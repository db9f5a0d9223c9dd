# SPDX-License-Identifier: Apache-2.0
"""Is it said what a core file lacks, and only then?"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ompd_core.errors import Unreadable
from ompd_core.model.native import NativeThread
from ompd_core.snapshot import advice


def target(memory: dict[int, bytes], core: Any) -> Any:
    def read(address: int, nbytes: int) -> bytes:
        if address not in memory:
            raise Unreadable
        return memory[address][:nbytes]

    threads = [NativeThread(n, 1, n, (9, n, 0), pthread_id=n << 12) for n in (1, 2, 3)]
    threads.append(NativeThread(4, 1, 4, (9, 4, 0)))
    return SimpleNamespace(core=core, executable="a.out", native_threads=lambda: threads, read=read)


CORE = SimpleNamespace(missing=0, likely={}, path="core")
ZEROS, DATA = bytes(256), bytes(208) + b"\1" + bytes(47)


@pytest.mark.parametrize(
    "memory, core, said",
    [
        (
            {0x1000: DATA, 0x2000: ZEROS, 0x3000: ZEROS},
            CORE,
            "2 of the threads keep their own data",
        ),
        ({0x1000: DATA, 0x2000: ZEROS}, CORE, "1 of the threads keeps its own data"),
        ({0x1000: DATA, 0x2000: DATA, 0x3000: DATA}, CORE, None),
        ({}, CORE, None),
        ({0x2000: ZEROS}, None, None),
    ],
)
def test_zeros_in_place_of_a_threads_data(
    memory: dict[int, bytes], core: Any, said: str | None
) -> None:
    found = advice.of_core(target(memory, core))
    assert len(found) == (said is not None)
    assert said is None or said in found[0]
