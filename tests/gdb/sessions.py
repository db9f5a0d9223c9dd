# SPDX-License-Identifier: Apache-2.0
"""How does a debugger get to see a program? Started by it, attached to, as a core file of the
kernel or of gcore, behind gdbserver: each kind ends at the same place, with the same record."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Iterator, Sequence

import machine
import schema

# Seconds for anything; a hang is a failure. A virtual machine may stand still for a minute or two.
PATIENCE = 300
# A thread that is awake after so much processor time, or so many turns on one, is one that spins:
# see settle.h, also for why time alone does not tell.
SPIN_NS, SPIN_TURNS = 10**8, 500
MARK = "@@@"
# What must never be seen, whatever was asked. A program may have loaded `_ctypes'.
FORBIDDEN = re.compile(
    r"Traceback \(most recent|Python Exception|Error while executing Python|internal-error"
    r"|defect of its own|Exception ignored|(?<!_)ctypes"
)
KINDS = ("live", "attach", "core", "gcore", "gdbserver")
INFERIOR_KIND = {
    "live": "live",
    "attach": "live",
    "core": "core",
    "gcore": "core",
    "gdbserver": "remote",
}


@dataclass
class Answer:
    """What GDB printed for the commands, one by one, and the JSON documents that they wrote."""

    commands: list[str]
    texts: list[str]
    documents: list[Any]  # None where a command wrote none
    everything: str

    @property
    def text(self) -> str:
        """Of the last command."""
        return self.texts[-1]

    def document(self, command: str, time: int = 0) -> Any:
        """What a command wrote; `time' counts from 0 when it was asked several times."""
        found = [d for c, d in zip(self.commands, self.documents) if c == command]
        assert found[time] is not None, f"`{command}' wrote no document:\n{self.everything}"
        return found[time]


def sourcing() -> list[str]:
    """The commands that make ompd known to GDB."""
    machine.library()
    return [f"source {machine.PLUGIN}"]


def started(gdb: str, *options: str) -> list[str]:
    """The first words of a GDB's command line."""
    settings = ["set confirm off", "set width 0"]
    if gdb == "gdb":
        # Other GDBs' wrappers need no debuginfod, and GDB 10 does not know the setting.
        settings.insert(0, "set debuginfod enabled off")
    words = [machine.gdb(gdb), "-nx", "-q", *options]
    return words + [word for setting in settings for word in ("-iex", setting)]


def ask(
    gdb: str,
    commands: Sequence[str],
    before: Sequence[str] = (),
    files: Sequence[str | Path] = (),
    *,
    folder: Path,
    plugin: Sequence[str] | None = None,
    as_user: str | None = None,
) -> Answer:
    """Run GDB in batch mode: `before' leads to where `commands' are asked. A command that ends in
    -json is given a file, and the document there is checked against the schema. `plugin' says
    how the plugin is loaded at the start; the usual way unless given."""
    steps = [*(sourcing() if plugin is None else plugin), *before]
    written: list[Path | None] = []
    for number, command in enumerate(commands):
        path = folder / f"{number}.json" if command.endswith(" -json") else None
        if path is not None:
            path.unlink(missing_ok=True)
        written.append(path)
        steps.append(f"echo \\n{MARK}{number}\\n")
        steps.append(f"{command} {path}" if path else command)
    steps.append(f"echo \\n{MARK}end\\n")
    words = started(gdb, "-batch")
    for step in steps:
        words += ["-ex", step]
    words += [str(word) for word in files]
    if as_user:
        clean = ["env", "-i", f"PATH={os.environ['PATH']}"]
        words = ["runuser", "-u", as_user, "--", *clean, *words]
    text = _output(words, folder)
    parts = re.split(rf"^{MARK}(?:\d+|end)\n", text, flags=re.MULTILINE)
    assert len(parts) == len(commands) + 2, f"GDB did not get through its commands:\n{text}"
    noise = r"^(\[New |Reading /|warning: (Unexpected size|File transf)).*\n"
    # GDB 13 says so of each thread in cores of newer kernels, when it first looks at it.
    of_cores = r"^warning: Section `\.reg-xstate.*\n"
    texts = [re.sub(of_cores, "", part, flags=re.MULTILINE).strip("\n") for part in parts[1:-1]]
    documents = [_document(path) for path in written]
    return Answer(list(commands), texts, documents, re.sub(noise, "", text, flags=re.MULTILINE))


def _document(path: Path | None) -> Any:
    if path is None or not path.exists():
        return None
    document = json.loads(path.read_text(encoding="utf-8"))
    schema.check(document)
    return document


def _output(words: Sequence[str], folder: Path) -> str:
    process = subprocess.Popen(
        words,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        text, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        text, _ = process.communicate()
        raise AssertionError(f"GDB did not end in {PATIENCE} s:\n{text}") from None
    how = f"{' '.join(shlex.quote(word) for word in words)}\n{text}"
    # The last command is an echo: a failure is a crash.
    assert process.returncode == 0, f"GDB ended with {process.returncode}:\n{how}"
    met = FORBIDDEN.search(text)
    assert met is None, f"GDB printed `{met.group()}':\n{how}"
    return text


@dataclass
class Target:
    """A program that stands at stop_here(), or its core file."""

    kind: str
    executable: Path
    record: Path
    before: list[str] = field(default_factory=list)
    files: list[str | Path] = field(default_factory=list)
    pid: int | None = None
    core: Path | None = None

    def truth(self) -> dict[str, Any]:
        """Of the last stop."""
        found: dict[str, Any] = json.loads(self.record.read_text(encoding="utf-8"))
        return found


@contextlib.contextmanager
def target(
    kind: str,
    executable: Path,
    args: Sequence[str],
    runtime: Path,
    folder: Path,
    environment: dict[str, str] | None = None,
) -> Iterator[Target]:
    """Bring a program to its stop, in the way of `kind`; what was started is ended afterwards."""
    record = folder / "truth.json"
    record.unlink(missing_ok=True)
    env = {"LD_LIBRARY_PATH": str(runtime), "OMPD_TRUTH_FILE": str(record), **(environment or {})}
    makers = {
        "live": _live,
        "attach": _attach,
        "core": _core,
        "gcore": _gcore,
        "gdbserver": _gdbserver,
        "gdbserver-tcp": _gdbserver_tcp,
    }
    with makers[kind](executable, args, env, folder, record) as made:
        yield made


@contextlib.contextmanager
def _live(
    executable: Path, args: Sequence[str], env: dict[str, str], folder: Path, record: Path
) -> Iterator[Target]:
    before = [f"set environment {name} {value}" for name, value in env.items()]
    before += ["break stop_here", "run"]
    yield Target("live", executable, record, before, ["--args", executable, *args])


@contextlib.contextmanager
def parked(
    executable: Path, args: Sequence[str], env: dict[str, str], folder: Path, record: Path
) -> Iterator[int]:
    """A process that stays at its stop."""
    with subprocess.Popen(
        machine.in_background(executable, *args),
        env={**os.environ, **env, "OMPD_TRUTH_STOP": "park"},
        cwd=folder,
    ) as process:
        try:
            wait_for(record, process)
            yield process.pid
        finally:
            machine.kill(process)


@contextlib.contextmanager
def staying(executable: Path, way: str, runtime: str, **env: str) -> Iterator[int]:
    """A process that says when it is where it stays, as soon as all its threads stay."""
    with subprocess.Popen(
        machine.in_background(executable, way),
        env={**os.environ, "LD_LIBRARY_PATH": str(machine.cached(runtime)), **env},
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"stays\n"
            settle(int(lwp) for lwp in os.listdir(f"/proc/{process.pid}/task"))
            yield process.pid
        finally:
            machine.kill(process)


def wait_for(record: Path, process: subprocess.Popen[Any]) -> None:
    end = time.monotonic() + PATIENCE
    while not record.exists():
        status = process.poll()
        assert status is None, f"the program ended {_by(status)}, no record written"
        assert time.monotonic() < end, "the program did not get to its stop"
        time.sleep(0.02)


def settle(lwps: Iterable[int]) -> None:
    """From what threads have announced to where they stay: until each was found asleep, or has spun
    for long, in three looks in a row (as settle.h, from outside)."""
    first = {lwp: _used(lwp) for lwp in lwps}
    end, looks = time.monotonic() + PATIENCE, 0
    while looks < 3:
        assert time.monotonic() < end, "the program's threads do not stay anywhere"
        time.sleep(0.01)
        stay = all(_is_asleep(lwp) or _spins(lwp, *used) for lwp, used in first.items())
        looks = looks + 1 if stay else 0


def _is_asleep(lwp: int) -> bool:
    """Or has ended."""
    try:
        text = Path(f"/proc/{lwp}/task/{lwp}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return text.rpartition(")")[2].split()[0] == "S"


def _used(lwp: int) -> tuple[int, int]:
    """Of a processor: nanoseconds, and turns."""
    try:
        text = Path(f"/proc/{lwp}/task/{lwp}/schedstat").read_text(encoding="ascii")
    except OSError:
        return 0, 0  # it has ended
    nanoseconds, _, turns = text.split()
    return int(nanoseconds), int(turns)


def _spins(lwp: int, nanoseconds: int, turns: int) -> bool:
    """Since it had used so much."""
    used = _used(lwp)
    return used[0] - nanoseconds >= SPIN_NS or used[1] - turns >= SPIN_TURNS


@contextlib.contextmanager
def _attach(
    executable: Path, args: Sequence[str], env: dict[str, str], folder: Path, record: Path
) -> Iterator[Target]:
    with parked(executable, args, env, folder, record) as pid:
        yield Target("attach", executable, record, [f"attach {pid}"], [], pid)


@contextlib.contextmanager
def _core(
    executable: Path, args: Sequence[str], env: dict[str, str], folder: Path, record: Path
) -> Iterator[Target]:
    core = kernel_core(executable, args, env, folder)
    assert record.exists(), f"the program ended before its stop:\n{_complaints(folder)}"
    try:
        yield Target("core", executable, record, [], [executable, core], None, core)
    finally:
        core.unlink()


def need_kernel_cores() -> None:
    """In the folder of the program that leaves one."""
    pattern = Path("/proc/sys/kernel/core_pattern").read_text(encoding="utf-8").strip()
    if pattern.startswith(("|", "/")):
        raise machine.Missing(
            f"The kernel gives cores to `{pattern}', not to the program's folder:"
            " as root, echo core > /proc/sys/kernel/core_pattern"
        )


def kernel_core(executable: Path, args: Sequence[str], env: dict[str, str], folder: Path) -> Path:
    need_kernel_cores()
    for old in folder.glob("core*"):
        old.unlink()
    # Hard limits may forbid it: then no core is found, and the test fails.
    with open(folder / "output", "w+", encoding="utf-8") as output:
        done = subprocess.run(
            [executable, *args],
            env={**os.environ, **env, "OMPD_TRUTH_STOP": "abort"},
            cwd=folder,
            timeout=PATIENCE,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=_allow_cores,
            check=False,
        )
        output.seek(0, os.SEEK_END)
        output.write(f"(It ended {_by(done.returncode)}.)\n")
    found = list(folder.glob("core*"))
    assert len(found) == 1, f"the program left {len(found)} core files:\n{_complaints(folder)}"
    return found[0]


def _by(status: int) -> str:
    return f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"


def _complaints(folder: Path) -> str:
    """What a program printed, and how it ended."""
    return (folder / "output").read_text(encoding="utf-8", errors="replace")


def _allow_cores() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


@contextlib.contextmanager
def _gcore(
    executable: Path, args: Sequence[str], env: dict[str, str], folder: Path, record: Path
) -> Iterator[Target]:
    with parked(executable, args, env, folder, record) as pid:
        machine.run("gcore", "-o", folder / "gcore", str(pid))
        core = folder / f"gcore.{pid}"
    try:
        yield Target("gcore", executable, record, [], [executable, core], None, core)
    finally:
        core.unlink()


@contextlib.contextmanager
def _gdbserver(
    executable: Path, args: Sequence[str], env: dict[str, str], folder: Path, record: Path
) -> Iterator[Target]:
    """Over a pipe."""
    assignments = [f"{name}={value}" for name, value in env.items()]
    server = shlex.join(["env", *assignments, "gdbserver", "--once", "-", str(executable), *args])
    # A busy machine answers later than GDB waits by default.
    before = [f"set remotetimeout {PATIENCE}", f"target remote | {server}"]
    before += ["break stop_here", "continue"]
    yield Target("gdbserver", executable, record, before, [executable])


@contextlib.contextmanager
def _gdbserver_tcp(
    executable: Path, args: Sequence[str], env: dict[str, str], folder: Path, record: Path
) -> Iterator[Target]:
    """Over TCP, attached to the program, which GDB is not told."""
    with parked(executable, args, env, folder, record) as pid:
        with subprocess.Popen(
            ["gdbserver", "--once", "--attach", "localhost:0", str(pid)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as server:
            try:
                port = None
                assert server.stderr is not None
                for line in server.stderr:
                    if line.startswith("Listening on port"):
                        port = int(line.split()[-1])
                        break
                assert port, "gdbserver did not tell its port"
                yield Target(
                    "gdbserver", executable, record, [f"target remote localhost:{port}"], [], pid
                )
            finally:
                server.kill()
