# SPDX-License-Identifier: Apache-2.0
"""A stop while a thread has locked the mapping table, where the runtime's own dump would hang: what
is told, and is the program as it was?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import machine
import pytest
from gpu import compiled
from sessions import Answer, ask, target
from test_target import RUNTIMES, recorded

FIRST_CALL, MOST_CALLS = 2, 16  # of operator new in one call of libomptarget's
ASKED = ["checksum", "ompd target -json", "ompd target map", "ompd deadlock -json", "ompd deadlock"]
ASKED += ["ompd threads", "ompd -json", "checksum"]


def stopped(scenario: str, runtime: str, folder: Path) -> tuple[Answer, dict[str, int]]:
    """In the first call of operator new for which the other thread waits; whose LWP is who."""
    driver = f"source {machine.ROOT / 'tests' / 'gdb' / 'checksum.py'}"
    for call in range(FIRST_CALL, MOST_CALLS):
        arguments = [scenario, str(call)]
        (folder / "truth.json.targets").unlink(missing_ok=True)
        with target(
            "attach", compiled("targets"), arguments, machine.cached(runtime), folder
        ) as at:
            answer = ask("gdb", ASKED, [*at.before, driver], at.files, folder=folder)
            told = {row[1]: int(row[0]) for row in recorded(at.record, "targets")}
        if any(one["phase"] == "lock" for one in constructs(answer)):
            return answer, told
    raise AssertionError("nobody was seen to wait for the table's lock")


def constructs(answer: Answer) -> Any:
    return answer.document("ompd target -json")["offload"]["targets"]


def test_circle_over_the_table(folder: Path) -> None:
    compare("held_in_circle", "libomptarget-14", folder)


@pytest.mark.full
@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("scenario", ["held", "held_in_circle"])
def test_lock_of_the_table(scenario: str, runtime: str, folder: Path) -> None:
    compare(scenario, runtime, folder)


def compare(scenario: str, runtime: str, folder: Path) -> None:
    answer, truth = stopped(scenario, runtime, folder)
    first, last = re.findall("^checksum (\\w+)$", answer.everything, re.MULTILINE)
    assert first == last, "the process is not as it was"
    (waits,) = [one for one in constructs(answer) if one["phase"] == "lock"]
    assert waits["lwp"] == truth["wants"]
    assert {one["phase"] for one in constructs(answer)} == {"lock", "inside"}
    assert waits["text"] == "waits for the lock of device 0's mapping table"
    assert "numbers[2]" in answer.texts[2]
    deadlock = answer.document("ompd deadlock -json")["deadlock"]
    if scenario == "held":
        assert deadlock["verdict"] != "deadlock", answer.everything
        return
    assert (deadlock["verdict"], len(deadlock["cycles"])) == ("deadlock", 1), answer.everything
    words = " ".join(answer.texts[4].split())
    assert re.search(
        r"R1.0 \S+ waits for mutex `mapping table of device 0' .* R1.1 \S+ holds", words
    )
