# SPDX-License-Identifier: Apache-2.0
"""Programs, runtimes and ways to a core file are those of tests/gdb, and cores of the corpus. Each
test has a folder, which is deleted afterwards, since cores are large. How many facts of the corpus
were told right is counted over all tests."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [
    str(HERE),
    str(HERE.parent / "bare"),
    str(HERE.parent / "gdb"),
    str(HERE.parent / "plugin"),
    str(ROOT / "gdb-plugin"),
    str(ROOT / "corefiles"),
]

import cover  # noqa: E402
import debug_files  # noqa: E402
import facts  # noqa: E402
import machine  # noqa: E402

machine.heed_signals()
session_of_gdb = debug_files.session_of_gdb


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="ompd-shell-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def seen() -> Iterator[Any]:
    """A browser."""
    from browser import browser

    with tempfile.TemporaryDirectory(prefix="ompd-browser-") as path:
        with browser(Path(path)) as found:
            yield found


def pytest_configure(config: Any) -> None:
    cover.configure(config)
    debug_files.configure(config)
    config.addinivalue_line("markers", "xdist_group: tests that one worker runs, in a row")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    cover.choose(config, items)


def pytest_sessionfinish(session: Any) -> None:
    """Of a worker of pytest-xdist."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["facts"] = (facts.score.right, facts.score.all)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    right, together = getattr(node, "workeroutput", {}).get("facts", (0, 0))
    facts.score.right += right
    facts.score.all += together


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if facts.score.all:
        line = f"corpus: {facts.score.right} of {facts.score.all} facts right"
        terminalreporter.write_line(line)
