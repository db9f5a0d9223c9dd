# SPDX-License-Identifier: Apache-2.0
"""Does `ompd tasks' know every explicit task: its state, its thread, where it was made, what it
waits for?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import Answer, Target, ask, target

TRACKED = ["ompd tasks -json", "ompd tasks", "ompd tasks -tree", "ompd threads -json"]


def truth_of(made: Target) -> tuple[dict[int, int], dict[str, int]]:
    """The line of the task that each thread executes; the lines and numbers by their names."""
    lines = Path(f"{made.record}.tasks").read_text(encoding="utf-8").splitlines()
    pairs = [line.split() for line in lines]
    executed = {int(word): int(number) for word, number in pairs if word.isdigit()}
    named = {word: int(number) for word, number in pairs if not word.isdigit()}
    return executed, named


@pytest.mark.parametrize(
    "runtime, kind, gdb",
    [
        ("libomp-13", "live", "gdb"),
        ("libomp-14", "core", "gdb-16"),
        ("libomp-15", "gcore", "gdb"),
        ("libomp-16", "attach", "gdb"),
        ("libomp-17-debug", "live", "gdb-16"),
        ("libomp-18-debug", "core", "gdb"),
        ("libomp-19", "gdbserver", "gdb"),
        ("libomp-19-ompd", "live", "gdb-16"),
        ("libomp-19-gcc", "core", "gdb"),
        ("libomp-22-debug", "live", "gdb"),
        ("libomp-23-debug", "attach", "gdb-16"),
    ],
)
def test_all_tasks(runtime: str, kind: str, gdb: str, folder: Path) -> None:
    executable = machine.compiled("task_graph")
    settings = {"OMP_MAX_TASK_PRIORITY": "5"}
    with target(kind, executable, (), machine.cached(runtime), folder, settings) as made:
        answer = ask(gdb, TRACKED, made.before, made.files, folder=folder)
        executed, named = truth_of(made)
    check(answer, executed, named)


@pytest.mark.parametrize(
    "how, kind",
    [
        ("libgomp-12", "attach"),
        ("libgomp-10", "core"),
        ("archive", "live"),
        ("static", "core"),
        ("static-pie", "attach"),
        ("archive-fixed", "core"),
    ],
)
def test_all_tasks_of_gnus(how: str, kind: str, folder: Path) -> None:
    """As a library, and in the program."""
    settings = {"OMP_MAX_TASK_PRIORITY": "5"}
    if machine.is_gnus(how):
        executable, home = machine.built_for(how, "task_graph"), machine.cached(how)
    else:
        executable, home = machine.with_libgomp("task_graph", how, folder), folder
    with target(kind, executable, (), home, folder, settings) as made:
        answer = ask("gdb", TRACKED, made.before, made.files, folder=folder)
        executed, named = truth_of(made)
    check(answer, executed, named, gnus=True)


def check(
    answer: Answer, executed: dict[int, int], named: dict[str, int], *, gnus: bool = False
) -> None:
    tasks = answer.document(TRACKED[0])["tasks"]
    lwps = {
        member["id"]: thread["lwp"]
        for thread in answer.document("ompd threads -json")["threads"]
        for member in thread["openmp"]
    }
    by_id = {task["id"]: task for task in tasks}
    assert len(tasks) == named["made"], answer.everything
    assert not any(task.get("doubts") for task in tasks)
    assert all(task["unseen_children"] == 0 for task in tasks)

    executing = [task for task in tasks if task["state"] == "executing"]
    assert {lwps[task["thread"]]: line_of(task) for task in executing} == executed

    chain = [task for task in tasks if line_of(task) == named["chain"]]
    blocked = [task for task in chain if task["state"] == "blocked"]
    assert len(chain) == 4 and len(blocked) == 3
    assert all(task["wait"]["kind"] == "depend" for task in blocked)
    for task in blocked:
        before = [by_id[one] for one in task["depends_on"]]
        assert [line_of(one) for one in before] == [named["chain"]]
    assert len({task["depends_on"][0] for task in blocked}) == 3

    (waiting,) = [task for task in tasks if line_of(task) == named["waiting"]]
    children = [task for task in tasks if task["parent"] == waiting["id"]]
    assert [line_of(task) for task in children] == [named["child"]] * named["begun"]
    if named["begun"]:
        assert waiting["state"] == "suspended" and waiting["children"] == 1
        assert waiting["wait"]["kind"] == "taskwait"
    else:
        assert waiting["state"] == "ready"

    (urgent,) = [task for task in tasks if line_of(task) == named["urgent"]]
    # GNU's runtime executes every task as if it were tied.
    assert (urgent["priority"], urgent["tied"]) == (3, gnus)
    known = [*executing, *blocked, waiting]
    assert all(task["state"] == "ready" for task in tasks if task not in known)
    assert all(task["region"] == "R1" for task in tasks)
    tree = answer.texts[2]
    assert all(f"{task['id']} " in tree for task in tasks), tree


def line_of(task: Any) -> Any:
    return task["created"] and task["created"]["line"]


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19-ompd"])
def test_no_tasks(runtime: str, folder: Path) -> None:
    with target("live", machine.compiled("nested"), (), machine.cached(runtime), folder) as made:
        asked = [*TRACKED, "ompd status"]
        answer = ask("gdb", asked, made.before, made.files, folder=folder)
    assert answer.document(TRACKED[0])["tasks"] == []
    assert answer.texts[1] == "0 explicit tasks.", answer.everything


# Of each serialized region: what lies behind the node of its list of task teams.
POISON = """python
import json
with open("regions.json", encoding="utf-8") as file:
    regions = json.load(file)["regions"]
for region in regions:
    if region["serialized"]:
        team = f"((kmp_base_team_t *) {region['address']})"
        node = int(gdb.parse_and_eval(f"{team}->t_task_team[1]"))
        if node:
            gdb.selected_inferior().write_memory(node + 16, b"A" * 192)
            print("poisoned")
end
"""


def test_list_of_task_teams(folder: Path) -> None:
    """Since libomp 19 a team of one thread has no second task team, but a list of them."""
    (folder / "poison.gdb").write_text(POISON, encoding="utf-8")
    runtime = machine.cached("libomp-19-ompd")
    with target("live", machine.compiled("nested"), (), runtime, folder) as made:
        before = [*made.before, "ompd parallel -json regions.json", "source poison.gdb"]
        answer = ask("gdb", [*TRACKED, "ompd status"], before, made.files, folder=folder)
    assert "poisoned" in answer.everything
    assert answer.document(TRACKED[0])["tasks"] == []
    assert answer.texts[1] == "0 explicit tasks.", answer.everything


def is_part(some: list[int], whole: list[int]) -> bool:
    """In the same order."""
    rest = iter(whole)
    return all(one in rest for one in some)


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-16", "libomp-19", "libomp-19-ompd"])
@pytest.mark.parametrize("kind", ["live", "core"])
@pytest.mark.parametrize("clause", ["", "untied"])
def test_suspended(kind: str, runtime: str, clause: str, folder: Path) -> None:
    """Which are on which thread's stack, in which order."""
    executable = machine.compiled("suspended", link=(f"-DCLAUSE={clause}",))
    commands = ["ompd tasks -json", "ompd threads -json", "ompd tasks -all"]
    with target(kind, executable, (), machine.cached(runtime), folder) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
        lines = Path(f"{made.record}.tasks").read_text(encoding="utf-8").splitlines()
    true: dict[int, list[int]] = {}
    for tid, depth in (map(int, line.split()) for line in lines):
        true.setdefault(tid, []).append(depth)
    lwps = {
        member["id"]: thread["lwp"]
        for thread in answer.document(commands[1])["threads"]
        for member in thread["openmp"]
    }
    tasks = {task["id"]: task for task in answer.document(commands[0])["tasks"]}
    told: dict[int, list[int]] = {}
    for task in tasks.values():
        if task["state"] == "executing":
            told[lwps[task["thread"]]] = [depth_of(task, tasks)]
    for task in tasks.values():
        if task["state"] == "executing":
            chain = told[lwps[task["thread"]]]
            outer = [one for one in tasks.values() if one["inside"] == task["id"]]
            while outer:
                (one,) = outer
                assert one["thread"] == task["thread"] and one["state"] == "suspended"
                chain.insert(0, depth_of(one, tasks))
                outer = [other for other in tasks.values() if other["inside"] == one["id"]]
    if clause == "untied":
        # Of these the stacks may leave some out.
        assert told.keys() == true.keys() and all(told[tid][-1:] == true[tid][-1:] for tid in true)
        assert all(is_part(told[tid], true[tid]) for tid in true), answer.everything
    else:
        assert told == true, answer.everything
    assert max(map(len, true.values())) > 2
    assert " below t" in answer.text
    assert (" (likely)" in answer.text) == (clause == "untied")


def depth_of(task: Any, tasks: dict[str, Any]) -> int:
    depth = 1
    while task["parent"] is not None:
        task = tasks[task["parent"]]
        depth += 1
    return depth


def test_ids(folder: Path) -> None:
    commands = ["ompd tasks t1 -json", "ompd tasks t99", "ompd tasks R1 -json", "ompd tasks 1"]
    commands += ["ompd tasks t2 -json", "ompd threads t2 -json", "ompd bt t2 -json"]
    commands += ["ompd threads t99", "complete ompd bt t"]
    executable, runtime = machine.compiled("task_graph"), machine.cached("libomp-14")
    with target("live", executable, (), runtime, folder) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
        _, named = truth_of(made)
    assert [task["id"] for task in answer.document(commands[0])["tasks"]] == ["t1"]
    assert answer.texts[1] == "There is no task t99: `ompd tasks' shows the tasks."
    assert len(answer.document(commands[2])["tasks"]) == named["made"]
    assert "1 explicit task: 1 executing." in answer.texts[3]
    (task,) = answer.document(commands[4])["tasks"]
    (thread,) = answer.document(commands[5])["threads"]
    (stack,) = answer.document(commands[6])["stacks"]
    assert task["state"] == "executing"
    assert task["thread"] == thread["openmp"][0]["id"] == stack["who"], answer.everything
    assert answer.texts[7].startswith("No thread executes a task t99 now")
    completed = answer.texts[8].splitlines()
    assert completed == [f"ompd bt t{number}" for number in (1, 2, 3)], answer.everything
