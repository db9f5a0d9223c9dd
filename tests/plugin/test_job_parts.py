# SPDX-License-Identifier: Apache-2.0
"""Is a job the same job in whatever order and by whatever tree its reports are put together? Do
documents of parts stay small, and does nothing come through that is none?"""

from __future__ import annotations

import json
import random
from typing import Any, Sequence

import pytest
from ompd_core.model import job as job_model
from ompd_core.model import job_parts
from ompd_core.model.job import Job
from ompd_core.model.members import Members, folded, in_words, parsed, who
from ompd_core.model.rank_reports import NoReport
from ompd_core.model.roll import folded as folded_numbers
from ompd_core.model.roll import unfolded
from ompd_core.views import job_document
from test_job import (
    JUNK,
    OUTSIDE,
    WRONG,
    finding,
    merged,
    receiving,
    report,
    spoilt,
    stack,
    text_of,
    thread,
)


def one(index: int, document: Any) -> Any:
    job = Job(WRONG)
    job.add(f"{index:04}.json", document)
    return job_parts.part(job)


def joined(parts: Sequence[Any]) -> Any:
    """As the documents travel."""
    job = Job(WRONG)
    for document in parts:
        job.take(job_parts.read(json.loads(json.dumps(document)), WRONG))
    return job_parts.part(job)


def by_any_tree(parts: Sequence[Any], dice: random.Random) -> Any:
    left = list(parts)
    while len(left) > 1:
        dice.shuffle(left)
        many = dice.randint(2, 5)
        left = [joined(left[:many]), *left[many:]]
    return left[0]


def any_report(dice: random.Random) -> Any:
    rank = dice.choice((None, *range(40)))
    if dice.random() < 0.1:
        error = {"code": "timeout", "message": f"Process {rank} is late.", "hint": "Wait."}
        return {"schema": "ompd/1", "command": "report", "error": error, "rank": rank}
    names = dice.sample(("main", "solve", "write", "read"), dice.randint(1, 3))
    threads = [thread("work_parallel", dice.randint(1, 3), name) for name in names]
    waits = [thread("wait_lock", 9, "lock", kind="lock", name=dice.choice("ab")), OUTSIDE]
    return report(
        rank,
        *threads,
        *dice.sample(waits, dice.randint(0, 2)),
        *dice.sample([receiving(dice.choice((None, 1, 2, 3)))], dice.randint(0, 1)),
        rank_count=40,
        host=dice.choice((None, "n1", "n2")),
        pid=dice.choice((None, 7, 8, 9)),
        findings=dice.choice(([], [finding("crash", f"at 0x{dice.randint(1, 4)}")])),
        merged={"children": [stack(*names, count=dice.randint(1, 3))]},
    )


@pytest.mark.parametrize("seed", range(12))
def test_any_order_and_any_tree(seed: int) -> None:
    """Ranks, hosts and processes that several reports claim are among them."""
    dice = random.Random(seed)
    documents = [any_report(dice) for _ in range(60)]
    parts = [one(i, document) for i, document in enumerate(documents)]
    flat = joined(parts)
    assert by_any_tree(parts, dice) == flat
    assert job_parts.part(merged_in_names(documents)) == flat
    assert len(job_parts.read(flat, WRONG).everybody) == len(documents)


def merged_in_names(documents: Sequence[Any]) -> Job:
    job = Job(WRONG)
    for i, document in enumerate(documents):
        job.add(f"{i:04}.json", document)
    return job


def test_too_various_for_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_model, "MOST_CLASSES", 5)
    computing = [report(rank, thread("work_parallel", rank + 1)) for rank in range(9)]
    parts = [one(rank, document) for rank, document in enumerate(computing)]
    flat = joined(parts)
    assert flat["by_line"] is False and len(flat["classes"]) == 1
    for seed in range(5):
        assert by_any_tree(parts, random.Random(seed)) == flat


def test_too_various_for_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_model, "MOST_AWAITED", 5)
    documents = [report(rank, receiving(rank + 1)) for rank in range(9)]
    parts = [one(rank, document) for rank, document in enumerate(documents)]
    flat = joined(parts)
    assert flat["by_rank_awaited"] is False and len(flat["awaiting"]) == 1
    for seed in range(5):
        assert by_any_tree(parts, random.Random(seed)) == flat
    whole = job_parts.read(flat, WRONG)
    assert "9 ranks (0-8): in MPI_Recv from other ranks, too many" in text_of(whole)


def test_what_was_merged_merges() -> None:
    """The documents of `ompd merge' too."""
    documents = [report(rank, thread("work_parallel", rank % 2)) for rank in range(6)]
    halves = [job_document.document(merged(*documents[at : at + 3])) for at in (0, 3)]
    both = job_document.document(merged_in_names(documents[:3]))
    assert both["part"]["rows"] == [
        {**halves[0]["part"]["rows"][0], "files": ["0000.json", "0001.json", "0002.json"]}
    ]
    whole = Job(WRONG)
    for half in halves:
        assert job_parts.is_part(half)
        whole.take(job_parts.read(half, WRONG))
    assert who(whole.everybody) == "0-5"
    assert text_of(whole) == text_of(merged(*documents))


def test_the_same_twice() -> None:
    """Nobody is counted twice without a word."""
    half = joined([one(0, report(0)), one(1, report(1))])
    job = Job(WRONG)
    for label in ("a.json", "b.json"):
        part = job_parts.read(half, WRONG)
        part.label(label)
        job.take(part)
    assert len(job.everybody) == 4
    assert "Several reports are of one rank (0-1" in text_of(job)


def test_size_does_not_depend_on_ranks() -> None:
    """Of ranks that do the same; and the last merge takes as many steps as the first."""

    def node(number: int, ranks: int) -> Any:
        documents = [
            report(
                rank,
                thread("wait_barrier_explicit", 30),
                rank_count=4096,
                host=f"n{number}",
                pid=1000 + rank,
                merged={"children": [stack("main", "solve", count=4)]},
            )
            for rank in range(number * ranks, (number + 1) * ranks)
        ]
        job = Job(WRONG)
        for document in documents:
            job.add("", document)
        return job_parts.part(job)

    few = joined([node(i, 4) for i in range(8)])
    many = joined([node(i, 512) for i in range(8)])
    assert len(job_parts.read(many, WRONG).everybody) == 4096
    assert len(json.dumps(many)) < len(json.dumps(few)) + 200


# ---- Sets ----------------------------------------------------------------------------------------


def test_sets() -> None:
    """Against Python's own."""
    dice = random.Random(0)
    for _ in range(500):
        mine, theirs = ({dice.randint(0, 30) for _ in range(dice.randint(0, 20))} for _ in "ab")
        a, b = (Members([(rank, rank) for rank in ranks]) for ranks in (mine, theirs))
        assert set(a.common(b).ranks()) == mine & theirs
        assert set(a.without(b).ranks()) == mine - theirs
        assert a.is_within(b) == (mine <= theirs) and len(a) == len(mine)
        assert Members(parsed(in_words(a.runs))) == a
        a.update(b)
        assert list(a.ranks()) == sorted(mine | theirs)


@pytest.mark.parametrize("text", ("x", "1-", "2-1", "1,,2", "9" * 11, "1-4294967296", "-1"))
def test_no_set(text: str) -> None:
    with pytest.raises(ValueError):
        parsed(text)


def test_columns() -> None:
    dice = random.Random(0)
    for _ in range(500):
        numbers = [dice.choice((None, 4, 5, 6, 7, 16)) for _ in range(dice.randint(1, 20))]
        assert unfolded(folded_numbers(numbers)) == numbers
    assert folded_numbers([*range(8), 16, 16, None]) == "0-7,2x16,?"
    for text in ("9999999x1", "0-9999999999", "", "a", "5-1"):
        with pytest.raises(ValueError):
            unfolded(text)


def test_sets_of_nodes() -> None:
    assert folded([f"n{i}" for i in (1, 2, 3, 7)]) == "n[1-3,7]"
    assert folded(["n7"]) == "n7" and folded(["login", "n1", "n2"]) == "login,n[1-2]"
    assert folded(["n01", "n02", "n10"]) in ("n[01-02],n10", "n10,n[01-02]")
    assert folded(["r1n1.x", "r1n2.x"]) == "r1n[1-2].x"
    job = merged(*(report(rank, host=f"n{rank // 2}", pid=rank) for rank in range(8)))
    assert job.where(job.everybody) == "n[0-3].r[0-7]"
    assert job.where(Members([(2, 3)])) == "n1.r[2-3]"


# ---- Any document --------------------------------------------------------------------------------


@pytest.mark.parametrize("junk", JUNK, ids=ascii)
def test_anything_anywhere(junk: Any) -> None:
    whole = one(
        0,
        report(
            1,
            thread("wait_critical", name="update", kind="critical"),
            OUTSIDE,
            findings=[finding("crash", "x")],
            unavailable=[{"section": "tasks", "code": "c", "message": "m", "hint": None}],
            merged={"children": [stack("main", "solve"), stack("other")]},
            rank_count=4,
            host="n",
            pid=3,
        ),
    )
    kept = 0
    for document in spoilt(whole, junk):
        job = Job(WRONG)
        job.add("good", report(0))
        try:
            job.take(job_parts.read(document, WRONG))
        except NoReport:
            continue
        kept += 1
        text = text_of(job)
        assert all(line.isprintable() for line in text.splitlines()), text
        json.dumps(job_document.document(job))
    assert kept > 3


def test_no_part() -> None:
    for document in (None, [], {}, {"schema": "ompd/2", "command": "part"}, report(0)):
        assert not job_parts.is_part(document)
    huge = one(0, report(0, host="n", pid=1))
    for rows in (
        [{**huge["rows"][0], "ranks": "65537x0"}],
        [{"host": "n", "ranks": "0-65535", "pids": "0-65535", "threads": "65536x1"}] * 33,
    ):
        with pytest.raises(NoReport):
            job_parts.read({**huge, "rows": rows}, WRONG)
    # Who is not in the list is in no set.
    with pytest.raises(NoReport):
        job_parts.read({**huge, "failed": "0-99"}, WRONG)
