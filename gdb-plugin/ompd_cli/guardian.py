# SPDX-License-Identifier: Apache-2.0
"""Does the debugged process run on when GDB is gone? A process of its own, in a session of its own,
that starts GDB, ends it when it takes too long or when nobody waits for it any more, and then sees
to it that the target runs.

GDB attaches by a SIGSTOP for each thread. One that is killed before it has taken all of them leaves
a stop pending, and the process stands still for ever.

It is a copy of its starter, which costs a tenth of another Python. Its stdin is a pipe that the
starter holds open; what it writes, one line of JSON: how GDB ended, and what the target does now.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import time
from typing import Any, Iterable

from ompd_core.light_classes import NamedTuple

STDIN, STDOUT, STDERR = range(3)
LOOK = 0.02  # seconds between two looks at GDB
WATCH = 5.0  # for the target to run
SIGSTOP_BIT = 1 << (signal.SIGSTOP - 1)


# Its starter ends it, by closing its stdin.
_DEAF_TO = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
# What Python ignores by itself, and its children should not.
PYTHONS = (signal.SIGPIPE, signal.SIGXFSZ)


class Guardian(NamedTuple):
    """As its starter knows it."""

    pid: int
    held: int  # a pipe: a byte in it, or its end, and GDB is ended
    told: int  # a pipe from it: one line


def start(request: dict[str, Any]) -> Guardian:
    """Raises OSError. request: command, environment, folder and pass_fds of GDB; limit, the seconds
    that it has, or 0; target, the process that must run on, or 0."""
    held_there, held = os.pipe()
    told, told_there = os.pipe()
    # None of them is to meet the copy before it is deaf to them.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _DEAF_TO)
    try:
        pid = os.fork()
        if not pid:
            _live(request, held_there, told_there, mask)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(held_there)
        os.close(told_there)
    return Guardian(pid, held, told)


def _live(request: dict[str, Any], held: int, told: int, mask: Iterable[Any]) -> None:
    """The copy's whole life: nothing of what its starter was doing is done twice."""
    status = 1
    try:
        os.setsid()
        for number in _DEAF_TO:
            # Not SIG_IGN: GDB and its program would inherit it.
            signal.signal(number, lambda *_: None)
        for wanted, stream in enumerate((held, told, os.open(os.devnull, os.O_WRONLY))):
            os.dup2(stream, wanted)
        _close_all_but(request["pass_fds"])
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        line = json.dumps(_main(request)) + "\n"
        os.write(STDOUT, line.encode("ascii"))
        status = 0
    finally:
        os._exit(status)  # also of an exception: who waits reads the end of the pipe


def _close_all_but(kept: Iterable[int]) -> None:
    """The ends that its starter has of the pipes of other guardians, too: those are to notice when
    it ends."""
    for name in os.listdir("/proc/self/fd"):
        number = int(name)
        if number > STDERR and number not in kept:
            try:
                os.close(number)
            except OSError:
                pass  # the list's own


def _main(request: dict[str, Any]) -> dict[str, Any]:
    found = _guard_alone(request) if request["target"] else _guard(request)
    if _is_abandoned():
        import shutil

        shutil.rmtree(request["folder"], ignore_errors=True)
    return found


def _guard_alone(request: dict[str, Any]) -> dict[str, Any]:
    memory = memory_of(request["target"])
    try:
        if memory is not None and not _claimed(memory):
            return {"ended": "busy", "status": None, "target": "runs"}
        return _guard(request)
    finally:
        if memory is not None:
            os.close(memory)


def _is_abandoned(patience: float = 0) -> bool:
    """Is the starter gone, or does it want no more?"""
    return bool(select.select([STDIN], [], [], patience)[0])


def memory_of(target: int) -> int | None:
    """None: it may not be traced either, or has ended."""
    try:
        return os.open(f"/proc/{target}/mem", os.O_RDONLY)
    except OSError:
        return None


def _claimed(memory: int) -> bool:
    """One guardian at a time: what another one's GDB has left standing, and is just being woken, is
    not to be taken for stopped by the user. The lock ends with its holder, and nobody can hold it
    who may not trace the process himself."""
    end = time.monotonic() + WATCH
    while time.monotonic() < end and not _is_abandoned():
        try:
            fcntl.flock(memory, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            time.sleep(LOOK)
    return False


def _guard(request: dict[str, Any]) -> dict[str, Any]:
    target, folder = request["target"], request["folder"]
    was_stopped = bool(target) and is_stopped(target)
    with open(os.path.join(folder, "gdb.log"), "wb") as log:
        debugger = _spawned(request, log.fileno())
    ended, status = _wait(debugger, request["limit"])
    killed = status < 0
    if killed:
        _kill(debugger)  # the helpers that it has left behind
    state = "stopped before"
    if was_stopped:
        _wait_until_stopped(target)
    elif target:
        # A GDB that ended by itself has let go of all threads: then this only looks.
        state = see_to_it_that_it_runs(target, wake=killed)
    return {"ended": ended, "status": status, "target": state}


def _spawned(request: dict[str, Any], log: int) -> int:
    """GDB's process, in a session of its own. Raises OSError."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    streams = enumerate((nothing, log, log))
    for number in request["pass_fds"]:
        os.set_inheritable(number, True)
    command = request["command"]
    return os.posix_spawn(
        command[0],
        command,
        request["environment"],
        file_actions=[(os.POSIX_SPAWN_DUP2, there, wanted) for wanted, there in streams],
        setsid=True,
        setsigdef=PYTHONS,
    )


def _wait(debugger: int, limit: float) -> tuple[str, int]:
    """How it ended, and its status: less than 0 by a signal."""
    end = time.monotonic() + limit if limit else None
    why = "done"
    while True:
        pid, status = os.waitpid(debugger, os.WNOHANG if why == "done" else 0)
        if pid:
            return why, os.waitstatus_to_exitcode(status)
        if _is_abandoned(LOOK):
            why = "abandoned"
        elif end is not None and time.monotonic() > end:
            why = "late"
        if why != "done":
            _kill(debugger)


def _kill(debugger: int) -> None:
    """With what it started. Not by SIGTERM: a GDB that is just attaching kills its process then."""
    try:
        os.killpg(debugger, signal.SIGKILL)
    except ProcessLookupError:
        pass


def see_to_it_that_it_runs(pid: int, wake: bool) -> str:
    """ "runs", "gone" or "stands still". wake: by a SIGCONT in any case. A thread can hold the stop
    in hand, where nobody sees it: the signal takes that back too."""
    end = time.monotonic() + WATCH
    while time.monotonic() < end:
        if wake or is_stopped(pid):
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                return "gone"
            except OSError:
                return "stands still"
            wake = False
        elif has_ended(pid):
            return "gone"
        elif not is_traced(pid):
            return "runs"
        time.sleep(LOOK)
    return "stands still"


def _wait_until_stopped(pid: int) -> None:
    """Again, as it was before: the kernel stops each thread that a tracer let go of when the thread
    next gets a processor."""
    end = time.monotonic() + WATCH
    while time.monotonic() < end:
        states = {status.get("State", "Z")[:1] for status in _threads(pid)}
        if states <= {"T", *_ENDED}:
            return
        time.sleep(LOOK)


_ENDED = ("Z", "X")


def is_stopped(pid: int) -> bool:
    """By job control, or soon. One that has ended keeps the signals that it never took."""
    return any(
        status.get("State", "")[:1] == "T" or (_pending(status) & SIGSTOP_BIT)
        for status in _threads(pid)
        if status.get("State", "Z")[:1] not in _ENDED
    )


def has_ended(pid: int) -> bool:
    """Also where its parent has not asked for its status yet. A program's first thread may end
    before the others."""
    return all(status.get("State", "Z")[:1] in _ENDED for status in _threads(pid))


def is_headless(pid: int) -> bool:
    """Has its first thread ended before the others?"""
    first = status_of(f"{pid}/task/{pid}").get("State", "")[:1]
    return first in _ENDED and not has_ended(pid)


def is_traced(pid: int) -> bool:
    return any(status.get("TracerPid", "0") != "0" for status in _threads(pid))


def _pending(status: dict[str, str]) -> int:
    return int(status.get("SigPnd", "0"), 16) | int(status.get("ShdPnd", "0"), 16)


def _threads(pid: int) -> list[dict[str, str]]:
    found = []
    try:
        names = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    for name in names:
        found.append(status_of(f"{pid}/task/{name}"))
    return found


def status_of(process: str) -> dict[str, str]:
    """The lines of a file /proc/.../status; empty when it is gone."""
    try:
        with open(f"/proc/{process}/status", encoding="utf-8", errors="replace") as file:
            lines = [line.partition(":") for line in file]
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in lines}
