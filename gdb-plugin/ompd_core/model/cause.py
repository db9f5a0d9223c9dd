# SPDX-License-Identifier: Apache-2.0
"""Of what did the program crash, beyond what the signal tells?"""

from __future__ import annotations

from typing import Sequence

from ..code.refusal import Refusal
from ..light_classes import NamedTuple
from .overflow import Overflow
from .thrown import Thrown

# Why the C++ library ended the program, without an exception.
CANCELLED = "pthread_cancel"  # the thread was to end, and came to what lets nothing out
EXITED = "pthread_exit"
JOINABLE = "joinable_thread"  # a std::thread was destroyed
PURE = "pure_virtual"  # a function without code was called
TERMINATED = "terminate"  # the program has called it


class Said(NamedTuple):
    text: str
    by: str  # the C library, or a runtime's name


class Met(NamedTuple):
    """A limit that keeps a process from making one more thread, or from more memory."""

    name: str  # as `ulimit -u'
    limit: int
    used: int
    in_bytes: bool = False


class Cause(NamedTuple):
    thrown: Thrown | None = None  # the exception that it was ended for
    overflow: Overflow | None = None  # of the stack
    terminated: str | None = None
    said: Said | None = None  # before it ended the program
    met: Sequence[Met] = ()  # where it could not make a thread, or got no memory
    refused: Refusal | None = None  # the instruction
    rights: str | None = None  # of the memory that it used, as `rw-'
    file: str | None = None  # that is mapped where the address is
