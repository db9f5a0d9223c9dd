# SPDX-License-Identifier: Apache-2.0
"""Does `ompd merge' take any file for what it is, and say what it left out?"""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path
from typing import Any

import command
import machine
import pytest
from browser import browser
from command import CANNOT_READ, FINDING, NOTHING_ODD, is_an_error, ompd

# What they share is made once.
pytestmark = pytest.mark.xdist_group("merge")


@pytest.fixture(name="crash", scope="module")
def fixture_crash(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A real report."""
    folder = tmp_path_factory.mktemp("crash")
    return ompd("core", "--json", command.crashed(folder, "abort"), folder=folder).document


def written(folder: Path, name: str, document: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def ranks(folder: Path, document: Any, count: int, **changed: Any) -> list[Path]:
    return [
        written(folder, f"{rank}.json", {**document, "rank": rank, "rank_count": count, **changed})
        for rank in range(count)
    ]


def test_one_report(crash: Any, folder: Path) -> None:
    path = written(folder, "one.json", crash)
    answer = ompd("merge", path, folder=folder)
    assert answer.status == FINDING and answer.errors == ""
    assert answer.text.startswith("Odd     : 1 process has a finding: crash.\n")
    told = ompd("merge", "--json", path, folder=folder).document
    assert told["reports"][0]["pid"] == crash["inferior"]["pid"]
    assert told["findings"][0]["text"] == crash["findings"][0]["text"]
    assert told["merged"]["threads"] == 0 and told["merged"]["children"]


def test_status(crash: Any, folder: Path) -> None:
    quiet = {**crash, "findings": []}
    assert ompd("merge", *ranks(folder, quiet, 3), folder=folder).status == NOTHING_ODD
    odd = written(folder, "1.json", crash)
    assert ompd("merge", folder / "0.json", odd, folder=folder).status == FINDING
    reason = {"section": "openmp", "code": "no_openmp", "message": "None is loaded.", "hint": ""}
    blind = ranks(folder, {**quiet, "unavailable": [reason]}, 2)
    answer = ompd("merge", *blind, folder=folder)
    assert answer.status == CANNOT_READ
    assert "2 ranks (0-1): openmp: None is loaded." in answer.text


def test_files_that_are_no_reports(crash: Any, folder: Path) -> None:
    good = written(folder, "good.json", {**crash, "findings": []})
    whole = good.read_text(encoding="utf-8")
    os.mkfifo(folder / "pipe")
    (folder / "large").touch()
    os.truncate(folder / "large", 1 << 27)
    for name, text in (
        ("empty", ""),
        ("text", "No problems found"),
        ("cut", whole[: len(whole) // 2]),
        ("two", whole + whole),
        ("deep", "[" * 10**6),
        ("deep-report", whole[:-1] + ', "merged": ' + '{"children": [' * 10**5),
        ("digits", '{"rank": ' + "9" * 10**6 + "}"),
        ("other", '{"schema": "sarif"}'),
        ("list", "[]"),
        ("threads", json.dumps({"schema": "ompd/1", "command": "threads", "threads": []})),
        ("\x1b[31mred", "{"),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "bytes").write_bytes(bytes(range(256)))
    (folder / "nowhere").symlink_to("nothing")
    bad = sorted(path for path in folder.iterdir() if path != good and path.name != "scratch")
    answer = ompd("merge", "--json", good, folder, *bad, folder=folder)
    assert answer.status == CANNOT_READ, "the job is known in part only"
    some = ", ".join(str(path) for path in [folder, *bad][:5]).replace("\x1b", "\\x1b")
    more = len(bad) + 1 - 5
    assert (
        answer.errors == f"ompd: {len(bad) + 1} files are not reports: {some}, and {more} more.\n"
    )
    why = {Path(one["file"]).name: one["message"] for one in answer.document["unreadable"]}
    assert len(why) == len(bad) + 1
    assert why["pipe"] == "it is not a regular file" and why[folder.name] == "Is a directory"
    assert why["large"] == "it has more than 64 MB"
    assert why["cut"].startswith("its JSON ends or breaks in line")
    assert why["deep"] == why["deep-report"] == "it is nested too deeply"
    assert "--json" in why["text"] and "`threads'" in why["threads"]
    assert why["nowhere"] == "No such file or directory"
    text = ompd("merge", good, *bad, folder=folder).text
    assert "What could not be read" in text
    is_an_error(
        ompd("merge", *bad, folder=folder), f"nor is any of {len(bad) - 1} others", "--json"
    )
    failed = ompd("merge", "--json", bad[0], folder=folder)
    assert (
        failed.document["command"] == "merge" and failed.document["error"]["code"] == "no_reports"
    )


@pytest.mark.full
def test_the_same_file_twice(crash: Any, folder: Path) -> None:
    path = written(folder, "a.json", crash)
    os.link(path, folder / "b.json")
    (folder / "c.json").symlink_to(path)
    answer = ompd("merge", path, path, folder / "b.json", folder / "c.json", folder=folder)
    assert answer.text.startswith("Odd     : 1 process ")
    assert "3 files given twice" in " ".join(answer.text.split())


@pytest.mark.full
def test_failed_reports(crash: Any, folder: Path) -> None:
    """As `ompd core --json' writes them."""
    failed = ompd("core", "--json", "-o", "rank1.json", folder / "none", folder=folder)
    assert failed.status == CANNOT_READ
    good = written(folder, "0.json", {**crash, "rank": 0, "rank_count": 2})
    answer = ompd("merge", good, "rank1.json", folder=folder)
    assert answer.status == FINDING
    said = "ompd: 1 report tells only why there is none: rank1.json.\n"
    assert answer.errors == said
    quiet = written(folder, "0.json", {**crash, "rank": 0, "rank_count": 2, "findings": []})
    answer = ompd("merge", quiet, "rank1.json", folder=folder)
    assert (answer.status, answer.errors) == (CANNOT_READ, said)
    answer = ompd("merge", good, "rank1.json", folder=folder)
    assert "rank 1: no report: The core file" in answer.text
    assert "there is none" not in answer.text


def test_rank_in_the_name(crash: Any, folder: Path) -> None:
    names = ("rank3.json", "job.rank-0.json", "RANK_2.json", "frank9.json", "run4.json")
    paths = [written(folder, name, crash) for name in names]
    told = ompd("merge", "--json", *paths, folder=folder).document["reports"]
    assert [one["rank"] for one in told] == [0, 2, 3, None, None]


def test_output(crash: Any, folder: Path) -> None:
    path = written(folder, "a.json", crash)
    answer = ompd("merge", "-o", "out.txt", path, folder=folder)
    assert (answer.status, answer.text) == (FINDING, "")
    assert "├─" in (folder / "out.txt").read_text(encoding="utf-8")


def test_mutated(crash: Any, folder: Path) -> None:
    """Bytes of a real report, and names in it."""
    random.seed("mutated")
    whole = json.dumps(crash).encode()
    paths = []
    for i in range(2000 if machine.FULL else 200):
        text = bytearray(whole)
        for _ in range(random.randint(1, 20)):
            at = random.randrange(len(text))
            end = at + random.choice((0, 1, 1, 5, 200))
            text[at:end] = random.choice(
                (b"", b"0", b'"', b"\\u001b[2J", b"null", b"{}", b"]", b"-1")
            )
        paths.append(folder / f"m{i}.json")
        paths[-1].write_bytes(text)
    paths.append(written(folder, "good.json", crash))
    for words in ((), ("--all",), ("--json",)):
        answer = ompd("merge", *words, *paths, folder=folder)
        assert answer.status == FINDING
        command.check(answer.text)
    assert len(answer.document["reports"]) > 1 and answer.document["unreadable"]


def test_many(crash: Any, folder: Path) -> None:
    """Each with 64 threads."""
    threads = [*crash["threads"], *[crash["threads"][-1]] * 60]
    paths = ranks(folder, {**crash, "threads": threads[:64]}, 256)
    began = time.monotonic()
    answer = ompd("merge", *paths, folder=folder)
    assert time.monotonic() - began < 60
    assert answer.text.startswith("Odd     : 256 of 256 ranks have a finding: crash.")
    assert f"of 256 ranks, {256 * 64} threads" in answer.text
    assert len(answer.text.splitlines()) < 60


def test_what_was_merged_merges(crash: Any, folder: Path) -> None:
    """In any order, and to the same answer; a damaged one is not a report."""
    paths = ranks(folder, crash, 5)
    for name, part in (("a", paths[:2]), ("b", paths[2:])):
        document = ompd("merge", "--json", *part, folder=folder).text
        (folder / name).write_text(document, encoding="utf-8")
    whole = ompd("merge", *paths, folder=folder)
    for order in (("a", "b"), ("b", "a"), ("a", *map(str, paths[2:]))):
        answer = ompd("merge", *order, folder=folder)
        assert (answer.status, answer.text) == (FINDING, whole.text)
    told = json.loads((folder / "a").read_text(encoding="utf-8"))
    bad = written(folder, "bad", {**told, "part": {**told["part"], "failed": "0-99"}})
    answer = ompd("merge", paths[4], bad, folder=folder)
    assert answer.status == FINDING and "a part of a job that is damaged" in answer.text


def test_page(crash: Any, folder: Path) -> None:
    """A browser shows it, without a complaint and without asking anybody."""
    paths = ranks(folder, crash, 4)
    page = folder / "page.html"
    answer = ompd("merge", *paths, "--html", page, folder=folder)
    assert (answer.status, answer.text) == (FINDING, "")
    with browser(folder) as shown:
        shown.open(page)
        assert "4 of 4 ranks have a finding: crash." in shown.find("#verdict").text
        assert shown.shown("#classes table") and shown.shown("#stacks .branch")
        assert not shown.complaints()
