# SPDX-License-Identifier: Apache-2.0
"""Core files are those of the corpus, their facts are compared as tests/shell does. Each test has a
folder, deleted afterwards, since cores are large."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Iterator

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [
    str(HERE),
    str(HERE.parent / "shell"),
    str(HERE.parent / "gdb"),
    str(ROOT / "gdb-plugin"),
    str(ROOT / "corefiles"),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="ompd-second-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)
