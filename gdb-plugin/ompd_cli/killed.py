# SPDX-License-Identifier: Apache-2.0
"""Why did the kernel end a program without a core file? By SIGKILL for want of memory, which its
control group counts, and by limits that the user has set."""

from __future__ import annotations

import resource
import signal

from ompd_core.formats import control_groups, procfs

_FILES = {1: "memory.oom_control", 2: "memory.events"}
_KILLS = "oom_kill"
_LIMITS = {1: "memory.limit_in_bytes", 2: "memory.max"}
_ALL = 1 << 60  # version 1's way to say that there is no limit
_BY_LIMIT = {
    signal.SIGXCPU: (resource.RLIMIT_CPU, "its processor time is over (`ulimit -t'{})"),
    signal.SIGXFSZ: (resource.RLIMIT_FSIZE, "a file became larger than allowed (`ulimit -f'{})"),
}


class Kills:
    """Of the caller's own control group, where those are whom he starts."""

    def __init__(self) -> None:
        self._before = _in_group(), _in_all()

    def sentence(self, number: int) -> str | None:
        """What the user is not told by anybody else. None: by his shell."""
        if number in _BY_LIMIT:
            return f"The program was ended by {signal.Signals(number).name}: {_by_limit(number)}."
        if number != signal.SIGKILL:
            return None
        group, everywhere = self._before
        if group is not None and (_in_group() or 0) > group:
            why = f"most likely for want of memory: its control group counted an OOM kill{_limit()}"
        elif everywhere is not None and (_in_all() or 0) > everywhere:
            why = "likely for want of memory: this machine's kernel has made an OOM kill meanwhile"
        else:
            why = "which the program itself, somebody, or a batch system has sent"
            if group is not None:
                why += "; its control group has not counted an OOM kill"
        return f"The program was ended by SIGKILL, {why}."


def _by_limit(number: int) -> str:
    which, text = _BY_LIMIT[signal.Signals(number)]
    limit = resource.getrlimit(which)[0]
    unit = "" if number == signal.SIGXCPU else " bytes"
    shown = f": {limit}{unit}" if limit != resource.RLIM_INFINITY else ", of its own"
    return text.format(shown)


def _in_group() -> int | None:
    for group in control_groups.of("self", "memory"):
        found = group.numbers(_FILES[group.version]).get(_KILLS)
        if found is not None:
            return found
    return None


def _in_all() -> int | None:
    words = procfs.text(f"{procfs.ROOT}/vmstat").split()
    return int(words[words.index(_KILLS) + 1]) if _KILLS in words[:-1] else None


def _limit() -> str:
    limits = []
    for group in control_groups.of("self", "memory"):
        text = procfs.text(f"{group.folder}/{_LIMITS[group.version]}")
        if text.isdecimal() and int(text) < _ALL:
            limits.append(int(text))
    return f", and may have {min(limits) >> 20} MB" if limits else ""
