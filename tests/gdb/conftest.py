# SPDX-License-Identifier: Apache-2.0
"""What do all tests here share? A folder for each, deleted afterwards, since cores are large."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Iterator

import pytest


@pytest.fixture
def folder() -> Iterator[Path]:
    """Readable by other users."""
    path = Path(tempfile.mkdtemp(prefix="ompd-gdb-"))
    path.chmod(0o777)
    yield path
    shutil.rmtree(path, ignore_errors=True)
