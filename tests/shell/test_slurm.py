# SPDX-License-Identifier: Apache-2.0
"""A job of three nodes under a real Slurm: does `ompd job' tell what each rank recorded of itself,
and does the job stay as it was, whatever happens meanwhile?"""

from __future__ import annotations

import contextlib
import os
import platform
import random
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Iterator

import command
import documents
import machine
import pytest
import slurm
from command import CANNOT_READ, FINDING, OMPD, Answer, is_an_error
from job import THREADS
from ompd_cli import guardian
from sessions import PATIENCE
from slurm import NODES, ODD, PER_NODE, RANKS, SlurmJob
from test_ranks import STATES, counted

OTHERS = f"0-{ODD - 1},{ODD + 1}-{RANKS - 1}"
KILLS = 200 if machine.FULL else 1  # of each kind

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="Slurm's daemons need root"),
    pytest.mark.xdist_group("slurm"),  # they share a job
]


@pytest.fixture(name="job", scope="module")
def fixture_job() -> Iterator[SlurmJob]:
    """One for all: nobody changes it."""
    with tempfile.TemporaryDirectory(prefix="ompd-shell-") as folder, slurm.running() as found:
        with slurm.job(found, "lock", Path(folder)) as made:
            yield made


def ask(job: SlurmJob, folder: Path, *words: str, name: str | None = None) -> Answer:
    return command.ompd(
        "job", name or job.number, *words, folder=folder, environment=job.slurm.environment
    )


def test_truth(job: SlurmJob, folder: Path) -> None:
    answer = ask(job, folder, "--json")
    assert answer.status == FINDING, answer
    document = answer.document
    right(job, document)
    assert (document["command"], document["lost"], document["absent"]) == ("job", [], None)
    assert document["stopped_seconds"]["most"] > 0
    pid = job.truth[ODD].pid
    opens = f"srun --overlap --jobid={job.number} -w n2 -n1 --pty gdb -p {pid}"
    odd = {"ranks": str(ODD), "host": "n2", "pid": pid, "command": opens}
    assert odd in document["closer"]
    assert "environment" not in answer.text and "SLURM" not in answer.text
    assert job.all_run()


def test_what_is_documented(job: SlurmJob, folder: Path) -> None:
    steps = documents.sections("docs/jobs.md")["A job of Slurm"]
    for step in steps:
        step.words = step.words.replace("4711", job.number)
    documents.type_all(steps, "clang", folder, folder, job.slurm.environment)
    for step in steps:
        assert documents.agrees(step, "clang"), step.text


def right(job: SlurmJob, document: Any) -> None:
    """Each rank, its process and node; what is wrong; what each thread does."""
    told = {one["rank"]: (one["pid"], one["host"], one["failed"]) for one in document["reports"]}
    right_ones = {
        rank: (one.pid, NODES[rank // PER_NODE], False) for rank, one in job.truth.items()
    }
    assert told == right_ones, document["unavailable"]
    assert document["rank_count"] == RANKS
    (finding,) = document["findings"]
    assert (finding["code"], finding["ranks"]) == ("deadlock", str(ODD))
    odd, usual = document["classes"]
    assert (odd["ranks"], odd["odd"], odd["nodes"]) == (str(ODD), True, f"n2.r[{ODD}]")
    assert (usual["ranks"], usual["odd"]) == (OTHERS, False)
    assert usual["nodes"] == f"n[1-3].r[{OTHERS}]"
    for shown, ranks in ((odd, {ODD}), (usual, set(range(RANKS)) - {ODD})):
        expected: dict[str, int] = {}
        for rank in ranks:
            for what in job.truth[rank].threads.values():
                expected[STATES[what]] = expected.get(STATES[what], 0) + 1
        assert counted(shown) == expected
    places = [one["where"]["function"] for one in usual["threads"] if one["count"] == RANKS - 1]
    assert "MPI_Barrier" in places


@pytest.mark.full
def test_a_tree_of_nodes(job: SlurmJob, folder: Path) -> None:
    """Each node asks the next one, at two moments; and what they bring is merged once more."""
    words = ("--json", "--fan-out", "1", "--watch", "0.1", "-o", "tree.json")
    answer = ask(job, folder, *words, name=f"{job.number}.0")
    assert answer.status == FINDING
    path = folder / "tree.json"
    assert path.stat().st_mode & 0o777 == 0o600
    document = Answer(0, path.read_text(encoding="utf-8"), "").document
    right(job, document)
    moved = document["watch"]
    assert (moved["same_places"], moved["elsewhere"]) == (f"0-{RANKS - 1}", "")
    merged = command.ompd("merge", "--json", path, folder=folder).document
    assert merged["classes"] == document["classes"]
    text = command.ompd("merge", path, folder=folder).text
    first = " ".join(text.split("Classes of ranks")[0].split())
    assert first.startswith(
        f"Odd : 1 of {RANKS} ranks has a finding: deadlock. rank {ODD}: DEADLOCK"
    )
    assert f"of {RANKS} ranks, {RANKS * THREADS} threads, on 3 hosts." in first
    assert f"n2.r[{ODD}]" in text
    assert job.all_run()


@pytest.mark.full
def test_shipped(job: SlurmJob, folder: Path) -> None:
    """Nothing is used of what lies where the caller has it, and nothing of it stays."""
    gdb, log = folder / "gdb", folder / "gdb.log"
    gdb.write_text(f'#!/bin/sh\necho "$*" >>{log}\nexec gdb "$@"\n', encoding="ascii")
    gdb.chmod(0o755)
    space = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    names = (f"{platform.node()}-{space}", f"elsewhere-{space}", f"{platform.node()}-1")
    left, *others = [
        folder / "nodes" / f"ompd-ship-{os.getuid()}-{one}-{2**22 + 1}-left" for one in names
    ]
    for one in (left, *others):  # of whose processes nothing is known here, they are another's
        one.mkdir(parents=True)
    answer = command.ompd(
        *("job", job.number, "--json", "--ship", "--fan-out", "2", "--gdb", str(gdb)),
        folder=folder,
        environment={**job.slurm.environment, "TMPDIR": str(left.parent)},
    )
    assert answer.status == FINDING, answer
    right(job, answer.document)
    plugins = re.findall(r"-x (\S*)/ompd-gdb.py", log.read_text(encoding="utf-8"))
    assert len(plugins) >= RANKS
    assert all(Path(one).is_relative_to(left.parent) and "ompd-ship-" in one for one in plugins)
    assert sorted(left.parent.iterdir()) == sorted(others)
    assert job.all_run()


@pytest.mark.full
def test_shipped_to_another_machine(job: SlurmJob, folder: Path) -> None:
    uname = folder / "sitecustomize.py"
    uname.write_text(
        "import platform, sys\nif sys.argv[0] == '-c':\n"
        "    platform.machine = lambda: 's390x'\n",
        encoding="ascii",
    )
    answer = command.ompd(
        "job",
        job.number,
        "--ship",
        "--json",
        folder=folder,
        environment={**job.slurm.environment, "PYTHONPATH": str(folder)},
    )
    assert answer.status == CANNOT_READ
    (lost,) = answer.document["lost"]
    assert lost["hosts"] == "n[1-3]" and "this node is s390x" in lost["message"]


# ---- Errors --------------------------------------------------------------------------------------


def test_wrong_jobs(job: SlurmJob, folder: Path) -> None:
    is_an_error(ask(job, folder, name="99999"), "knows no job 99999")
    is_an_error(ask(job, folder, name=f"{job.number}.7"), "no step 7", "It has: 0")
    for name in ("hang", "1.x", "$(id)", "-1"):
        assert ask(job, folder, name=name).status == CANNOT_READ
    done = job.slurm.run("sbatch", "--hold", "--parsable", "-o", "/dev/null", "--wrap", "true")
    is_an_error(ask(job, folder, name=done.strip()), "does not run: it is PENDING")
    job.slurm.run("scancel", done.strip())


@pytest.mark.full
def test_another_users_job(job: SlurmJob, folder: Path) -> None:
    folder.chmod(0o755)
    words = f"SLURM_CONF={job.slurm.environment['SLURM_CONF']} {OMPD} job {job.number}"
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    answer = Answer(done.returncode, done.stdout.decode(), done.stderr.decode())
    is_an_error(answer, f"Job {job.number} belongs to user root")


def test_without_slurms_commands(job: SlurmJob, folder: Path) -> None:
    (folder / "bin").mkdir()
    for tool in ("python3", "gdb"):
        (folder / "bin" / tool).symlink_to(f"/usr/bin/{tool}")
    found = command.ompd("job", "1", folder=folder, environment={"PATH": str(folder / "bin")})
    is_an_error(found, "There is no `srun' here", "--hosts")


@pytest.mark.full
def test_late_ranks(job: SlurmJob, folder: Path) -> None:
    """They are named, and not waited for."""
    answer = ask(job, folder, "--json", "--timeout", "0.01")
    assert answer.status == CANNOT_READ
    document = answer.document
    assert {one["failed"] for one in document["reports"]} == {True}
    (why,) = document["unavailable"]
    assert (why["code"], why["ranks"]) == ("timeout", f"0-{RANKS - 1}")
    late = ask(job, folder, "--json", "--node-timeout", "0.01").document
    assert {one["rank"] for one in late["reports"]} == set(range(RANKS)), late
    assert "not all looked at in 0.01 s" in str(late["unavailable"])
    assert job.all_run()


@pytest.mark.skipif(not machine.FULL, reason="Slurm takes ten seconds to give a node up")
@pytest.mark.parametrize("dead, fan_out", (("n2", "32"), ("n1", "1"), ("n2", "1")))
def test_a_node_is_dead(job: SlurmJob, folder: Path, dead: str, fan_out: str) -> None:
    """Its ranks are named, and those on the nodes behind it are told."""
    with job.slurm.without(dead):
        # Slurm kills the first step whole, with whoever would remove what was written there.
        answer = command.ompd(
            *("job", job.number, "--json", "--fan-out", fan_out),
            folder=folder,
            environment={**job.slurm.environment, "TMPDIR": str(folder)},
        )
        assert job.all_run()
    document = answer.document
    (lost,) = document["lost"]
    assert lost["hosts"] == dead and "did not answer" in lost["message"]
    at = NODES.index(dead) * PER_NODE
    assert document["absent"] == f"{at}-{at + PER_NODE - 1}"
    told = {one["rank"]: (one["pid"], one["failed"]) for one in document["reports"]}
    assert told == {
        rank: (one.pid, False) for rank, one in job.truth.items() if NODES[rank // PER_NODE] != dead
    }
    assert answer.status == (FINDING if ODD in told else CANNOT_READ)
    assert job.all_run()


# ---- Whoever is killed ---------------------------------------------------------------------------


@pytest.mark.parametrize("how", (signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
def test_ompd_is_ended(job: SlurmJob, folder: Path, how: signal.Signals) -> None:
    """At any moment: nothing stays."""
    dice = random.Random(how)
    for _ in range(KILLS):
        with started(job, folder) as asking:
            moment = time.monotonic() + dice.uniform(0, 2.5)
            while time.monotonic() < moment and asking.poll() is None:
                time.sleep(0.01)
            asking.send_signal(how)
            status = asking.wait(PATIENCE)
            assert status in (FINDING, 130, 128 + how, -how), asking.args
        assert job.all_run()


def started(job: SlurmJob, folder: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [OMPD, "job", job.number, "--json", "-o", "killed.json", *words],
        cwd=folder,
        env=job.slurm.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def test_a_collector_is_killed(job: SlurmJob, folder: Path) -> None:
    """Its node is named, and the others are told."""
    dice = random.Random(0)
    for _ in range(KILLS):
        with started(job, folder) as asking:
            pid = collector(asking)
            time.sleep(dice.uniform(0, 0.5))
            with contextlib.suppress(ProcessLookupError):  # it has told all
                os.kill(pid, signal.SIGKILL)
            status = asking.wait(PATIENCE)
            assert status in (FINDING, CANNOT_READ)
            text = (folder / "killed.json").read_text(encoding="utf-8")
            document = Answer(0, text, "").document
            # Slurm may end another one's collector with it; or it had told all.
            lost = set(NODES) - {one["host"] for one in document["reports"]}
            assert len(document["reports"]) == RANKS - PER_NODE * len(lost)
            hosts = ",".join(one["hosts"] for one in document["lost"])
            named = job.slurm.run("nodeset", "-e", hosts).split() if hosts else []
            assert set(named) == lost and status == (FINDING if "n2" not in lost else CANNOT_READ)
        assert job.all_run()


def collector(asking: subprocess.Popen[bytes]) -> int:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert asking.poll() is None
        for name in os.listdir("/proc"):
            if name.isdigit() and b"--collect" in command_line(name):
                parent = guardian.status_of(name).get("PPid", "0")
                if b"slurmstepd" in command_line(parent):
                    return int(name)
    raise AssertionError("there is no collector")


def command_line(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
