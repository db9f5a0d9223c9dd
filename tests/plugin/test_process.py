# SPDX-License-Identifier: Apache-2.0
"""Do the answers of the library become the right regions, names and JSON?"""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema  # type: ignore[import]
import pytest
from ompd_core.errors import UserError
from ompd_core.library.types import Diagnostic, View, ViewRegion, ViewThread
from ompd_core.model import doubts, ids
from ompd_core.model.assessment import Assessment
from ompd_core.model.deadlock import find
from ompd_core.model.facts import Library, Program
from ompd_core.model.judgement import judge
from ompd_core.model.locks import Locks
from ompd_core.model.native import Location, NativeThread
from ompd_core.model.process import NoSuchId, Process, Runtime
from ompd_core.views import json_document, json_text, parallel, status, threads
from ompd_core.views.table import Style

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "ompd-1.schema.json"


def natives(count: int) -> list[NativeThread]:
    return [NativeThread(n, 1, n, (100, 100 + n, 0)) for n in range(1, count + 1)]


def runtime(view: View | None, initialized: bool | None = True) -> Runtime:
    made = Runtime(0, "llvm", 19, "LLVM libomp 19", "/lib/libomp.so", 0x1000, view=view)
    made.initialized = initialized
    return made


def two_in_two() -> Process:
    """R0, in it R1 of two threads, both of which began a region of two."""
    regions = [
        ViewRegion(0x10, None, "program", 0, 0, 1, (0,)),
        ViewRegion(0x20, 0, "parallel", 1, 1, 2, (0, 1), source=";heat.c;main;80;9;;"),
        # The library's order is not that of the thread numbers.
        ViewRegion(0x40, 1, "parallel", 2, 2, 2, (1, 3)),
        ViewRegion(0x30, 1, "parallel", 2, 2, 2, (0, 2)),
    ]
    found = [
        ViewThread(0, "initial", ((3, 0), (1, 0), (0, 0))),
        ViewThread(1, "worker", ((2, 0), (1, 1), (0, 0))),
        ViewThread(2, "worker", ((3, 1), (1, 0), (0, 0))),
        ViewThread(3, "worker", ((2, 1), (1, 1), (0, 0))),
        ViewThread(4, "worker"),
        ViewThread(5, "none"),
    ]
    return Process(natives(6), [runtime(View(found, regions))])


def test_regions_are_numbered_from_the_root_by_thread() -> None:
    assert [region.raw.address for region in two_in_two().regions] == [0x10, 0x20, 0x30, 0x40]


def test_every_thread_has_its_innermost_name() -> None:
    names = [[m.id for m in thread.openmp] for thread in two_in_two().threads]
    assert names == [["R2.0"], ["R3.0"], ["R2.1"], ["R3.1"], [None], []]


def test_only_a_worker_without_region_is_idle() -> None:
    states = [[m.state for m in thread.openmp] for thread in two_in_two().threads]
    assert (
        states[4] == ["idle"]
        and [None] in states
        and "state" in two_in_two().threads[0].openmp[0].doubts
    )


def test_roots_are_numbered_by_their_thread() -> None:
    regions = [
        ViewRegion(0x90, None, "program", 0, 0, 1, (1,)),
        ViewRegion(0x10, None, "program", 0, 0, 1, (0,)),
    ]
    found = [ViewThread(0, "initial", ((1, 0),)), ViewThread(1, "root", ((0, 0),))]
    process = Process(natives(2), [runtime(View(found, regions))])
    assert [region.raw.address for region in process.regions] == [0x10, 0x90]


@pytest.mark.parametrize(
    "word, numbers",
    [("R2", [1, 3]), ("R3.1", [4]), ("R1.0", [1]), ("2-3", [2, 3]), ("*", [1, 2, 3, 4, 5, 6])],
)
def test_ids_select_threads(word: str, numbers: list[int]) -> None:
    chosen = two_in_two().select([ids.parse(word)], 1)
    assert [thread.native.num for thread in chosen if thread.native] == numbers


@pytest.mark.parametrize(
    "word, sentence",
    [("R9", "R0 to R3"), ("R2.5", "are 0 to 1"), ("77", "info threads"), ("2.1", "`inferior 2'")],
)
def test_an_absent_id_says_what_there_is(word: str, sentence: str) -> None:
    with pytest.raises(NoSuchId) as met:
        two_in_two().select([ids.parse(word)], 1)
    assert sentence in str(met.value)


@pytest.mark.parametrize("view", [None, View([ViewThread(0, "none")], [])])
def test_a_runtime_that_cannot_be_read_leaves_threads_unknown(view: View | None) -> None:
    process = Process(natives(2), [runtime(view, initialized=None)])
    assert [thread.kind for thread in process.threads] == [None, None]
    assert threads.classes(process.threads) == "2 unknown"
    assert "kind" in process.threads[0].doubts


def test_a_runtime_that_has_not_started_has_no_threads() -> None:
    process = Process(natives(2), [runtime(None, initialized=False)])
    assert [thread.kind for thread in process.threads] == ["none", "none"]
    judgement = judge(find(process, Locks(process), None, {}))
    assert "(loaded, not started)" in "\n".join(
        status.summary(Assessment(process, judgement), (), Style())
    )


def test_a_thread_that_gdb_does_not_know_is_shown() -> None:
    view = View(
        [ViewThread(None, "worker", ((0, 0),), pthread_id=0x70)],
        [ViewRegion(1, None, "program", 0, 0, 1, (0,))],
    )
    process = Process([], [runtime(view)])
    assert process.threads[0].native is None
    assert [code for code, _ in status.findings(Assessment(process))] == ["thread_unknown"]


def test_a_thread_that_is_not_made_yet_is_none() -> None:
    view = View(
        [ViewThread(None, "worker", ((0, 0),))], [ViewRegion(1, None, "program", 0, 0, 1, (0,))]
    )
    assert not Process([], [runtime(view)]).threads


def test_a_worker_that_has_not_begun_starts() -> None:
    thread = two_in_two().threads[1]
    (member,) = thread.openmp
    member.state = "overhead"
    assert threads.words_of(thread) == "overhead"
    member.starts = True
    assert (threads.words_of(thread), member.state) == ("starting", "overhead")


def test_a_wide_tree_fits_the_screen() -> None:
    size = 120
    regions = [ViewRegion(1, None, "program", 0, 0, 1, (0,))]
    regions.append(ViewRegion(2, 0, "parallel", 1, 1, size, tuple(range(size))))
    found = []
    for i in range(size):
        pair = (i, size + i) if i % 2 else (i,)
        regions.append(ViewRegion(10 + i, 1, "parallel", 2, 2, len(pair), pair))
        found.append(ViewThread(i, "worker", ((i + 2, 0), (1, i), (0, 0))))
    found += [ViewThread(size + i, "worker", ((i + 2, 1), (1, i), (0, 0))) for i in range(size)]
    process = Process(natives(2 * size), [runtime(View(found, regions))])
    roots = [region for region in process.regions if region.parent is None]
    lines = parallel.lines(roots, [], Style())
    assert max(len(line) for line in lines) <= 100
    assert any("R2,4,6" in line for line in lines)


def test_a_line_that_is_only_likely_has_its_mark() -> None:
    process = two_in_two()
    doubted, sure, unknown = process.regions[1:]
    doubted.location = sure.location = Location("solve", "heat.c", "/src/heat.c", 80)
    doubted.doubts["loc"] = doubts.CALL_SITE
    unknown.doubts["loc"] = doubts.NOT_RECORDED
    shown = "\n".join(parallel.lines([process.regions[0]], [], Style()))
    assert "solve, heat.c:80?  " in shown
    assert "solve, heat.c:80  " in shown  # of the other one, which stands by itself
    assert f"?: {doubts.CALL_SITE.why}"[:40] in shown
    (line,) = [one for one in parallel.detail(doubted, Style()) if "construct " in one]
    assert line.endswith("heat.c:80?")
    (line,) = [one for one in parallel.detail(sure, Style()) if "construct " in one]
    assert line.endswith("heat.c:80")
    told = json_document.regions([doubted])[0]["doubts"]["loc"]["certainty"]
    assert told == "likely"


@pytest.mark.parametrize("initialized", [True, None])
def test_documents_keep_the_schema(initialized: bool | None) -> None:
    process = two_in_two()
    if initialized is None:
        process = Process(natives(2), [runtime(None, None)])
    document = json_document.envelope(
        "threads",
        1,
        "13.1",
        [],
        Program(1, 100, "live", "/bin/heat"),
        process.runtimes,
        threads=json_document.threads(process.threads),
    )
    document["parallel"] = {"regions": json_document.regions(process.regions)}
    if initialized is None:
        del document["parallel"]
    _check(document)


def test_an_error_keeps_the_schema() -> None:
    _check(json_text.error("threads", UserError("bad_id", "What.", "How.")))


def test_the_schema_can_fail() -> None:
    with pytest.raises(jsonschema.ValidationError):
        _check({"schema": "ompd/2", "command": "threads"})


def test_addresses_and_big_numbers_survive_every_reader() -> None:
    assert json_document.address(0x7FFFF7A00000) == "0x7ffff7a00000"
    assert json_document.integer(1 << 60) == str(1 << 60) and json_document.integer(7) == 7


def _check(document: object) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(json_text.text(document)), schema)  # type: ignore[arg-type]


def test_advice_is_of_the_kind_of_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a core file there is no other: nobody is sent to look again."""
    every = [one for one in vars(doubts).values() if isinstance(one, doubts.Doubt)]
    assert sum("another stop" in one.sentence for one in every) >= 6
    monkeypatch.setattr(doubts.Stop, "is_last", True)
    for one in every:
        assert "another stop" not in one.sentence + one.advice
        assert one.sentence.startswith(one.why)
    fields: dict[str, object] = {}
    json_document.with_doubts(fields, {"state": doubts.BARRIER_NOT_PROVEN})
    assert fields["doubts"] == {
        "state": {"certainty": "likely", "why": doubts.BARRIER_NOT_PROVEN.why, "how": ""}
    }


def test_what_nobody_asked_for() -> None:
    """A stock runtime lacks variables that only `ompd icvs' would read."""
    of = runtime(None)
    of.supported, of.descriptors = True, "symbols"
    of.diagnostics = [
        Diagnostic("global_not_found", "__kmp_tool", "it cannot be located"),
        Diagnostic("locks_cut", "", "not all could be read"),
    ]
    library = Library("libompd.so", "1", 5)
    for every in (False, True):
        text = "\n".join(status.status(None, library, [of], [], Style(every=every)))
        assert "noted: not all could be read" in text
        assert ("noted: __kmp_tool: it cannot be located" in text) == every
