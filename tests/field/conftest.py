# SPDX-License-Identifier: Apache-2.0
"""Ways to look at a program are those of tests/gdb, tests/shell and tests/sampler. What was seen of
each program is printed as a table when all tests have run."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator

import pytest

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [
    str(HERE),
    *(str(TESTS / suite) for suite in ("gdb", "shell", "sampler")),
    str(TESTS.parent / "gdb-plugin"),
]

import looks  # noqa: E402
import machine  # noqa: E402
import programs  # noqa: E402
from table import table  # noqa: E402

machine.heed_signals()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="ompd-field-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module", params=programs.CHOSEN, ids=lambda one: one.name)
def running(request: Any, folder: Path) -> Iterator[programs.Running]:
    """A program that is at work, its threads too, and goes on."""
    field = request.param
    with looks.running(field.program(folder), folder / field.name) as pid:
        programs.wait_for_work(pid)
        yield programs.Running(field, pid)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for line in table.lines():
        terminalreporter.write_line(line)
