# SPDX-License-Identifier: Apache-2.0
"""Do two processes have the same memory? Linux tells it by a system call that Python has not."""

from __future__ import annotations

import ctypes
import errno

_OF_MEMORY = 1  # KCMP_VM of linux/kcmp.h


def is_so(one: int, other: int, kcmp: int) -> bool | None:
    """Of two LWPs; kcmp: the call's number. None: the kernel does not tell."""
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(*map(ctypes.c_long, (kcmp, one, other, _OF_MEMORY, 0, 0)))
    if result < 0:
        return False if ctypes.get_errno() == errno.ESRCH else None
    return bool(result == 0)
