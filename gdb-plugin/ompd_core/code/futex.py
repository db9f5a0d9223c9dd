# SPDX-License-Identifier: Apache-2.0
"""What does a thread wait for in the kernel? A system call, whatever machine it was made on."""

from __future__ import annotations

from ..light_classes import NamedTuple


class FutexWait(NamedTuple):
    """A system call that waits."""

    address: int
    operation: int
    expected: int  # what was there when it began
    timed: bool
    asleep: bool  # or its time is over; False: the thread has got it, and goes on
