# SPDX-License-Identifier: Apache-2.0
"""For which other rank does a thread wait in a call of MPI's? What the program passed to it tells:
MPI itself, as distributions build it, cannot be looked into."""

from __future__ import annotations

from typing import Mapping, Optional

from ..light_classes import NamedTuple
from .doubts import Doubt

FROM, TO = "from", "to"
# Which argument is the rank, and which the communicator, of calls that wait for one other rank.
CALLS: Mapping[str, tuple[str, int, int]] = {
    "MPI_Recv": (FROM, 3, 5),
    "MPI_Probe": (FROM, 0, 2),
    "MPI_Send": (TO, 3, 5),
    "MPI_Ssend": (TO, 3, 5),
    "MPI_Rsend": (TO, 3, 5),
}
# MPI_COMM_WORLD: a variable of Open MPI's, and a number of MPICH's and of all that are made of it.
OPEN_MPIS_WORLD, MPICHS_WORLD = "ompi_mpi_comm_world", 0x44000000
ANY_OF_OPEN_MPI, ANY_OF_MPICH = -1, -2

NOT_TOLD = Doubt(
    "unknown",
    "what the call was given is not kept where the program's code could tell it",
    "compile the program with less optimisation",
)


class Message(NamedTuple):
    """That a call waits for."""

    direction: str  # FROM or TO the rank
    rank: Optional[int] = None  # in its communicator; None: any, or not known
    any_rank: Optional[bool] = None  # None: not known
    world: Optional[bool] = None  # is it MPI_COMM_WORLD? None: not known

    @property
    def is_known(self) -> bool:
        return bool(self.any_rank) or self.rank is not None

    @property
    def words(self) -> str:
        if self.any_rank:
            return f"{self.direction} any rank"
        if self.rank is None:
            return f"{self.direction} a rank that is not known"
        of = {True: "", False: " of another communicator", None: " of some communicator"}
        return f"{self.direction} rank {self.rank}{of[self.world]}"


def call_named(function: str | None) -> tuple[str, int, int] | None:
    """None: it waits for no single rank, or is none of MPI's."""
    name = function or ""
    return CALLS.get(name[1:] if name.startswith("PMPI_") else name)


def told(
    direction: str, rank: int | None, communicator: int | None, variable: str | None
) -> Message:
    """rank, communicator: the arguments, as numbers without a sign; variable: whose address the
    second is."""
    world = None
    if communicator is not None:
        world = variable == OPEN_MPIS_WORLD or communicator & 0xFFFFFFFF == MPICHS_WORLD
    if rank is None:
        return Message(direction, world=world)
    signed = (rank & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)
    if signed >= 0:
        return Message(direction, signed, False, world)
    # Another number means that in each MPI: which one it is, MPI_COMM_WORLD tells.
    any_rank = ANY_OF_OPEN_MPI if variable == OPEN_MPIS_WORLD else ANY_OF_MPICH
    return Message(direction, any_rank=signed == any_rank or None if world else None, world=world)
