# SPDX-License-Identifier: Apache-2.0
"""Is the truth told of a program in a container, from outside? Of which other files lie here at the
paths of its own."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import container
import machine
import pytest
from command import NOTHING_ODD, OMPD, is_an_error, ompd

# What a container has that is started beside it, by `docker run --pid=container:...
# --cap-add=SYS_PTRACE'.
SIDECAR = """\
#!/bin/sh
exec setpriv --bounding-set=-all,+sys_ptrace,+dac_override,+setuid,+setgid,+kill {ompd} "$@"
"""


def is_told(document: dict[str, Any]) -> None:
    lines = {
        one["openmp"][0]["thread_num"]: (one["where"]["function"], one["where"]["line"])
        for one in document["threads"]
    }
    at_barrier = ("main", container.BARRIER)
    expected = {0: at_barrier, 1: at_barrier, 2: ("main", container.PAUSES), 3: at_barrier}
    assert lines == expected, document
    (runtime,) = document["runtimes"]
    assert "16" in str(runtime), runtime
    assert not [one for one in document["notes"] if "builds" in one or "reached" in one]


def test_from_the_machine(folder: Path) -> None:
    with container.running(container.root_of("libgomp-16", folder)) as pid:
        answer = ompd("pid", str(pid), "--json", folder=folder)
    assert answer.status == NOTHING_ODD, answer
    is_told(answer.document)
    assert "In its container it is process 1." in answer.document["notes"]


@pytest.mark.skipif(not machine.FULL, reason="OMPD_FULL=1 looks in all ways")
@pytest.mark.parametrize("pivots", [True, False], ids=["root of its mounts", "another root"])
def test_each_way(pivots: bool, folder: Path) -> None:
    """From beside it; and when what it has loaded was replaced there."""
    root, sidecar = container.root_of("libgomp-16", folder), folder / "sidecar"
    sidecar.write_text(SIDECAR.format(ompd=shlex.quote(str(OMPD))), encoding="utf-8")
    sidecar.chmod(0o755)
    with container.running(root, pivots) as pid:
        for how in (OMPD, sidecar):
            is_told(ompd("pid", str(pid), "--json", folder=folder, command=how).document)
        of_job = ompd("job", "--pid", str(pid), folder=folder).text
        assert "main () at staying.c:11" in of_job, of_job
        libgomp = root / container.LIBRARIES / "libgomp.so.1"
        libgomp.unlink()
        shutil.copy(machine.cached("libgomp-12") / "libgomp.so.1", libgomp)
        is_told(ompd("pid", str(pid), "--json", folder=folder).document)
        page = (machine.ROOT / "docs" / "containers.md").read_text(encoding="utf-8")
        commands = re.findall(r"^ompd (.+) PID$", page, re.MULTILINE)
        assert len(commands) == 4
        for words in commands:
            answer = ompd(*words.split(), str(pid), folder=folder)
            assert answer.status == NOTHING_ODD, answer
        record = folder / "record.jsonl"
    assert "main (staying.c:6)" in ompd("show", record, folder=folder).text


def test_number_of_a_container(folder: Path) -> None:
    """Its processes have other numbers on the machine."""
    number = 4194000  # which nobody has soon
    last = number - 1
    begins = (
        f"echo {last} >/proc/sys/kernel/ns_last_pid || exit\n(echo stays; exec sleep 600) & wait"
    )
    with container.entered("--mount-proc", "sh", "-c", begins) as first:
        (pid,) = container.children(first)
        is_an_error(ompd("pid", str(number), folder=folder), f"that number to process {pid}.")


def test_number_of_the_machine(folder: Path) -> None:
    """There the machine's processes have none."""
    inside = folder / "ompd"
    words = shlex.join([*container.NAMESPACES, "--mount-proc", str(OMPD)])
    inside.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    inside.chmod(0o755)
    answer = ompd("pid", "4193999", folder=folder, command=inside)
    if "unshare" in answer.errors:
        pytest.skip(answer.errors)
    is_an_error(answer, "`--pid=host'")
