# SPDX-License-Identifier: Apache-2.0
"""Which of the user's limits leave too little for a report?"""

from __future__ import annotations

import resource

from ompd_core.errors import UserError

FEWEST_FILES = 64  # a report of a small program takes 40, and with fewer some is not found
PLENTY_OF_FILES = 256  # which any report does with


def check() -> None:
    """Raises UserError: what cannot be opened for want of room is not to be taken for missing."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files < FEWEST_FILES:
        raise UserError(
            "limit_too_low",
            f"Only {files} files may be open at once (`ulimit -n'), {FEWEST_FILES} are needed.",
            "Allow more.",
        )


def low() -> str:
    """What GDB may not have enough of."""
    found = []
    memory = resource.getrlimit(resource.RLIMIT_AS)[0]
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if memory != resource.RLIM_INFINITY:
        found.append(f"GDB may have {memory >> 20} MiB of memory (`ulimit -v'): allow more.")
    if files < PLENTY_OF_FILES:
        found.append(f"GDB may open {files} files at once (`ulimit -n'): allow more.")
    return " ".join(found)
