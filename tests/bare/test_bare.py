# SPDX-License-Identifier: Apache-2.0
"""Do the first commands work on a machine that has nothing, in any order, and again?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from minimal import UNSHARED, Minimal

FULL = os.environ.get("OMPD_FULL") == "1"
SUITES = ("bookworm", "trixie")
PATIENCE = 5400  # seconds for all steps of a test

INSTALL = "apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y install "
DEMO = "tools/demo"
# What README says that it takes, then its lines.
NEEDED = INSTALL + "cmake gcc make gdb python3"
README = "cmake -S . -B build && cmake --build build"
CHECK = "tools/check build-gcc lint plugin install"
ORDERS = {
    "demo twice": {"demo": DEMO, "demo again": DEMO},
    "check, demo": {"check": CHECK, "demo": DEMO, "readme": README, "check again": CHECK},
    "demo, check": {"demo": DEMO, "readme": README, "check": CHECK, "demo again": DEMO},
    "readme, check, demo": {
        **{"needed": NEEDED, "readme": README, "check": CHECK, "demo": DEMO},
        **{"readme again": README, "check again": CHECK},
    },
}

full = pytest.mark.skipif(not FULL, reason="in --full")


def mounts() -> list[str]:
    lines = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if "ompd-bare-" in line]


def all_work(suite: str, commands: dict[str, str], folder: Path) -> dict[str, str]:
    """What they said."""
    done = Minimal(suite, folder).run(commands, PATIENCE)
    for name, (status, text) in done.items():
        assert status == 0, f"{name}: status {status}\n{text[-3000:]}"
    assert [*done] == [*commands]
    assert not mounts()
    return {name: text for name, (_, text) in done.items()}


def test_demo(folder: Path) -> None:
    said = all_work("bookworm", {"demo": DEMO}, folder)["demo"]
    assert "\nDeadlock\n" in said and "$ echo $?\n1\n" in said


@full
@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("order", ORDERS)
def test_order(suite: str, order: str, folder: Path) -> None:
    all_work(suite, ORDERS[order], folder)


@full
@pytest.mark.parametrize("suite", SUITES)
def test_elfutils_that_come_later(suite: str, folder: Path) -> None:
    """What is missing is named with the command that brings it; then the next build has it."""
    version = "gdb-plugin/bin/ompd --version"
    record = 'gdb-plugin/bin/ompd record -o /out/record -- sleep 1; echo "status $?"'
    named = "apt-get install libdw-dev"
    commands = {"needed": NEEDED, "readme": README, "version": version, "record": record}
    commands |= {"install": INSTALL + named.rpartition(" ")[2], "build": "cmake --build build"}
    commands |= {"version again": version, "readme again": README, "record again": record}
    said = all_work(suite, commands, folder)
    for name in ("readme", "version", "record"):
        assert named in said[name], said[name]
    assert "status 125" in said["record"]
    assert "ompd-sampler: /" in said["version again"] and named not in said["readme again"]
    assert "was not built" not in said["record again"]


@full
@pytest.mark.parametrize("how", (signal.SIGTERM, signal.SIGKILL))
def test_killed(how: signal.Signals, folder: Path) -> None:
    """No mount is left, and no process."""
    script = f"mount -t tmpfs none {folder} && touch {folder}/mounted; sleep 987.5"
    us = [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])"]
    with subprocess.Popen([*us, *UNSHARED, "bash", "-c", script]) as process:
        time.sleep(1)
        process.send_signal(how)
    time.sleep(1)
    assert not mounts() and not (folder / "mounted").exists()
    assert subprocess.run(["pgrep", "-f", "sleep 987.5"], check=False).returncode == 1
