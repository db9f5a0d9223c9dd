# SPDX-License-Identifier: Apache-2.0
"""What threads wait for outside of OpenMP."""

from __future__ import annotations

from typing import Annotated, Optional

from typing_extensions import TypedDict

from .words import Address, OneOf


class Outside(TypedDict):
    """What of the C library's is waited for; its name is the variable's, of a unit of Fortran's
    its number and file."""

    kind: Annotated[
        str,
        OneOf(
            "mutex",
            "rwlock",
            "join",
            "spin",
            "condition",
            "semaphore",
            "pthread_barrier",
            "once",
            "static",
            "stream",
            "unit",
            "malloc",
            "latch",
            "std_barrier",
            "counting_semaphore",
            "future",
            "futex",
            "gil",
        ),
    ]
    name: Optional[str]
    address: Optional[Address]
