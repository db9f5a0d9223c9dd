# SPDX-License-Identifier: Apache-2.0
"""Which constructs of a device does a thread execute, and how far is it? Told by its stack: what
the program called of an offload runtime, and what that has called since."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Iterator, Sequence

from .. import abi, late_patterns, runtimes
from ..light_classes import NamedTuple, dataclass, field
from .doubts import Doubt
from .naming import Kernel, is_outlined, kernel_of, system_name
from .native import Frame, Location
from .where import CodeMap

if TYPE_CHECKING:
    from .arguments import Argument
    from .process import Thread

# How far it is.
KERNEL = "kernel"  # the kernel runs on this thread
DEVICE = "device"  # it waits for the device
TRANSFER = "transfer"  # data are copied
LOCK = "lock"  # it waits for a lock of the offload runtime's
ABORTED = "aborted"  # the offload runtime has ended the program
INSIDE = "inside"  # in the offload runtime, at something else
FALLBACK = "host"  # the program calls the construct's code itself: it runs on the host

_WORDS = {
    KERNEL: "kernel runs on this thread",
    TRANSFER: "data transfer",
    LOCK: "waits for a lock of the offload runtime's",
    ABORTED: "aborted",
    FALLBACK: "runs on the host",
}
_LOCKS = late_patterns.compile(
    r"(pthread_mutex_(lock|timedlock|clocklock)|lll_lock_wait\w*|lll_mutex_lock\w*)$"
)
_COPIES = late_patterns.compile(r"mem(cpy|move|set)\w*$")
_ABORTS = late_patterns.compile(r"(abort|assert_fail\w*|terminate)$")


class Call(NamedTuple):
    """What the program called of an offload runtime, on a stack; or the code of a target construct
    that it called itself."""

    entry: str | None  # None: the construct's code, on the host
    level: int  # of that function's frame
    inside: tuple[Frame, ...]  # from what that has called up to itself, innermost first
    first: int  # the level of the first of them
    kernel: Frame | None  # the frame of the construct's code that it has called
    caller: Frame | None  # None: the stack ends before

    @property
    def on_top(self) -> bool:
        """The thread is in the offload runtime itself."""
        return self.entry is not None and self.first == 0


@dataclass(eq=False)
class Target:
    """A construct of a device that a thread is in."""

    call: Call
    construct: str  # as it is written behind `omp'
    phase: str
    location: Location | None = None
    device: int | None = None
    kernel: Kernel | None = None
    table: int | None = None  # the device whose mapping table's lock it waits for
    arguments: Sequence[Argument] | None = None  # None: not told
    crashed: bool = False  # the kernel, on this thread
    takes_default: bool = False  # the device is what default-device-var says
    at_start: bool = False  # the offload runtime has been called, and has done nothing yet
    thread: Thread | None = None
    reason: str | None = None  # why it runs on the host
    doubts: dict[str, Doubt] = field(default_factory=dict)

    @property
    def has_kernel(self) -> bool:
        return self.call.entry is not None and abi.TARGETS[self.call.entry].kernel is not None

    @property
    def begins_maps(self) -> bool:
        """And does not only update or unmap what is mapped."""
        return self.call.entry is not None and abi.TARGETS[self.call.entry].begins

    @property
    def wait(self) -> str:
        """What a thread waits for that is on top of it."""
        return abi.WAITS[self.call.entry or ""]

    @property
    def state(self) -> str:
        """Of such a thread, by OMPT's name."""
        return f"wait_{self.wait}"


def calls_on(frames: Sequence[Frame], code: CodeMap) -> list[Call]:
    """Innermost first."""
    return list(_calls_on(frames, code))


def _calls_on(frames: Sequence[Frame], code: CodeMap) -> Iterator[Call]:
    first = 0  # of the frames that are not the user's
    kernel: Frame | None = None  # the user's frame that these have called
    for level, frame in enumerate(frames):
        outer = frames[level + 1] if level + 1 < len(frames) else None
        name = abi.normal(frame.location.function or "")
        if not (code.is_skipped(frame) or code.is_runtime(frame)):
            if _runs_on_host(frame, outer, code):
                yield Call(None, level, (frame,), level, frame, outer)
            elif outer is not None and code.is_runtime(outer):
                caller = _host_target(frames, level + 1, code)
                if caller is not None:
                    yield Call(None, level, (frame,), level, frame, caller)
            first, kernel = level + 1, frame
        elif name in abi.TARGETS and code.is_offload_runtime(frame):
            if outer is None or not code.is_offload(outer):
                inside = tuple(frames[first : level + 1])
                yield Call(name, level, inside, first, kernel if first else None, outer)
                first, kernel = level + 1, None


def _runs_on_host(frame: Frame, outer: Frame | None, code: CodeMap) -> bool:
    """Did the program itself call a construct's code? Its last frame, if it is in several."""
    if kernel_of(frame.location.function) is None or outer is None:
        return False
    inner_part = kernel_of(outer.location.function) is not None
    return not (inner_part or code.is_skipped(outer) or code.is_runtime(outer))


def _host_target(frames: Sequence[Frame], level: int, code: CodeMap) -> Frame | None:
    """Who has called the runtime whose frames begin there, if that is for a target construct."""
    inside = itertools.takewhile(code.is_runtime, frames[level:])
    names = [abi.normal(frame.location.function or "") for frame in inside]
    caller = level + len(names)
    is_target = names[-1] in abi.HOST_TARGETS and caller < len(frames)
    return frames[caller] if is_target else None


def phase_of(call: Call, code: CodeMap) -> str:
    if call.entry is None:
        return FALLBACK
    names = [frame.location.function or "" for frame in call.inside]
    system = list(itertools.takewhile(code.is_system, call.inside))
    bare = [system_name(name.partition("@")[0]) for name in names[: len(system)]]
    if not call.on_top:
        return KERNEL if _is_kernel(call) else INSIDE
    if any(map(_ABORTS.match, bare)):
        return ABORTED
    caller = call.inside[len(system)]
    if any(map(_LOCKS.match, bare)) and code.is_offload_runtime(caller):
        return LOCK
    if any(map(runtimes.DEVICE_WAITS.fullmatch, names)):
        return DEVICE
    if any(map(runtimes.DEVICE_TRANSFERS.fullmatch, names)) or any(map(_COPIES.match, bare)):
        return TRANSFER
    return INSIDE


def _is_kernel(call: Call) -> bool:
    """Or a function of the program's that the offload runtime calls, such as its operator new? The
    outermost function that can be told may be of a region inside of the kernel."""
    name = call.kernel.location.function if call.kernel is not None else None
    return abi.TARGETS[call.entry or ""].kernel is not None and (
        name is None or kernel_of(name) is not None or is_outlined(name)
    )


def in_words(target: Target) -> str:
    """How far it is."""
    if target.phase == DEVICE:
        known = f"device {target.device}" if target.device is not None else "a device"
        return f"waits for {known}"
    if target.phase == LOCK and target.table is not None:
        return f"waits for the lock of device {target.table}'s mapping table"
    return _WORDS.get(target.phase, "in the offload runtime")
