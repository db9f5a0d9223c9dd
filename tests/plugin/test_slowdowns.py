# SPDX-License-Identifier: Apache-2.0
"""Is a team called crowded, held back or uneven only where it is?"""

from __future__ import annotations

from pathlib import Path
from typing import FrozenSet, Sequence

import pytest
from ompd_core.formats import control_groups, procfs
from ompd_core.library.types import Icvs, IcvValue, ViewRegion
from ompd_core.model.native import Location
from ompd_core.model.process import Region
from ompd_core.model.slowdowns import (
    Crowded,
    Processors,
    Throttled,
    alone,
    fewer,
    of_processors,
    uneven,
)
from ompd_core.snapshot import processors
from ompd_core.views import slowdowns as view
from test_judgement import at_barrier, team

ANY = frozenset(range(8))


def granted(*sets: FrozenSet[int], quota: float | None = None) -> Processors:
    return Processors({100 + number: one for number, one in enumerate(sets)}, quota)


def one(number: int) -> FrozenSet[int]:
    return frozenset((number,))


@pytest.mark.parametrize(
    "sets",
    [
        [ANY] * 8,
        [one(0), one(1), one(2)],
        [one(0), ANY, ANY],
        [frozenset((0, 1))] * 2,
        [],  # none could be asked for
    ],
)
def test_who_has_room(sets: Sequence[FrozenSet[int]]) -> None:
    assert of_processors(team(max(len(sets), 2)), granted(*sets)) == []


@pytest.mark.parametrize(
    "sets, threads, text",
    [
        ([one(3)] * 4, 4, "The 4 threads of R1 are bound to processor 3: they take turns."),
        ([frozenset((4, 5))] * 6, 6, "The 6 threads of R1 may use 2 processors (4-5)"),
        # Two of them share one, although there are others.
        ([one(0), one(0), one(1), one(2)], 2, "The 2 threads of R1 are bound to processor 0"),
        # None is worse off than the others, and yet they are more.
        ([one(0), one(0), one(1), one(1)], 4, "The 4 threads of R1 may use 2 processors (0-1)"),
    ],
)
def test_who_takes_turns(sets: Sequence[FrozenSet[int]], threads: int, text: str) -> None:
    (found,) = of_processors(team(len(sets)), granted(*sets))
    assert isinstance(found, Crowded) and len(found.threads) == threads
    ((code, said),) = view.of_slowdowns([found])
    assert code == "few_processors" and said.startswith(text)


def test_one_thread_alone_never_takes_turns() -> None:
    assert of_processors(team(1), granted(one(0), quota=0.5)) == []


@pytest.mark.parametrize(
    "quota, held_back", [(1.5, True), (4.0, False), (8.0, False), (None, False)]
)
def test_a_quota(quota: float | None, held_back: bool) -> None:
    found = of_processors(team(4), granted(*[ANY] * 4, quota=quota))
    assert found == ([Throttled(found[0].threads, 1.5)] if held_back else [])
    if held_back:
        ((code, said),) = view.of_slowdowns(found)
        assert code == "little_time" and "1.5 processors' worth of time" in said


def test_uneven_work() -> None:
    process = team(4, at_barrier(), at_barrier(), at_barrier())
    (found,) = uneven(process)
    assert [thread.openmp[0].thread_num for thread in found.working] == [3]
    ((code, said),) = view.of_slowdowns([found])
    assert (
        code == "uneven_work" and "3 of the 4 threads of R1" in said and "R1.3, which works" in said
    )


def test_code_without_symbols_is_named_as_in_the_table() -> None:
    process = team(4, at_barrier(), at_barrier(), at_barrier())
    process.threads[3].where = Location(None, objfile="/lib/libsolve.so", offset=0x115A)
    ((_, said),) = view.of_slowdowns(uneven(process))
    assert "which works in libsolve.so+0x115a ()." in said


@pytest.mark.parametrize("waiting, size", [(0, 4), (2, 4), (4, 4), (1, 2)])
def test_even_work(waiting: int, size: int) -> None:
    assert uneven(team(size, *[at_barrier()] * waiting)) == []


@pytest.mark.parametrize(
    "size, processors, asked, is_told",
    [
        (1, 8, 1, True),
        (1, 1, 1, False),
        (2, 8, 1, False),
        (1, 8, 8, False),  # by a clause
        (1, 8, None, False),
    ],
)
def test_a_team_of_one(size: int, processors: int, asked: int | None, is_told: bool) -> None:
    process = team(size)
    process.regions[0].parent = Region(0, ViewRegion(0x2000, None, "program", 0, 0, 1))
    icvs = Icvs({}, {}, {"nthreads-var": IcvValue(asked, None)}, [None] * size)
    allowed = granted(*[frozenset(range(processors))] * size)
    found = view.of_slowdowns(alone(process, process.regions[0].runtime, icvs, allowed))
    assert [code for code, _ in found] == ["one_thread"] * is_told
    for _, said in found:
        assert said.startswith(f"R1 has one thread, of {processors} processors that it may use")


def test_nothing_is_said_of_what_is_not_known() -> None:
    process = team(4, at_barrier(), at_barrier(), at_barrier())
    process.threads[3].openmp[0].state = None
    assert uneven(process) == []


@pytest.mark.parametrize(
    "lines, files, quota",
    [
        ("0::/a/b\n", {"a/cpu.max": "150000 100000\n", "a/b/cpu.max": "max 100000\n"}, 1.5),
        ("0::/a/b\n", {"a/cpu.max": "150000 100000\n", "a/b/cpu.max": "50000 100000\n"}, 0.5),
        ("0::/../a\n", {"cpu.max": "max 100000\n"}, None),
        ("0::/a\n", {"a/cpu.max": "soon\n"}, None),
        ("0::/a\n", {}, None),
        (
            "4:cpu,cpuacct:/a\n0::/\n",
            {
                "cpu,cpuacct/a/cpu.cfs_quota_us": "200000\n",
                "cpu,cpuacct/a/cpu.cfs_period_us": "100000\n",
                "cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
                "cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            },
            2.0,
        ),
        ("nothing\n", {}, None),
    ],
)
def test_the_groups_limit(
    lines: str,
    files: dict[str, str],
    quota: float | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, text in {"groups/" + name: text for name, text in files.items()}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="ascii")
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "cgroup").write_text(lines, encoding="ascii")
    monkeypatch.setattr(control_groups, "ROOT", str(tmp_path / "groups"))
    monkeypatch.setattr(procfs, "ROOT", str(tmp_path))
    assert processors.quota(1) == quota


@pytest.mark.parametrize(
    "values, said",
    [
        ({"nthreads-var": 8, "thread-limit-var": 4}, "no more than 4 at a time"),
        ({"nthreads-var": 8, "dyn-var": 1}, "may make teams smaller"),
        # Of a limit that is not reached it is not the doing, but that of a clause.
        ({"nthreads-var": 8, "thread-limit-var": 6, "dyn-var": 0}, None),
        ({"nthreads-var": 4, "thread-limit-var": 4, "dyn-var": 1}, None),
        ({}, None),
    ],
)
def test_who_keeps_a_team_small(values: dict[str, int], said: str | None) -> None:
    process = team(4)
    process.regions[0].parent = Region(0, ViewRegion(0x2000, None, "program", 0, 0, 1))
    numbers = {name: IcvValue(number, None) for name, number in values.items()}
    runtime = process.regions[-1].runtime
    found = view.of_slowdowns(fewer(process, runtime, Icvs({}, {}, numbers, [None] * 4)))
    if said is None:
        assert found == []
    else:
        ((code, text),) = found
        assert code == "few_threads" and text.startswith("R1 has 4 threads, not 8") and said in text
