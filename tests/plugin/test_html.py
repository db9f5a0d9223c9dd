# SPDX-License-Identifier: Apache-2.0
"""Does a page say what its document says, whatever that holds, and nothing that could run?"""

from __future__ import annotations

import base64
import copy
import hashlib
import itertools
import json
import os
import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Iterator

import jsonschema  # type: ignore[import]
import pytest
import report_documents as documents
from ompd_core.views import html, status
from ompd_core.views.html import barriers, graph, layout, states, verdict, who
from ompd_core.views.html.report import Report

FULL = os.environ.get("OMPD_FULL") == "1"
SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "ompd-1.schema.json"
DOCUMENTS = {"deadlock": documents.deadlock, "crash": documents.crash}
HOSTILE = "\"'><script>hacked()</script><img src=x onerror=hacked()>&\x1b[31m\x00\u202e\u2028]]>"
_EMPTY = {"meta", "input", "wbr", "path", "rect", "ellipse"}
_INLINE = {"a", "b", "code", "i", "small", "span", "sub", "wbr"}


class Page(HTMLParser):
    """Read as a browser does; elements that are not closed, or twice, are an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.raw: dict[str, str] = {}
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()
        self._break(tag)

    def _break(self, tag: str) -> None:
        if tag not in _INLINE:
            self.words.append(" ")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.raw[self.open[-1]] = data
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def sections(self) -> list[str]:
        return [str(facts["id"]) for tag, facts in self.tags if tag == "section"]


def page(document: dict[str, Any]) -> Page:
    text = html.page(document)
    is_harmless(text)
    return Page(text)


def is_harmless(text: str) -> None:
    """Whatever the document was."""
    found = Page(text)
    names = [tag for tag, _ in found.tags]
    assert names.count("script") == 1 and "img" not in names and "iframe" not in names
    for _, facts in found.tags:
        assert not [name for name in facts if name.startswith("on")], facts
        assert "src" not in facts
        assert (facts.get("href") or "#").startswith("#"), facts
    for one in set(text) - {"\n", "\t"}:
        category = unicodedata.category(one)
        assert category not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"), f"U+{ord(one):04X}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_real(name: str) -> None:
    """A page of what no report can be would prove nothing."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.validate(DOCUMENTS[name](), schema)


def test_verdict_is_said_once() -> None:
    document = documents.deadlock()
    verdict = "2 threads, 2 locks"
    assert page(document).text.count(verdict) == 1
    document["findings"][0]["text"] = "A thread is slow."
    assert page(document).text.count(verdict) == 1


def test_sections_of_a_hang() -> None:
    found = page(documents.deadlock())
    assert found.sections() == [
        "verdict",
        "waits",
        "barriers",
        "stacks",
        "locals",
        "threads",
        "regions",
        "locks",
        "tasks",
        "offload",
        "icvs",
        "environment",
        "program",
        "doubts",
    ]
    for words in (
        "Deadlock wrong: exit status 1",
        "R1.0 waits for lock L2, which R1.1 holds.",
        "1 bystander that waits for these: R1.2",
        "1 of 4 arrived: R1.2",
        "3 threads missing",
        "main, solver.c:5",
        "solve () at solver.c:10 i = 7 x = 0x0",
        "lock `second' in the circle",
        "2 t2-3 blocked",
        "nthreads-var",
        "OMP_NUM_THREADS 4",
        "3 of 8",
        "node17",
        "LLVM libomp 19",
        "the runtime's own table, found in its memory (it is stripped)",
        "It was stopped for 0.42 s.",
        "core file core.100",
        "2026-11-21 10:37:20 UTC",
        "likely: it is not recorded; look twice",
    ):
        assert words in found.text, words
    assert "tells more" not in found.text, "a command's hint is no use in a browser"
    assert len([1 for tag, _ in found.tags if tag == "svg"]) == 1


def test_sections_of_a_crash() -> None:
    """Where it crashed comes before who waits for whom."""
    found = page(documents.crash())
    sections = found.sections()
    assert sections.index("stacks") < sections.index("waits")
    assert "It crashed wrong: exit status 1" in found.text
    assert "crashed, working" in found.text
    (branch,) = [f for _, f in found.tags if f.get("class") == "branch few leaf"]
    assert (branch["data-who"], branch["data-gdb"]) == ("R1.1", "T2")
    squares = [facts for tag, facts in found.tags if tag == "i" and facts.get("class") == "x"]
    assert "R1.1: crashed" in [facts.get("title") for facts in squares]


def test_every_thread_has_its_row() -> None:
    found = page(documents.crash())
    rows = [facts for tag, facts in found.tags if tag == "tr" and facts.get("data-gdb")]
    assert {f"T{num + 1}" for num in range(64)} <= {str(facts["data-gdb"]) for facts in rows}


def test_merged_rows_name_all_threads() -> None:
    found = page(documents.crash())
    named = [who.expanded(facts["data-who"]) for _, facts in found.tags if "data-who" in facts]
    assert sorted(f"R1.{num}" for num in range(64) if num != 1) in [sorted(one) for one in named]


def test_letters_stand_beside_colours() -> None:
    """Each class of a square has its letter in the style sheet."""
    style = Page(html.page(documents.deadlock())).raw["style"]
    for kind in states.ALL:
        assert f'.squares .{kind.style}::before {{ content: "{kind.letter}"; }}' in style
        assert f".{kind.style} {{ background:" in style


@pytest.mark.parametrize(
    "document", [{}, {"threads": None}, {"findings": [], "threads": []}], ids=repr
)
def test_empty_document(document: dict[str, Any]) -> None:
    """What was not looked at is not called good."""
    found = page(document)
    assert found.sections() == ["verdict", "program"]
    assert ("No problems found" in found.text) == ("findings" in document)
    assert ("No verdict" in found.text) == ("findings" not in document)


def test_no_openmp() -> None:
    missing = {"section": "openmp", "code": "no_openmp", "message": "None is loaded.", "hint": None}
    found = page({"findings": [], "unavailable": [missing]})
    assert "OpenMP's state is not known" in found.text and "None is loaded." in found.text
    assert "odd" not in found.text


def test_nothing_odd_but_not_known_either() -> None:
    document = documents.deadlock()
    document["findings"] = []
    assert "No problems found; what 1 thread does is not known" in page(document).text


def test_frames_doubts() -> None:
    """In the place of the text's own question mark."""
    document = documents.deadlock()
    leaf = documents.node("R1.0", 1, "work, solver.c:20?")
    leaf["frame"]["doubts"] = {"loc": documents.DOUBT}
    document["merged"]["children"] = [leaf]
    assert "work, solver.c:20?1" in page(document).text


def test_section_that_could_not_be_made() -> None:
    document = documents.deadlock()
    del document["locks"]
    why = {"code": "unreadable", "message": "The locks cannot be read.", "hint": "Try again."}
    document["unavailable"] = [{"section": "locks", **why}]
    found = page(document)
    assert "locks" not in found.sections()
    assert "section `locks': The locks cannot be read. Try again." in found.text


def test_environment() -> None:
    """None is told only where it was looked at."""
    assert "No variable of OpenMP's is set" in page({"environment": []}).text
    assert "environment" not in page({}).sections()


def test_devices() -> None:
    """What the text of `ompd target' and `ompd target map' tells."""
    found = page(documents.deadlock())
    for words in (
        "LLVM libomptarget 19, /usr/lib/libomptarget.so.19; layout 19, proven: a few mappings"
        " contradict it.",
        "0 NVIDIA GPU yes 2, 1,600,000 bytes 1 machine 190 not yet 0, 0 bytes; not all could be",
        "T3 R1.2 target teams, solver.c:17 solve, line 17 (2) 0 kernel runs on this thread",
        "runs on the host: target-offload-var is disabled",
        "T3 u[0:n] 0x5555555ddf70 800,000 - only in part",
        "T3 - 0x5555555ddf70 800,000 - not mapped",
        "T3 n - 800,000 - by value",
        "t1 solver.c:23 1 t2 t3 t4 ? ? -",
        "What is mapped (3)?",
        "likely: a few contradict it.",
        "0 u[0:n] solver.c:12 0x5555555ddf70 800,000 0x100000000200 1 + 2 held",
        "0 - - 0x5555555ddf70 800,000 0x100000000200 0 0",
        "0 coefficients solver.c:12 0x5555555ddf70 18014398509481984 0x100000000200 for ever",
        "compile with -g",
        "it goes when the construct that unmaps it is done",
    ):
        assert words in found.text, words
    rows = {facts.get("data-who"): facts for tag, facts in found.tags if tag == "tr"}
    assert rows["R1.2"]["data-gdb"] == "T3"
    # Each of the three that are not certain leads to its reason.
    (doubted,) = re.findall(r"T4 R1\.3 target, solver\.c:20(.*?) runs on", found.text)
    assert re.fullmatch(r"\?\d+ \?\d+ \?\d+", doubted), doubted


def test_a_construct_of_a_device_that_failed() -> None:
    document = documents.deadlock()
    text = "T3, target, solver.c:17: the offload runtime ended the program."
    document["findings"] = [{"code": "target_aborted", "text": text, "wrong": True}]
    found = page(document)
    assert "A construct of a device has failed wrong: exit status 1" in found.text
    assert "#offload" in [facts.get("href") for _, facts in found.tags]


def test_each_finding_has_its_title() -> None:
    known = status.WRONG | {status.CANNOT_TELL, "mapping_left"}
    assert known <= verdict.TITLES.keys() and known <= verdict.SECTIONS.keys()


def test_no_devices() -> None:
    assert "offload" not in page({"findings": [], "threads": []}).sections()
    document = documents.deadlock()
    nothing: dict[str, Any] = dict.fromkeys(("devices", "targets", "mappings"), [])
    doubts = dict.fromkeys(("devices", "mappings"), {"certainty": "unknown", "why": "x", "how": ""})
    document["offload"].update(runtime=None, target_offload=None, doubts=doubts, **nothing)
    text = page(document).text
    assert "No offload runtime that could be read." in text
    assert "Which devices there are is not known?" in text
    assert "What is mapped is not known?" in text
    assert "No thread is in a construct of a device." in text


def test_finding_that_passed() -> None:
    """The shell looks at a process twice; what was gone the second time does not count."""
    document = documents.deadlock()
    document["findings"] = [
        {"code": "standing_still", "text": "None is at work.", "wrong": True, "confirmed": False}
    ]
    found = page(document)
    assert "exit status 1" not in found.text and "it is passing" in found.text


def test_end_that_is_no_crash() -> None:
    document = documents.crash()
    document["findings"] = []
    document["signal"].update(name="SIGQUIT", crash=False, reason="sent by process 7")
    assert "Ended by SIGQUIT (sent by process 7), in R1.1 (T2)" in page(document).text


# ---- Nothing that a core file holds may run ------------------------------------------------------


def test_only_its_own_script_may_run() -> None:
    found = Page(html.page(documents.deadlock()))
    policies = [f["content"] for t, f in found.tags if t == "meta" and f.get("http-equiv")]
    (policy,) = policies
    digest = base64.b64encode(hashlib.sha256(found.raw["script"].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in str(policy)
    assert str(policy).startswith("default-src 'none'")
    assert "unsafe-eval" not in str(policy) and "script-src 'unsafe" not in str(policy)
    # Before anything that could be of the document's.
    first = next(tag for tag, _ in found.tags if tag in ("title", "style", "body", "meta"))
    assert first == "meta"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from places(item, (*path, i))


def shape(path: tuple[Any, ...]) -> tuple[Any, ...]:
    """The items of a list are alike."""
    return tuple("*" if isinstance(step, int) else step for step in path)


def value_at(document: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


def changed(document: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    made = copy.deepcopy(document)
    value_at(made, path[:-1])[path[-1]] = value
    return made


# Every field of every kind of object once.
PATHS = list({shape(path): path for path in places(documents.deadlock()) if path}.values())


def test_hostile_strings() -> None:
    """In the place of every string, one by one."""
    document = documents.deadlock()
    strings = [path for path in PATHS if isinstance(value_at(document, path), str)]
    assert len(strings) > 100
    shown = 0
    for path in strings:
        text = html.page(changed(document, path, HOSTILE))
        is_harmless(text)
        shown += "&lt;script&gt;hacked()" in text
    assert shown > 40, "most strings are not shown"


def test_everything_is_hostile() -> None:
    def spoiled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: spoiled(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [spoiled(inner) for inner in value]
        return HOSTILE if isinstance(value, str) else value

    text = html.page(spoiled(documents.crash()))
    is_harmless(text)
    assert "\\x1b[31m\\x00\\u202e\\u2028" in text


ANYTHING: list[Any] = [None, -1, 1 << 80, 0.5, True, "", [], {}, [[]], [{}], {"x": {}}]
ANYTHING += ["R0-999999999.0-999999999"]


@pytest.mark.parametrize("number", range(len(ANYTHING)), ids=lambda number: repr(ANYTHING[number]))
def test_any_value_anywhere(number: int) -> None:
    """Older, newer and foreign documents: what is not understood is left out. Each place sees one
    of the values, and in --full all."""
    document, value = documents.deadlock(), ANYTHING[number]
    for path in PATHS if FULL else PATHS[number :: len(ANYTHING)]:
        assert html.page(changed(document, path, value)).endswith("</html>\n")


@pytest.mark.parametrize("name", sorted(documents.deadlock()))
def test_without_any_field(name: str) -> None:
    document = documents.deadlock()
    del document[name]
    page(document)


def test_long_texts_are_cut() -> None:
    document = documents.deadlock()
    document["locks"][0]["name"] = "x" * 1_000_000
    assert len(html.page(document)) < 200_000


# ---- Many threads --------------------------------------------------------------------------------


def test_1024_threads_stay_small() -> None:
    document = documents.crash()
    document["threads"] = [thread for thread in many(1024)]
    document["regions"] = [documents.region(0, None, 1), documents.region(1, 0, 1024)]
    text = html.page(document)
    assert len(text.encode()) < 2_000_000
    assert "1,024 threads" in Page(text).text


def many(count: int) -> Iterator[dict[str, Any]]:
    for num in range(count):
        yield documents.thread(num, "wait_barrier_explicit" if num % 2 else "work_parallel")


def test_tables_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program may have any number of tasks and locks."""
    monkeypatch.setattr("ompd_core.views.html.report.MOST_ROWS", 50)
    document = documents.crash()
    document["tasks"] = [documents.task(num, "ready", []) for num in range(200)]
    document["locks"] = [documents.lock(num, f"l{num}", "R1.0", []) for num in range(80)]
    document["offload"]["mappings"] = [documents.mapping(f"m{num}", 1, False) for num in range(70)]
    found = page(document)
    for words in (
        "150 more are in the JSON document only.",  # tasks
        "30 more are in the JSON document only.",  # locks
        "20 more are in the JSON document only.",  # mappings
        "14 more are in the JSON document only.",  # threads
    ):
        assert words in found.text, words
    assert "200 t0-199 ready" in found.text


def test_alike_regions_stand_together() -> None:
    document = documents.deadlock()
    document["regions"] += [{**documents.region(num, 1, 3), "members": []} for num in range(2, 62)]
    assert "R2-61 parallel at main, solver.c:5 60 regions of 3 threads each" in page(document).text
    # But for one whose place is only likely.
    document["regions"][-1]["doubts"] = {"loc": documents.DOUBT}
    shown = page(document).text
    assert "R2-60 parallel at main, solver.c:5 59 regions" in shown
    assert "R61 parallel at main, solver.c:5" in shown


def test_deep_stacks_and_regions_end() -> None:
    """Deeper than Python's recursion."""
    document = documents.deadlock()
    document["regions"] = [documents.region(0, None, 1)]
    document["regions"] += [documents.region(num, num - 1, 1) for num in range(1, 3000)]
    inner = documents.node("R1.0", 1, "f")
    for _ in range(3000):
        # Two children each: a chain would be one line.
        inner = documents.node("R1.0-1", 2, "f", inner, documents.node("R1.1", 1, "g"))
    document["merged"] = documents.node("R1.0-1", 2, None, inner)
    found = page(document)
    assert "More branches are in the JSON document only." in found.text


# ---- Lists of ids --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, names",
    [
        ("R1.0-2 T5", ["R1.0", "R1.1", "R1.2", "T5"]),
        ("R2-3.0,2", ["R2.0", "R2.2", "R3.0", "R3.2"]),
        ("", []),
        (None, []),
        ("(a thread that is gone)", ["(a", "thread", "that", "is", "gone)"]),
        ("R1", ["R1"]),
        ("R0-999999999.0", ["R0-999999999.0"]),
        ("T0-999999999", ["T0-999999999"]),
    ],
)
def test_expanded(text: str | None, names: list[str]) -> None:
    assert who.expanded(text) == names


def test_compressed_is_the_reverse() -> None:
    for text in ("R1.0-2 T5", "R2-3.0,2", "R1.0-6,8", "T1-3,9"):
        assert who.compressed(who.expanded(text)) == text


# ---- The picture ---------------------------------------------------------------------------------


def drawn(document: dict[str, Any]) -> graph.Graph:
    return graph.of_report(Report(document))


def test_circle_alternates() -> None:
    """Thread, what it wants, who has that; and the bystander leads to it over its barrier."""
    found = drawn(documents.deadlock())
    (ring,) = found.rings
    assert [one.kind for one in ring] == ["thread", "lock", "thread", "lock"]
    ways = {(a.source.lines[0], a.target.lines[0]): a for a in found.arrows}
    held = ways["lock `second'", "R1.1 (T2)"]
    assert held.words == "held by" and held.likely and held.stuck
    assert ("R1.2 (T3)", "barrier, solver.c:12") in ways
    assert ("barrier, solver.c:12", "R1.0 (T1)") in ways
    assert ("barrier, solver.c:12", "R1.3 (T4)") in ways
    assert not ways["R1.2 (T3)", "barrier, solver.c:12"].stuck


@pytest.mark.parametrize(
    "doubts, name",
    [({}, "barrier, heat.c:32"), ({"loc": {"certainty": "likely"}}, "barrier near heat.c:32")],
)
def test_a_line_near_a_barrier(doubts: dict[str, Any], name: str) -> None:
    barrier = {"kind": "unknown", "loc": {"file": "heat.c", "line": 32}, "doubts": doubts}
    assert barriers.name(barrier) == name


def test_barriers_of_one_name_are_two() -> None:
    """Where their places are not known; in one ellipse they would look like a circle."""
    document = documents.deadlock()
    document["deadlock"].update(cycles=[])
    document["deadlock"]["waits"] = [
        documents.waiting(
            who,
            1,
            "barrier",
            barrier={
                "region": "R1",
                "name": "barrier",
                "missing": missing,
                "complete": True,
                "certainty": "certain",
            },
        )
        for who, missing in (("R1.0", "R1.1-3"), ("R1.1", "R1.0,2-3"))
    ]
    found = drawn(document)
    assert [one.kind for one in found.nodes].count("barrier") == 2


def test_state_of_the_busy_runtime() -> None:
    document = documents.deadlock()
    thread = document["threads"][2]
    second = {
        **thread["openmp"][0],
        "wait": None,
        "runtime": 1,
        "id": None,
        "state": "work_parallel",
    }
    thread["openmp"] = [{**thread["openmp"][0], "state": "idle", "wait": None}, second]
    assert states.kind(thread) is states.WORKING


def test_many_groups_are_counted() -> None:
    document = documents.deadlock()
    document["deadlock"]["waits"] = [
        documents.waiting(f"R7.{num}", 1, "call", outside=f"call_{num}") for num in range(50)
    ]
    found = drawn(document)
    assert found.left_out == 50 - graph.MOST_GROUPS
    assert f"{found.left_out} more threads that wait are not drawn" in page(document).text


def test_long_circle_is_told_in_sentences() -> None:
    document = documents.deadlock()
    document["deadlock"]["cycles"] = [
        [documents.edge(f"R1.{n}", f"R1.{(n + 1) % 40}", f"L{n}", f"L{n + 1}") for n in range(40)]
    ]
    document["deadlock"]["waits"] = []
    assert drawn(document).rings == []
    assert "R1.39 waits for lock L39, which R1.0 holds." in page(document).text


def rings(count: int) -> tuple[list[layout.Box], list[tuple[int, int]], list[list[int]]]:
    boxes = [layout.Box(90 + 37 * (i % 4), 40 + 9 * (i % 3)) for i in range(count + 3)]
    arrows = [(i, (i + 1) % count) for i in range(count)]
    arrows += [(count, 0), (count + 1, count), (0, count + 2)]
    return boxes, arrows, [list(range(count))]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 8, 16, 32])
def test_boxes_stand_apart(count: int) -> None:
    boxes, arrows, ring = rings(count)
    width, height = layout.arrange(boxes, arrows, ring)
    for i, one in enumerate(boxes):
        assert one.width / 2 <= one.x <= width - one.width / 2
        assert one.height / 2 <= one.y <= height - one.height / 2
        for other in boxes[:i]:
            apart = max(
                abs(one.x - other.x) - (one.width + other.width) / 2,
                abs(one.y - other.y) - (one.height + other.height) / 2,
            )
            assert apart > 5, f"{one} and {other}"


def test_picture_is_told_in_words() -> None:
    """For who does not see it."""
    text = html.page(documents.deadlock())
    described = re.search(r"<desc>([^<]*)</desc>", text)
    assert described and "R1.0 waits for lock L2, which R1.1 holds." in described.group(1)


def test_arrows_meet_no_third_box() -> None:
    """Behind one they would seem to lead there: three in a row, the first leads to the last."""
    boxes = [layout.Box(90, 40, x, 100) for x in (50, 250, 450)]
    bend = layout.past_others(boxes, 0, 2, (250, 100))
    middle = (boxes[0].y + 2 * bend[1] + boxes[2].y) / 4
    assert abs(middle - 100) > boxes[1].height / 2
    assert layout.past_others(boxes, 0, 1, (150, 100)) == (150, 100)


def missing(*edges: tuple[str, str]) -> dict[str, Any]:
    """Six threads at a barrier that others have not come to, and who of those has what: (who waits,
    for which lock of whom)."""
    document = copy.deepcopy(documents.deadlock())
    document["threads"] = [documents.thread(n, "work_parallel") for n in range(64)]
    document["findings"] = []
    document["deadlock"]["cycles"] = []
    barrier = {"region": "R1", "name": "barrier", "missing": "R1.17,40-42", "certainty": None}
    document["deadlock"]["waits"] = [
        documents.waiting("R1.0-5", 6, "barrier", barrier=barrier),
        *(
            documents.waiting(who, 1, "lock", **{"for": [documents.target(*whom)]})
            for who, *whom in edges
        ),
    ]
    return document


def arrows(document: dict[str, Any]) -> list[tuple[list[str], str, list[str]]]:
    shown = graph.of_report(Report(document))
    return [(arrow.source.lines, arrow.words, arrow.target.names) for arrow in shown.arrows]


def test_holders_of_different_locks_are_apart() -> None:
    found = arrows(missing(("R1.6", "R1.17", "L1"), ("R1.7", "R1.40", "L2")))
    having = {lines[-1]: names for lines, words, names in found if words == "held by"}
    assert having == {"L1": ["R1.17"], "L2": ["R1.40"]}
    at_barrier = [names for _, words, names in found if words == "missing"]
    assert sorted(at_barrier) == [["R1.17"], ["R1.40"], ["R1.41", "R1.42"]]


def test_who_holds_one_and_waits_is_apart_too() -> None:
    """Two that wait alike, each with a lock of its own."""
    found = arrows(missing(("R1.6", "R1.0", "L1"), ("R1.7", "R1.3", "L2")))
    having = {lines[-1]: names for lines, words, names in found if words == "held by"}
    assert having == {"L1": ["R1.0"], "L2": ["R1.3"]}
    assert ["R1.41", "R1.42", "R1.17", "R1.40"] != [names for _, _, names in found]


def test_labels_do_not_lie_on_each_other() -> None:
    taken: list[layout.Box] = []
    for height in range(4):
        curve = (0.0, 0.0), (150.0, 3.0 * height), (300.0, 0.0)
        taken.append(layout.free(curve, layout.Box(60, 16), taken))
    for one, other in itertools.combinations(taken, 2):
        assert one.covers(other) == 0


def test_headings_are_not_said_twice() -> None:
    document = copy.deepcopy(documents.deadlock())
    for text, shown in (
        ("DEADLOCK (likely): 2 threads, 2 locks.", "Likely: 2 threads, 2 locks."),
        ("SELF-DEADLOCK: a thread waits for itself.", "A thread waits for itself."),
        ("The program crashed: SIGSEGV (x), in T1", "SIGSEGV (x), in T1"),
        ("Something else: yes", "Something else: yes"),
    ):
        document["findings"][0]["text"] = text
        assert f"</h2><p>{shown}</p>" in html.page(document)
