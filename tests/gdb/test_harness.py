# SPDX-License-Identifier: Apache-2.0
"""Would these tests see a lie? Every fact is falsified once, and the comparison must notice; and
the cells that are tested must be a pairwise cover of the matrix."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable

import cells
import cover
import machine
import pytest
import sessions
import truth

Json = dict[str, Any]
Lie = Callable[[Json, Json], object]


def member(threads: Json, of: int = 0) -> Json:
    """What is told of a thread that is in a region."""
    inside = [
        t["openmp"][0] for t in threads["threads"] if t["openmp"] and t["openmp"][0]["region"]
    ]
    found: Json = inside[of]
    return found


def kind(threads: Json, wanted: str) -> Json:
    return next(t for t in threads["threads"] if t["kind"] == wanted)


def idle(threads: Json) -> Json:
    """What is told of an idle worker."""
    every = [m for t in threads["threads"] for m in t["openmp"]]
    return next(m for m in every if m["state"] == "idle")


def test_a_program_that_ends_early_says_why(folder: Path) -> None:
    """In the failure itself: its words and its status."""
    executable, home = machine.compiled("states"), machine.cached("libomp-14")
    for kind, said in (("core", "which scenario"), ("attach", "ended with status 2")):
        with pytest.raises(AssertionError, match=said):
            with sessions.target(kind, executable, ("none such",), home, folder):
                pass
    with pytest.raises(AssertionError, match="It ended with status 2"):
        sessions.kernel_core(executable, ("none such",), {"LD_LIBRARY_PATH": str(home)}, folder)


LIES: dict[str, Lie] = {
    "thread_num": lambda t, p: member(t).update(thread_num=7),
    "level": lambda t, p: member(t).update(level=2),
    "active_level": lambda t, p: member(t).update(active_level=3),
    "team_size": lambda t, p: member(t).update(team_size=4),
    "id": lambda t, p: member(t).update(id="R1.5"),
    "no such region": lambda t, p: member(t).update(region="R9"),
    "ancestor's number": lambda t, p: member(t)["ancestors"][0].update(thread_num=1),
    "ancestor left out": lambda t, p: member(t)["ancestors"].pop(),
    "task kind": lambda t, p: member(t)["task"].update(kind="explicit"),
    "task final": lambda t, p: member(t)["task"].update(final=True),
    "final unknown": lambda t, p: member(t)["task"].update(final=None),
    "doubt": lambda t, p: member(t).setdefault("doubts", {}).update(level={}),
    "kind of thread": lambda t, p: kind(t, "worker").update(kind="root"),
    "thread left out": lambda t, p: t["threads"].pop(0),
    "thread twice": lambda t, p: t["threads"].append(t["threads"][0]),
    "invented thread": lambda t, p: t["threads"].append({**t["threads"][0], "lwp": 1}),
    "idle": lambda t, p: idle(t).update(state="work_serial"),
    "idle in a region": lambda t, p: idle(t).update(region="R1"),
    "where": lambda t, p: t["threads"][0].update(where=None),
    "running": lambda t, p: t["threads"][0].update(running=True),
    "region left out": lambda t, p: p["regions"].pop(),
    "region's level": lambda t, p: p["regions"][1].update(level=2),
    "region's active level": lambda t, p: p["regions"][1].update(active_level=2),
    "region's size": lambda t, p: p["regions"][1].update(team_size=4),
    "parent": lambda t, p: p["regions"][-1].update(parent=None),
    "generator": lambda t, p: p["regions"][1].update(generator="teams"),
    "serialized": lambda t, p: p["regions"][1].update(serialized=True),
    "league": lambda t, p: p["regions"][1].update(league_size=1),
    "team_num": lambda t, p: p["regions"][1].update(team_num=0),
    "member's thread": lambda t, p: p["regions"][1]["members"][1].update(gdb="1.1"),
    "member left out": lambda t, p: p["regions"][1]["members"].pop(),
    "order of regions": lambda t, p: p["regions"].reverse(),
    "construct": lambda t, p: p["regions"][1]["loc"].update(line=1),
    "construct unknown": lambda t, p: p["regions"][1].update(loc=None),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Json, Json, Json]:
    """The record, the threads and the regions of a program with idle workers."""
    folder = tmp_path_factory.mktemp("told")
    executable, runtime = machine.compiled("reused"), machine.cached("libomp-14")
    with sessions.target("live", executable, (), runtime, folder) as target:
        commands = ["ompd threads -json", "ompd parallel -json"]
        answer = sessions.ask("gdb", commands, target.before, target.files, folder=folder)
        record = target.truth()
    threads, parallel = (answer.document(command) for command in commands)
    assert truth.mismatches(record, threads, parallel) == []
    return record, threads, parallel


@pytest.mark.parametrize("lie", LIES)
def test_lie_is_seen(lie: str, told: tuple[Json, Json, Json]) -> None:
    record, threads, parallel = copy.deepcopy(told)
    LIES[lie](threads, parallel)
    assert truth.mismatches(record, threads, parallel) != []


def test_truth_of_another_run_is_refused(told: tuple[Json, Json, Json], folder: Path) -> None:
    record, threads, parallel = copy.deepcopy(told)
    for thread in record["threads"]:
        thread["tid"] += 100000
    assert len(truth.mismatches(record, threads, parallel)) >= len(record["threads"])


def test_cells_meet_pairwise() -> None:
    assert cells.unmet_pairs(cells.cover()) == []


def test_cover_of_the_suite() -> None:
    """One of each test; each runtime somewhere; what a test wants each of, each."""

    def items(test: str, each: tuple[str, ...], *cells: dict[str, str]) -> list[Any]:
        return [
            SimpleNamespace(
                path="suite.py",
                name=f"{test}{cell}",
                originalname=test,
                callspec=SimpleNamespace(params=cell),
                iter_markers=lambda name: [SimpleNamespace(args=each)] if each else [],
                get_closest_marker=lambda name: None,
            )
            for cell in cells
        ]

    product = [{"runtime": r, "number": n} for r in ("a", "b") for n in "12345"]
    first, second = items("first", (), *product), items("second", (), *product)
    innocents = items("innocent", ("number",), *product)
    running, others = cover.chosen(first + second + innocents)
    assert {item.callspec.params["runtime"] for item in running if item in first} == {"a", "b"}
    assert len([item for item in running if item in second]) == 1
    assert {item.callspec.params["number"] for item in running if item in innocents} == set("12345")
    assert len(running) + len(others) == 30 and len(running) == 8


def test_every_program_in_every_kind_of_session() -> None:
    met = {(cell.case, cell.kind) for cell in cells.cover()}
    assert met == {(case, kind) for case in cells.CASES for kind in sessions.KINDS}


def test_every_program_is_used() -> None:
    """By a case, a test of its own, a tool, or another program."""
    users = [*machine.ROOT.glob("tests/**/*.py"), *machine.ROOT.glob("tools/*")]
    users += [*machine.ROOT.glob("corefiles/*.py"), *machine.ROOT.glob("bench/*")]
    users += [*machine.ROOT.glob("tests/**/CMakeLists.txt")]
    named: set[str] = {case.source for case in cells.CASES}
    for user in users:
        if user.is_file() and user != Path(__file__).resolve():
            named.update(re.findall(r"\b(\w+)(?=[\".])", user.read_text(encoding="utf-8")))
    programs = {p.stem for p in machine.PROGRAMS.iterdir() if p.suffix in (".c", ".cc", ".F90")}
    assert programs <= named, programs - named
