# SPDX-License-Identifier: Apache-2.0
"""Does a sentence say which of the user's limits is too low, whichever part of ompd meets it?"""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

import command
import machine
import pytest
from command import OMPD

FILES = [5, 6, 8, 16, 24, 63] if machine.FULL else [6, 16, 63]
MIB = [13, 17, 19, 24, 32, 40, 80, 150] if machine.FULL else [17, 24, 80]


def limited(which: int, limit: int, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/usr/bin/python3", OMPD, *words],
        preexec_fn=lambda: resource.setrlimit(which, (limit, limit)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(name="core", scope="module")
def _core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return command.crashed(tmp_path_factory.mktemp("limits"), "abort")


@pytest.mark.parametrize("files", FILES)
def test_open_files(files: int, core: Path) -> None:
    done = limited(resource.RLIMIT_NOFILE, files, "core", core, command.program())
    assert done.returncode == 2 and f"Only {files} files" in done.stderr, done
    assert done.stderr.count("\n") == 1 and "`ulimit -n'" in done.stderr
    assert limited(resource.RLIMIT_NOFILE, files, "run", "--", "/bin/true").returncode == 125


def test_enough_files(core: Path) -> None:
    done = limited(resource.RLIMIT_NOFILE, 64, "core", core, command.program())
    assert done.returncode == command.FINDING and not done.stderr, done


@pytest.mark.parametrize("mib", MIB)
def test_memory(mib: int, core: Path) -> None:
    done = limited(resource.RLIMIT_AS, mib << 20, "core", core, command.program())
    assert done.returncode == 2 and "`ulimit -v'" in done.stderr, done
    assert done.stderr.startswith("ompd: ") and done.stderr.count("\n") == 1, done.stderr
