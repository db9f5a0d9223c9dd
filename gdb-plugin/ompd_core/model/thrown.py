# SPDX-License-Identifier: Apache-2.0
"""Which exception of C++ ended the program, and what did it leave? OpenMP lets none out of the code
of a construct: the C++ library ends the program there."""

from __future__ import annotations

from ..light_classes import NamedTuple
from .native import Location

# What it came to, that lets none out.
REGION, TASK, CONSTRUCT, FUNCTION = "region", "task", "construct", "function"


class Thrown(NamedTuple):
    type: str
    what: str | None = None  # its text, or its value; None: not readable
    left: str | None = None  # None: nobody catches it, or it is not known
    location: Location | None = None  # of that construct or function
