# SPDX-License-Identifier: Apache-2.0
"""`ompd icvs': does each thread's ICV have the value that omp_get_*() told the thread?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import Answer, ask, target

ENVIRONMENT = {
    "OMP_NUM_THREADS": "4,3,2",
    "OMP_PROC_BIND": "spread,close",
    "OMP_CANCELLATION": "true",
    "OMP_MAX_TASK_PRIORITY": "9",
    "OMP_STACKSIZE": "3M",
    "OMP_WAIT_POLICY": "active",
}
ASK = [
    "ompd threads -json",
    "ompd icvs -json",
    "ompd icvs",
    "ompd icvs -changed",
    "ompd icvs -changed -json",
]
# ICV: the field of the program's record.
NUMBERS = {
    "nthreads-var": "max_threads",
    "dyn-var": "dynamic",
    "max-active-levels-var": "max_active_levels",
    "thread-limit-var": "thread_limit",
    "bind-var": "proc_bind",
    "default-device-var": "default_device",
    "final-task-var": "final",
    "levels-var": "level",
    "team-size-var": "num_threads",
    "thread-num-var": "thread_num",
}
SCHEDULES = {1: "static", 2: "dynamic", 3: "guided", 4: "auto"}
# Found by getters in every build; the others where the build is laid out as a plain one.
BY_GETTERS = {
    "cancel-var": "true",
    "max-task-priority-var": "9",
    "stacksize-var": str(3 << 20),
    "wait-policy-var": "active",
    "target-offload-var": "default",
}
PLAIN = ["libomp-14", "libomp-16", "libomp-19", "libomp-19-ompd"]
OTHERS = ["libomp-13", "libomp-19-gcc"]


def told(kind: str, runtime: str, folder: Path) -> tuple[Answer, Any]:
    executable, place = machine.compiled("settings"), machine.cached(runtime)
    with target(kind, executable, (), place, folder, ENVIRONMENT) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        return answer, made.truth()


def members(who: str) -> set[str]:
    """R1-2.0,3: R1.0, R1.3, R2.0, R2.3"""
    found = set()
    for word in who.split():
        regions, _, numbers = word[1:].partition(".")
        found |= {f"R{r}.{n}" for r in listed(regions) for n in listed(numbers)}
    return found


def listed(text: str) -> list[int]:
    runs = [re.fullmatch(r"(\d+)(?:-(\d+))?", part) for part in text.split(",")]
    bounds = [(int(run[1]), int(run[2] or run[1])) for run in runs if run]
    return [number for low, high in bounds for number in range(low, high + 1)]


@pytest.mark.parametrize("runtime", [*PLAIN, *OTHERS])
@pytest.mark.parametrize("kind", ["live", "attach", "core"])
def test_values(kind: str, runtime: str, folder: Path) -> None:
    answer, record = told(kind, runtime, folder)
    ids = {one["lwp"]: one["openmp"] for one in answer.document(ASK[0])["threads"]}
    icvs = {icv["name"]: icv for icv in answer.document(ASK[1])["icvs"]}
    compared = 0
    for truth in record["threads"]:
        if truth["kind"] != "openmp":
            continue
        mine = ids[truth["tid"]][0]["id"]
        for name, field in NUMBERS.items():
            assert of(icvs[name], mine)["value"] == truth[field], (name, mine, truth)
            compared += 1
        schedule = of(icvs["run-sched-var"], mine)["text"].split(":")[-1].split(",")
        assert schedule[0] == SCHEDULES[truth["schedule_kind"] & 0xFFFF]
    assert compared >= 3 * len(NUMBERS)
    for name, text in BY_GETTERS.items():
        assert icvs[name]["values"] == [{**icvs[name]["values"][0], "text": text, "who": None}]
    procs = icvs["num-procs-var"]["values"][0]
    if runtime in PLAIN:
        assert procs["value"] == record["threads"][0]["num_procs"]
    else:
        assert procs["value"] is None and "not known" in procs["doubts"]["text"]["why"]
        assert "num-procs-var" in answer.texts[2]


def of(icv: Any, who: str) -> Any:
    return next(value for value in icv["values"] if who in members(value["who"]))


def test_text(folder: Path) -> None:
    answer, _ = told("core", "libomp-19", folder)
    text = answer.texts[2]
    assert re.search(r"^stacksize-var +process +3 MiB$", text, re.MULTILINE), text
    assert re.search(r"^thread-limit-var +task +unlimited +R", text, re.MULTILINE), text
    assert "Not known, since the runtime does not keep it: " in text
    changed = {icv["name"] for icv in answer.document(ASK[4])["icvs"]}
    assert {"dyn-var", "run-sched-var", "default-device-var"} <= changed
    assert not changed & {"thread-limit-var", "cancel-var", "levels-var"}
    assert "run-sched-var" in answer.texts[3] and "thread-limit-var" not in answer.texts[3]


@pytest.mark.parametrize(
    ("command", "words"),
    [("ompd icvs R99", "R99"), ("ompd icvs -nonsense", "no option"), ("ompd icvs x", "is no id")],
)
def test_mistakes(command: str, words: str, folder: Path) -> None:
    executable, place = machine.compiled("settings"), machine.cached("libomp-19")
    with target("core", executable, (), place, folder) as made:
        answer = ask("gdb", [command], made.before, made.files, folder=folder)
    assert words in answer.everything


def test_idle_threads_are_counted(folder: Path) -> None:
    """After a region its workers execute no task."""
    executable, place = machine.compiled("after_end"), machine.cached("libomp-19")
    with target("core", executable, (), place, folder) as made:
        answer = ask("gdb", ["ompd icvs"], made.before, made.files, folder=folder)
    assert re.search(r"1 thread; \d+ other threads? execute", answer.texts[0]), answer.texts[0]
