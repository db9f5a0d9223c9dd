# SPDX-License-Identifier: Apache-2.0
"""Did the stack of the thread that crashed overflow? An address near a stack proves nothing: a wild
pointer can be there too. What proves it is the frame that failed: it lies across the lower end of
its stack, where its code has put it."""

from __future__ import annotations

from typing import Callable, Sequence

from ..code.stack_use import WIDEST, Taken, Used
from ..light_classes import NamedTuple

# A frame is no larger; what is has a number for its size that nobody meant.
LARGEST_FRAME = 1 << 30
# What a function may have on its stack beside what its instructions take by numbers: alignment.
_SLACK = 4096
# So near its end a stack has no room for a frame.
_PAGE = 4096

NO_ADDRESS = "the kernel does not tell which address it was"
NO_CODE = "how much stack its code takes is not known"
BY_POINTER = "the address came from another register than the stack's"
OTHER_STACK = "it is not the stack that the thread was made with"
BELOW_LIMIT = "the stack had not grown to its limit yet"


class Made(NamedTuple):
    """A thread's stack as it was made."""

    low: int  # the lowest address that may be used
    high: int
    guard: int = 0  # bytes below it that may not
    grows: bool = False  # the first thread's: the kernel makes it larger when it is used
    limit: int | None = None  # of its size, where it grows; None: not known


class Fault(NamedTuple):
    """The frame of the function of which an instruction failed."""

    stack: int  # the stack pointer
    frame: int | None  # where the frame begins: the stack pointer of whoever called; None: unknown
    address: int | None  # that was used; None: the kernel does not tell
    unmapped: bool  # it says that nothing was mapped there
    used: Sequence[Used]  # by the instruction, as far as that is known
    by_table: bool  # the unwinding information tells the frame's size by the stack pointer
    taken: Taken | None  # by the function's code; None: not known
    reach: int  # see Convention.reach


class Area(NamedTuple):
    start: int
    usable: bool


class Verdict(NamedTuple):
    doubt: str | None  # None: it is certain
    needs: int | None  # by the frame that did not fit; None: not even its first word did
    grows: bool = False  # that frame: it may need more


def judge(fault: Fault, made: Made | None, area_at: Callable[[int], Area | None]) -> Verdict | None:
    """None: it did not. area_at: what is mapped at an address; None: nothing."""

    def is_free(address: int) -> bool:
        area = area_at(address)
        if area is None:
            return True
        if made is not None and made.grows:
            return False
        # A guard may be within a mapping (MADV_GUARD_INSTALL).
        return not area.usable or fault.unmapped

    address = fault.address
    if address is None:
        address = next((one.address for one in fault.used if is_free(one.address)), None)
    if made is not None:
        across = fault.frame is not None and made.low < fault.frame <= made.high
        if made.grows and area_at(made.low - 1) is not None:
            # Somebody has mapped or protected something in its way.
            return None if across else _elsewhere(fault, address, area_at)
        if across and fault.frame is not None and fault.stack < made.low:
            return _across(fault, fault.frame, made, address, is_free)
        if made.low <= fault.stack < made.low + _PAGE:
            return _at_end(fault, made, address, is_free)
        if made.low <= fault.stack <= made.high:
            return None
    return _elsewhere(fault, address, area_at)


def _across(
    fault: Fault, frame: int, made: Made, address: int | None, is_free: Callable[[int], bool]
) -> Verdict | None:
    """The frame begins on the stack and ends below it."""
    needs = frame - fault.stack
    if needs > LARGEST_FRAME:
        return None
    if address is None:
        return Verdict(NO_ADDRESS, needs) if _is_its_codes(fault, needs) else None
    if not fault.stack - fault.reach <= address < min(frame, made.low) or not is_free(address):
        return None
    explained = _is_its_codes(fault, needs)
    if explained is False:
        return None
    grows = fault.taken is None or fault.taken.again
    if fault.taken is not None and needs < fault.taken.most <= LARGEST_FRAME:
        # It goes there page by page.
        needs, grows = fault.taken.most, fault.taken.any
    doubt = None
    if explained is None:
        doubt = NO_CODE
    elif made.grows and made.limit is not None and made.high - address < made.limit - _PAGE:
        doubt = BELOW_LIMIT
    return Verdict(doubt, needs, grows)


def _is_its_codes(fault: Fault, needs: int) -> bool | None:
    """Did the function's code move the stack pointer so far? Something else may have."""
    if fault.by_table:
        return True
    if fault.taken is None:
        return None
    return fault.taken.any or fault.taken.again or needs <= fault.taken.most + _SLACK


def _at_end(
    fault: Fault, made: Made, address: int | None, is_free: Callable[[int], bool]
) -> Verdict | None:
    """The stack is full but for less than a page."""
    if address is None or not fault.stack - fault.reach <= address < made.low:
        return None
    if not is_free(address):
        return None
    return Verdict(None if _is_by_stack(fault, address) else BY_POINTER, None)


def _is_by_stack(fault: Fault, address: int) -> bool:
    return any(one.by_stack and 0 <= address - one.address < WIDEST for one in fault.used)


def _elsewhere(
    fault: Fault, address: int | None, area_at: Callable[[int], Area | None]
) -> Verdict | None:
    """On a stack that the program has made itself, for a coroutine or a signal's handler."""
    if fault.frame is None or address is None or fault.frame - fault.stack > LARGEST_FRAME:
        return None
    area = area_at(fault.frame - 1)
    if area is None or not area.usable or fault.frame <= fault.stack:
        return None
    if not fault.stack - fault.reach <= address < area.start:
        return None
    if any(one is not None and one.usable for one in (area_at(address), area_at(fault.stack - 1))):
        if fault.stack < area.start:
            return None
    below = area_at(address)
    if below is not None and below.usable:
        return None
    needs = fault.frame - fault.stack
    if fault.stack < area.start:
        return Verdict(OTHER_STACK, needs) if _is_its_codes(fault, needs) else None
    if fault.stack < area.start + _PAGE and _is_by_stack(fault, address):
        return Verdict(OTHER_STACK, None)
    return None


# ---- What is told of one -------------------------------------------------------------------------


class Recursion(NamedTuple):
    functions: Sequence[str]  # that call each other, the one that is called most first
    depth: int  # how often the first of them is on the stack
    each: int  # bytes for each of its calls
    exact: bool  # all frames were seen


class Setting(NamedTuple):
    """What gave the stack its size."""

    name: str  # a variable of the environment, LIMIT, ATTRIBUTE or EITHER
    value: str | None = None  # None: it is not set, or not known


LIMIT, ATTRIBUTE = "ulimit -s", "pthread_attr_setstacksize"
EITHER = f"{ATTRIBUTE}, or else {LIMIT}"


class Overflow(NamedTuple):
    doubt: str | None  # None: it is certain
    size: int | None  # of the stack, in bytes; None: not known
    function: str | None = None  # of the frame that did not fit
    needs: int | None = None  # by that frame; None: little
    grows: bool = False  # that frame: it may need more
    recursion: Recursion | None = None
    largest: tuple[str, int] | None = None  # another frame that takes much of the stack: its bytes
    setting: Setting | None = None
    enough: int | None = None  # bytes that would have done, rounded up; None: not known


class Level(NamedTuple):
    """A frame on the stack."""

    function: str | None
    size: int


_OFTEN = 8  # is recursion


def recursion(levels: Sequence[Level], left: int) -> Recursion | None:
    """levels: the innermost ones; left: bytes of the stack beyond them."""
    counts: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for level in levels:
        if level.function is not None:
            counts[level.function] = counts.get(level.function, 0) + 1
            sizes[level.function] = sizes.get(level.function, 0) + level.size
    names = sorted((name for name in counts if counts[name] >= _OFTEN), key=lambda n: -counts[n])
    taken = sum(sizes[name] for name in names)
    if not names or 2 * taken < sum(level.size for level in levels):
        return None
    most = counts[names[0]]
    each = max(taken // most, 1)
    return Recursion(names, most + left // each, each, not left)


def enough(used: int, needs: int) -> int:
    """A size that holds what is used, and a frame: a power of two, with an eighth to spare."""
    wanted = (used + needs) * 9 // 8
    return int(1 << max(wanted - 1, 1).bit_length())
