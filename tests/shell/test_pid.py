# SPDX-License-Identifier: Apache-2.0
"""Does a process that `ompd pid' looked at run on, whoever is killed meanwhile? It counts: each of
its threads has to count on."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Iterable, Iterator

import command
import machine
import pytest
from command import CANNOT_READ, FINDING, NOTHING_ODD, OMPD, Answer, is_an_error, ompd
from ompd_cli import debugger, guardian, living, mapped, outcome, waking
from ompd_cli.progress import Progress
from ompd_core.views.table import Style
from sessions import PATIENCE, parked

THREADS = 32
KILLS = 40 if machine.FULL else 3  # of each kind

PTRACE_ATTACH, PTRACE_DETACH, WALL = 16, 17, 0x40000000

ASKED = {"interrupted": signal.SIGINT, "ended": signal.SIGTERM}


class Counting:
    """tests/programs/counting.c"""

    def __init__(self, process: subprocess.Popen[bytes], counts: Path) -> None:
        self.pid = process.pid
        self._counts = counts

    def counts(self) -> tuple[int, ...]:
        try:
            return struct.unpack(f"{THREADS}I", self._counts.read_bytes())
        except (OSError, struct.error):
            return (0,) * THREADS

    def runs(self) -> bool:
        """All of its threads do."""
        before, end = self.counts(), time.monotonic() + PATIENCE
        while time.monotonic() < end:
            # More than the one that was on its way.
            if all(now > then + 2 for then, now in zip(before, self.counts())):
                return True
            time.sleep(0.01)
        return False

    def traced(self) -> bool:
        return guardian.is_traced(self.pid)


@pytest.fixture(name="counting")
def fixture_counting(folder: Path) -> Iterator[Counting]:
    counts = folder / "counts"
    env = {**os.environ, **command.environment(folder)}
    executable = machine.compiled("counting")
    words = machine.in_background(executable, THREADS, counts)
    with subprocess.Popen(words, env=env, cwd=folder) as process:
        made = Counting(process, counts)
        try:
            assert made.runs()
            yield made
        finally:
            machine.kill(process)


def test_report(counting: Counting, folder: Path) -> None:
    answer = ompd("pid", str(counting.pid), "--json", folder=folder)
    assert answer.status == NOTHING_ODD and answer.codes() == set()
    document = answer.document
    assert document["stopped_seconds"] > 0 and document["signal"] is None
    ids = {member["id"] for thread in document["threads"] for member in thread["openmp"]}
    assert ids == {f"R1.{number}" for number in range(THREADS)}
    assert counting.runs()
    shown = ompd("pid", str(counting.pid), "--all", folder=folder)
    assert shown.text.startswith("No problems found")
    assert "It was stopped for " in shown.text and f"Process {counting.pid} runs on." in shown.text


def test_finding(folder: Path) -> None:
    record = folder / "truth.json"
    env = {**command.environment(folder), "OMPD_TRUTH_FILE": str(record)}
    with parked(machine.compiled("states"), ("deadlock",), env, folder, record) as pid:
        answer = ompd("pid", str(pid), "--json", folder=folder)
        assert answer.status == FINDING and answer.codes() == {"standing_still"}
        assert [one["confirmed"] for one in answer.document["findings"]] == [True]
    record.unlink()
    env["KMP_CONSISTENCY_CHECK"] = "all"  # the runtime records holders
    with parked(machine.compiled("states"), ("deadlock",), env, folder, record) as pid:
        answer = ompd("pid", str(pid), "--json", folder=folder)
        assert answer.status == FINDING and answer.codes() == {"deadlock"}
        assert answer.document["deadlock"]["certainty"] == "certain"


BEFORE = """\
import sys
from ompd_gdb import before_attach
before_attach.load_modules()
loaded = set(sys.modules)
with before_attach.symbols_read({pid}, {files}):
    extra = [one.num for one in gdb.inferiors() if one.num != gdb.selected_inferior().num]
    read = set()
    for one in gdb.inferiors():
        read |= {{file.filename for file in one.progspace.objfiles()}}
    gdb.execute("attach {pid}", to_string=True)
    used = {{one.filename for one in gdb.objfiles()}}
    opened = [line.split()[-1] for line in
              gdb.execute("maint info bfds", to_string=True).splitlines() if "/lib" in line]
    text = gdb.execute("ompd report", to_string=True)
    gdb.execute("detach", to_string=True)
late = [name for name in set(sys.modules) - loaded if name.startswith("ompd_")]
missing = [name for name in used if ".so" in name and "/" in name
           and os.path.realpath(name) not in set(map(os.path.realpath, read))]
twice = len(opened) - len(set(map(os.path.realpath, opened)))
print("TOLD", [len(extra), len(gdb.inferiors()), late, missing, len(opened) > 3, twice,
               "lock" in text])
"""


@pytest.mark.debug_files
def test_what_is_read_before(folder: Path) -> None:
    """While it stands, GDB opens no library for the first time, and none once more by another name;
    and we no module."""
    record, script = folder / "truth.json", folder / "before.py"
    env = {**command.environment(folder), "OMPD_TRUTH_FILE": str(record)}
    with parked(machine.compiled("states"), ("deadlock",), env, folder, record) as pid:
        script.write_text(
            "import os\n"
            + BEFORE.format(pid=pid, files=list(mapped.files(pid, str(folder)).libraries))
        )
        words = ["gdb", "-nx", "-q", "-batch", "-iex", "set confirm off"]
        words += ["-x", str(machine.PLUGIN), "-x", str(script), str(machine.compiled("states"))]
        done = subprocess.run(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False
        )
    (told,) = [line for line in done.stdout.splitlines() if line.startswith("TOLD")]
    assert told == "TOLD [1, 1, [], [], True, 0, True]", done.stdout


def test_passing(folder: Path) -> None:
    """What only one of two looks shows is no finding."""
    before = {"code": "barrier_divergence", "text": "R1.0 at one", "wrong": True}
    for seen, confirmed in ((["barrier_divergence"], True), (["cannot_tell"], False)):
        document = {"findings": [dict(before)], "unavailable": [], "notes": []}
        notes = outcome.confirm(document, seen)
        found = outcome.of_report("", document, notes, Style())
        assert document["findings"][0]["confirmed"] == confirmed and bool(notes) != confirmed
        assert found.status == (FINDING if confirmed else NOTHING_ODD)


def children(pid: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], stdout=subprocess.PIPE, check=False
    )
    return [int(word) for word in listed.stdout.split()]


@contextlib.contextmanager
def looking(counting: Counting, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """An `ompd pid' that has stopped some of the threads, or all, or has let go of them."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    with subprocess.Popen(
        [OMPD, "pid", "--timeout", str(PATIENCE), str(counting.pid)],
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        while process.poll() is None and not counting.traced():
            time.sleep(0.001)
        time.sleep(random.choice((0, random.uniform(0, 0.05), random.uniform(0, 0.3))))
        yield process
        out, errors = process.communicate(timeout=PATIENCE)
        command.check((out + errors).decode())


def send(number: signal.Signals, pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


@pytest.mark.each("killed")
@pytest.mark.parametrize("killed", ["gdb", "ompd", "both", "all", "interrupted", "ended"])
def test_runs_on_after_a_kill(killed: str, counting: Counting, folder: Path) -> None:
    """Of GDB, of ompd, of both at once, of their guardian too, as Slurm kills a whole step; or the
    user presses Ctrl-C, or ends ompd."""
    random.seed(killed)
    guardians: set[int] = set()
    too_late = 0  # its guardian had ended, and it was about to remove its folder itself
    for _ in range(KILLS if killed != "all" or not machine.FULL else 1000):
        with looking(counting, folder) as process:
            guards = children(process.pid)
            # Until its ompd is killed: else it may end in between, and has left its folder to that.
            frozen = guards if killed in ("ompd", "both") else []
            send(signal.SIGSTOP, frozen)
            too_late += not any(
                guardian.status_of(f"{pid}").get("State", "Z")[0] != "Z" for pid in guards
            )
            guardians.update(guards)
            debuggers = [child for guard in guards for child in children(guard)]
            doomed = debuggers if killed in ("gdb", "both") else []
            doomed += [*guards, *debuggers] if killed == "all" else []
            with contextlib.suppress(ProcessLookupError):
                for pid in doomed:
                    os.kill(pid, signal.SIGKILL)
                if killed in ("ompd", "both", "all"):
                    os.killpg(process.pid, signal.SIGKILL)
                if killed in ASKED:
                    process.send_signal(ASKED[killed])
            send(signal.SIGCONT, frozen)
        assert counting.runs(), f"{killed}: it stands still"
    end = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{pid}").exists() for pid in guardians):
        assert time.monotonic() < end, "a guardian stays"
        time.sleep(0.01)
    if killed != "all":  # nobody was left to remove it
        left = len(list((folder / "scratch").iterdir()))
        allowed = too_late if killed in ("ompd", "both") else 0
        assert left <= allowed, "a private folder stays"


@pytest.mark.parametrize("gdb", ["gdb", "gdb-16", "gdb-18"])
def test_nothing_is_forked_while_it_is_traced(gdb: str, counting: Counting, folder: Path) -> None:
    """A child of GDB's that is left over when GDB is killed would hold what wakes the process."""
    shim, calls = folder / "forks.so", folder / "calls"
    source = machine.PROGRAMS / "tell_forks.c"
    machine.run("gcc", "-std=gnu11", "-shared", "-fPIC", source, "-ldl", "-o", shim)
    answer = ompd(
        *("pid", "--gdb", machine.gdb(gdb), str(counting.pid)),
        folder=folder,
        environment={"LD_PRELOAD": str(shim), "FORKS_FILE": str(calls)},
    )
    assert answer.status == NOTHING_ODD, answer
    lines = [line.split() for line in calls.read_text(encoding="ascii").splitlines()]
    attaches = [(pid, what, of) for pid, what, of in lines if what == "attach"]
    (tracer,) = {pid for pid, _, _ in attaches}
    mine = [(what, of) for pid, what, of in lines if pid == tracer]
    first = mine.index(("attach", str(counting.pid)))
    assert "fork" in {what for what, _ in mine[:first]}, "GDB asked the kernel nothing"
    assert "fork" not in {what for what, _ in mine[first:]}


def attaching(pid: int, asked: bool, *, ends: bool) -> int:
    """A tracer that attaches as GDB does, thread by thread, again and again; or to each thread, and
    does not come to see them stop. Has it asked the kernel to wake them?"""
    libc = ctypes.CDLL(None, use_errno=True)
    tracer = os.fork()
    if tracer:
        return tracer
    try:
        with waking.woken(pid) if asked else contextlib.nullcontext():
            while True:
                for name in os.listdir(f"/proc/{pid}/task"):
                    libc.ptrace(PTRACE_ATTACH, int(name), None, None)
                    if ends:
                        os.waitpid(int(name), WALL)
                while not ends:
                    signal.pause()
                for name in os.listdir(f"/proc/{pid}/task"):
                    libc.ptrace(PTRACE_DETACH, int(name), None, None)
    finally:
        os._exit(1)


def test_the_kernel_wakes(counting: Counting) -> None:
    """Where all are killed who would. A tracer that does not ask it leaves the process standing."""
    for asked in (False, True):
        tracer = attaching(counting.pid, asked, ends=False)
        while not counting.traced():
            time.sleep(0.001)
        os.kill(tracer, signal.SIGKILL)
        os.waitpid(tracer, 0)
        if not asked:
            while not guardian.is_stopped(counting.pid):
                time.sleep(0.001)
            os.kill(counting.pid, signal.SIGCONT)
        assert counting.runs()


def test_the_kernel_wakes_at_any_moment(counting: Counting) -> None:
    dice = random.Random(0)
    for i in range(1000 if machine.FULL else 250):
        tracer = attaching(counting.pid, True, ends=True)
        time.sleep(dice.uniform(0, 0.01))
        os.kill(tracer, signal.SIGKILL)
        os.waitpid(tracer, 0)
        assert not guardian.is_stopped(counting.pid), f"kill {i}: it stands still"
    assert counting.runs()


def test_too_late(counting: Counting, folder: Path) -> None:
    answer = ompd("pid", str(counting.pid), "--timeout", "0.01", folder=folder)
    is_an_error(answer, "did not finish in 0.01 s", f"Process {counting.pid} runs on", "--timeout")
    assert counting.runs()


def test_the_guardian_wakes_what_stands(counting: Counting) -> None:
    """As a GDB leaves it that died in the middle."""
    os.kill(counting.pid, signal.SIGSTOP)
    while not guardian.is_stopped(counting.pid):
        time.sleep(0.001)
    assert guardian.see_to_it_that_it_runs(counting.pid, wake=False) == "runs"
    assert counting.runs()
    assert guardian.see_to_it_that_it_runs(99999999, wake=True) == "gone"


def test_the_guardian_knows_what_was_killed() -> None:
    """With a stop in hand that it never took, as GDB attaches by, and not asked for yet."""
    traced = "import ctypes, os, signal; ctypes.CDLL(None).ptrace(0, 0, 0, 0)"
    child = [sys.executable, "-c", f"{traced}; os.kill(os.getpid(), signal.SIGUSR1)"]
    with subprocess.Popen(child) as process:

        def wait_for(state: str) -> None:
            while guardian.status_of(str(process.pid))["State"][0] != state:
                time.sleep(0.001)

        wait_for("t")
        for number in (signal.SIGSTOP, signal.SIGKILL):
            os.kill(process.pid, number)  # Popen's own would take its stop for its end
        wait_for("Z")
        assert guardian.see_to_it_that_it_runs(process.pid, wake=False) == "gone"


def test_one_at_a_time(counting: Counting, folder: Path) -> None:
    """What another guardian is about to wake must not be taken for stopped by the user."""
    memory = guardian.memory_of(counting.pid)
    assert memory is not None
    fcntl.flock(memory, fcntl.LOCK_EX)
    is_an_error(ompd("pid", str(counting.pid), folder=folder), "Another ompd")
    os.close(memory)
    assert ompd("pid", str(counting.pid), folder=folder).status == NOTHING_ODD


def test_ends_while_it_is_looked_at(folder: Path) -> None:
    """Whatever GDB was doing just then."""
    for moment in range(40 if machine.FULL else 3):
        with subprocess.Popen(["sleep", "60"]) as process:
            timer = threading.Timer(0.15 + 0.1 * (moment % 10), process.kill)
            timer.start()
            answer = ompd("pid", str(process.pid), folder=folder)
            timer.join()
        told = (f"Process {process.pid} has ended", f"There is no process {process.pid}")
        gone = any(words in answer.errors for words in told)
        assert answer.status == CANNOT_READ and (gone or answer.text), answer
        assert "last words" not in answer.errors


def test_only_who_may_trace_it_can_claim_it(counting: Counting, folder: Path) -> None:
    script = f"from ompd_cli import guardian; print(guardian.memory_of({counting.pid}))"
    words = ["setpriv", "--reuid=65534", "--clear-groups", "/usr/bin/python3", "-c", script]
    folder.chmod(0o777)
    home = {"PYTHONPATH": str(machine.installed(folder) / "share" / "ompd")}
    assert subprocess.run(words, env=home, capture_output=True, check=True).stdout == b"None\n"


CTRL_C_MOMENTS = 60 if machine.FULL else 12


def test_ctrl_c_from_the_beginning_on(folder: Path) -> None:
    """As soon as the first line of ours is executed: before, it is Python's own to answer."""
    for moment in range(CTRL_C_MOMENTS):
        # Not by `env': the python3 that it finds may be a shell script, which hears Ctrl-C itself.
        words = [sys.executable, OMPD, "pid", str(os.getpid())]
        with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            for catches in (True, False):  # Python's own answer has come, and been taken back
                while process.poll() is None and _catches_ctrl_c(process.pid) is not catches:
                    pass
            time.sleep(moment * 0.16 / CTRL_C_MOMENTS)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=PATIENCE)
        assert b"Traceback" not in errors and b"KeyboardInterrupt" not in errors, errors.decode()


SWALLOWS = """\
import weakref
from ompd_cli import main
class Referred:
    pass
def swallowed(_):
    raise KeyboardInterrupt
def work():
    referred = Referred()
    reference = weakref.ref(referred, swallowed)
    del referred
    return [int(number) for number in range(1000)]
main._hear_ctrl_c()
try:
    work()
except KeyboardInterrupt:
    print("heard")
"""


def test_ctrl_c_that_python_passes_over() -> None:
    home = {"PYTHONPATH": str(machine.ROOT / "gdb-plugin")}
    words = [sys.executable, "-c", SWALLOWS]
    done = subprocess.run(words, env=home, capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"heard\n", b""), done


def test_another_thread_asks_it_to_end() -> None:
    """Who waits alone takes the end, and closes what leads to the guardian."""
    (read, held), (told, write) = os.pipe(), os.pipe()
    words = [sys.executable, "-c", "import os; os.read(0, 1); print('{}')"]
    with subprocess.Popen(words, stdin=read, stdout=write) as process:
        of_it = guardian.Guardian(process.pid, held, told)
        run = debugger.Run(of_it, "", debugger.Task("pid"), 0, Style())
        with ThreadPoolExecutor() as pool:
            waiting = pool.submit(run.wait, Progress())
            run.ask_to_end()
            assert waiting.result(PATIENCE) == {}
        run.ask_to_end()
        run.abandon()
        os.close(read)
        os.close(write)


def _catches_ctrl_c(pid: int) -> bool:
    caught = int(guardian.status_of(str(pid)).get("SigCgt", "0"), 16)
    return bool(caught >> (signal.SIGINT - 1) & 1)


def test_what_the_user_stopped_stays_so(counting: Counting, folder: Path) -> None:
    os.kill(counting.pid, signal.SIGSTOP)
    while not guardian.is_stopped(counting.pid):
        time.sleep(0.001)
    answer = ompd("pid", str(counting.pid), folder=folder)
    assert answer.status == NOTHING_ODD
    assert guardian.is_stopped(counting.pid)
    assert "runs on" not in answer.text and "is still stopped" in answer.text
    first = (
        f"Stopped : Process {counting.pid} was stopped by a signal (SIGSTOP, Ctrl-Z) before this"
    )
    assert answer.text.startswith(first)
    document = ompd("pid", "--json", str(counting.pid), folder=folder).document
    assert [(one["code"], one["wrong"]) for one in document["findings"]] == [("stopped", False)]
    os.kill(counting.pid, signal.SIGCONT)
    assert counting.runs()


def test_what_cannot_be_looked_at(counting: Counting, folder: Path) -> None:
    is_an_error(ompd("pid", "99999999", folder=folder), "There is no process 99999999")
    is_an_error(ompd("pid", "0", folder=folder), "`0' is not a process ID")
    is_an_error(ompd("pid", "word", folder=folder), "word")
    thread = max(int(name) for name in os.listdir(f"/proc/{counting.pid}/task"))
    is_an_error(ompd("pid", str(thread), folder=folder), "is a thread", str(counting.pid))
    with subprocess.Popen(["true"]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        is_an_error(ompd("pid", str(ended.pid), folder=folder), "has ended")
    with subprocess.Popen(["sleep", "600"]) as plain:
        answer = ompd("pid", str(plain.pid), folder=folder)
        assert answer.status == command.CANNOT_READ and "no OpenMP runtime" not in answer.errors
        assert "has no OpenMP runtime loaded" in answer.text
        plain.kill()
    tracer = ["gdb", "-nx", "-q", "-batch", "-p", str(counting.pid), "-ex", "shell sleep 600"]
    with subprocess.Popen(
        tracer, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as other:
        while not counting.traced():
            time.sleep(0.01)
        is_an_error(
            ompd("pid", str(counting.pid), folder=folder), "traced already, by gdb", str(other.pid)
        )
        os.killpg(other.pid, signal.SIGKILL)


def as_nobody(*words: str | Path, folder: Path) -> list[str | Path]:
    if os.geteuid() != 0:
        raise machine.Missing("Only root can be somebody else: run it as root.")
    folder.chmod(0o777)
    return ["runuser", "-u", "nobody", "--", *words]


def asked_by_nobody(pid: int, folder: Path) -> Answer:
    """From where it is installed: the source tree may be where others may not look."""
    command = machine.installed(folder) / "bin" / "ompd"
    done = subprocess.run(
        as_nobody(command, "pid", str(pid), folder=folder),
        cwd=folder,
        env={"PATH": os.environ["PATH"], "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_other_users(counting: Counting, folder: Path) -> None:
    is_an_error(asked_by_nobody(counting.pid, folder), "belongs to user root", "as root")


def test_no_right(folder: Path) -> None:
    """Of a program that its user may run and not read, the kernel lets nobody look at a process."""
    sleeper = folder / "sleeper"
    shutil.copy2("/bin/sleep", sleeper)
    sleeper.chmod(0o711)
    with subprocess.Popen(as_nobody(sleeper, "600", folder=folder)) as process:
        while not (pids := children(process.pid)):
            time.sleep(0.01)
        answer = asked_by_nobody(pids[0], folder)
        os.kill(pids[0], signal.SIGKILL)
    is_an_error(answer, "may not be traced", "only root", f"Process {pids[0]} runs on")


ALL, NONE = "000001ffffffffff", "0000000000000000"


@pytest.mark.parametrize(
    "scope, root, own, said",
    (
        ("1", False, (NONE, "0"), "only root (FILE is 1): use sudo"),
        ("2", False, (NONE, "2"), "only root (FILE is 2): use sudo"),
        ("2", True, (NONE, "0"), "`--cap-add=SYS_PTRACE'"),
        ("3", False, (NONE, "0"), "allows it nobody (FILE is 3)"),
        ("3", True, (ALL, "2"), "allows it nobody (FILE is 3)"),
        ("0", False, (NONE, "0"), "the capability SYS_PTRACE"),
        (None, False, (NONE, "2"), "the capability SYS_PTRACE"),
        ("1", True, (ALL, "2"), "seccomp"),
        (None, True, (ALL, "0"), "a user namespace"),
    ),
)
def test_what_the_kernel_allows(
    scope: str | None,
    root: bool,
    own: tuple[str, str],
    said: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Few kernels that tests run on have Yama: a file stands for its setting."""
    file = folder / "ptrace_scope"
    if scope is not None:
        file.write_text(f"{scope}\n", encoding="ascii")
    status = {"Uid": str(os.geteuid()), "CapEff": own[0], "Seccomp": own[1]}
    monkeypatch.setattr(living, "_SCOPE", str(file))
    monkeypatch.setattr(living, "status_of", lambda process: status)
    monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000)
    told = living.why_refused(os.getpid())
    assert said.replace("FILE", str(file)) in told
