# SPDX-License-Identifier: Apache-2.0
"""Are the reports of many processes grouped rightly, whatever they hold?"""

from __future__ import annotations

import re
from typing import Any

import pytest
from ompd_core.model import job as job_model
from ompd_core.model import rank_reports
from ompd_core.model.job import Job
from ompd_core.model.members import who
from ompd_core.model.rank_reports import NoReport
from ompd_core.views import html
from ompd_core.views import job as view
from ompd_core.views import job_document
from ompd_core.views.table import Style

WRONG = ("crash", "deadlock")


def loc(function: str | None, line: int = 1, file: str = "heat.c") -> dict[str, Any]:
    return {"function": function, "file": file, "line": line, "pc": "0x1234"}


def thread(state: str, line: int = 1, function: str = "solve", **wait: Any) -> dict[str, Any]:
    return {
        "kind": "worker",
        "running": False,
        "where": loc(function, line),
        "in_call": None,
        "openmp": [{"state": state, "wait": wait or None}],
    }


def receiving(rank: int | None, world: bool = True) -> dict[str, Any]:
    message = {"direction": "from", "rank": rank, "any_rank": rank is None, "world": world}
    return {**thread("work_serial"), "in_call": loc("MPI_Recv"), "message": message}


OUTSIDE: dict[str, Any] = {
    "kind": "none",
    "running": False,
    "where": {"function": None, "file": None, "line": None},
    "in_call": loc("poll"),
    "openmp": [],
}


def stack(*names: str, count: int = 1) -> dict[str, Any]:
    """Outermost first."""
    nodes: list[dict[str, Any]] = []
    for name in reversed(names):
        frame = {"kind": "user", "text": f"{name} ()", "loc": loc(name)}
        nodes = [{"count": count, "frame": frame, "children": nodes}]
    return nodes[0]


def report(rank: int | None = None, *threads: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {
        "schema": "ompd/1",
        "command": "report",
        "rank": rank,
        "inferior": {"pid": 1, "kind": "core", "program": "/bin/heat"},
        "runtimes": [{"kind": "llvm", "version": "19", "build_id": "ab", "path": "/l/libomp.so"}],
        "findings": [],
        "unavailable": [],
        "threads": list(threads) or [thread("work_parallel")],
        "merged": {"children": []},
        **changed,
    }


def finding(code: str, text: str, **more: Any) -> dict[str, Any]:
    return {"code": code, "text": text, **more}


def merged(*documents: Any) -> Job:
    job = Job(WRONG)
    for i, document in enumerate(documents):
        job.add(f"{i}.json", document)
    return job


def text_of(job: Job, **style: Any) -> str:
    return "\n".join(view.lines(job, Style(100, **style)))


def classes(job: Job) -> list[tuple[str, bool]]:
    return [(who(one.members), one.odd) for one in job.classes()]


# ---- Which ranks are odd -------------------------------------------------------------------------


def test_messages() -> None:
    """Beside who is waited for in MPI_COMM_WORLD stands what is known of him."""
    job = merged(
        report(0, receiving(2), rank_count=4),
        report(1, receiving(2), rank_count=4),
        report(2, receiving(3), rank_count=4, findings=[finding("deadlock", "two locks")]),
        report(4, receiving(2, world=False)),
        report(5, {**receiving(1), "message": {"direction": "up", "rank": True}}),
        report(6, receiving(None)),
    )
    text = text_of(job)
    for line in (
        "2 ranks (0-1): in MPI_Recv from rank 2, which has a finding: deadlock",
        "rank 2: in MPI_Recv from rank 3, of which nothing is known",
        "rank 4: in MPI_Recv from rank 2 of another communicator",
        "rank 6: in MPI_Recv from any rank",
    ):
        assert f"\n{line}\n" in text, text
    assert "rank 5: in" not in text
    told = job_document.document(job)["awaiting"]
    assert [(one["ranks"], one["message"]["rank"]) for one in told][:2] == [("0-1", 2), ("2", 3)]
    assert "from rank 2 of another communicator" in html.page(job_document.document(job))


def test_elsewhere() -> None:
    usual = [report(rank, thread("wait_barrier_explicit", 30)) for rank in (0, 1, 3)]
    job = merged(report(2, thread("work_parallel", 20)), *usual)
    assert classes(job) == [("2", True), ("0-1,3", False)]
    assert text_of(job).startswith(
        "Odd     : 1 of 4 ranks is elsewhere than the others.\n"
        "          rank 2: working: solve () at heat.c:20\n"
        "Others  : 3 ranks (0-1,3): barrier: solve () at heat.c:30\n"
    )


def test_no_majority() -> None:
    job = merged(report(0, thread("idle"), thread("work_serial", 1)), report(1, thread("idle")))
    assert classes(job) == [("0", False), ("1", False)]
    assert text_of(job).startswith("No finding, and no rank stands out: 2 ranks are at 2 different")


def test_lines_do_not_make_ranks_that_compute_odd() -> None:
    computing = [report(rank, thread("work_parallel", rank + 1)) for rank in range(9)]
    job = merged(*computing, report(9, thread("work_parallel", 1, "write")))
    assert classes(job) == [("9", True), ("0-8", False)]


def test_findings_make_odd() -> None:
    crash = [finding("crash", "SIGSEGV")]
    job = merged(report(0, findings=crash), report(1), report(2, findings=crash))
    assert classes(job) == [("0,2", True), ("1", False)]
    assert "2 of 3 ranks have a finding: crash." in text_of(job)
    assert [who(one.members) for one in job.findings() if job.is_wrong(one.finding)] == ["0,2"]


def test_what_makes_no_rank_odd() -> None:
    """Threads that are idle or in libraries, what has passed, and what only limits the report."""
    job = merged(
        report(0, thread("work_serial", 5)),
        report(1, thread("work_serial", 5), thread("idle", 99), OUTSIDE),
        report(2, thread("work_serial", 5), findings=[finding("crash", "x", confirmed=False)]),
        report(3, thread("work_serial", 5), findings=[finding("several_runtimes", "y")]),
    )
    assert classes(job) == [("0-3", False)]
    text = text_of(job)
    assert text.startswith("No problems found beside `Other findings' in 4 ranks, all at the same")
    assert "rank 2: x (passing" in text_of(job)


def test_a_rank_that_cannot_be_read() -> None:
    """Its threads look like those of a program without OpenMP."""
    reason = {"section": "openmp", "code": "unreadable", "message": "No libompd.", "hint": None}
    job = merged(report(0, OUTSIDE), report(1, OUTSIDE), report(2, OUTSIDE, unavailable=[reason]))
    assert classes(job) == [("2", True), ("0-1", False)]
    assert "rank 2: its OpenMP state cannot be read" in text_of(job)


def test_equal_findings_are_one() -> None:
    """Numbers differ between ranks; and codes do not hide behind equal words."""
    job = merged(
        report(0, findings=[finding("crash", "at 0x7f10 in R1.2 (T3)")]),
        report(1, findings=[finding("crash", "at 0x7e20 in R1.1 (T2)")]),
        report(2, findings=[finding("deadlock", "at 0x7e20 in R1.1 (T2)")]),
    )
    told = [(one.finding.code, one.same, who(one.members)) for one in job.findings()]
    assert told == [("deadlock", True, "2"), ("crash", False, "0-1")]
    assert "2 ranks (0-1): at 0x7f10 in R1.2 (T3) (in the words of rank 0)" in text_of(job)


def doubtful(holder: str, rank: int) -> list[dict[str, Any]]:
    return [finding("cannot_tell", f"It cannot be told: who holds {holder} of R{rank}.")]


def test_ranks_of_which_nothing_can_be_told() -> None:
    """Which, and why; alike ones together."""
    job = merged(
        report(0),
        report(1, findings=doubtful("A", 1)),
        report(2, findings=doubtful("A", 2)),
        report(3, findings=doubtful("B", 3)),
    )
    text = text_of(job)
    assert text.startswith(
        "Unclear : of 3 of 4 ranks it cannot be told whether something is wrong.\n"
    )
    assert "          rank 3: It cannot be told: who holds B of R3.\n" in text
    assert "2 ranks (1-2): It cannot be told: who holds A of R1. (in the words of rank 1)" in text
    assert "No problems" not in text and "Other findings" not in text
    assert text.count("who holds B") == 1
    assert job_document.document(job)["unclear"] == {"ranks": "1-3", "count": 3}
    assert job_document.document(merged(report(0)))["unclear"] is None


def test_doubts_beside_a_finding() -> None:
    crash = [finding("crash", "SIGSEGV")]
    text = text_of(merged(report(0, findings=crash), report(1, findings=doubtful("A", 1))))
    assert text.startswith("Odd     : 1 of 2 ranks has a finding: crash.\n")
    assert "\nUnclear : of 1 of 2 ranks it cannot be told whether something is wrong.\n" in text
    assert "rank 1: It cannot be told: who holds A of R1." in text


# ---- Names ---------------------------------------------------------------------------------------


def test_rows_that_read_alike_are_one() -> None:
    """They differ in what the table does not show."""
    waiting = [thread("wait_barrier_implicit_parallel", kind="barrier") for _ in range(4)]
    waiting[0]["kind"] = "primary"
    job = merged(report(0, *waiting))
    (one,) = job.classes()
    assert sorted(one.doing.values()) == [1, 3]
    table = "\n".join(view.lines(job, Style(100))).partition("Classes of")[2]
    (row,) = re.findall(r".*barrier.*solve.*", table.partition("\n\n")[0])
    assert re.search(r"\b4\b", row), row


def test_names() -> None:
    job = merged(
        report(3),
        report(None, host="n1", pid=10),
        report(None, host="n1", pid=11),
        report(0),
        report(None),
    )
    assert who(job.everybody) == "0,3 n1:10-11 4.json"


def test_several_reports_of_one_rank() -> None:
    job = merged(report(0), report(1, host="a", pid=7), report(1, host="b", pid=7))
    assert who(job.everybody) == "0 a:7 b:7"
    assert "Several reports are of one rank (1; of rank 1: 1.json and 2.json)" in text_of(job)


def test_the_same_process_at_two_moments() -> None:
    assert (
        who(merged(report(host="a", pid=7), report(host="a", pid=7)).everybody) == "0.json 1.json"
    )


def test_ranks_without_a_report() -> None:
    job = merged(*(report(rank, rank_count=9) for rank in (0, 1, 4)))
    assert job.absent() == [(2, 3), (5, 8)]
    assert "of 6 of 9 ranks there is none: 2-3,5-8" in text_of(job)
    assert merged(report(5, rank_count=10**9)).absent() == [(0, 4), (6, 10**9 - 1)]
    # They are of two jobs, or none is known.
    assert merged(report(0, rank_count=2), report(1, rank_count=3)).absent() == []
    assert merged(report(None, rank_count=3)).absent() == []
    # A rank beyond the number of ranks.
    assert merged(report(7, rank_count=3)).absent() == [(0, 2)]


def test_reports_that_failed() -> None:
    error = {"code": "timeout", "message": "GDB did not finish.", "hint": "Allow more."}
    failed = {"schema": "ompd/1", "command": "report", "error": error, "rank": 1}
    job = merged(report(0), failed)
    assert who(job.failed) == "1"
    text = text_of(job)
    assert "No problems found in 1 rank with a report." in text and "1 report failed" in text
    assert "rank 1: no report: GDB did not finish. Allow more." in text
    assert text_of(merged(failed)).startswith("No report could be read.")


# ---- The tree ------------------------------------------------------------------------------------


def with_stacks(rank: int, *stacks: dict[str, Any]) -> dict[str, Any]:
    return report(rank, merged={"children": list(stacks)})


def test_tree() -> None:
    usual = [with_stacks(rank, stack("main", "solve", "wait", count=4)) for rank in (0, 2, 3)]
    odd = with_stacks(1, stack("main", "solve", "write", count=2))
    odd["findings"] = [finding("crash", "x")]
    job = merged(odd, *usual)
    (main,) = job.tree.children.values()
    assert (main.threads, who(main.members)) == (14, "0-3")
    lines = text_of(job).split("Frames")[1].splitlines()
    assert [line.split() for line in lines[1:4]] == [
        ["main,", "heat.c:1", "->", "solve,", "heat.c:1", "14", "0-3"],
        ["|-", "write,", "heat.c:1", "2", "1"],
        ["`-", "wait,", "heat.c:1", "12", "0,2-3"],
    ]


def test_frames_are_alike_whatever_their_addresses() -> None:
    documents = [with_stacks(rank, stack("main")) for rank in range(3)]
    for rank, document in enumerate(documents):
        document["merged"]["children"][0]["frame"]["loc"]["pc"] = hex(rank)
    assert len(merged(*documents).tree.children) == 1


def test_bounds_of_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = merged(with_stacks(0, stack(*(f"f{i}" for i in range(400)))))
    assert len(rows(job_document.document(deep)["merged"])) == rank_reports.DEEPEST + 2
    wide = [stack("f")] * (rank_reports.MOST_NODES + 5)
    (node,) = merged(with_stacks(0, *wide)).tree.children.values()
    assert node.threads == rank_reports.MOST_NODES
    monkeypatch.setattr(job_model, "MOST_PLACES", 10)
    full = merged(*(with_stacks(i, stack(f"f{i}", f"g{i}")) for i in range(9)))
    assert who(full.untold) == "5-8"
    assert "Not all stacks of ranks 5-8 are here" in text_of(full)


def rows(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(row for child in node["children"] for row in rows(child))]


# ---- Any document --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document, why",
    [
        (None, "schema"),
        ([], "schema"),
        ({"schema": "ompd/2"}, "schema"),
        ({"schema": "ompd/1", "command": "threads"}, "`threads'"),
        ({"schema": "ompd/1"}, "`?'"),
        (report(threads=None), "`threads' are not a list"),
        (report(findings={}), "`findings' are not a list"),
    ],
)
def test_no_report(document: Any, why: str) -> None:
    with pytest.raises(NoReport, match=why.replace("?", "[?]")):
        merged(document)


JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    1.5,
    "\x1b[31m\ud800",
    [],
    [[]],
    {},
    [{}],
    [None],
)


def spoilt(document: Any, junk: Any) -> list[Any]:
    """The document with one of its values changed, for each."""
    found = []
    if isinstance(document, dict):
        for key, value in document.items():
            found += [{**document, key: new} for new in [junk, *spoilt(value, junk)]]
    elif isinstance(document, list):
        for i, value in enumerate(document):
            found += [
                [*document[:i], new, *document[i + 1 :]] for new in [junk, *spoilt(value, junk)]
            ]
    return found


@pytest.mark.parametrize("junk", JUNK, ids=ascii)
def test_anything_anywhere(junk: Any) -> None:
    whole = report(
        1,
        thread("wait_critical", name="update", kind="critical"),
        OUTSIDE,
        findings=[finding("crash", "x")],
        unavailable=[{"section": "tasks", "code": "c", "message": "m", "hint": None}],
        merged={"children": [stack("main", "solve"), stack("other")]},
        rank_count=4,
        host="n",
        pid=3,
    )
    kept = 0
    for document in spoilt(whole, junk):
        job = Job(WRONG)
        job.add("good", report(0))
        try:
            job.add("spoilt", document)
        except NoReport:
            continue
        kept += 1
        text = text_of(job)
        assert all(line.isprintable() for line in text.splitlines()), text
        job_document.document(job)
    assert kept > 50


def test_long_ones() -> None:
    """Texts are cut, and lists that no process has are refused."""
    whole = report(0, thread("wait_lock", 1, "f" * 10**6, kind="lock", name="n" * 10**6))
    whole.update(host="h" * 10**6, pid=1, runtimes=whole["runtimes"] * 1000)
    whole["findings"] = [finding("crash", "x" * 10**6)]
    job = merged(whole)
    assert len(text_of(job)) < 20_000
    assert len(job.rows[0].host or "") == rank_reports.LONGEST_HOST
    with pytest.raises(NoReport, match="more than"):
        merged(report(0, *[OUTSIDE] * (rank_reports.MOST_ENTRIES + 1)))


# ---- A screen or two -----------------------------------------------------------------------------


def test_many_ranks_that_differ() -> None:
    documents = [
        with_stacks(rank, stack("main", *(f"f{rank}_{i}" for i in range(5)))) for rank in range(500)
    ]
    for rank, document in enumerate(documents):
        document["threads"] = [thread("work_serial", i, f"f{rank}_{i}") for i in range(64)]
        document["findings"] = [finding("crash", f"in f{chr(97 + rank % 26) * rank}")]
        document["unavailable"] = [{"section": f"s{rank}", "code": "c", "message": f"m{rank}"}]
        document["runtimes"][0]["build_id"] = str(rank)
    job = merged(*documents)
    text = text_of(job)
    assert len(text.splitlines()) < 110
    assert max(len(line) for line in text.splitlines()) <= 100
    assert len(text_of(job, every=True).splitlines()) > 2000


# ---- The page ------------------------------------------------------------------------------------


def test_page() -> None:
    usual = [with_stacks(rank, stack("main", "solve", "wait", count=4)) for rank in (0, 2, 3)]
    odd = with_stacks(1, stack("main", "<script>alert(1)</script>", count=2))
    odd["findings"] = [finding("crash", "x</p><script>\x1b[31m")]
    document = job_document.document(merged(odd, *usual), "job")
    document["closer"] = [{"ranks": "1", "host": "n<1>", "pid": 1, "command": "gdb -p 1 <x>"}]
    document["watch"] = {
        "seconds": 1.0,
        "elsewhere": "1",
        "same_places": "0,2-3",
        "only_once": "",
    }
    page = html.page(document)
    assert "1 of 4 ranks has a finding: crash." in page
    assert page.count("<script") == 1 and "&lt;script&gt;alert(1)" in page and "\x1b" not in page
    for title in ("Classes of ranks", "Stacks, merged", "Look closer", "Looked at twice"):
        assert f">{title}</h2>" in page
    assert html.page({"schema": "ompd/1", "command": "merge"})


@pytest.mark.parametrize("junk", JUNK, ids=ascii)
def test_page_of_anything(junk: Any) -> None:
    document = job_document.document(merged(with_stacks(0, stack("main", "solve"))))
    del document["part"]
    for spoilt_one in spoilt({**document, "command": "merge"}, junk):
        if isinstance(spoilt_one, dict) and spoilt_one.get("command") == "merge":
            html.page(spoilt_one)
