# SPDX-License-Identifier: Apache-2.0
"""All threads of a process on this machine sleep until another one wakes them: can anything else
wake one? A handler of a signal can, another process that shares the words or all of the memory, and
the kernel on behalf of an io_uring.
"""

from __future__ import annotations

import os
import re
import signal
from typing import Collection, Iterator, Mapping, Sequence

from ompd_core import late_patterns
from ompd_core.arch.base import Machine
from ompd_core.code.futex import FutexWait
from ompd_core.formats import procfs
from ompd_core.formats.procfs import Mapped
from ompd_core.model.standstill import Standstill
from ompd_core.signals import name_of

from . import same_memory, sleeping
from .sleeping import Look, Task

_RINGS_WAKE = (6, 7)  # since this release of Linux they can
_MAKE_RING = 425  # io_uring_setup, on all machines
# Where in the kernel a thread sleeps that it has not given to another one to answer, as a
# supervisor of seccomp's does.
_SLEEPS = late_patterns.compile(r"_*(futex|rt_mutex)")
_SENDS = late_patterns.compile(r"notify: (?!none)")
# That only a thread's own work causes, and those by which the C library's threads reach each other,
# where no timer and no file sends them.
_OWN = frozenset(
    (
        *(signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE),
        *(signal.SIGSEGV, signal.SIGPIPE, signal.SIGXCPU, signal.SIGXFSZ, signal.SIGVTALRM),
        *(signal.SIGPROF, signal.SIGSYS),
    )
)
# These while one runs, at whatever is its own.
_OF_TIME = frozenset((signal.SIGXCPU, signal.SIGVTALRM, signal.SIGPROF))
_LIBRARYS = frozenset((32, 33))
_MOST_FILES = 4096
_MOST_CODE, _AT_ONCE = 1 << 29, 1 << 20  # bytes


def of(pid: int, tasks: Look, machine: Machine) -> Standstill:
    """tasks: all of whose threads sleep so."""
    return _Process(pid, tasks, machine).standstill()


def of_stopped(
    pid: int, calls: Mapping[int, FutexWait], awake: frozenset[int], machine: Machine
) -> Standstill | None:
    """Of a process that this debugger has stopped. calls: of the threads, by LWP, whose words are
    as they expect: so they would sleep on; awake: all others. None: it has still others."""
    if sleeping.living(pid) != calls.keys() | awake:
        return None
    tasks = {lwp: Task(0, (), (call,), False) for lwp, call in calls.items()}
    return _Process(pid, tasks, machine, awake, True).standstill()


class _Process:
    def __init__(
        self,
        pid: int,
        tasks: Look,
        machine: Machine,
        awake: frozenset[int] = frozenset(),
        stopped: bool = False,
    ) -> None:
        """tasks: that sleep; stopped: by this debugger."""
        self._pid, self._tasks, self._machine, self._stopped = pid, tasks, machine, stopped
        self._awake = awake
        every = sorted(tasks.keys() | awake)
        self._lwp = every[0]  # the process' first thread may have ended: it has no files then
        self._folder = f"/proc/{pid}/task/{self._lwp}"
        self._status = [procfs.status(f"/proc/{pid}/task/{lwp}") for lwp in every]

    def standstill(self) -> Standstill:
        handled = self._handled()
        own = _OWN - _OF_TIME if self._awake else _OWN
        signals = handled - own - _LIBRARYS
        if signal.SIGCHLD in signals and not self._has_children():
            signals.discard(signal.SIGCHLD)
        doubts = [*self._stand_in(), *self._shared_words(), *self._sharers(), *self._on_its_way()]
        if handled and not signals:
            doubts += self._senders()
        if not (doubts or signals):
            doubts += self._rings()
        return Standstill(
            frozenset(self._tasks),
            _names(signals),
            _names(handled & own),
            tuple(doubts),
            frozenset(lwp for lwp, task in self._tasks.items() if task.changed),
            awake=self._awake,
        )

    # ---- Signals -------------------------------------------------------------------------------

    def _handled(self) -> set[int]:
        """That have a handler, and are not blocked by all threads."""
        blocked = -1
        for one in self._status:
            blocked &= _mask(one, "SigBlk")
        return _numbers(_mask(self._status[0], "SigCgt") & ~blocked)

    def _has_children(self) -> bool:
        own = str(self._pid)
        for pid in procfs.processes():
            status = procfs.status(f"/proc/{pid}")
            if own in (status.get("PPid"), status.get("TracerPid")):
                return True
        return procfs.hides_processes()

    def _on_its_way(self) -> Iterator[str]:
        for one in self._status:
            pending = _mask(one, "SigPnd") | _mask(one, "ShdPnd")
            if pending & ~_mask(one, "SigBlk") & _mask(one, "SigCgt"):
                yield "a signal with a handler is on its way"
                return

    def _senders(self) -> Iterator[str]:
        """Of signals that come of own work otherwise."""
        if not os.path.exists(f"/proc/{self._pid}/timers"):
            yield "whether it has timers cannot be told"
        elif _SENDS.search(procfs.text(f"/proc/{self._pid}/timers")):
            yield "it has timers that send signals"
        for name in self._files()[:_MOST_FILES]:
            flags = re.search(r"flags:\s*([0-7]+)", procfs.text(f"{self._folder}/fdinfo/{name}"))
            if flags is None or int(flags[1], 8) & os.O_ASYNC:
                yield "a file may send it signals (O_ASYNC)"
                return

    # ---- Others --------------------------------------------------------------------------------

    def _stand_in(self) -> Iterator[str]:
        """For the kernel, or for the program."""
        tracer = self._status[0].get("TracerPid", "0")
        if tracer not in ("0", str(os.getpid()) if self._stopped else "0"):
            yield f"process {tracer} traces it"
        if self._stopped:
            # Where in the kernel it slept before is not told any more.
            if any(one.get("Seccomp", "0") != "0" for one in self._status):
                yield "its system calls are filtered (seccomp), and others may answer them"
            return
        for lwp in self._tasks:
            place = procfs.text(f"/proc/{self._pid}/task/{lwp}/wchan")
            if place in ("", "0"):
                yield f"where in the kernel thread {lwp} sleeps cannot be told"
                return
            if not _SLEEPS.match(place):
                yield f"thread {lwp} sleeps in the kernel's {place} ()"
                return

    def _shared_words(self) -> Iterator[str]:
        waits = [one for task in self._tasks.values() for one in task.waits]
        shared = {one.address for one in waits if not one.is_private}
        for mapped in procfs.mappings(self._folder) if shared else ():
            # A private one that may not be written is the file's, as it is for all others.
            if mapped.rights[1:2] == "w" and mapped.rights[3:4] == "p":
                shared -= {word for word in shared if mapped.start <= word < mapped.end}
        for word in sorted(shared)[:1]:
            yield f"another process may have the word {word:#x}, for which a thread sleeps"

    def _sharers(self) -> Iterator[str]:
        """Processes with the same memory."""
        size = procfs.text(f"{self._folder}/statm").partition(" ")[0]
        unknown = not size or procfs.hides_processes()
        for pid in procfs.processes():
            # The same memory has the same size.
            if pid == self._pid or not _may_be(f"/proc/{pid}/statm", size):
                continue
            same = same_memory.is_so(self._lwp, pid, self._machine.LIBC.kcmp)
            if same:
                yield f"process {pid} shares its memory"
                return
            unknown = unknown or same is None
        if unknown or procfs.text(f"{self._folder}/statm").partition(" ")[0] != size:
            yield "whether another process shares its memory cannot be told"

    # ---- Rings ---------------------------------------------------------------------------------

    def _rings(self) -> Iterator[str]:
        """A ring has a file and mappings; whoever makes one can do without both."""
        release = re.match(r"(\d+)\.(\d+)", os.uname().release)
        if release is not None and tuple(map(int, release.groups())) < _RINGS_WAKE:
            return
        files, mappings = self._files(), list(procfs.mappings(self._folder))
        if not 0 < len(files) <= _MOST_FILES:
            yield "its open files cannot be told"
            return
        links = [_link(f"{self._folder}/fd/{name}") for name in files]
        if any("io_uring" in path for path in [*links, *(one.path for one in mappings)]):
            yield "it has an io_uring, for which the kernel may wake a thread"
        elif procfs.text("/proc/sys/kernel/io_uring_disabled") != "2":
            yield from self._may_make_ring([one for one in mappings if one.rights[2:3] == "x"])

    def _may_make_ring(self, code: Sequence[Mapped]) -> Iterator[str]:
        if sum(one.end - one.start for one in code) > _MOST_CODE:
            yield "it has too much code to see whether it makes an io_uring"
            return
        try:
            memory = os.open(f"{self._folder}/mem", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            yield "its code cannot be read, and may make an io_uring"
            return
        try:
            for one in code:
                if one.path != "[vsyscall]" and self._has_number(memory, one):
                    name = os.path.basename(one.path) or "its code"
                    yield f"{name} may have made an io_uring, for which the kernel wakes threads"
                    return
        finally:
            os.close(memory)

    def _has_number(self, memory: int, code: Mapped) -> bool:
        for at in range(code.start, code.end, _AT_ONCE):
            try:
                some = os.pread(memory, min(_AT_ONCE + 16, code.end - at), at)
            except (OSError, OverflowError):
                return True
            if self._machine.passes_number(some, _MAKE_RING):
                return True
        return False

    def _files(self) -> list[str]:
        """None are told where they cannot be read."""
        try:
            return os.listdir(f"{self._folder}/fd")
        except OSError:
            return []


def _mask(status: Mapping[str, str], name: str) -> int:
    return int(status.get(name) or "0", 16)


def _numbers(mask: int) -> set[int]:
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


def _names(numbers: Collection[int]) -> tuple[str, ...]:
    return tuple(map(_name, sorted(numbers)))


def _name(number: int) -> str:
    beyond = number - signal.SIGRTMIN
    return f"SIGRTMIN+{beyond}" if beyond > 0 else name_of(number)


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""  # it has been closed


def _may_be(statm: str, size: str) -> bool:
    """May a process have memory of that size?"""
    try:
        with open(statm, encoding="ascii") as file:
            return file.read().partition(" ")[0] == size
    except (FileNotFoundError, ProcessLookupError):
        return False
    except OSError:
        return True
