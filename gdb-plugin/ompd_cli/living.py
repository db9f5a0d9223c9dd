# SPDX-License-Identifier: Apache-2.0
"""`ompd pid': may this process be looked at?"""

from __future__ import annotations

import argparse
import os
import pwd
import sys

from ompd_core.errors import UserError

from . import debug_files, debugger
from .guardian import status_of
from .origin import Origin
from .outcome import Outcome, check_first_thread

MOST_LIBRARIES = 1000
_SCOPE = "/proc/sys/kernel/yama/ptrace_scope"


def report(
    options: argparse.Namespace, origin: Origin, begun: debugger.Begun | None = None
) -> Outcome:
    """Raises UserError."""
    pid = options.pid
    _check(pid)
    origin.pid = pid
    origin.look_at(pid)
    program, libraries = _executable(pid), libraries_of(pid)
    debug_files.check([*program, *libraries])
    task = debugger.Task(
        "pid",
        files=program,
        target=pid,
        details={"pid": pid, "libraries": libraries},
        doing=f"GDB reads process {pid}",
        origin=origin,
    )
    try:
        with debugger.private_folder() as folder:
            return debugger.report(task, folder, options, begun)
    except UserError as error:
        if error.code != "gdb_error" or "ptrace" not in error.message:
            raise
        hint = f"{why_refused(pid)} {error.hint}".strip()
        raise UserError("not_permitted", f"Process {pid} may not be traced.", hint) from None


def _check(pid: int) -> None:
    status = status_of(str(pid)) if pid > 0 else {}
    if not status:
        raise UserError("no_process", f"There is no process {pid}.", "`ps' lists them.")
    group = int(status.get("Tgid", pid))
    if group != pid:
        raise UserError("no_process", f"{pid} is a thread.", f"Its process is {group}.")
    if status.get("State", "")[:1] in ("Z", "X"):
        check_first_thread(pid)
        raise UserError("no_process", f"Process {pid} has ended.", "`ps' lists those that run.")
    tracer = int(status.get("TracerPid", 0))
    if tracer:
        name = status_of(str(tracer)).get("Name", "another program")
        raise UserError(
            "traced",
            f"Process {pid} is being traced already, by {name} (process {tracer}).",
            "Let that one go of it first.",
        )
    owner = int(status.get("Uid", "0").split()[0])
    if owner != os.geteuid() and os.geteuid() != 0:
        raise UserError(
            "not_permitted",
            f"Process {pid} belongs to {_user(owner)}.",
            "Run `ompd pid' as that user, or as root.",
        )
    _check_code(pid)


def _check_code(pid: int) -> None:
    """The kernel lets a call that waits be made anew after a stop: where its code was unloaded
    meanwhile, the process would not survive that."""
    without = _without_code(pid)
    if without and without == _without_code(pid):
        one = len(without) == 1
        raise UserError(
            "code_unloaded",
            f"{len(without)} {'thread' if one else 'threads'} of process {pid}"
            f" {'sleeps' if one else 'sleep'} in code that is not there any more: a library was"
            " unloaded, by dlclose(), while it was executed. To stop the process would end it.",
            f"`kill -ABRT {pid}' ends it with a core file, which `ompd core' reads.",
        )


def _without_code(pid: int) -> set[int]:
    """The threads that sleep in it. What may not be read tells nothing."""
    places: dict[int, int] = {}
    try:
        for name in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{name}/syscall", encoding="ascii") as file:
                words = file.read().split()
            if len(words) > 2 and words[0] != "-1":
                places[int(name)] = int(words[-1], 16)
        with open(f"/proc/{pid}/maps", "rb") as file:
            spans = [line.split()[0].split(b"-") for line in file]
    except (OSError, ValueError):
        return set()
    mapped = [(int(start, 16), int(end, 16)) for start, end in spans]
    return {
        lwp for lwp, at in places.items() if not any(start <= at < end for start, end in mapped)
    }


def _user(number: int) -> str:
    try:
        return f"user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"user {number}"


def _executable(pid: int) -> list[str]:
    """GDB reads its symbols while the process still runs. Where the path does not lead to it, GDB
    finds it by itself."""
    try:
        path = os.readlink(f"/proc/{pid}/exe")
        if os.path.samefile(path, f"/proc/{pid}/exe"):
            return [path]
    except OSError:
        pass
    return []


def libraries_of(pid: int) -> list[str]:
    """Files that the process executes code of, but for its program."""
    found: dict[str, None] = {}
    try:
        program = os.readlink(f"/proc/{pid}/exe")
        with open(
            f"/proc/{pid}/maps", encoding=sys.getfilesystemencoding(), errors="surrogateescape"
        ) as file:
            for line in file:
                words = line.rstrip("\n").split(None, 5)
                if len(words) == 6 and "x" in words[1] and words[5].startswith("/"):
                    found[words[5]] = None
    except OSError:
        return []
    return [name for name in found if name != program and os.path.isfile(name)][:MOST_LIBRARIES]


def why_refused(pid: int) -> str:
    """Why not, and what to do."""
    scope = _scope()
    if scope == 3:
        return f"This machine allows it nobody ({_SCOPE} is 3); `ompd run' is not possible either."
    if scope and os.geteuid() != 0:
        return (
            f"This machine allows it only root ({_SCOPE} is {scope}): use sudo, or write 0 there as"
            " root. `ompd run' needs no such right."
        )
    if _is_closed(pid) and os.geteuid() != 0:
        return (
            "It has closed itself to others of its user (prctl PR_SET_DUMPABLE), or has rights that"
            " you don't have: only root may look at it."
        )
    return "A container needs the capability SYS_PTRACE for that; `ompd run' may work without."


def _scope() -> int:
    try:
        with open(_SCOPE, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0  # a kernel without Yama


def _is_closed(pid: int) -> bool:
    """proc_pid(5): the files there of what is not dumpable are root's."""
    owner = status_of(str(pid)).get("Uid", "0").split()[0]
    try:
        return owner != "0" and os.stat(f"/proc/{pid}/maps").st_uid == 0
    except OSError:
        return False
