# SPDX-License-Identifier: Apache-2.0
"""All of one stop from which it is told what is odd there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from ..light_classes import NamedTuple
from .process import Process

# What few commands need is loaded by them.
if TYPE_CHECKING:
    from .devices import Devices
    from .gave_up import GaveUp
    from .judgement import Judgement
    from .slowdowns import Slowdown
    from .standstill import Standstill


class Assessment(NamedTuple):
    process: Process
    judgement: Judgement | None = None  # None: OpenMP's state cannot be read
    devices: Devices | None = None  # None: the process has no offload runtime
    slowdowns: Sequence[Slowdown] = ()
    standstill: Standstill | None = None  # of a process of which no judgement is made
    gave_up: GaveUp | None = None
