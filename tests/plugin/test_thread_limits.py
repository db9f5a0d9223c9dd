# SPDX-License-Identifier: Apache-2.0
"""Is a limit named only where it is met?"""

from __future__ import annotations

from pathlib import Path

import pytest
from ompd_core.formats import control_groups, procfs
from ompd_core.model.cause import Met
from ompd_core.snapshot import thread_limits

LIMITS = """\
Limit                     Soft Limit           Hard Limit           Units
Max stack size            8388608              unlimited            bytes
Max processes             {0:<20} 100                  processes
Max address space         {1:<20} unlimited            bytes
"""


@pytest.mark.parametrize(
    "user, processes, memory, most, found",
    [
        (7, "unlimited", "unlimited", "max", []),
        (7, "12", "unlimited", "max", [Met("ulimit -u", 12, 12)]),
        (7, "13", "unlimited", "13", []),
        (0, "12", "unlimited", "max", []),
        (7, "unlimited", "unlimited", "9", [Met("pids.max of its control group", 9, 9)]),
        (7, "unlimited", "30000000", "max", [Met("ulimit -v", 30000000, 24576000, True)]),
        (7, "unlimited", "40000000", "max", []),
    ],
)
def test_limit(
    user: int,
    processes: str,
    memory: str,
    most: str,
    found: list[Met],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(procfs, "ROOT", str(tmp_path / "proc"))
    monkeypatch.setattr(control_groups, "ROOT", str(tmp_path / "groups"))
    monkeypatch.setattr(procfs, "processes", lambda: [1, 2, 3])
    for pid, of, threads in ((1, user, 9), (2, user, 3), (3, user + 1, 50)):
        folder = tmp_path / "proc" / str(pid)
        folder.mkdir(parents=True)
        ids = "\t".join([str(of)] * 4)
        status = f"Uid:\t{ids}\nVmSize:\t   24000 kB\nThreads:\t{threads}\n"
        (folder / "status").write_text(status, encoding="ascii")
        (folder / "limits").write_text(LIMITS.format(processes, memory), encoding="ascii")
        (folder / "cgroup").write_text("0::/job\n", encoding="ascii")
    group = tmp_path / "groups" / "job"
    group.mkdir(parents=True)
    (group / "pids.max").write_text(most, encoding="ascii")
    (group / "pids.current").write_text("9", encoding="ascii")
    assert list(thread_limits.met(1)) == found
