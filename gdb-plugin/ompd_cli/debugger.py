# SPDX-License-Identifier: Apache-2.0
"""How is GDB made to write a report? In batch mode, with a private folder for what goes in and what
comes out: its own words on stdout are no document."""

from __future__ import annotations

import argparse
import errno
import json
import os
import select
import shutil
import sys
import tempfile
from _thread import LockType, allocate_lock
from contextlib import contextmanager, suppress
from typing import Any, Callable, Iterator, Sequence

from ompd_core import arch, late_patterns
from ompd_core.errors import UserError
from ompd_core.formats.elf import ElfFile, NotElf
from ompd_core.light_classes import dataclass, field
from ompd_core.views.table import Style
from ompd_core.views.terminal import plain

from . import guardian, limits, terminal
from .libraries import ROOT
from .origin import Origin
from .outcome import Outcome, confirm, of_report, stopped_before, unconfirmed
from .progress import Progress

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLUGIN = os.path.join(HOME, "ompd-gdb.py")

# Scripts that the program's files bring along or name are not run.
_SAFE = (
    "set auto-load gdb-scripts off",
    "set auto-load python-scripts off",
    "set confirm off",
    # A defect of GDB's ends it, without a question and without a core file of its own.
    "maintenance set internal-error quit yes",
    "maintenance set internal-error corefile no",
)
# GDB ends with its report: what could be collected till then is not worth a twentieth of its time.
_OF_A_REPORT = "python import gc; gc.disable()"
USUAL, FOR_ALL_PROCESSORS = "gdb", "gdb-multiarch"
PATIENCE = 60  # seconds that a GDB has to say what it knows
_INTERNAL_ERROR = late_patterns.compile(r"([\w./-]+:\d+): internal-error: ")
LONGEST_LOG = 4096  # bytes of GDB's last words that are looked at


@dataclass
class Task:
    """What GDB is asked for."""

    kind: str  # "core", "pid", "run"
    files: Sequence[str] = ()  # program and core
    settings: Sequence[str] = ()  # commands before they are loaded
    after: Sequence[str] = ()  # GDB's last arguments
    target: int = 0  # the process that must run on afterwards
    details: dict[str, Any] = field(default_factory=dict)  # for inside.py
    pass_fds: Sequence[int] = ()
    doing: str = ""  # for people who wait
    notes: list[str] = field(default_factory=list)
    origin: Origin = field(default_factory=Origin)
    processor: arch.Processor | None = None  # which GDB has to know; None: this machine's own


@contextmanager
def private_folder() -> Iterator[str]:
    """Nobody else reads or writes there: it is made with mode 0700."""
    try:
        folder = tempfile.mkdtemp(prefix="ompd-")
    except OSError as error:
        raise UserError(
            "file_error",
            f"No private folder can be made ({error.strerror}).",
            "Set TMPDIR to a directory with room.",
        ) from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def found(name: str, processor: arch.Processor | None = None) -> str:
    """The GDB that is meant, or, where none is named, one that knows the processor. Raises
    UserError."""
    if processor is None:
        return _path(name)
    for one in (name, FOR_ALL_PROCESSORS) if name == USUAL else (name,):
        path = shutil.which(one)
        if path is not None and processor.is_one_of(_architectures(path)):
            return path
    raise UserError(
        "unknown_processor",
        f"The GDB `{_path(name)}' does not know the processor of the core file, {processor.name}.",
        "Install gdb-multiarch, or name another one with --gdb PATH.",
    )


def foreign(number: int) -> arch.Processor | None:
    """Of ELF's number of a processor, unless it is the one that this runs on."""
    try:
        own = ElfFile(sys.executable)
    except (NotElf, OSError, ValueError):
        return arch.processor(number)
    own.close()
    return arch.processor(number) if number != own.machine else None


def _architectures(gdb: str) -> list[str]:
    """Those that it knows; of a GDB that cannot be asked none."""
    import subprocess  # which its usual way does without

    words = [gdb, "-nx", "-q", "-batch", "-ex", "set max-completions unlimited"]
    words += ["-ex", "complete set architecture "]
    try:
        said = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [line.split()[-1] for line in said.decode("utf-8", "replace").splitlines() if line]


def _path(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise UserError(
            "no_gdb",
            f"There is no GDB `{name}'.",
            "Install gdb, or name another one with --gdb PATH.",
        )
    return path


@dataclass(eq=False)
class Run:
    """One GDB, and the guardian around it."""

    guardian: guardian.Guardian
    folder: str
    task: Task
    limit: float
    style: Style
    _ended: bool = False
    _ending: LockType = field(default_factory=allocate_lock)

    def wait(self, progress: Progress) -> dict[str, Any]:
        """The guardian's line. It lives longer than whatever it guards."""
        line = b""
        while not line.endswith(b"\n"):
            progress.show(self.task.doing)
            if select.select([self.guardian.told], [], [], 0.2)[0]:
                part = os.read(self.guardian.told, 4096)
                if not part:
                    break
                line += part
        progress.clear()
        self._end()
        try:
            return dict(json.loads(line))
        except ValueError:
            pass  # it was killed: its duty falls to us
        target = self.task.target
        state = guardian.see_to_it_that_it_runs(target, wake=False) if target else None
        return {"ended": "unguarded", "status": None, "target": state}

    def ask_to_end(self) -> None:
        """GDB ends, and what it held runs on. Any thread may ask; who waits sees the end."""
        with self._ending:
            if not self._ended:
                with suppress(OSError):  # it has ended
                    os.write(self.guardian.held, b"\n")

    def abandon(self) -> None:
        """Ask, instead of waiting further."""
        if not self._ended:
            self.ask_to_end()
            self._end()

    def _end(self) -> None:
        """Wait for the guardian's."""
        os.waitpid(self.guardian.pid, 0)
        with self._ending:
            self._ended = True
            os.close(self.guardian.held)
            os.close(self.guardian.told)


def start(task: Task, gdb: str, folder: str, limit: float, options: argparse.Namespace) -> Run:
    steps = os.path.join(folder, "steps.py")
    style = terminal.style_of_report(options)
    details = {
        "kind": task.kind,
        "folder": os.fsencode(folder),
        "width": style.width,
        "unicode": style.unicode,
        "options": _options_of_report(options),
        "as_text": not options.json,
        "as_json": options.json or bool(options.html),
        **task.details,
    }
    with open(steps, "w", encoding="ascii") as file:
        # Strings in ASCII: whatever a file's name holds comes through.
        file.write(f"from ompd_cli import inside\ninside.main(**{ascii(details)})\n")
    command = [gdb, "-nx", "-q", "-batch"]
    # Where a library has such a name as "./a.so", GDB would take what the user has there.
    of_a_report = [_OF_A_REPORT, f"cd {folder}"]
    for setting in [*_SAFE, *([] if task.kind == "run" else of_a_report), *task.settings]:
        command += ["-iex", setting]
    command += [*_reading(PLUGIN), *_reading(steps)]
    command += [*task.after] or [os.path.abspath(file) for file in task.files]
    environment = dict(os.environ)
    environment.pop("DEBUGINFOD_URLS", None)  # no question, and no network, behind the user's back
    environment["SHELL"] = "/bin/sh"
    started = guardian.start(
        {
            "command": command,
            "environment": environment,
            "folder": folder,
            "limit": limit,
            "target": task.target,
            "pass_fds": list(task.pass_fds),
        }
    )
    return Run(started, folder, task, limit, style)


def _reading(script: str) -> list[str]:
    """Since GDB 15, `-x' and `source' take the script's name for one of the host's character set,
    which is ASCII where the locale is C."""
    if script.isascii():
        return ["-x", script]
    name = f"os.fsdecode({os.fsencode(script)!r})"
    inside = f'{{"__name__": "__main__", "__file__": {name}}}'
    return [
        "-ex",
        f'python import os; exec(compile(open({name}).read(), {name}, "exec"), {inside})',
    ]


def _options_of_report(options: argparse.Namespace) -> list[str]:
    return [f"-{name}" for name in ("all", "locals") if getattr(options, name)]


# Who looks at many shows the progress himself, and wants to be able to abandon each.
Begun = Callable[[Run], None]


def report(
    task: Task, folder: str, options: argparse.Namespace, begun: Begun | None = None
) -> Outcome:
    """Raises UserError, KeyboardInterrupt."""
    gdb = found(options.gdb, task.processor)
    if begun is not None:
        task.doing = ""
    run = start(task, gdb, folder, options.timeout, options)
    try:
        if begun is not None:
            begun(run)
        ended = run.wait(Progress())
    except BaseException:
        run.abandon()
        raise
    return outcome(run, ended)


_STATES = {
    "runs": "Process {0} runs on.",
    "gone": "Process {0} has ended.",
    "stopped before": "Process {0} is still stopped.",
    "stands still": "Process {0} stands still: `kill -CONT {0}' lets it go on.",
}
_UNTOLD = (
    "The kernel does not tell in which system calls the threads sleep ({0}): a wake-up that was"
    " lost is not recognised, nor that all slept before they were stopped."
)


def outcome(run: Run, ended: dict[str, Any]) -> Outcome:
    """Raises UserError."""
    pid = run.task.target
    notes = list(run.task.notes)
    if pid:
        notes.append(_STATES[ended["target"]].format(pid))
    document = _json(run.folder, "report.json")
    if document is None or "error" in document or ended["ended"] == "late":
        error = _failure(run, ended, document)
        raise UserError(error.code, error.message, " ".join([error.hint, *notes]).strip())
    result = result_of(run)
    if "stopped_seconds" in result:
        document["stopped_seconds"] = round(result["stopped_seconds"], 3)
        notes.append(f"It was stopped for {result['stopped_seconds']:.2f} s.")
    if result.get("calls_untold"):
        notes.append(_UNTOLD.format(result["calls_untold"]))
    if "has_gone_on" in result:
        notes.append("It has gone on since this look: what it waits for had lost its wake-up.")
    if "seen_before" in result:
        notes += confirm(document, result["seen_before"])
    if "only" in result:
        notes += unconfirmed(document, result["only"])
    origin = run.task.origin
    if origin.pid is None and document["inferior"] is not None:
        origin.pid = document["inferior"]["pid"]
    document.update(origin.fields())
    text = _text(run.folder)
    if origin.words():
        text += f"Rank    : {plain(origin.words())}\n"
    if result.get("was_stopped"):
        text = stopped_before(document, pid, run.style) + text
    return of_report(text, document, notes, run.style)


def result_of(run: Run) -> dict[str, Any]:
    """What inside.py wrote when all was done."""
    return _json(run.folder, "result.json") or {}


def _text(folder: str) -> str:
    """Empty where nobody wanted it."""
    try:
        with open(os.path.join(folder, "report.txt"), encoding="utf-8") as file:
            return _as_mapped(file.read(), folder)
    except FileNotFoundError:
        return ""


def _json(folder: str, name: str) -> dict[str, Any] | None:
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return dict(json.loads(_as_mapped(file.read(), folder)))
    except (OSError, ValueError):
        return None


def _as_mapped(text: str, folder: str) -> str:
    """GDB finds a core's libraries through links in the private folder: people know them by the
    names that the program had for them."""
    root = os.path.join(folder, ROOT)
    return text.replace(json.dumps(root)[1:-1], "").replace(root, "")


def _failure(run: Run, ended: dict[str, Any], document: dict[str, Any] | None) -> UserError:
    """Why there is no report."""
    if ended["ended"] == "late":
        return UserError(
            "timeout",
            f"GDB did not finish in {run.limit:g} s and was ended.",
            "Allow more with --timeout SECONDS.",
        )
    if ended["ended"] == "busy":
        pid = run.task.target
        return UserError(
            "traced", f"Another ompd is looking at process {pid}.", "Try again when it has ended."
        )
    if ended["target"] == "gone":
        return UserError("no_process", "There is no report: it ended while it was looked at.")
    if document is not None:
        error = document["error"]
        return UserError(error["code"], error["message"], error["hint"] or "")
    result = result_of(run)
    if "error" in result:
        return UserError("gdb_error", f"GDB says: {result['error']}")
    if _is_full(run.folder):
        return UserError(
            "file_error",
            f"GDB wrote no report: {os.strerror(errno.ENOSPC)}, in {run.folder}.",
            "Set TMPDIR to a directory with room.",
        )
    words = _last_words(run.folder)
    for word in words:
        defect = _INTERNAL_ERROR.search(word)
        if defect is not None:
            message = f"GDB failed in its own code, {defect.group(1).rstrip('.')}."
            return UserError("gdb_died", message, "Try another GDB: --gdb.")
    status = ended["status"]
    if status is not None and status < 0:
        return UserError(
            "gdb_died",
            f"GDB was ended by signal {-status}.",
            limits.low() or "Try again, or another one: --gdb.",
        )
    return UserError(
        "gdb_failed",
        "GDB wrote no report." + (f" Its last words: {words[-1].rstrip('.')}." if words else ""),
        limits.low() or "It has to be GDB 10 or newer, with Python 3.9 or newer in it.",
    )


def _is_full(folder: str) -> bool:
    try:
        return os.statvfs(folder).f_bavail == 0
    except OSError:
        return False


def _last_words(folder: str) -> list[str]:
    """Lines."""
    try:
        with open(os.path.join(folder, "gdb.log"), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - LONGEST_LOG, 0))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return []
    return [line for line in (line.strip(" \t\r\0") for line in lines) if line]
