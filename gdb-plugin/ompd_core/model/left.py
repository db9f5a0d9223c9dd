# SPDX-License-Identifier: Apache-2.0
"""Has a thread left the code of a region and not come to its end, as longjmp() does? The region
goes on, and its other threads wait at its end for ever.

A runtime calls the code of a region and waits for it: as long as a thread is in a region, that call
is on its stack. A stack that is known down to where the thread began, and has no such call, proves
that the code was left, if the compiler has recorded how each frame is unwound.
"""

from __future__ import annotations

from typing import Callable, Collection, Sequence

from .. import abi, runtimes
from . import glibc
from .logical_stack.enclosing import own_chain
from .logical_stack.stack import is_task_entry, is_wrapper
from .naming import is_outlined
from .native import Frame
from .process import Left, Membership, Region, Thread
from .waiting import has_call
from .where import CodeMap, starts_thread


def of(
    thread: Thread, frames: Sequence[Frame], code: CodeMap, entry: Callable[[Frame], int | None]
) -> Left | None:
    """If there are no further frames on its stack. frames: with the names of what the program
    called; entry: where a frame's function begins."""
    own = [frame for frame in frames if not code.is_runtime(frame) and not code.is_skipped(frame)]
    named = all(frame.location.function for frame in own)
    for member in thread.openmp:
        regions = _called(member, code)
        functions = [region.raw.function for region in regions]
        calls = _most_calls(frames, code, member.runtime, functions, entry)
        calls += _ends_in(frames, code, member.runtime)
        # Without names the code of a runtime that is linked into the program does not show, and
        # any code could be a region's that an old compiler calls itself.
        if calls < len(regions) and (named or not code.is_embedded(member.runtime)):
            return Left(regions, named)
    return None


def _ends_in(frames: Sequence[Frame], code: CodeMap, runtime: int) -> bool:
    """Is the thread deeper in the runtime than in a call of a region's code? What ends a region may
    have taken the place of its call, where the code of the outer region made way for that: the
    runtime called that code in another region's call, or where it began the thread."""
    inside = False
    for frame in frames:
        if code.runtime_of(frame) == runtime:
            if inside and abi.normal(frame.location.function or "") in abi.FORKS:
                return True
            inside = True
        elif not code.is_system(frame):
            return False
        elif inside:
            return True
    return inside


def _called(member: Membership, code: CodeMap) -> list[Region]:
    """The regions that the thread is in, and that a call on its own stack began."""
    if "ancestors" in member.doubts or "region" in member.doubts or member.raw.problem:
        return []
    directly = code.calls_directly(member.runtime)
    chain = (region for region, _ in own_chain(member))
    return [one for one in chain if one.raw.generator == "parallel" and has_call(one, directly)]


def begins_there(frames: Sequence[Frame], code: CodeMap) -> bool:
    """Does the stack begin where the program or a thread does? A coroutine's does not."""
    last = frames[-1]
    if code.is_runtime(last) or last.location.function in ("main", *glibc.THREAD_STARTS):
        return True
    if starts_thread(last):
        return True
    # What starts a thread has no name in a stripped C library, but is called by one more of it.
    first = last.executable and last.location.function in (None, "_start")
    return (first or code.is_system(last)) and len(frames) > 1 and code.is_system(frames[-2])


def _most_calls(
    frames: Sequence[Frame],
    code: CodeMap,
    runtime: int,
    functions: Collection[int],
    entry: Callable[[Frame], int | None],
) -> int:
    """So many calls of these functions can be on a stack at the most. 0 is one that is unknown."""
    count = here = 0
    another = False
    for inner, frame in zip([None, *frames], [*frames, None]):
        was = inner is not None and code.runtime_of(inner) == runtime
        if frame is not None and code.runtime_of(frame) == runtime:
            name = abi.normal(frame.location.function or "")
            if not was:
                another = _is_of_another(name, inner, functions, entry)
            here += name in abi.FORKS
            # What ends a region can be the last call of the code of an outer one, which the program
            # called itself and which made way for it.
            here += 2 * (abi.WAITS.get(name) == "region")
        elif inner is not None and was:
            if not abi.is_entry_point(inner.location.function or ""):
                # Called by nobody of the program's, the runtime itself began the thread or the
                # region. In a call of the program's it may end one, as above.
                here += 1 if frame is None or code.is_system(frame) else 2
            count += here - another
            here = 0
        elif inner is not None and is_outlined(inner.location.function):
            # Old compilers have it called between two calls of the runtime.
            count += frame is None or not is_wrapper(frame, inner)
    return count


def _is_of_another(
    caller: str,
    called: Frame | None,
    functions: Collection[int],
    entry: Callable[[Frame], int | None],
) -> bool:
    """Does the runtime execute another region there? caller: its function that called."""
    if caller not in (*runtimes.INVOKES, *abi.FORKS) or called is None or 0 in functions:
        return False
    # Other code may be on the stack because a region's has made way for it.
    if not is_outlined(called.location.function) or is_task_entry(called):
        return False
    return entry(called) not in (None, *functions)
