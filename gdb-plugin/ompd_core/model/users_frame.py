# SPDX-License-Identifier: Apache-2.0
"""Which frame of a stack is the user's own? Never one beyond the construct that the thread is in:
its caller did not crash, does not wait, and has other variables."""

from __future__ import annotations

from typing import Callable, Iterable, Sequence

from .. import abi
from ..light_classes import NamedTuple
from .logical_stack.stack import is_helper, is_task_entry
from .naming import is_cxx_librarys, is_outlined
from .native import Frame
from .process import Membership, Thread
from .waiting import has_call
from .where import CodeMap, starts_thread


class Around(NamedTuple):
    """The innermost construct around a thread, as its runtime knows it."""

    direct: int = 0  # so many regions, this one and further ones, began without a call of a runtime
    task: bool = False  # an explicit task, which may have begun so


def around(thread: Thread, code: CodeMap) -> Around | None:
    """None: it is in no construct."""
    found = [one for one in (_around(member, code) for member in thread.openmp) if one is not None]
    if not found:
        return Around() if thread.unsure else None
    return Around(max(one.direct for one in found), any(one.task for one in found))


def _around(member: Membership, code: CodeMap) -> Around | None:
    directly = code.calls_directly(member.runtime)
    direct = 0
    for region, num in member.chain:
        if num != 0 or region.raw.generator == "program" or has_call(region, directly):
            break
        direct += 1
    explicit = member.task is not None and member.task.kind == "explicit"
    if member.region is None or (member.region.raw.generator == "program" and not explicit):
        return None
    return Around(direct, explicit and not directly)


def users_frame(
    frames: Iterable[Frame],
    code: CodeMap,
    construct: Around | None = None,
    called_by: Callable[[Frame], str | None] = lambda frame: None,
) -> Frame | None:
    """Of the construct's own frames, the innermost with a line that is in none of the files and
    functions which are stepped over; else the innermost with a line; else the innermost that is not
    the C++ library's by its name; else the innermost. None: the whole stack is the runtime's and
    the libraries' that are skipped, as an idle worker's is.
    called_by: which of the runtime's entry points a frame is in a call of, where the code tells."""
    own: list[Frame] = []
    in_runtime = begins = bounded = False
    for frame in frames:
        if code.is_runtime(frame) or code.is_offload_runtime(frame):
            if own:
                bounded = True
                break
            in_runtime = True
            begins = begins or abi.normal(frame.location.function or "") in abi.FORKS
        elif not code.is_skipped(frame) and (frame.place.line or not is_helper(frame)):
            own.append(frame)
            if _is_lined(frame, code) and (construct is None or len(own) == 1):
                break
    if construct is not None and len(own) > 1:
        # It begins or ends: none of its code is on the stack.
        begins = begins or (in_runtime and called_by(own[0]) in abi.FORKS)
        own = own[: _native(own) if begins else _count_inside(own, bounded, construct)]
    lined = [frame for frame in own if frame.place.line]
    known = [frame for frame in own if not code.is_unknown(frame)]
    users = [frame for frame in known if not is_cxx_librarys(frame.location.function or "")]
    found = next((frame for frame in lined if _is_lined(frame, code)), None)
    # Code that has made way for the library's has called the outermost of its functions.
    found = found or next(iter(lined or users or known[-1:] or own), None)
    return None if found is not None and starts_thread(found) else found


def _is_lined(frame: Frame, code: CodeMap) -> bool:
    return bool(frame.place.line) and not code.is_others(frame)


def _native(frames: Sequence[Frame]) -> int:
    """How many share the innermost native frame?"""
    ends = (level for level, frame in enumerate(frames, 1) if not frame.inlined)
    return next(ends, len(frames))


def _count_inside(frames: Sequence[Frame], bounded: bool, construct: Around) -> int:
    """How many are certainly the construct's own? frames: up to one of the runtime's, if they are
    bounded by it, else up to the stack's end. Code that no symbol tells apart counts as beyond."""
    made = [level for level, frame in enumerate(frames) if _is_body(frame)]
    if not construct.direct and not construct.task:
        if bounded:
            return len(frames)
        is_seen = bool(made)  # called as old compilers do, between two calls of the runtime
    elif construct.task and made:
        is_seen = is_task_entry(frames[made[0]])
    else:
        is_seen = len(made) == construct.direct + bounded
    return made[0] + 1 if is_seen and made else _native(frames)


def _is_body(frame: Frame) -> bool:
    """Of a construct, without the function that clang has between it and the runtime."""
    name = frame.location.function
    return is_outlined(name) and "_debug__" not in (name or "")
