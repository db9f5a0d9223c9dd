# SPDX-License-Identifier: Apache-2.0
"""Does the code tell who holds what? Each thread of the program wrote down what it holds."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import Target, ask, target

TELL = f"source {Path(__file__).with_name('tell_holdings.py')}"
Object = tuple[str, str]  # kind, and address or name

# What the code cannot tell, or not for certain: for each scenario the reason.
MAY_BE_MISSED = {
    "taken_by_callee": "the function that acquired has returned",
}


def true_holdings(made: Target) -> dict[int, tuple[str, set[Object]]]:
    found: dict[int, tuple[str, set[Object]]] = {}
    for line in Path(f"{made.record}.holds").read_text(encoding="utf-8").splitlines():
        tid, scenario, kind, what = line.split()
        objects = found.setdefault(int(tid), (scenario, set()))[1]
        if kind != "none":
            objects.add((kind, what))
    return found


def name_of(one: dict[str, Any]) -> str:
    if one["kind"] == "ordered":
        return "-"
    if one["kind"] == "critical":
        if one["address"] is None:
            return "(unnamed)"
        return "?" if one["name"] is None else one["name"] or "(unnamed)"
    return "?" if one["address"] is None else hex(one["address"])


def judge(told: list[dict[str, Any]], true: dict[int, tuple[str, set[Object]]]) -> Counter[str]:
    figures: Counter[str] = Counter()
    by_lwp = {thread["lwp"]: thread["held"] for thread in told}
    for tid, (scenario, objects) in true.items():
        seen = set()
        for one in by_lwp[tid]:
            is_held = (one["kind"], name_of(one)) in objects
            seen.add((one["kind"], name_of(one)))
            sure = "always" if one["always"] else "some ways"
            known = "exact" if one["exact"] else "read" if one["address"] else "nameless"
            figures[f"{sure}, {known}, {'right' if is_held else 'WRONG'}"] += 1
            if not is_held:
                print("told, not held:", scenario, one, objects)
        for missed in objects - seen:
            print("missed:", scenario, missed)
        figures["held"] += len(objects)
        figures["found"] += len(objects & seen)
    return figures


@pytest.mark.parametrize("kind", ["live", "core"])
@pytest.mark.parametrize("compiler", ["clang-14", "clang-19", "gcc"])
@pytest.mark.parametrize("build", ["debug", "optimised", "plain"])
def test_holders(build: str, compiler: str, kind: str, folder: Path) -> None:
    executable = machine.compiled("holding", build, compiler=compiler)
    runtime = machine.cached("libomp-19")
    if compiler == "gcc":
        runtime = machine.as_libgomp(runtime, folder / "lib")
    with target(kind, executable, (), runtime, folder) as made:
        answer = ask("gdb", [TELL], made.before, made.files, folder=folder)
        told = json.loads(answer.text.splitlines()[-1])
        figures = judge(told, true_holdings(made))
    print(dict(figures))
