# SPDX-License-Identifier: Apache-2.0
"""Is it told, of a process that runs free, that nobody in it can ever go on? Of those in asleep.c
that hang, always; never of their twins, which something else wakes, nor of programs that are idle.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Iterator

import looks
import machine
import pytest
from ompd_core import arch
from ompd_core.model.standstill import Standstill
from ompd_gdb.target import sleeping, standstill
from sessions import PATIENCE, ask

HANGS = {
    "mutexes": 2,
    "private_in_shared": 2,
    "shared_in_private": 2,
    "inheriting": 2,
    "missed_signal": 1,
    "join_each": 2,
    "first_has_ended": 1,
    "barrier_of_three": 2,
    "one_of_two": 1,
    "fault_handlers": 2,
    "no_child": 2,
    "blocked_signal": 2,
    "in_region": 3,
}
# What keeps it from being called so. None: somebody is awake, or sleeps otherwise.
TWINS = {
    "limited": None,
    "pipe_read": None,
    "one_reads": None,
    "signal_wait": None,
    "timer_of_thread": None,
    "vforked": None,
    "pingpong": None,
    "supervised": "sleeps in the kernel's seccomp",
    "shared": "another process may have the word",
    "one_of_two_shared": "another process may have the word",
    "read_only": "another process may have the word",
    "same_memory": "shares its memory",
    "same_memory_of_orphan": "shares its memory",
    "traced": "traces it",
    "by_alarm": "SIGALRM",
    "by_signal": "SIGUSR1",
    "by_child": "SIGCHLD",
    "by_timer": "timers that send signals",
    "by_file": "O_ASYNC",
    "by_ring": "it has an io_uring",
    "by_hidden_ring": "may have made an io_uring",
}
# So many looks at what is healthy, at least.
MANY = 300 if machine.FULL else 10


def look(pid: int) -> Standstill | None:
    here = arch.named({"x86_64": "i386:x86-64"}.get(os.uname().machine, os.uname().machine))
    assert here is not None
    before = sleeping.look(pid, here.LIBC.futex)
    time.sleep(0.01)
    now = sleeping.look(pid, here.LIBC.futex)
    if before is None or now is None or not sleeping.all_slept(before, now):
        return None
    return standstill.of(pid, now, here)


@contextlib.contextmanager
def started(scenario: str, executable: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    rings = ("-DWITH_RINGS",) if scenario.endswith("ring") else ()
    executable = executable or machine.compiled("asleep", link=rings, compiler=machine.GCC)
    words = [executable, scenario]
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        words, stdin=pipe, stdout=pipe, encoding="ascii", env=environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def why_not(found: Standstill | None) -> str | None:
    return None if found is None else " ".join([*found.signals, *found.doubts])


@pytest.mark.each("scenario")
@pytest.mark.parametrize("scenario", list(HANGS))
def test_hangs(scenario: str) -> None:
    end = time.monotonic() + PATIENCE
    with started(scenario) as process:
        while (found := look(process.pid)) is None:
            assert time.monotonic() < end, "it does not hang"
        assert found.lasts and not found.changed, found
        assert len(found.lwps) == HANGS[scenario]
        assert ("SIGSEGV" in found.faults) == (scenario == "fault_handlers")
        assert process.poll() is None


@pytest.mark.each("scenario")
@pytest.mark.parametrize("scenario", list(TWINS))
def test_twins(scenario: str) -> None:
    expected, number = TWINS[scenario], 0
    end = time.monotonic() + PATIENCE
    with started(scenario) as process:
        while True:
            found = look(process.pid)
            if process.poll() is not None:
                assert process.stdout is not None and process.stdout.read() == "not here\n"
                pytest.skip("this machine does not allow it")
            assert found is None or not found.lasts, "it is healthy"
            number += 1
            told = why_not(found)
            if number >= MANY and (told == expected or expected and expected in (told or "")):
                break
            assert time.monotonic() < end, f"not `{expected}': {told}"
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("x")
        process.stdin.close()
        assert select.select([process.stdout], [], [], PATIENCE)[0], "it does not go on"
        assert process.stdout.readline() == "went on\n"


AT_A_STOP = {
    "in_region": ["standstill"],
    "join_each": ["deadlock"],
    "by_signal": ["cannot_tell"],
    "by_timer": [],
    "same_memory": [],
    "shared": [],
    "pipe_read": [],
}


@pytest.mark.each("scenario")
@pytest.mark.parametrize("scenario", list(AT_A_STOP))
def test_at_a_stop(scenario: str, folder: Path) -> None:
    """In a GDB that has stopped it, by the registers."""
    with started(scenario) as process:
        end = time.monotonic() + PATIENCE
        while scenario != "pipe_read" and look(process.pid) is None:
            assert time.monotonic() < end
        answer = ask("gdb", ["ompd -json", "ompd"], [f"attach {process.pid}"], folder=folder)
    found = answer.document("ompd -json")["summary"]["findings"]
    assert [one["code"] for one in found] == AT_A_STOP[scenario], answer.everything
    if scenario == "by_signal":
        assert "only a signal could wake one (SIGUSR1 has a handler)" in found[0]["text"]


def test_join_of_a_newer_libc(folder: Path) -> None:
    """As of 2.43 it sleeps for another word."""
    with started("join_each", machine.built_for("libgomp-16", "asleep")) as process:
        end = time.monotonic() + PATIENCE
        while look(process.pid) is None:
            assert time.monotonic() < end
        answer = ask("gdb", ["ompd -json"], [f"attach {process.pid}"], folder=folder)
    found = answer.document("ompd -json")["summary"]["findings"]
    assert [one["code"] for one in found] == ["deadlock"], answer.everything


def test_words_that_change() -> None:
    """That all sleep is certain, and that the look may end it."""
    with looks_asleep("word") as pid:
        found = look(pid)
    assert found is not None and found.lasts and len(found.changed) == 1


@contextlib.contextmanager
def looks_asleep(way: str) -> Iterator[int]:
    words = [machine.compiled("lost_wakeup", compiler=machine.GCC), way]
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, encoding="ascii", env=environment
    ) as process:
        try:
            assert process.stdout is not None and process.stdout.readline()
            end = time.monotonic() + PATIENCE
            while look(process.pid) is None:
                assert time.monotonic() < end
            yield process.pid
        finally:
            process.kill()


# ---- Programs that are idle ----------------------------------------------------------------------

PYTHON = {
    "input": "input()",
    "sleep": "import time; time.sleep(999)",
    "select": "import select, sys; select.select([sys.stdin], [], [])",
    "poll": "import select; p = select.poll(); p.register(0); p.poll()",
    "epoll": "import select, os; p = select.epoll(); p.register(os.pipe()[0]); p.poll()",
    "asyncio": "import asyncio; asyncio.run(asyncio.sleep(999))",
    "asyncio for ever": "import asyncio; asyncio.new_event_loop().run_forever()",
    "sigwait": "import signal; signal.sigwait([signal.SIGUSR1])",
    "pause": "import signal; signal.pause()",
    "accept": "import socket; s = socket.create_server(('127.0.0.1', 0)); s.accept()",
    "server": "import http.server as h; h.HTTPServer(('127.0.0.1', 0), h.BaseHTTPRequestHandler)"
    ".serve_forever()",
    "child": "import subprocess; subprocess.run(['sleep', '999'])",
    "event": "import threading; threading.Event().wait()",
    "event for a while": "import threading; threading.Event().wait(999)",
    "queue": "import queue; queue.Queue().get()",
    "join": "import threading as t, time; t = t.Thread(target=time.sleep, args=(999,));"
    " t.start(); t.join()",
    "pool": "from concurrent.futures import ThreadPoolExecutor as P; p = P(4);"
    " list(p.map(abs, range(9))); input()",
    "pool at its end": "from concurrent.futures import ThreadPoolExecutor as P; import time;"
    " p = P(4); p.submit(time.sleep, 999); p.shutdown()",
    "processes": "import multiprocessing as m; p = m.Pool(2); p.map(abs, range(9)); input()",
    "timer": "import threading; threading.Timer(999, print).start()",
    "faulthandler": "import faulthandler; faulthandler.dump_traceback_later(999); input()",
    "resolver": "import asyncio; asyncio.run(asyncio.Event().wait())",
}
COMMANDS = """
cat
head
tail -f /dev/null
tail -f
tee
wc
sort
uniq
cut -c1
tr a b
tac
nl
od
base64
md5sum
sha256sum
cksum
split -
paste
fmt
fold
expand
shuf
dd
sleep 999
timeout 999 sleep 999
env cat
nohup cat
nice cat
sed p
grep x
awk 1
xargs echo
bash
bash -c read&&:
bash -c wait
sh
dash
perl -e sleep
perl -e <STDIN>
perl -e select(undef,undef,undef,999)
bc
dc
m4
gdb -nx -q
make -f -
ed
cmp - /dev/zero
diff - /etc/passwd
script -q -c cat /dev/null
setsid cat
stdbuf -oL cat
ssh-agent -D
dbus-daemon --session --nofork
gpg-agent --server
redis-server --port 0
nginx -g daemon off; -p .
node
node -e setTimeout(()=>0,999999)
octave-cli
R --vanilla --quiet --interactive
clangd
sqlite3
git cat-file --batch
python3 -i
unshare cat
flock /tmp cat
watch -n 999 true
gcc -x c - -o /dev/null
as -o /dev/null
cpp
m4 -
tclsh
ruby
lua
""".strip().splitlines()


def idle() -> dict[str, list[str]]:
    found = {f"python: {name}": [sys.executable, "-c", text] for name, text in PYTHON.items()}
    for line in COMMANDS:
        words = line.split(" ", 2) if line.startswith(("bash -c", "perl -e", "node -e")) else None
        words = words or line.split()
        if shutil.which(words[0]):
            found[line] = words
    return found


def family(pid: int) -> list[int]:
    """It, and those that it has started."""
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += map(int, task.read_text(encoding="ascii").split())
    return found


def test_idle_programs(folder: Path) -> None:
    """Other people's, which wait for work."""
    programs = list(idle().items())
    assert len(programs) >= 40
    with contextlib.ExitStack() as stack:
        running = {}
        for name, words in programs:
            process = subprocess.Popen(  # pylint: disable=consider-using-with
                words,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            stack.callback(end_session, process)
            running[name] = process
        time.sleep(2)
        only_signal, looked = {}, 0
        for _ in range(5):
            for name, process in running.items():
                for pid in family(process.pid):
                    found = look(pid)
                    looked += 1
                    assert found is None or not found.lasts, f"{name} is idle: {found}"
                    if found is not None:
                        only_signal[name] = why_not(found)
        alive = [name for name, process in running.items() if process.poll() is None]
        print(f"{looked} looks at {len(alive)} idle programs: {only_signal}")
        assert len(alive) >= 40, alive
        assert "SIGINT" in (only_signal["python: event"] or "")
        if machine.FULL:
            for name, process in running.items():
                if process.poll() is None:
                    answer = looks.by_shell("pid", str(process.pid), folder=folder)
                    assert answer.status != looks.FINDING, f"{name}: {answer.text}"


def end_session(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, 9)
    with process:  # which closes its pipe
        pass
