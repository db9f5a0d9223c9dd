# SPDX-License-Identifier: Apache-2.0
"""Packages of npm that read what we write, as tools/test-runtimes gets them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import machine
import pytest


def package(name: str) -> Path:
    """Its folder."""
    return machine.cached(f"npm-{name.rpartition('/')[2]}") / "package"


def node() -> str:
    found = shutil.which("node")
    if found is None:
        missing = "There is no node: install Node.js with npm"
        if os.environ.get("CI"):
            raise machine.Missing(missing)
        pytest.skip(missing)
    return found
