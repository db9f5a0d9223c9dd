# SPDX-License-Identifier: Apache-2.0
"""Of what did the program crash, beyond what the signal tells?"""

from __future__ import annotations

from ..light_classes import NamedTuple
from .overflow import Overflow
from .thrown import Thrown

# Why the C++ library ended the program, without an exception.
CANCELLED = "pthread_cancel"  # the thread was to end, and came to what lets nothing out
EXITED = "pthread_exit"
JOINABLE = "joinable_thread"  # a std::thread was destroyed
TERMINATED = "terminate"  # the program has called it


class Cause(NamedTuple):
    thrown: Thrown | None = None  # the exception that it was ended for
    overflow: Overflow | None = None  # of the stack
    terminated: str | None = None
    said: str | None = None  # by the C library, before it ended the program
    file: str | None = None  # that is mapped where the address is
