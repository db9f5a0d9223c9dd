# SPDX-License-Identifier: Apache-2.0
"""`ompd pid': may this process be looked at?"""

from __future__ import annotations

import argparse
import os
import pwd

from ompd_core.errors import UserError
from ompd_core.formats import procfs

from . import debug_files, debugger, mapped
from .guardian import status_of
from .origin import Origin
from .outcome import Outcome, check_first_thread

MOST_NAMED = 8
_SCOPE = "/proc/sys/kernel/yama/ptrace_scope"
_CAP_SYS_PTRACE = 19  # linux/capability.h
_MACHINES_OWN = 0xEFFFFFFC  # the first PID namespace's inode: linux/proc_ns.h, PROC_PID_INIT_INO


def report(
    options: argparse.Namespace, origin: Origin, begun: debugger.Begun | None = None
) -> Outcome:
    """Raises UserError."""
    pid = options.pid
    _check(pid)
    origin.pid = pid
    origin.look_at(pid)
    try:
        with debugger.private_folder() as folder:
            files = mapped.files(pid, folder)
            debug_files.check([*files.program, *files.libraries])
            task = debugger.Task(
                "pid",
                files=files.program,
                settings=files.settings,
                target=pid,
                details={"pid": pid, "libraries": files.libraries},
                doing=f"GDB reads process {pid}",
                origin=origin,
                notes=[
                    f"In its container it is process {one}." for one in numbers_of(pid)[1:][-1:]
                ],
            )
            return debugger.report(task, folder, options, begun)
    except UserError as error:
        if error.code != "gdb_error" or "ptrace" not in error.message:
            raise
        hint = f"{why_refused(pid)} {error.hint}".strip()
        raise UserError("not_permitted", f"Process {pid} may not be traced.", hint) from None


def _check(pid: int) -> None:
    status = status_of(str(pid)) if pid > 0 else {}
    if not status:
        raise UserError("no_process", f"There is no process {pid}.", _where_else(pid))
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


def _where_else(pid: int) -> str:
    """A number may be that of a container."""
    known = [str(one) for one in procfs.processes() if numbers_of(one)[1:][-1:] == [str(pid)]]
    if known:
        one = len(known) == 1
        return (
            f"A container gives that number to {'process' if one else 'one of the processes'}"
            f" {', '.join(known[:MOST_NAMED])}."
        )
    try:
        is_inside = os.stat("/proc/self/ns/pid").st_ino != _MACHINES_OWN
    except OSError:
        is_inside = False
    if is_inside:
        return (
            "`ps' lists those of this container: to see others, it is started with `--pid=host' or"
            " `--pid=container:NAME'."
        )
    return "`ps' lists them."


def numbers_of(pid: int) -> list[str]:
    """Of a process: here, and then in each container that it is in, the innermost last."""
    return status_of(str(pid)).get("NSpid", "").split()


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
    own = status_of("self")
    if not int(own.get("CapEff", "0"), 16) >> _CAP_SYS_PTRACE & 1:
        return (
            "It takes the capability SYS_PTRACE, which is missing here: a container is started with"
            " `--cap-add=SYS_PTRACE' to have it. `ompd run' may work without."
        )
    if own.get("Seccomp", "0") != "0":
        return (
            "A seccomp filter (a container's) may forbid it: `--security-opt seccomp=unconfined'"
            " starts one without. `ompd run' may not work either."
        )
    return (
        "It may belong to a user namespace (a container's) over which root has no rights here: ask"
        " on the machine itself, or in that container."
    )


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
