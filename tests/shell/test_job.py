# SPDX-License-Identifier: Apache-2.0
"""`ompd job' without a resource manager: ranks below a launcher, processes by name, hosts by
ClusterShell, core files. Is who is missing, dead or not allowed named, and nobody waited for?"""

from __future__ import annotations

import io
import os
import random
import shutil
import signal
from pathlib import Path
from typing import Any

import command
import pytest
from command import CANNOT_READ, FINDING, is_an_error, ompd
from job import ODD, RANKS, THREADS, core_in, running
from ompd_cli.job import nodes, wire
from ompd_cli.job.clustershell import nodes as clustershell_nodes
from ompd_cli.job.nodes import Errand
from test_ranks import OTHERS, STATES, counted, ended

SSH = """\
#!/bin/sh
while :; do case $1 in -o) shift 2 ;; -*) shift ;; *) break ;; esac; done
shift
exec sh -c "$*"
"""
# Ranks that wait spin: two jobs beside each other take for ever.
pytestmark = pytest.mark.xdist_group("ranks")


def test_ranks_of_a_launcher(folder: Path) -> None:
    """Then by hosts, each by a stand-in for ssh; then their cores."""
    with running("lock", folder) as job:
        truth = job.settle()
        launcher = str(job.launcher.pid)
        answer = ompd("job", "--mpirun", launcher, "--json", folder=folder)
        assert answer.status == FINDING, answer
        right(answer.document, truth)
        assert {one["pid"] for one in answer.document["closer"]} <= {
            one.pid for one in truth.values()
        }
        hosts = ompd(
            "job", "--hosts", "a1", "--json", folder=folder, environment=clustershell(folder)
        )
        assert hosts.status == FINDING, hosts
        # Also those of other jobs of the same user's, as other tests have them.
        seen = {(one["rank"], one["pid"]) for one in hosts.document["reports"]}
        assert seen >= {(rank, one.pid) for rank, one in truth.items()}
        # One that has ended, one that is nobody, and the launcher's own process.
        pids = [truth[0].pid, truth[1].pid, 2**22 + 1]
        os.kill(truth[1].pid, signal.SIGSTOP)  # stopped before, and so it stays
        some = ompd("job", "--json", "--pid", *map(str, pids), folder=folder)
        assert some.status == CANNOT_READ
        told = {one["pid"]: one["failed"] for one in some.document["reports"]}
        assert told == {pids[0]: False, pids[1]: False, pids[2]: True}
        assert some.document["unavailable"][0]["code"] == "no_process"
        state = Path(f"/proc/{pids[1]}/stat").read_text(encoding="ascii").rpartition(")")[2]
        assert state.split()[0] == "T"
        os.kill(truth[1].pid, signal.SIGCONT)
        job.launcher.send_signal(signal.SIGSTOP)
        for process in truth.values():
            os.kill(process.pid, signal.SIGQUIT)
        for process in truth.values():
            ended(process.pid)
    # The launcher may die of its ranks' deaths, and is none: its core lies beside theirs.
    alone = folder / "cores"
    for rank in truth:
        (alone / str(rank)).mkdir(parents=True)
        core_in(folder / str(rank)).rename(alone / str(rank) / "core")
    cores = ompd("job", "--cores", alone, "--json", folder=folder)
    assert cores.status == FINDING, cores
    right(cores.document, truth)
    closer = {one["command"] for one in cores.document["closer"]}
    assert f"ompd core {alone}/{ODD}/core" in closer


def right(document: Any, truth: Any) -> None:
    told = {one["rank"]: one["pid"] for one in document["reports"]}
    assert told == {rank: one.pid for rank, one in truth.items()}
    assert not any(one["failed"] for one in document["reports"]), document["unavailable"]
    assert (document["rank_count"], document["absent"]) == (RANKS, None)
    (finding,) = document["findings"]
    assert (finding["code"], finding["ranks"]) == ("deadlock", str(ODD))
    odd, usual = document["classes"]
    assert (odd["ranks"], usual["ranks"]) == (str(ODD), OTHERS)
    expected: dict[str, int] = {}
    for rank, one in truth.items():
        for what in one.threads.values() if rank == ODD else ():
            expected[STATES[what]] = expected.get(STATES[what], 0) + 1
    assert counted(odd) == expected
    assert counted(usual) == {"work_serial": RANKS - 1, "idle": (RANKS - 1) * (THREADS - 1)}
    waiting = [one for one in usual["threads"] if one["states"] == ["work_serial"]]
    assert [one["in_call"] for one in waiting] == ["PMPI_Barrier"]


def clustershell(folder: Path, ssh: Path | None = None) -> dict[str, str]:
    if ssh is None:
        ssh = folder / "ssh"
        ssh.write_text(SSH, encoding="ascii")
        ssh.chmod(0o755)
    (folder / "clush.conf").write_text(f"[Main]\nssh_path: {ssh}\n", encoding="ascii")
    return {"CLUSTERSHELL_CFGDIR": str(folder)}


def test_hosts_that_do_not_answer(folder: Path) -> None:
    environment = clustershell(folder)
    (folder / "ssh").write_text("#!/bin/sh\necho no route >&2\nexit 255\n", encoding="ascii")
    answer = ompd("job", "--hosts", "a[1-3]", "--json", folder=folder, environment=environment)
    assert answer.status == CANNOT_READ
    (lost,) = answer.document["lost"]
    assert lost["hosts"] == "a[1-3]" and "no route" in lost["message"]
    text = ompd("job", "--hosts", "a[1-3]", folder=folder, environment=environment).text
    assert "a[1-3]: It did not answer." in text
    bad = ompd("job", "--hosts", "a[1-", folder=folder, environment=environment)
    is_an_error(bad, "not a set of nodes")


def test_what_was_typed(folder: Path) -> None:
    for words in ((), ("1", "--mpirun", "1"), ("--pid", "x"), ("1", "--at-once", "0")):
        assert ompd("job", *words, folder=folder).status == CANNOT_READ
    is_an_error(ompd("job", "--mpirun", str(2**22 + 1), folder=folder), "There is no process")
    is_an_error(ompd("job", "--mpirun", str(os.getpid()), folder=folder), "No rank is below")
    is_an_error(ompd("job", "--cores", folder / "nowhere", folder=folder), "not a directory")
    (folder / "empty").mkdir()
    is_an_error(ompd("job", "--cores", folder / "empty", folder=folder), "no core file")


def test_cores_of_any_kind(folder: Path) -> None:
    """A damaged one is named; what is no core is no core."""
    where = folder / "job"
    where.mkdir()
    core = command.crashed(folder, "abort")
    shutil.copy(core, where / "core.1")
    (where / "core.2").write_bytes(core.read_bytes()[:4096])
    (where / "notes").write_text("core", encoding="ascii")
    answer = ompd("job", "--json", "--cores", where, folder=folder)
    assert answer.status == FINDING
    told = {Path(one["file"]).name: one["failed"] for one in answer.document["reports"]}
    assert told["core.1"] is False and set(told) == {"core.1", "core.2"}


# ---- The way back --------------------------------------------------------------------------------


def test_lines_in_any_order() -> None:
    """Documents of many senders, mixed; and all else is nobody's."""
    dice = random.Random(0)
    documents = {f"n{i}": {"text": dice.choice("ab") * 9000, "i": i} for i in range(20)}
    streams = []
    for sender, document in documents.items():
        stream = io.StringIO()
        wire.send(stream, sender, "part", {**document, "noise": dice.random()})
        streams.append([f"{len(streams)}: {line}" for line in stream.getvalue().splitlines()])
    receiver, found = wire.Receiver(), {}
    while any(streams):
        lines = dice.choice([one for one in streams if one])
        for line in (lines.pop(0), "Welcome to n1!", "ompd1 n1 part 1/x !", "0: ompd1 "):
            if (told := receiver.take(line)) is not None:
                found[told[0]] = told[2]
    assert {name: one["i"] for name, one in found.items()} == {f"n{i}": i for i in range(20)}


def test_lines_that_are_damaged() -> None:
    stream = io.StringIO()
    dice = random.Random(0)
    wire.send(stream, "n1", "part", {"i": [dice.random() for _ in range(500)]})
    lines = stream.getvalue().splitlines()
    assert len(lines) > 3 and max(map(len, lines)) < 700
    for bad in (lines[1:], lines[:1] + lines[2:], lines[:-1], lines[::-1], [lines[0]] * 5):
        receiver = wire.Receiver()
        assert not any(map(receiver.take, bad))
    bomb = wire.unpacked("eJztwTEBAAAAwqD1T20ND6AAAAAAAAAAAAAAAADg2wAEAAE=")
    assert bomb is None
    label = [line.replace("ompd1 n1", "a7: ompd1 -") for line in lines]
    (told,) = filter(None, map(wire.Receiver().take, label))
    assert told[0] == "a7"


def test_parts_of_a_tree() -> None:
    """Each node is asked once, by few, in few levels."""
    for number in (1, 2, 3, 31, 32, 33, 100, 10_000):
        for fan_out in (1, 2, 32):
            if fan_out == 1 and number > 100:
                continue
            levels, asked = walked([f"n{i}" for i in range(number)], fan_out)
            assert sorted(asked) == sorted(f"n{i}" for i in range(number))
            assert levels == nodes.depth(number, fan_out)
    assert nodes.depth(10_000, 32) == 3


def test_parts_that_all_know() -> None:
    """A collector takes the nodes apart as who has sent it, in whatever order it is told them."""
    names = [f"n{i:03}" for i in range(1, 2001)] + [f"gpu{i}" for i in range(40)]
    told = Errand("1", [], names, 32)
    heard = Errand.of(told.text(), clustershell_nodes)
    assert heard.nodes != names and sorted(heard.nodes) == sorted(names)
    assert nodes.parted(heard.nodes, 32) == nodes.parted(names, 32)


def walked(names: list[str], fan_out: int) -> tuple[int, list[str]]:
    if not names:
        return 0, []
    levels, asked = 0, []
    parts = nodes.parted(names, fan_out)
    assert len(parts) <= fan_out
    for part in parts:
        below, more = walked(part[1:], fan_out)
        levels = max(levels, below)
        asked += [part[0], *more]
    return levels + 1, asked
