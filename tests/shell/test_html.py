# SPDX-License-Identifier: Apache-2.0
"""Does `ompd core --html' write a page of what it found, and does a browser show it, let it be
folded and searched, and run nothing that is not its own?"""

from __future__ import annotations

import gzip
import json
import re
from html import unescape
from pathlib import Path

import command
import corpus
import machine
import pytest
from browser import Browser
from command import FINDING, NOTHING_ODD, is_an_error, ompd
from ompd_core.views import html
from sessions import kernel_core, parked, target

THREADS = 64
# What they share is made once.
pytestmark = pytest.mark.xdist_group("html")


def written(core: Path, folder: Path, name: str = "page.html") -> Path:
    """The page alone: nothing is printed."""
    page = folder / name
    answer = ompd("core", "--html", page, core, folder=folder)
    assert (answer.text, answer.errors) == ("", "")
    assert answer.status in (FINDING, NOTHING_ODD)
    return page


# ---- The files -----------------------------------------------------------------------------------


def test_page_is_made_of_the_document(folder: Path) -> None:
    core = command.crashed(folder, "unmapped")
    page, document = folder / "two words.html", folder / "report.json"
    answer = ompd("core", core, "--json", "-o", document, "--html", page, folder=folder)
    assert answer.status == FINDING and answer.text == ""
    read = json.loads(document.read_text(encoding="utf-8"))
    assert page.read_text(encoding="utf-8") == html.page(read)
    assert read["inferior"]["core"] == str(core)


def test_page_and_text(folder: Path) -> None:
    core = command.crashed(folder, "unmapped")
    answer = ompd("core", core, "--text", "--html", folder / "page.html", folder=folder)
    assert answer.status == FINDING and answer.text.startswith("Odd     : The program crashed")
    assert "It crashed" in (folder / "page.html").read_text(encoding="utf-8")


def test_what_was_met_outside_of_gdb(folder: Path) -> None:
    """Is on the page too."""
    core = command.crashed(folder, "unmapped")
    packed = folder / "core.gz"
    packed.write_bytes(gzip.compress(core.read_bytes(), 1))
    text = written(packed, folder).read_text(encoding="utf-8")
    assert f"{packed} was unpacked for this report" in text


def test_process(folder: Path) -> None:
    executable, environment = machine.compiled("nested"), command.environment(folder)
    with parked(executable, (), environment, folder, folder / "truth") as pid:
        answer = ompd("pid", "--html", folder / "page.html", str(pid), folder=folder)
    assert answer.status == NOTHING_ODD, answer
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert f"Process {pid} runs on." in text and "No problems found" in text


def test_place_that_cannot_be_written(folder: Path) -> None:
    core = command.crashed(folder, "unmapped")
    is_an_error(ompd("core", core, "--html", folder, folder=folder), "cannot be written")


def test_no_page_without_a_report(folder: Path) -> None:
    page = folder / "page.html"
    is_an_error(ompd("core", folder / "none", "--html", page, folder=folder), "does not exist")
    assert not page.exists()


# ---- In the browser ------------------------------------------------------------------------------


@pytest.fixture(name="pages", scope="module")
def fixture_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Of a deadlock, of a crash, of many threads, and of cores of which not all can be known."""
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name, args in (("deadlocks", ("inversion3",)), ("wide", (str(THREADS),))):
        executable, home = machine.compiled(name), machine.cached("libomp-19")
        with target("gcore", executable, args, home, folder) as stopped:
            assert stopped.core is not None
            made[name] = written(stopped.core, folder, f"{name}.html")
    for name in DAMAGED:
        core, program = corpus.unpack(corpus.entries()[name], folder / name)
        page = made[name] = folder / f"{name}.html"
        words = ("core", "--locals", "--html", page, "--lib-search-root", folder / name)
        assert ompd(*words, core, program, folder=folder).errors == ""
    made["crashes"] = written(command.crashed(folder, "unmapped"), folder, "crashes.html")
    return made


@pytest.fixture(autouse=True)
def as_usual(request: pytest.FixtureRequest) -> None:
    if "seen" in request.fixturenames:
        seen = request.getfixturevalue("seen")
        seen.emulate()
        seen.resize(1400)


DAMAGED = ["truncated", "no-runtime"]
NAMES = ["deadlocks", "crashes", "wide", *DAMAGED]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_asked_of_the_network(name: str, seen: Browser, pages: dict[str, Path]) -> None:
    seen.open(pages[name])
    assert seen.requests() == {pages[name].as_uri(): ""}
    assert seen.complaints() == []
    assert seen.run("return document.compatMode") == "CSS1Compat"


@pytest.mark.parametrize("width", [1400, 800, 400])
@pytest.mark.parametrize("name", NAMES)
def test_fits_its_window(name: str, width: int, seen: Browser, pages: dict[str, Path]) -> None:
    """What is wider scrolls by itself, and the page does not."""
    seen.resize(width)
    seen.open(pages[name])
    assert seen.run("return document.documentElement.scrollWidth") <= width


def test_verdict_is_seen_first(seen: Browser, pages: dict[str, Path]) -> None:
    seen.open(pages["deadlocks"])
    verdict = seen.find("#verdict h2")
    assert verdict.text.startswith("Deadlock") and verdict.rect["y"] < 200
    assert seen.find("#waits svg").rect["y"] < 600


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_not_known(name: str, seen: Browser, pages: dict[str, Path]) -> None:
    """Is called so first, and each mark leads to its reason. What threads in the user's code do is
    known without the runtime's file."""
    seen.open(pages[name])
    verdict = seen.find("#verdict").text
    assert ("is not known" in verdict) == (not seen.all("#verdict .calm")) == (name == "truncated")
    marks = seen.all("a.doubt")
    assert marks
    for mark in marks:
        reason = seen.find(f"[id='{mark.get_attribute('href').partition('#')[2]}']")
        assert mark.get_attribute("title").partition(":")[0] in reason.text


def test_picture_has_all_of_the_circle(seen: Browser, pages: dict[str, Path]) -> None:
    seen.open(pages["deadlocks"])
    assert len(seen.all("svg .node.thread.stuck")) == len(seen.all("svg .node.lock.stuck")) == 3
    assert len(seen.all("svg path.arrow.stuck")) == 6
    boxes = [one.rect for one in seen.all("svg .node > :is(rect, ellipse)")]
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            assert (
                one["x"] + one["width"] < other["x"]
                or other["x"] + other["width"] < one["x"]
                or one["y"] + one["height"] < other["y"]
                or other["y"] + other["height"] < one["y"]
            ), "two boxes of the picture overlap"


def test_folds(seen: Browser, pages: dict[str, Path]) -> None:
    seen.open(pages["wide"])
    fold = seen.find("#threads > details")
    assert not seen.shown("#threads > details tbody tr")
    fold.find_element("css selector", "summary").click()
    assert len(seen.shown("#threads > details tbody tr")) == THREADS
    branch = seen.find("#stacks details.branch")
    assert len(seen.shown("#stacks .leaf")) == 2
    branch.find_element("css selector", "summary").click()
    assert not seen.shown("#stacks .leaf")


def test_folds_by_the_keyboard(seen: Browser, pages: dict[str, Path]) -> None:
    seen.open(pages["wide"])
    seen.find("#threads > details > summary").send_keys(" ")
    assert len(seen.shown("#threads > details tbody tr")) == THREADS


def search(seen: Browser, words: str) -> str:
    """What it says that it found."""
    seen.type("#search", words)
    return str(seen.run_later("setTimeout(() => done(hits.value), 200)"))


@pytest.mark.parametrize(
    "words, threads",
    [
        ("R1.7", ["T8"]),
        ("r1.7", ["T8"]),
        ("T8", ["T8"]),
        ("R1.7 truth.h", ["T8"]),
        ("R1.7 stacks.c", []),
        ("truth.h", [f"T{n + 1}" for n in range(THREADS)]),
        ("programs/truth.h:", []),
        ("R1.64", []),
        ("R2.7", []),
    ],
)
def test_search(words: str, threads: list[str], seen: Browser, pages: dict[str, Path]) -> None:
    seen.open(pages["wide"])
    said = search(seen, words)
    rows = seen.shown("#threads > details tbody tr")
    assert [row.text.split()[0] for row in rows] == threads
    assert said == "nothing found" or threads, said
    if threads:
        assert seen.shown("#stacks .leaf.hit") or words == "truth.h"
        assert len(seen.shown("#threads > .scroll tbody tr")) in (1, 2)
    assert search(seen, "") == ""
    assert not seen.shown("#threads > details tbody tr"), "it was folded before"
    assert len(seen.shown("#threads > .scroll tbody tr")) == 2


def test_search_finds_the_odd_one(seen: Browser, pages: dict[str, Path]) -> None:
    """By the function that one thread alone is in."""
    seen.open(pages["wide"])
    assert search(seen, "stop_here")
    (leaf,) = seen.shown("#stacks .leaf")
    (row,) = seen.shown("#threads > details tbody tr")
    assert "stop_here" in leaf.text and row.text.split()[1] in leaf.text.split()


def test_search_by_path(seen: Browser, pages: dict[str, Path]) -> None:
    """Of a file only its name is shown, and its path can be searched."""
    seen.open(pages["wide"])
    assert "rows" in search(seen, "tests/programs/truth.h")


def colour(seen: Browser) -> int:
    """How light is the background?"""
    found = seen.run("return getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in found.strip("rgb()").split(","))


def test_dark_and_light(seen: Browser, pages: dict[str, Path]) -> None:
    seen.open(pages["crashes"])
    light = colour(seen)
    seen.find("#theme").click()
    assert colour(seen) < 150 < 600 < light
    seen.find("#theme").click()
    assert colour(seen) == light
    seen.emulate(scheme="dark")
    seen.open(pages["crashes"])
    assert colour(seen) < 150
    seen.find("#theme").click()
    assert colour(seen) == light


CONTRAST = Path(__file__).with_name("contrast.js")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_contrast(name: str, scheme: str, seen: Browser, pages: dict[str, Path]) -> None:
    seen.emulate(scheme=scheme)
    seen.open(pages[name])
    assert seen.run(CONTRAST.read_text(encoding="utf-8")) == []


def test_print(seen: Browser, pages: dict[str, Path]) -> None:
    """What is folded is printed, and what is for the screen is not."""
    seen.open(pages["wide"])
    rows = "#threads > details tbody tr"
    assert not seen.shown(rows) and seen.shown("nav") and seen.shown("#search")
    seen.emulate("print", "dark")
    assert len(seen.shown(rows)) == THREADS
    assert not seen.shown("nav") and not seen.shown("#search")
    assert colour(seen) > 700, "paper is white"


def test_without_javascript(seen: Browser, pages: dict[str, Path]) -> None:
    seen.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        seen.open(pages["wide"])
        assert not seen.shown("#search") and not seen.shown("#theme")
        assert seen.shown("#verdict h2") and len(seen.shown("#stacks .leaf")) == 2
        seen.find("#threads > details > summary").click()
        assert len(seen.shown("#threads > details tbody tr")) == THREADS
    finally:
        seen.command("Emulation.setScriptExecutionDisabled", value=False)


def test_headings_and_names(seen: Browser, pages: dict[str, Path]) -> None:
    """For who hears the page: an outline without gaps, and a name for whatever can be used."""
    seen.open(pages["deadlocks"])
    levels = [int(one.tag_name[1]) for one in seen.all("h1, h2, h3")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:]))
    seen.run("document.querySelectorAll('details').forEach((one) => one.open = true)")
    named = seen.all("input, button, a, svg, table, section")
    assert [one.get_attribute("outerHTML")[:80] for one in named if not one.accessible_name] == []
    assert seen.all("table") and all(one.get_attribute("scope") for one in seen.all("th"))
    targets = [one.get_attribute("href").partition("#")[2] for one in seen.all("a")]
    ids = [one.get_attribute("id") for one in seen.all("[id]")]
    assert set(targets) <= set(ids) and len(ids) == len(set(ids))


def test_devices(seen: Browser, folder: Path) -> None:
    """Who is in which construct, as the program recorded it, and what is mapped, found by name."""
    flags = ("-fopenmp-targets=x86_64-pc-linux-gnu",)
    home, program = machine.cached("libomptarget-14"), machine.compiled("targets", link=flags)
    with target("core", program, ("several", "1"), home, folder) as stopped:
        assert stopped.core is not None
        page = written(stopped.core, folder)
        record = Path(f"{stopped.record}.targets").read_text(encoding="utf-8")
    seen.open(page)
    tables = seen.all("#offload table")
    rows = [row.text for row in tables[1].find_elements("css selector", "tbody tr")]
    recorded = [line.split() for line in record.splitlines()]
    assert len(rows) == len(recorded) == 4
    for _, construct, line, device in recorded:
        told = f" {construct}.*, targets.c:{line} meet, line {line} {device} kernel runs on this"
        assert [row for row in rows if re.search(told, row)], (told, rows)
    # What each passes, and what is mapped.
    assert search(seen, "u[0:n]") == "8 rows"
    assert len(seen.shown("#offload details tr.hit")) == 4
    assert len(seen.shown("#offload > .scroll tr.hit")) == 4


def test_names_of_a_hostile_program(seen: Browser, folder: Path) -> None:
    executable, home = machine.compiled("hostile_names", "release"), machine.cached("libomp-19")
    core = kernel_core(executable, (), {"LD_LIBRARY_PATH": str(home)}, folder)
    page = written(core, folder)
    text = page.read_text(encoding="utf-8")
    assert "&lt;script&gt;hacked=1&lt;/script&gt;" in text and "\\x1b[31m" in text
    seen.open(page)
    assert "<script>hacked=1</script><img src=x" in seen.find("#verdict").text
    assert seen.run("return [window.hacked, document.images.length]") == [None, 0]
    assert seen.complaints() == [], "the policy had nothing to stop"


def test_nothing_foreign_runs(seen: Browser, pages: dict[str, Path], folder: Path) -> None:
    """Should markup come through all the same, the page's policy stops it."""
    text = pages["deadlocks"].read_text(encoding="utf-8")
    foreign = (
        "<main><script>window.hacked = 1</script><img src='file:///x.png' onerror='hacked = 1'>"
        "<a id='trap' href='javascript:hacked=1'>x</a><style>@import 'file:///y.css';</style>"
    )
    page = folder / "foreign.html"
    page.write_text(text.replace("<main>", foreign), encoding="utf-8")
    seen.open(page)
    seen.find("#trap").click()
    assert seen.run("return window.hacked") is None
    asked = seen.requests()
    assert {one for one, kept in asked.items() if not kept} == {page.as_uri()}
    assert set(asked.values()) == {"", "csp"}
    assert len([one for one in seen.complaints() if "Content Security Policy" in one]) >= 3
    assert seen.shown("#search"), "its own script runs"


# ---- The same words ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["gomp-nested", "gomp-lock-order", "dependences-stuck", "crash-nested", "idle-pool"]
)
def test_page_text_and_document_say_the_same(name: str, folder: Path) -> None:
    """What each thread does, where, and what is found."""
    core, program = corpus.unpack(corpus.entries()[name], folder)
    words = ("core", "--all", "--lib-search-root", str(folder), str(core), str(program))
    text = " ".join(ompd(*words, folder=folder).text.split())
    document = ompd(*words, "--json", folder=folder).document
    whole = html.page(document)
    threads = whole[whole.index('id="threads"') :].partition("</section>")[0]
    rows = {}
    for who, row in re.findall(r'<tr[^>]*data-gdb="(T\d+)"[^>]*>(.*?)</tr>', threads, re.DOTALL):
        rows[who] = shown(row)
    assert len(document["threads"]) == len(rows) > 0
    for thread in document["threads"]:
        row = rows[f"T{thread['gdb'].rpartition('.')[2]}"]
        for said in (thread["doing"].replace("?", "not known"), thread["at"] or "-"):
            assert said in row, row
        assert thread["doing"] in text and (thread["at"] or "-") in text, thread
    for finding in document["findings"]:
        assert finding["text"] in text
        told = finding["text"].partition(" `ompd ")[0]
        assert told.partition(": ")[2] in shown(whole)


def shown(markup: str) -> str:
    text = unescape(re.sub(r"<[^>]*>", " ", markup))
    return re.sub(r" (?=[.,;:)])", "", " ".join(text.split()))
