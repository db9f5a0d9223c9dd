# SPDX-License-Identifier: Apache-2.0
"""Of what did the program crash, beyond what the signal tells?"""

from __future__ import annotations

from ..light_classes import NamedTuple
from .overflow import Overflow
from .thrown import Thrown


class Cause(NamedTuple):
    thrown: Thrown | None = None  # the exception that it was ended for
    overflow: Overflow | None = None  # of the stack
