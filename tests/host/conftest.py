# SPDX-License-Identifier: Apache-2.0
"""Programs, runtimes, ways to bring a program to its stop and records are those of tests/gdb. And
each test has a folder, deleted afterwards, since cores are large."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "gdb"), str(HERE.parent / "offload")]

import cover  # noqa: E402


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="ompd-host-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def pytest_configure(config: Any) -> None:
    cover.configure(config)


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    cover.choose(config, items)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    import comparison
    import figures

    total = sum(comparison.compared.values())
    terminalreporter.write_line(f"{total} facts compared with what the programs recorded")
    told = [fact for fact in comparison.compared if re.fullmatch(r"[\w-]+-var", fact)]
    icvs = ", ".join(f"{icv} {comparison.compared[icv]}" for icv in sorted(told))
    terminalreporter.write_line(f"ICVs compared: {icvs}")
    for line in figures.lines():
        terminalreporter.write_line(line)
    silent = sorted(comparison.untold - set(comparison.compared))
    terminalreporter.write_line(f"ICVs that no library told: {', '.join(silent) or 'none'}")
