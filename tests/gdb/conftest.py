# SPDX-License-Identifier: Apache-2.0
"""What do all tests here share? A folder for each, deleted afterwards, since cores are large; and
how many facts they compared with what the programs recorded themselves, and how many states."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator

import agreement
import cover
import debug_files
import device_score
import machine
import oracle
import planted_score
import pytest
import states
import truth

# What of the plugin knows no GDB, to compare with.
ROOT = Path(__file__).resolve().parents[2]
# And the driver that stands for GPUs.
sys.path += [str(ROOT / "gdb-plugin"), str(ROOT / "tests" / "offload")]

machine.heed_signals()
session_of_gdb = debug_files.session_of_gdb
_of_workers = 0


@pytest.fixture
def folder() -> Iterator[Path]:
    """Readable by other users."""
    path = Path(tempfile.mkdtemp(prefix="ompd-gdb-"))
    path.chmod(0o777)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def pytest_configure(config: Any) -> None:
    cover.configure(config)
    debug_files.configure(config)


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    cover.choose(config, items)


def pytest_sessionfinish(session: Any) -> None:
    """Of a worker of pytest-xdist."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["compared"] = truth.compared
        session.config.workeroutput["states"] = states.score.counts
        session.config.workeroutput["agreement"] = agreement.score.counts
        session.config.workeroutput["devices"] = dict(device_score.score.counts)
        session.config.workeroutput["oracle"] = dict(oracle.score.counts)
        session.config.workeroutput["planted"] = dict(planted_score.score.counts)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    global _of_workers
    output = getattr(node, "workeroutput", {})
    _of_workers += output.get("compared", 0)
    states.score.add(*output.get("states", (0, 0, 0)))
    agreement.score.add(output.get("agreement", ()))
    device_score.score.counts.update(output.get("devices", {}))
    oracle.score.counts.update(output.get("oracle", {}))
    planted_score.score.counts.update(output.get("planted", {}))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    total = truth.compared + _of_workers
    terminalreporter.write_line(f"{total} facts compared with what the programs recorded")
    right, judged, in_transition = states.score.counts
    terminalreporter.write_line(
        f"{right} of {judged} threads' states right; {in_transition} more in transition"
    )
    scores = (agreement.score, device_score.score, oracle.score, planted_score.score)
    for line in (line for score in scores for line in score.lines()):
        terminalreporter.write_line(line)
