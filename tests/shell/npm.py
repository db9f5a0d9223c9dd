# SPDX-License-Identifier: Apache-2.0
"""Packages of npm that read what we write, as tools/test-runtimes gets them. Where npm is not
there, or reaches nobody, the test is left out; in CI it fails."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import machine
import pytest


def package(name: str) -> Path:
    """Its folder."""
    try:
        return machine.cached(f"npm-{name.rpartition('/')[2]}") / "package"
    except machine.Missing as missing:
        _missing(str(missing))
        raise


def node() -> str:
    found = shutil.which("node")
    if found is None:
        _missing("There is no node: install Node.js with npm")
    assert found is not None
    return found


def _missing(what: str) -> None:
    if os.environ.get("CI"):
        raise machine.Missing(what)
    pytest.skip(what)
