# SPDX-License-Identifier: Apache-2.0
"""Does each recorded stack still tell what it told? tests/inference/stacks.jsonl has one a line:
of the programs and core files of tests/, as GDB walked them, and what the plugin's own inference
said of them before libompd's took its place. The library is that of the build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ompd_core import source_tree
from ompd_core.library import capi, types
from ompd_core.library.inference import Inference
from ompd_core.library.types import (
    Classification,
    Facts,
    Sleep,
    StackFrame,
    TeamArrivals,
    ViewRegion,
)
from ompd_core.model import doubts, states

TREE = Path(__file__).resolve().parents[2]
BUILD = Path(source_tree.build(str(TREE)))
RECORDED = [
    json.loads(line)
    for line in (TREE / "tests/inference/stacks.jsonl").read_text(encoding="utf-8").splitlines()
]
BARRIERS = ("barrier", "workshare", "reduction", "region")


def inference() -> Inference:
    return Inference(capi.load(str(BUILD / "libompd/libompd.so"))[0])


def frame(row: Any) -> StackFrame:
    code, runtime, kind, name, entry, called, direct = row
    return StackFrame(
        code, kind, runtime or 0, name, called, None if direct < 0 else bool(direct), entry
    )


def region(row: Any) -> tuple[ViewRegion, int]:
    address, generator, serialized, level, team_num, members, function, number = row
    raw = ViewRegion(
        *(address, None, generator, level, level, members, (None,) * members),
        serialized=serialized,
        team_num=team_num,
        function=function,
    )
    return raw, number


def facts(one: Any) -> Facts:
    come = one["arrivals"]
    return Facts(
        *(one["runtime"], one["kind"], one["thread"], one["has_team"]),
        *(one["flags"], one["source"]),
        [region(row) for row in one["chain"]],
        TeamArrivals(*come, False, 0) if come else None,
    )


def classified(library: Inference, one: Any) -> Classification:
    word = one["word"]
    frames = [frame(row) for row in one["frames"]]
    return library.classify(frames, one["extent"], Sleep(*word) if word else None, facts(one))


def doubt_of(code: str | None) -> str | None:
    """By its name in doubts.py."""
    told = doubts.told(code, "")
    names = {id(one): name for name, one in vars(doubts).items()}
    return names.get(id(told), "INSIDE") if told is not None else None


def test_recorded_stacks() -> None:
    library = inference()
    wrong = []
    for one in RECORDED:
        told = classified(library, one)
        found = {
            "state": states.name(told.state) if told.state is not None else None,
            "wait": "barrier" if told.wait in BARRIERS else told.wait,
            "construct": told.construct,
            "doubt": doubt_of(told.doubt),
            "let_go": bool(told.told & types.LET_GO),
            "round": told.round,
            "runtime": told.runtime,
            "caller": told.caller,
            "launched": bool(told.told & types.LAUNCHED),
            "starts": bool(told.told & types.STARTS),
        }
        if found != one["expected"]:
            wrong.append((one, found))
    assert not wrong, f"{len(wrong)} of {len(RECORDED)}: {wrong[0]}"


def test_what_was_recorded() -> None:
    """Both runtimes, all kinds of waits, words, whole stacks, and none with too little."""
    assert len(RECORDED) >= 250
    told = {one["expected"]["state"] for one in RECORDED}
    assert {"work_serial", "work_parallel", "idle", None} <= told
    assert {name for name in told if name} >= {
        f"wait_{kind}"
        for kind in "critical lock atomic ordered taskwait taskgroup barrier barrier_teams"
        " barrier_explicit barrier_implicit_parallel barrier_implicit_workshare"
        " barrier_implementation".split()
    }
    assert {one["kind"] for one in RECORDED} == {"llvm", "gomp"}
    assert any(one["word"] for one in RECORDED) and any(one["extent"] == 2 for one in RECORDED)
