# SPDX-License-Identifier: Apache-2.0
"""Programs, runtimes and ways to a core file are those of tests/gdb. Each test has a folder, which
is deleted afterwards, since cores are large."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Iterator

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "gdb"), str(HERE.parents[1] / "gdb-plugin")]


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="ompd-shell-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)
