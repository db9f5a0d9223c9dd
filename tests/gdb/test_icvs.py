# SPDX-License-Identifier: Apache-2.0
"""`ompd icvs': does each thread's ICV have the value that omp_get_*() told the thread?"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import Answer, ask, kernel_core, target

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


GNUS = ["libgomp-7", "libgomp-10", "libgomp-12", "libgomp-14", "libgomp-16"]
if machine.FULL:
    GNUS += [f"libgomp-{release}-built" for release in range(9, 17)]
# ICV: what libgomp itself prints of it (OMP_DISPLAY_ENV).
DISPLAYED = {
    "cancel-var": "OMP_CANCELLATION",
    "display-affinity-var": "OMP_DISPLAY_AFFINITY",
    "max-task-priority-var": "OMP_MAX_TASK_PRIORITY",
    "stacksize-var": "OMP_STACKSIZE",
    "target-offload-var": "OMP_TARGET_OFFLOAD",
    "wait-policy-var": "OMP_WAIT_POLICY",
}
KINDS = ["live", "attach", "core", "gcore"]


def displayed(executable: Path, runtime: Path, settings: dict[str, str], folder: Path) -> Any:
    """What the runtime made of the environment."""
    done = subprocess.run(
        ["timeout", "--preserve-status", "20", str(executable), "display"],
        env={"LD_LIBRARY_PATH": str(runtime), "OMP_DISPLAY_ENV": "true", **settings},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    # Newer ones write `[host] OMP_STACKSIZE = ...'.
    found = re.findall(r"^\s*(?:\[\w+\] )?(\w+) = '(.*)'$", done.stderr, re.MULTILINE)
    return {name: text.lower() for name, text in found}


def check_gnus(
    kind: str, executable: Path, home: Path, settings: dict[str, str], folder: Path
) -> None:
    with target(kind, executable, (), home, folder, settings) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        record = made.truth()
    shown = displayed(executable, home, settings, folder)
    ids = {one["lwp"]: one["openmp"] for one in answer.document(ASK[0])["threads"]}
    icvs = {icv["name"]: icv for icv in answer.document(ASK[1])["icvs"]}
    numbers = shown["OMP_NUM_THREADS"].split(",")
    bindings = [
        one.strip() for one in shown["OMP_PROC_BIND"].replace("master", "primary").split(",")
    ]
    for truth in record["threads"]:
        if truth["kind"] != "openmp":
            continue
        mine = ids[truth["tid"]][0]["id"]
        inside = truth["level"] + 1
        for name, field in NUMBERS.items():
            if name != "max-active-levels-var" or not machine.is_older_gnus(home):
                assert of(icvs[name], mine)["value"] == truth[field], (name, mine, truth)
        own = [str(truth["max_threads"]), *numbers[inside:]]
        assert of(icvs["nthreads-var"], mine)["text"] == ",".join(own), answer.everything
        told = of(icvs["bind-var"], mine)["text"].split(",")
        assert told[1:] == bindings[inside:], answer.everything
    for name, variable in DISPLAYED.items():
        (value,) = icvs[name]["values"]
        assert value["text"] == shown.get(variable), (name, answer.everything)


# gcore writes zeros for the stacks of sid's C library.
GNUS_CELLS = [(k, r) for r in GNUS for k in KINDS if (k, r) != ("gcore", "libgomp-16")]


@pytest.mark.parametrize("kind, runtime", GNUS_CELLS)
def test_gnus(kind: str, runtime: str, folder: Path) -> None:
    """What is in no variable that can be found, the environment tells."""
    executable = machine.built_for(runtime, "settings")
    settings = {**ENVIRONMENT, **machine.settings_of(runtime)}
    check_gnus(kind, executable, machine.cached(runtime), settings, folder)


@pytest.mark.parametrize("how", machine.LINKED)
@pytest.mark.parametrize("kind", ["attach", "core"])
def test_libgomp_in_the_program(kind: str, how: str, folder: Path) -> None:
    executable = machine.with_libgomp("settings", how, folder)
    check_gnus(kind, executable, folder, ENVIRONMENT, folder)


# What the program does to its environment, and what it is started with.
CHANGES = {
    "changed": ('setenv("OMP_NUM_THREADS", "4,7", 1);', "4,3,2"),
    "taken away": ('unsetenv("OMP_NUM_THREADS");', "4,3,2"),
    "cleared": ("clearenv();", "4,3,2"),
    "of no meaning": ("", "4,,2"),
    "too long": ("", ",".join(["4"] * 3000)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_environment_that_tells_nothing(change: str, folder: Path) -> None:
    """It may have been changed before the runtime was loaded, or afterwards."""
    code, value = CHANGES[change]
    source, executable = folder / "changing.c", folder / "changing"
    source.write_text(
        "#include <omp.h>\n#include <stdlib.h>\n"
        f"int main(void) {{ {code}\n#pragma omp parallel num_threads(2)\n"
        "if (omp_get_thread_num() == 1) abort();\nreturn 0; }\n",
        encoding="utf-8",
    )
    machine.run("gcc", "-g", "-fopenmp", source, "-o", executable)
    environment = {"OMP_NUM_THREADS": value, "LD_LIBRARY_PATH": str(machine.cached("libgomp-12"))}
    core = kernel_core(executable, (), environment, folder)
    answer = ask("gdb", ["ompd icvs -json", "ompd icvs"], [], [executable, core], folder=folder)
    icvs = {icv["name"]: icv for icv in answer.document("ompd icvs -json")["icvs"]}
    for told in icvs["nthreads-var"]["values"]:
        assert told["text"] is None and told["value"] is not None, answer.everything
        assert "first item" in told["doubts"]["text"]["why"]


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
    [
        ("ompd icvs R99", "R99"),
        ("ompd icvs -nonsense", "no option"),
        ("ompd icvs x", "is not an id"),
    ],
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


@pytest.mark.parametrize("places", ["{0},{1},{0,1}", "threads", "{0:2}"])
@pytest.mark.parametrize(
    "runtime", ["libgomp-12", "libgomp-10", "libgomp-14", "libgomp-16", "libomp-19"]
)
def test_places(runtime: str, places: str, folder: Path) -> None:
    """The numbers of the places that each thread's team may use; here each has one, which is that
    of its own place, where there are as many as threads. Which processors those are is no ICV."""
    executable, home = machine.built_for(runtime, "places"), machine.cached(runtime)
    settings = {"OMP_PLACES": places, "OMP_PROC_BIND": "spread"}
    with target("core", executable, (), home, folder, settings) as made:
        answer = ask("gdb", ASK[:2], made.before, made.files, folder=folder)
        lines = Path(f"{made.record}.places").read_text(encoding="utf-8").splitlines()
    lwps = {m["id"]: t["lwp"] for t in answer.document(ASK[0])["threads"] for m in t["openmp"]}
    values = [
        one["values"]
        for one in answer.document(ASK[1])["icvs"]
        if one["name"] == "place-partition-var"
    ]
    told = {
        lwps[f"R1.{num}"]: value["text"] or str(value["value"])
        for value in (one for each in values for one in each)
        for num in range(3)
        if num in numbers_of(value["who"])
    }
    true = {int(tid): (place, partition) for tid, place, partition in map(str.split, lines)}
    assert told == {tid: partition for tid, (_, partition) in true.items()}, answer.everything
    if places == "{0},{1},{0,1}":
        assert told == {tid: place for tid, (place, _) in true.items()}, answer.everything


def numbers_of(who: str) -> set[int]:
    """R1.0-1,2"""
    found: set[int] = set()
    for part in who.partition(".")[2].split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found
