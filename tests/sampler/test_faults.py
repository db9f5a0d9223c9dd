# SPDX-License-Identifier: Apache-2.0
"""Does the sampled program come to harm? What does the sampler say where it is not allowed, and
what if it, or the program, ends in the middle?"""

from __future__ import annotations

import os
import platform
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import SAMPLER
from moments import let_run, wait_for_a_record
from record import parse, read

FULL = os.environ.get("OMPD_FULL") == "1"
NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where others may write, too."""
    for parent in (tmp_path, *tmp_path.parents[:3]):
        parent.chmod(0o777 if parent == tmp_path else parent.stat().st_mode | 0o755)
    return tmp_path


def run(*command: object, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, timeout=120, **more
    )


def alone(program: Path, *arguments: str) -> str:
    return run(program, *arguments).stdout


def test_nothing_is_stopped_signalled_or_written(build, folder) -> None:
    guard, victim = build("guard", "plain"), build("victim")
    expected = alone(victim, "200")
    for turn in range(100 if FULL else 1):
        record = folder / f"r{turn}"
        done = run(
            guard,
            "kill",
            SAMPLER,
            "-F",
            random.randrange(50, 1000),
            "-o",
            record,
            "--",
            victim,
            "200",
        )
        assert done.returncode == 0, done
        assert done.stdout == expected and expected.endswith("traced 0\n")
        end = read(record).end
        assert (end["how"], end["status"]) == ("exited", 3)


@pytest.mark.parametrize(
    "clock, number",
    [
        ("perf", signal.SIGKILL),
        ("perf", signal.SIGSTOP),
        ("perf", signal.SIGINT),
        # Whom a tracer holds the kernel lets go when that dies; when it is stopped, a helper does.
        ("stops", signal.SIGKILL),
        ("stops", signal.SIGSTOP),
        ("stops", signal.SIGINT),
    ],
)
def test_the_program_outlives_the_sampler(build, folder, clock, number) -> None:
    victim = build("victim")
    expected = alone(victim, "300").split()[0]
    for _ in range(100 if FULL else 2):
        record = folder / f"r{random.random()}"
        # The program's output ends when it does, whoever its parent is then.
        with subprocess.Popen(
            (
                *(SAMPLER, "--clock", clock, "--flush", "0.05", "--budget", "0", "-o", record),
                *("--", victim, "300"),
            ),
            stdout=subprocess.PIPE,
            text=True,
        ) as sampler:
            # Until then the program has not begun, and waits for the sampler.
            wait_for_a_record(record)
            time.sleep(random.uniform(0, 0.5))
            sampler.send_signal(number)
            output = sampler.stdout.readline() if sampler.stdout else ""
            if number == signal.SIGINT:
                sampler.wait(60)
            sampler.kill()
        assert output.split()[:1] == [expected]
        if number == signal.SIGINT:
            assert sampler.returncode == 0
            assert read(record).end["how"] in ("interrupted", "exited")


def test_short_stops_change_nothing(build, folder) -> None:
    guard, victim = build("guard", "plain"), build("victim")
    done = run(guard, "perf", SAMPLER, "-o", folder / "r", "--", victim, "200")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == alone(victim, "200").split()[0]
    record = read(folder / "r")
    assert record.header["clock"] == "stops"
    assert "perf" in record.header["limits"][0]


def test_the_end_of_a_program_that_is_stopped_is_seen(build, folder) -> None:
    """Whoever stops threads hears of their end: also of the program's, which another waits for."""
    for turn in range(100 if FULL else 12):
        record = folder / f"r{turn}"
        rounds = random.randrange(20, 80)
        options = ("--clock", "stops", "--budget", "0", "-o", record)
        done = run(SAMPLER, *options, "--", build("victim"), rounds)
        assert done.returncode == 0, done.stderr
        assert read(record).end["status"] == 3


def test_a_program_that_ends_while_a_thread_is_held(build, folder) -> None:
    for turn in range(40 if FULL else 8):
        record = folder / f"r{turn}"
        command = (SAMPLER, "--clock", "stops", "--budget", "0", "-o", record)
        done = run(*command, "--", build("ends_held", "plain"))
        assert done.returncode == 0, done.stderr
        assert read(record).end["status"] == 3


def test_what_is_refused_is_named(build, folder) -> None:
    guard, victim = build("guard", "plain"), build("victim")
    with subprocess.Popen((victim, "1000000"), stdout=subprocess.DEVNULL) as process:
        try:
            where = ("-d", "0.5", "-p", process.pid)
            both = run(guard, "perf-memory", SAMPLER, *where)
            assert both.returncode == 3 and both.stdout == ""
            assert "perf" in both.stderr and "memory may not be read" in both.stderr
            memory = run(guard, "memory", SAMPLER, "-o", folder / "m", *where)
            assert memory.returncode == 0, memory.stderr
            record = read(folder / "m")
            assert record.header["clock"] == "perf" and not record.header["memory"]
            assert any("memory may not be read" in limit for limit in record.header["limits"])
            perf = run(guard, "perf", SAMPLER, "-o", folder / "p", *where)
            assert perf.returncode == 0, perf.stderr
            record = read(folder / "p")
            assert record.header["clock"] == "memory"
            states = {a["state"] for a in record.tables["activity"].values()}
            assert not states & {"work_parallel", "work_serial"}, "memory alone knows no work"
            other = run(*NOBODY, SAMPLER, *where)
            assert other.returncode == 3, other.stderr
        finally:
            process.kill()


USERNS = ("unshare", "--user", "--map-root-user")
LEVEL = 'mount --bind $0 /proc/sys/kernel/perf_event_paranoid && exec "$@"'


@pytest.mark.parametrize(
    "who, level, refused, words",
    [
        # As a distribution's kernel refuses it, which has levels above 2: by this error.
        (NOBODY, 4, "perf-acces", "kernel.perf_event_paranoid is 4; `sysctl"),
        (USERNS, 3, "perf-acces", "kernel.perf_event_paranoid is 3; `sysctl"),
        # Whom levels are not for.
        ((), 4, "perf-acces", "is 4: a seccomp filter (a container's) or a security"),
        (NOBODY, 2, "perf", "is 2: a seccomp filter (a container's) or a security"),
        (NOBODY, 2, "perf-nosys", "is 2: a seccomp filter (a container's) hides perf_event_open"),
    ],
)
def test_what_refuses_perf_is_named(build, folder, who, level, refused, words) -> None:
    """And samples are taken by what is allowed."""
    (folder / "level").write_text(str(level))
    # Where nobody else may enter the folder that it was built in.
    sampler = shutil.copy(SAMPLER, folder)
    command = ("unshare", "--mount", "sh", "-c", LEVEL, folder / "level", *who)
    guarded = (*command, build("guard", "plain"), refused, sampler)
    done = run(*guarded, "-o", folder / "r", "--", build("victim"), "20")
    assert done.returncode == 0, done.stderr
    record = read(folder / "r")
    assert record.header["clock"] == "stops" and words in record.header["limits"][0]
    asked = run(*guarded, "--clock", "perf", "-o", folder / "s", "--", build("victim"), "20")
    assert asked.returncode == 3 and words in asked.stderr


@pytest.mark.parametrize("clock", ["perf", "stops", "memory"])
def test_the_runtime_of_a_short_program_is_found(build, folder, clock) -> None:
    """Although it has just been mapped, or is being, when it is looked for, and pictures are rare.
    What is found is the library, once."""
    options = ("--clock", clock, "--budget", "0", "-o")
    for turn in range(8):
        done = run(SAMPLER, *options, folder / f"r{turn}", "--", build("victim"), "100")
        assert done.returncode == 0, done.stderr
        record = read(folder / f"r{turn}")
        (runtime,) = record.tables["runtime"].values()
        assert "libomp" in record.tables["image"][runtime["image"]]["path"]
        assert "initial" in [one.get("kind") for one in record.tables["thread"].values()]


def test_an_ordinary_user_may(build, folder) -> None:
    victim = build("victim")
    # Long enough that the runtime is found and samples are taken, on any machine.
    done = run(*NOBODY, SAMPLER, "-o", folder / "r", "--", victim, "2000")
    assert done.returncode == 0, done.stderr
    record = read(folder / "r")
    assert record.header["clock"] == "perf"
    states = {a["state"] for a in record.tables["activity"].values()}
    assert "work_parallel" in states
    if not record.header["kernel_samples"]:
        assert any("kernel.perf_event_paranoid" in limit for limit in record.header["limits"])


def test_nothing_false_is_told_of_a_program_that_ends_at_once(build, folder) -> None:
    done = run(SAMPLER, "-o", folder / "r", "--", build("victim"), "1")
    assert done.returncode == 0, done.stderr
    record = read(folder / "r")
    # Before its runtime has been seen nobody knows that it has none.
    states = {a["state"] for a in record.tables["activity"].values()}
    assert record.tables["runtime"] or "outside" not in states, states


def stopped_meanwhile(folder, process, options, times, meanwhile, after):
    """The record of a sampler that is stopped, so often, until the kernel has no room left for what
    it notes, and when it went on, in nanoseconds. after: processor seconds of the program's until
    it is stopped again."""
    moments = []
    try:
        where = (SAMPLER, "-o", folder / "r", "--budget", "0", *options)
        sampler = subprocess.Popen((*where, "-p", str(process.pid)))
        wait_for_a_record(folder / "r")
        for _ in range(times):
            sampler.send_signal(signal.SIGSTOP)
            meanwhile()
            sampler.send_signal(signal.SIGCONT)
            moments.append(time.monotonic_ns())
            let_run(process.pid, after)
        sampler.send_signal(signal.SIGINT)
        assert sampler.wait(60) == 0
    finally:
        process.kill()
    record = read(folder / "r")
    assert "lost" in [line.get("note") for line in record.lines]
    return record, moments


def test_what_the_kernel_lost_is_not_known(build, folder) -> None:
    with subprocess.Popen((build("victim"), "1000000"), stdout=subprocess.DEVNULL) as process:
        record, _ = stopped_meanwhile(
            folder, process, ("-F", "1000"), 2, lambda: let_run(process.pid, 2), 0.3
        )
    for sums in record.tables["sums"].values():
        most = 1.02 * sums["schedstat_on"] + 3 * 10**7
        assert sums["on"] <= most <= 1.05 * (sums["on"] + sums["missing"]) + 8 * 10**7, sums
    assert sum(sums["missing"] for sums in record.tables["sums"].values()) > 10**9


def test_who_slept_when_notes_were_lost_was_not_preempted(build, folder) -> None:
    """The last that the kernel could note of it is that it worked, or had lost its processor."""
    with subprocess.Popen((build("naps", "plain"), "100", "300")) as process:

        def looks_in_a_row(state: str, many: int) -> None:
            seen = 0
            while seen < many:
                text = Path(f"/proc/{process.pid}/stat").read_text()
                seen = seen + 1 if text.rpartition(")")[2][1] == state else 0
                time.sleep(0.001)

        def until_it_sleeps() -> None:
            let_run(process.pid, 0.3)
            looks_in_a_row("R", 20)
            looks_in_a_row("S", 20)

        record, moments = stopped_meanwhile(folder, process, (), 6, until_it_sleeps, 0.1)
    (sums,) = record.tables["sums"].values()
    # How much that is, depends on how soon the buffer was full.
    assert sums["missing"] > 3 * 10**8 and sums["on"] > 10**8, sums
    assert sums["preempted"] <= sums["schedstat_delay"] + 10**8, sums
    # It sleeps on for a quarter of a second, and is asked soon whether it does.
    later = [moment - record.start + 2 * 10**8 for moment in moments]
    lost = [
        at
        for _, at, duration, activity, _ in record.rows()
        if "on" not in activity and any(at <= one < at + duration for one in later)
    ]
    assert len(lost) <= 2, (lost, later)


def test_many_threads_and_little_memory_to_lock(build, folder) -> None:
    program, many = build("crowd_of_threads"), "-F 1000 --budget 0"
    command = (
        f"ulimit -l 64; exec {' '.join(NOBODY)} {SAMPLER} {many} -o {folder}/r -- {program} 64 1.5"
    )
    done = run("sh", "-c", command)
    assert done.returncode == 0, done.stderr
    record = read(folder / "r")
    assert len(record.tables["thread"]) >= 40
    sampled = [sums for sums in record.tables["sums"].values() if sums["samples"]]
    assert sampled, "their samples share the processors' rings"
    assert "threads_left_out" not in [line.get("note") for line in record.lines]


@pytest.mark.parametrize("how", ["churn", "exec"])
def test_threads_and_programs_that_come_and_go(build, folder, how) -> None:
    victim = build("victim")
    # Of an exec that comes before the sampler has begun, or at the program's end, it does not know.
    rounds = "4000" if how == "exec" else "120"
    done = run(SAMPLER, "-o", folder / "r", "--", victim, rounds, how)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == alone(victim, rounds).split()[0]
    record = read(folder / "r")
    if how == "exec":
        assert "exec" in [line.get("note") for line in record.lines]


def test_a_reader_that_goes_away(build) -> None:
    victim = build("victim")
    command = f"{SAMPLER} --flush 0.1 -p $1 | head -c 1000 >/dev/null; exit ${{PIPESTATUS[0]}}"
    with subprocess.Popen((victim, "1000000"), stdout=subprocess.DEVNULL) as process:
        try:
            assert run("bash", "-c", command, "-", process.pid).returncode == 6
            assert process.poll() is None
        finally:
            process.kill()


def test_a_killed_program_has_a_whole_record(build, folder) -> None:
    with subprocess.Popen((build("victim"), "1000000"), stdout=subprocess.DEVNULL) as process:
        sampler = subprocess.Popen((SAMPLER, "-o", folder / "r", "-p", str(process.pid)))
        wait_for_a_record(folder / "r")
        process.kill()
        process.wait()
        assert sampler.wait(60) == 0
    assert read(folder / "r").end["how"] == "gone"


@pytest.mark.parametrize(
    "arguments, status, words",
    [
        ((), 2, "which process"),
        (("-p", "x"), 2, "takes a number"),
        (("-F", "0", "-p", "1"), 2, "from 1 to 10000"),
        (("--clock", "sun", "-p", "1"), 2, "perf, stops or memory"),
        (("--", "true"), 2, "stdout is the program's"),
        (("-p", "4194303"), 4, "no process"),
        (("-o", "{folder}/n", "--", "/no/such/program"), 4, "cannot be started"),
        (("-o", "/no/such/folder/r", "-p", "1"), 5, "cannot be written"),
        (("-o", "/dev/full", "-p", "1"), 5, "cannot be written"),
        (("--fd", "77", "-p", "1"), 2, "no open descriptor"),
    ],
)
def test_wrong_input(arguments, status, words, folder) -> None:
    done = run(SAMPLER, *(str(a).format(folder=folder) for a in arguments))
    assert done.returncode == status, done
    assert words in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""


def test_a_full_disk(build) -> None:
    with subprocess.Popen((build("victim"), "1000000"), stdout=subprocess.DEVNULL) as process:
        try:
            full = os.open("/dev/full", os.O_WRONLY)
            done = run(SAMPLER, "--fd", full, "-p", process.pid, pass_fds=(full,))
            os.close(full)
            assert done.returncode == 5 and "No space left" in done.stderr, done
        finally:
            process.kill()


def test_the_reader_of_records_sees_gaps() -> None:
    head = '{"schema":"ompd-record/1"}\n{"thread":0,"lwp":1,"born":0}\n'
    with pytest.raises(AssertionError):
        parse(head + '{"segments":0,"start":0,"rows":[[5,0,1]]}\n')


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the rules are x86-64's")
def test_information_that_nobody_has_called(build, folder) -> None:
    """Of the program's functions, damaged: how the stack goes on is not known, and no region's work
    is said to be in none."""
    victim = build("victim")
    code = victim.read_bytes()
    at, size = section(victim, ".eh_frame")
    # The CFA is rsp + 8, and the return address is saved there; or there is none.
    rules, none = b"\x0c\x07\x08\x90\x01", b"\x0c\x07\x08\x07\x10"
    assert rules in code[at : at + size]
    damaged = folder / "damaged"
    damaged.write_bytes(code[:at] + code[at : at + size].replace(rules, none) + code[at + size :])
    damaged.chmod(0o755)
    options = ("-F", "1000", "--budget", "0", "-o", folder / "r")
    done = run(SAMPLER, *options, "--", damaged, "200")
    assert done.returncode == 0, done.stderr
    told: dict[str, int] = {}
    for _, _, _, activity, samples in read(folder / "r").rows():
        told[activity["state"]] = told.get(activity["state"], 0) + samples
    assert told.get("work_serial", 0) + told.get("outside", 0) < 0.05 * told["?"], told


def section(path: Path, name: str) -> tuple[int, int]:
    """Where it is in the file, and its size."""
    listed = run("readelf", "-SW", path).stdout.split()
    at = listed.index(name)
    return int(listed[at + 3], 16), int(listed[at + 4], 16)


def test_damaged_unwind_information(build, folder) -> None:
    """Bytes of .eh_frame at random: the program runs as before, and the record is whole."""
    victim = build("victim")
    offset, size = section(victim, ".eh_frame")
    seed = random.randrange(1 << 32)
    print("seed", seed)
    drawn = random.Random(seed)
    for turn in range(10 if FULL else 3):
        damaged = folder / f"damaged-{turn}"
        code = bytearray(victim.read_bytes())
        for _ in range(drawn.choice((1, 10, 100))):
            code[offset + drawn.randrange(size)] = drawn.choice((0, 0xFF, drawn.randrange(256)))
        damaged.write_bytes(code)
        damaged.chmod(0o755)
        done = run(SAMPLER, "-F", "1000", "-o", folder / f"r{turn}", "--", damaged, "60")
        assert done.returncode == 0, done.stderr
        read(folder / f"r{turn}")
