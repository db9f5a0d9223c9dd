# SPDX-License-Identifier: Apache-2.0
"""Is every place called what its author calls it, in all outputs alike? And are threads that begin
regions, or have not begun, told as what they are?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import machine
import pytest
from sessions import ask, target

COMPILERS = [machine.CLANG, "g++"]
STOPPED = ["ompd threads -json", "ompd bt * -json", "ompd", "ompd threads", "ompd bt -merge"]
STOPPED += ["ompd tasks", "ompd deadlock", "ompd parallel", "ompd bt"]


def runtime_for(compiler: str, folder: Path) -> Path:
    found = machine.cached("libomp-14")
    return found if compiler == machine.CLANG else machine.as_libgomp(found, folder / "lib")


@pytest.mark.parametrize("build", ["debug", "optimised", "plain-debug", "release"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_one_name_in_all_outputs(compiler: str, build: str, folder: Path) -> None:
    executable = machine.compiled("names", build, compiler=compiler)
    before = [f"set environment LD_LIBRARY_PATH {runtime_for(compiler, folder)}"]
    before += ["break reached", "run", "up", "set width 100"]
    files = ["--args", executable, "task"]
    answer = ask("gdb", STOPPED, before, files, folder=folder)
    assert "_ZN" not in "".join(answer.texts), answer.everything
    if build == "release":
        return
    stacks = {one["gdb"]: one["frames"] for one in answer.document(STOPPED[1])["stacks"]}
    names = set()
    for thread in answer.document(STOPPED[0])["threads"]:
        if thread["where"] is None:
            continue  # it has not begun
        own = [f for f in stacks[thread["gdb"]] if f["kind"] == "user"]
        own = [f for f in own if (f["loc"]["file"] or "").endswith("names.cc")]
        names.add(thread["where"]["function"])
        at = [f["loc"]["function"] for f in own if f["loc"]["line"] == thread["where"]["line"]]
        assert at and at[0].partition("(")[0] == thread["where"]["function"], answer.everything
    assert "reached" in names
    # The code of the task is that of the function which holds it.
    (stack,) = [
        one for one in stacks.values() if (one[0]["loc"] or {}).get("function") == "reached"
    ]
    assert stack[1]["loc"]["function"].partition("(")[0].endswith("::relax"), answer.everything
    texts = dict(zip(STOPPED, answer.texts))
    assert "::relax" in texts["ompd bt -merge"] and "::relax" in texts["ompd bt"]
    assert max(map(len, texts["ompd bt -merge"].split("\n"))) <= 100, answer.everything


@pytest.mark.parametrize("compiler", COMPILERS)
def test_code_that_is_not_the_users_own(compiler: str, folder: Path) -> None:
    """The C++ library's headers are not, nor what GDB was told to skip."""
    executable = machine.compiled("names", "debug", compiler=compiler)
    before = [f"set environment LD_LIBRARY_PATH {runtime_for(compiler, folder)}"]
    before += ["break reached", "run"]
    asked = ["ompd threads -json", "skip reached", "ompd threads -json", "skip turn"]
    asked += ["ompd threads -json", "skip delete", "ompd threads -json"]
    answer = ask("gdb", asked, before, ["--args", executable, "header"], folder=folder)
    seen = [
        {
            thread["where"]["function"]
            for thread in answer.documents[i]["threads"]
            if thread["where"]
        }
        for i in (0, 2, 4, 6)
    ]
    # The other thread is in main, or has not begun.
    expected: list[set[str]] = [{"reached"}, {"turn"}, set(), {"reached"}]
    assert [one - {"main"} for one in seen] == expected, answer.everything


@pytest.mark.parametrize("build", ["debug", "optimised", "plain"])
@pytest.mark.parametrize("where", ["own", "called"])
@pytest.mark.parametrize("compiler", [machine.CLANG, "gcc"])
def test_a_fork_inside_of_a_region(compiler: str, where: str, build: str, folder: Path) -> None:
    executable = machine.compiled("forks_inside", build, compiler=compiler)
    lib = machine.cached("libomp-14")
    if compiler == "gcc":
        lib = machine.as_libgomp(lib, folder / "lib")
    before = ["set breakpoint pending on", f"set environment LD_LIBRARY_PATH {lib}"]
    # The first one is made for the outer region, the others for the inner ones.
    before += ["break pthread_create", "run", "continue"]
    asked = ["ompd threads -json", "ompd", "ompd icvs -changed -json", "ompd bt -merge"]
    asked += ["output $_thread"]
    answer = ask("gdb", asked, before, ["--args", executable, where], folder=folder)
    current = answer.texts[1]
    states = {
        member["state"]
        for thread in answer.document(asked[0])["threads"]
        for member in thread["openmp"]
        if thread["gdb"] == f"1.{answer.text}"
    }
    assert states == {"overhead"}, answer.everything
    assert "does not know" not in current and "followed to the end" not in current, current
    assert "damaged" not in answer.everything, answer.everything
    for icv in answer.document(asked[2])["icvs"]:
        assert icv["name"] != "nthreads-var" or all(v["value"] for v in icv["values"])


@pytest.mark.parametrize("program, build", [("nested", "bare"), ("suspended", "release")])
def test_a_construct_without_debug_information(program: str, build: str, folder: Path) -> None:
    """Its function is the one whose call began it: the symbols tell which code that executes."""
    executable, runtime = machine.compiled(program, build), machine.cached("libomp-14")
    with target("live", executable, (), runtime, folder) as made:
        answer = ask("gdb", ["ompd parallel -json"], made.before, made.files, folder=folder)
    region = answer.document("ompd parallel -json")["regions"][1]
    assert (region["loc"]["function"], region["loc"]["line"]) == ("main", None), answer.everything
    assert "loc" in region["doubts"]


def test_a_worker_that_begins(folder: Path) -> None:
    executable = machine.compiled("forks_inside", "debug")
    before = ["set breakpoint pending on", "ompd break thread"]
    before += [f"set environment LD_LIBRARY_PATH {machine.cached('libomp-14')}", "run"]
    asked = ["ompd", "ompd bt -merge", "ompd icvs -changed", "ompd threads", "continue"]
    answer = ask("gdb", asked * 2, before, ["--args", executable, "own"], folder=folder)
    for word in ("damaged", "followed to the end", "does not know"):
        assert word not in answer.everything, answer.everything
    assert not any(line.split()[-2:-1] == ["0"] for line in answer.texts[2].split("\n")[1:])


@pytest.mark.full
@pytest.mark.parametrize("runtime", ["libomp-17-debug", "libomp-22-debug"])
def test_a_team_that_is_made_line_by_line(runtime: str, folder: Path) -> None:
    """At whatever line the maker is: nothing is odd, and each thread is what it is."""
    executable, file = machine.compiled("grows", "debug"), folder / "stops"
    before = ["set breakpoint pending on", f"source {machine.ROOT / 'tests/gdb/walk_making.py'}"]
    before += [f"set environment LD_LIBRARY_PATH {machine.cached(runtime)}"]
    answer = ask("gdb", [f"walk-making {file}"], before, ["--args", executable], folder=folder)
    assert file.exists(), answer.everything
    stops = json.loads(file.read_text())
    assert len(stops) > 200
    for stop in stops:
        for word in ("Odd", "damaged", "followed to the end", "does not know", "unknown", "none"):
            assert word not in stop["told"], stop
        assert not re.search(r"^[* ] +\d\S* +\? ", stop["told"], re.M), stop
        assert "teams" not in stop["told"], stop
    where = {stop["at"].partition(":")[0] for stop in stops}
    assert {"__kmp_launch_worker", "__kmp_create_worker", "__kmp_allocate_thread"} <= where
    # How far a thread is when its maker stops again is its own affair.
    assert any("starting" in stop["told"] for stop in stops)
