# SPDX-License-Identifier: Apache-2.0
"""What does a thread wait for in the kernel? A system call, whatever machine it was made on.
linux/futex.h has the numbers."""

from __future__ import annotations

from ..light_classes import NamedTuple

# FUTEX_WAIT, FUTEX_WAIT_BITSET and FUTEX_WAIT_REQUEUE_PI compare the word, and those that take a
# lock which inherits priority do not: FUTEX_LOCK_PI, FUTEX_LOCK_PI2.
_COMPARES, _TAKES = (0, 9, 11), (6, 13)
_PRIVATE = 0x80
_MARKS = 0x180  # that, and which clock


class FutexWait(NamedTuple):
    """A system call that waits."""

    address: int
    operation: int
    expected: int  # what was there when it began
    timed: bool
    asleep: bool  # or its time is over; False: the thread has got it, and goes on

    @property
    def ends_by_waking(self) -> bool:
        """By another thread, and by nothing else of the kernel's."""
        return self.asleep and not self.timed and self.kind in _COMPARES + _TAKES

    @property
    def kind(self) -> int:
        return self.operation & ~_MARKS

    @property
    def is_private(self) -> bool:
        """Only threads of the same process can wake it."""
        return bool(self.operation & _PRIVATE)

    def has_changed(self, word: int) -> bool:
        """Begun now, it would not sleep."""
        return self.kind in _COMPARES and word != self.expected
