# SPDX-License-Identifier: Apache-2.0
"""What does the signal say at which a program died or stopped? Knows Linux's numbers of them."""

from __future__ import annotations

import signal

from .light_classes import NamedTuple

# By these a program dies of an error of its own. SIGTRAP is a debugger's too.
_FATAL = ("SIGILL", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS")
# Their siginfo has the address that the program used, or of the instruction.
_WITH_ADDRESS = ("SIGILL", "SIGBUS", "SIGFPE", "SIGSEGV")

SI_USER, SI_QUEUE, SI_TKILL, SI_KERNEL = 0, -1, -6, 0x80
_SENT = (SI_USER, SI_QUEUE, SI_TKILL)

_BEYOND_FILE = ("SIGBUS", 2)
_UNMAPPED, _FORBIDDEN = ("SIGSEGV", 1), ("SIGSEGV", 2)
_NEAR_NULL = 4096  # an element of a structure, as a rule

_REASONS = {
    _UNMAPPED: "no memory is mapped at {}",
    _FORBIDDEN: "memory at {} may not be used in this way",
    ("SIGSEGV", 4): "memory at {} is locked by a protection key",
    ("SIGSEGV", 8): "a pointer's tag is not that of the memory",
    ("SIGSEGV", 9): "the tag of a pointer to {} is not that of the memory",
    ("SIGSEGV", 10): "a function did not return to where it was called (shadow stack)",
    ("SIGBUS", 1): "the address {} is not aligned",
    _BEYOND_FILE: "nothing is behind the address {}: likely the end of a mapped file",
    ("SIGFPE", 1): "integer division by zero, or with a result that does not fit",
    ("SIGFPE", 2): "integer overflow",
    ("SIGFPE", 3): "floating-point division by zero",
    ("SIGFPE", 4): "floating-point overflow",
    ("SIGFPE", 5): "floating-point underflow",
    ("SIGFPE", 6): "inexact floating-point result",
    ("SIGFPE", 7): "invalid floating-point operation",
}


def name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Signal(NamedTuple):
    """A signal, and what the kernel tells of it; None: it does not."""

    number: int
    lwp: int  # of the thread that got it
    code: int | None = None
    address: int | None = None
    sender: int | None = None  # another process, which sent it; 0: of another PID namespace

    @property
    def name(self) -> str:
        return name_of(self.number)

    @property
    def is_crash(self) -> bool:
        """A signal from elsewhere is somebody's wish for a core file, or for an end."""
        return self.name in _FATAL and self.sender is None

    @property
    def is_forbidden(self) -> bool:
        """Memory is at the address, and was not used in a way that is allowed."""
        return (self.name, self.code) == _FORBIDDEN

    @property
    def is_beyond_file(self) -> bool:
        """Of a mapping, as a rule of a file's, the address is behind the end."""
        return (self.name, self.code) == _BEYOND_FILE

    @property
    def reason(self) -> str | None:
        """What follows after its name."""
        if self.sender is not None:
            return f"sent by process {self.sender}" if self.sender else "sent by another process"
        if self.code is None:
            return None
        # abort () does so.
        if self.code in _SENT and self.name != "SIGABRT":
            return "the program has sent it to itself"
        at = "an unknown address" if self.address is None else f"{self.address:#x}"
        if (self.name, self.code) == _UNMAPPED and (self.address or 0) < _NEAR_NULL:
            at += ": likely a null pointer"
        text = _REASONS.get((self.name, self.code))
        return text.format(at) if text is not None else None


def from_siginfo(
    number: int, lwp: int, code: int, address: int, sender: int, pid: int | None
) -> Signal:
    """address and sender are the same bytes: the code tells which of them it is. pid: of the
    program."""
    found = Signal(number, lwp, code)
    if code in _SENT and pid is not None and sender != pid:
        return found._replace(sender=sender)
    if found.name in _WITH_ADDRESS and 0 < code < SI_KERNEL:
        return found._replace(address=address)
    return found
