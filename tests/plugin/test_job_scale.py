# SPDX-License-Identifier: Apache-2.0
"""4,096 reports through a tree of merges: what does a level cost? Counted, not timed: steps of the
merge and bytes of its documents depend on classes and hosts, and not on ranks. bench/job times it
too, and shows what docs/scale.md has."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from ompd_core.model import job_parts
from ompd_core.model.job import Job
from ompd_core.model.members import Members
from ompd_core.views import job as view
from ompd_core.views.table import Style
from test_job import WRONG, finding, report, stack, thread

KINDS = 12  # of what ranks do
FAN_OUT = 16


def one_report(rank: int, per_node: int, total: int) -> Any:
    """16 threads; a rank of each hundred is somewhere else, one is in a deadlock."""
    kind = rank % KINDS if rank % 100 == 7 else 0
    line = 30 + kind
    threads = [thread("wait_barrier_explicit", line)] * 12 + [
        thread("work_parallel", 20 + kind)
    ] * 4
    deadlock = [finding("deadlock", f"DEADLOCK: R1.0 (T{rank}) waits")] if rank == 77 else []
    return report(
        rank,
        *threads,
        rank_count=total,
        host=f"n{rank // per_node}",
        pid=2000 + 7 * rank,
        findings=deadlock,
        merged={"children": [stack("main", *(f"f{i}" for i in range(8)), f"k{kind}", count=16)]},
    )


class Level:
    """Of documents of one height."""

    def __init__(self, documents: list[str], steps: list[int], seconds: float) -> None:
        self.documents, self.steps, self.seconds = documents, steps, seconds

    def most(self, without_rows: bool = False) -> int:
        found = []
        for text in self.documents:
            rows = len(json.dumps(json.loads(text)["rows"])) if without_rows else 0
            found.append(len(text) - rows)
        return max(found)


@pytest.fixture(name="steps")
def fixture_steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often two sets were joined."""
    counted = [0]
    update = Members.update

    def counting(self: Members, more: Members) -> None:
        counted[0] += 1
        update(self, more)

    monkeypatch.setattr(Members, "update", counting)
    return counted


def merged_levels(
    nodes: int, per_node: int, steps: list[int], fan_out: int = FAN_OUT
) -> list[Level]:
    total = nodes * per_node
    began = time.perf_counter()
    documents = []
    for node in range(nodes):
        job = Job(WRONG)
        for rank in range(node * per_node, (node + 1) * per_node):
            job.add("", one_report(rank, per_node, total))
        documents.append(json.dumps(job_parts.part(job)))
    levels = [Level(documents, [], time.perf_counter() - began)]
    while len(levels[-1].documents) > 1:
        below, documents, costs = levels[-1].documents, [], []
        began = time.perf_counter()
        for at in range(0, len(below), fan_out):
            parts = [job_parts.read(json.loads(text), WRONG) for text in below[at : at + fan_out]]
            steps[0] = 0
            job = Job(WRONG)
            for part in parts:
                job.take(part)
            costs.append(steps[0])
            documents.append(json.dumps(job_parts.part(job)))
        levels.append(Level(documents, costs, time.perf_counter() - began))
    return levels


def test_4096_reports(steps: list[int]) -> None:
    levels = merged_levels(256, 16, steps)
    fewer = merged_levels(256, 2, steps)
    assert [len(one.documents) for one in levels] == [256, 16, 1]
    top = job_parts.read(json.loads(levels[-1].documents[0]), WRONG)
    assert len(top.everybody) == top.size == 4096
    shown = "\n".join(view.lines(top, Style(100)))
    assert shown.startswith("Odd     : 1 of 4096 ranks has a finding: deadlock.")
    assert len(shown.splitlines()) < 80
    # Eight times the ranks: no more steps for a merge than classes demand, at no level.
    classes = len(top.by_class)
    assert classes <= KINDS + 1
    for here, there in zip(levels[1:], fewer[1:]):
        for cost in here.steps:
            assert cost <= FAN_OUT * (4 * classes + 2 * KINDS + 24)
        assert max(here.steps) <= 2 * max(there.steps)
    # And no more bytes, but for who is where: a row for each host.
    assert levels[2].most(True) < 4 * levels[1].most(True)
    rows = json.loads(levels[2].documents[0])["rows"]
    assert len(rows) == 256 and len(json.dumps(rows)) < 256 * 200


def test_as_many_classes_as_ranks(steps: list[int]) -> None:
    """Each rank is at a line of its own: the documents stop growing."""
    documents = []
    for node in range(64):
        job = Job(WRONG)
        for rank in range(node * 64, node * 64 + 64):
            job.add("", report(rank, thread("work_parallel", rank + 1), host=f"n{node}", pid=rank))
        documents.append(job_parts.part(job))
    whole = Job(WRONG)
    for document in documents:
        whole.take(job_parts.read(document, WRONG))
    assert not whole.by_line and len(whole.by_class) == 1
    assert len(whole.everybody) == 4096 and whole.classes()[0].odd is False
