# SPDX-License-Identifier: Apache-2.0
"""What do the arguments of MPI's calls say, in whichever MPI?"""

from __future__ import annotations

import pytest
from ompd_core.model import messages
from ompd_core.model.messages import MPICHS_WORLD, OPEN_MPIS_WORLD, Message

AN_ADDRESS = 0x7F0000001000


@pytest.mark.parametrize(
    "rank, communicator, variable, told",
    [
        (2, AN_ADDRESS, OPEN_MPIS_WORLD, Message("from", 2, False, True)),
        (0xABCD_00000002, AN_ADDRESS, OPEN_MPIS_WORLD, Message("from", 2, False, True)),
        (2, AN_ADDRESS, None, Message("from", 2, False, False)),
        (2, None, None, Message("from", 2, False)),
        (0xFFFFFFFF, AN_ADDRESS, OPEN_MPIS_WORLD, Message("from", None, True, True)),
        (0xFFFFFFFE, MPICHS_WORLD, None, Message("from", None, True, True)),
        (0xFFFFFFFF, MPICHS_WORLD, None, Message("from", None, None, True)),
        (0xFFFFFFFF, AN_ADDRESS, None, Message("from", None, None, False)),
        (None, AN_ADDRESS, OPEN_MPIS_WORLD, Message("from", None, None, True)),
    ],
)
def test_arguments(
    rank: int | None, communicator: int | None, variable: str | None, told: Message
) -> None:
    assert messages.told("from", rank, communicator, variable) == told


def test_calls() -> None:
    assert messages.call_named("PMPI_Recv") == messages.call_named("MPI_Recv") == ("from", 3, 5)
    assert messages.call_named("MPI_Barrier") is None and messages.call_named(None) is None
