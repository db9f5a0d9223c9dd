# SPDX-License-Identifier: Apache-2.0
"""Does a browser show the page of a record, in both themes, narrow, printed and without JavaScript,
with nothing from outside and nothing of the program's own that runs?"""

from __future__ import annotations

import json
from pathlib import Path

import machine
import made_records
import pytest
from browser import Browser
from command import ompd
from test_html import CONTRAST

HOSTILE = "\"'><script>document.title='hacked'</script><img src=x onerror=alert(1)>"
# What they share is made once.
pytestmark = pytest.mark.xdist_group("record-page")


@pytest.fixture(name="pages", scope="module")
def fixture_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("records")
    programs = {
        "any": made_records.any_program(3),
        "wide": made_records.any_program(4, threads=100, moments=40),
        "uneven": made_records.uneven_team(30, [n * made_records.PERIOD for n in (10, 20, 40)]),
    }
    data = {name: program.data() for name, program in programs.items()}
    data["hostile"] = data["any"].replace(b'"solve"', json.dumps(HOSTILE).encode())
    data["cut"] = data["any"][: len(data["any"]) // 2]
    return {name: written(folder, name, record) for name, record in data.items()}


def written(folder: Path, name: str, record: bytes) -> Path:
    path, page = folder / f"{name}.jsonl", folder / f"{name}.html"
    path.write_bytes(record)
    answer = ompd("show", path, "--html", page, folder=folder)
    assert (answer.text, answer.errors, answer.status) == ("", "", 1 if name == "cut" else 0)
    return page


@pytest.fixture(autouse=True)
def as_usual(seen: Browser) -> None:
    seen.emulate()
    seen.resize(1400)


NAMES = ("any", "wide", "uneven", "hostile", "cut")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_foreign(name: str, seen: Browser, pages: dict[str, Path]) -> None:
    seen.open(pages[name])
    assert seen.complaints() == []
    assert [one for one in seen.requests() if not one.startswith(("chrome", "data"))] == [
        pages[name].as_uri()
    ]
    assert "where the time went" in seen.run("return document.title")
    assert not seen.all("img")


@pytest.mark.parametrize("name", ("any", "wide") if machine.FULL else ("any",))
def test_contrast_and_width(name: str, seen: Browser, pages: dict[str, Path]) -> None:
    for scheme in ("light", "dark"):
        seen.emulate(scheme=scheme)
        seen.open(pages[name])
        assert seen.run(CONTRAST.read_text(encoding="utf-8")) == []
    for width in (360, 1400):
        seen.resize(width)
        seen.open(pages[name])
        assert seen.run("return document.documentElement.scrollWidth") <= width


def test_timeline_and_icicle_are_drawn(seen: Browser, pages: dict[str, Path]) -> None:
    """Of the uneven team: thread 2 works from one end to the other, and thread 0 waits most."""
    seen.open(pages["uneven"])
    shares = seen.run(
        """
        return [...document.querySelectorAll("svg.lane")].map((lane) => {
            const found = {};
            for (const one of lane.querySelectorAll("rect")) {
                const name = one.getAttribute("class");
                found[name] = (found[name] || 0) + Number(one.getAttribute("width")) / 600;
            }
            return found;
        });
    """
    )
    assert shares[2] == {"w": 1}
    assert shares[0]["b"] == pytest.approx(0.75, abs=0.05)
    areas = seen.run(
        "return [...document.querySelectorAll('svg.areas path')].map((p) => p.getBBox().height)"
    )
    assert areas and max(areas) > 0
    boxes = seen.run(
        """
        const wide = (word) => [...document.querySelectorAll(".icicle .box")]
            .filter((one) => one.textContent.startsWith(word))
            .reduce((sum, one) => sum + one.getBoundingClientRect().width, 0);
        return [wide("main"), wide("#pragma"), wide("<barrier"), wide("update"), wide("solve")];
    """
    )
    assert boxes[1] == pytest.approx(boxes[0], abs=2)
    assert boxes[2] / boxes[0] == pytest.approx((30 + 20) / 120, abs=0.02)
    assert boxes[3] / boxes[0] == pytest.approx(40 / 120, abs=0.02)


def test_search(seen: Browser, pages: dict[str, Path]) -> None:
    seen.open(pages["any"])
    seen.type("#search", "taskgroup")
    seen.run_later("setTimeout(done, 200)")
    assert "row" in seen.run("return document.getElementById('hits').value")
    assert seen.shown("#waits tr.hit") and not seen.shown("#threads tbody tr")


def test_without_javascript(seen: Browser, pages: dict[str, Path]) -> None:
    """All of it is there as tables, and the pictures too."""
    seen.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        seen.open(pages["any"])
        assert not seen.shown("#search")
        assert len(seen.shown("#threads tbody tr")) == 4
        assert len(seen.shown("#timeline tbody tr")) == 4
        for selector in (
            "#regions tbody tr",
            "#waits tbody tr",
            "#states tbody tr",
            ".icicle .box",
        ):
            assert seen.shown(selector), selector
        assert seen.shown("#stacks .leaf")
    finally:
        seen.command("Emulation.setScriptExecutionDisabled", value=False)


def test_cut_record_says_so(seen: Browser, pages: dict[str, Path]) -> None:
    seen.open(pages["cut"])
    assert "ends early" in seen.find("#verdict").text
