# SPDX-License-Identifier: Apache-2.0
"""Each test has a folder, deleted afterwards; what it says there is shown when it fails."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Iterator

import pytest


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="ompd-bare-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)
