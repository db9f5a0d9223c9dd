# SPDX-License-Identifier: Apache-2.0
"""What makes the answers worse than they could be, and what to do about it?"""

from __future__ import annotations

from shlex import quote
from typing import Sequence

from ..debugger import Debugger
from ..errors import Unreadable
from ..model import ids
from ..model.native import NativeThread
from ..model.process import Process

# Bytes at the beginning of what the C library keeps of a thread.
_OWN_DATA = 256

_WITHOUT_EXECUTABLE = (
    "GDB has the core file, but not the program that it is of: "
    "first `file {exe}', then `core {core}'."
)

_LIKELY = (
    "The core file has no build-id of these files, since it was told to leave their first pages"
    " out. Those that are here are taken for its own, as they are linked alike: {}."
)

_FILE_IS_GONE = (
    "GDB has not found the program's file: without it no stack can be followed. If the file was"
    " replaced or removed since the program started: `file /proc/{pid}/exe'."
)

_REPLACED = (
    "GDB has other builds of these files than the process has loaded: {}. Their code has no names"
    " here, and stacks through it may be wrong. If they were replaced meanwhile, start it again."
)

_UNREACHED = (
    "The files of these libraries cannot be reached: {}. They were deleted or replaced since the"
    " process loaded them, or a container has them. Their code has no names here, and stacks"
    " through it may be wrong."
)

_STANDARD_ONLY = (
    "{} has only OMPD's own routines: one runtime, no construct's line, no tasks, no certainty"
    " about idle threads and leagues. For the library that came with these commands:"
    " `set ompd library'."
)

_ZEROS = (
    "The core file has zeros where {} of the threads keep{} own data, and so for their stacks: what"
    " they do is unknown. GDB's `gcore' writes them for a whole stack when it cannot read the guard"
    " page at its end, as of glibc 2.42 and later on Linux 6.13 and later; it warns `Memory read"
    " failed for corefile section'. The kernel's own core file has them: `kill -QUIT PID'."
)


def of_session(target: Debugger, library: str, missing_routines: Sequence[str]) -> list[str]:
    """library: its path; missing_routines: those of ompd-ext.h that it has not."""
    found = of_core(target)
    if target.core is not None and target.core.likely:
        found.append(_LIKELY.format(", ".join(sorted(target.core.likely))))
    if missing_routines:
        found.append(_STANDARD_ONLY.format(library))
    if target.kind == "live" and not target.executable:
        found.append(_FILE_IS_GONE.format(pid=target.pid))
    if target.replaced:
        found.append(_REPLACED.format(", ".join(image.path for image in target.replaced)))
    unreached = target.unreached
    if unreached:
        found.append(_UNREACHED.format(", ".join(image.path for image in unreached)))
    running = target.running() if target.core is None else 0
    if running:
        found.append(
            f"{running} thread{'s are' if running > 1 else ' is'} running: what is shown"
            " may have changed while it was read. `interrupt' stops them."
        )
    return found


def of_sleepers(process: Process) -> list[str]:
    """Of a living process: what the look itself does to those who sleep on a changed word."""
    slept = [one for one in process.threads if one.kept is not None and one.kept.changed]
    if not slept:
        return []
    numbers = [one.native.num for one in slept if one.native is not None]
    verb = "sleeps" if len(numbers) == 1 else "sleep"
    return [
        f"What T{ids.compress(numbers)} {verb} for has changed already. A stop has the kernel look"
        " again: if a wake-up was lost, the hang is over once the program runs."
    ]


def of_core(target: Debugger) -> list[str]:
    core = target.core
    found = []
    if core is not None and not target.executable:
        program = target.images.program
        mapping = core.mapping_of(program.start) if program else None
        executable = mapping.path if mapping else "EXE"
        found.append(_WITHOUT_EXECUTABLE.format(core=quote(core.path), exe=quote(executable)))
    if core is not None and core.missing > 0:
        found.append(
            f"The core file is truncated: {core.missing} bytes are missing at its end. What lay"
            " there is unknown; check the disk's space and `ulimit -c'."
        )
    if core is not None:
        zeros = sum(_is_zeros(target, thread) for thread in target.native_threads())
        if zeros:
            found.append(_ZEROS.format(zeros, "s its" if zeros == 1 else " their"))
    return found


def _is_zeros(target: Debugger, thread: NativeThread) -> bool:
    """Is nothing where a thread's pthread id leads to? The C library keeps addresses there."""
    if not thread.pthread_id:
        return False
    try:
        return not any(target.read(thread.pthread_id, _OWN_DATA))
    except Unreadable:
        return False
