# SPDX-License-Identifier: Apache-2.0
"""Do all outputs of one stop say the same, whatever the program does? Each scenario that other
tests compare with the truth is looked at by all commands at once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import machine
import pytest
from agreement import COMMANDS, TEXTS, Stop, contradictions, score
from sessions import ask, target

PROGRAMS = {
    "states": "scenarios",
    "states_of_tasks": "scenarios",
    "states_of_regions": "scenarios",
    "deadlocks": "scenarios",
    "foreign_calls": "scenarios",
}
OF_OTHER_COMPILERS = {"taskwait_depend"}
RUNTIMES = ["libomp-14", "libomp-19", "libomp-19-ompd", "libomp-16"]
KINDS = ["live", "core", "attach", "gcore"]
BUILDS = ["debug", "optimised", "plain"]
SETTINGS: list[dict[str, str]] = [
    {},
    {"KMP_CONSISTENCY_CHECK": "all"},
    {"KMP_LOCK_KIND": "tas"},
    {"KMP_BLOCKTIME": "infinite"},
]


def scenarios_of(program: str) -> list[str]:
    text = (machine.PROGRAMS / f"{program}.c").read_text(encoding="utf-8")
    return re.findall(r'^\t\{"(\w+)", \w+, ', text, re.MULTILINE)


def cells() -> list[Any]:
    whole = [(program, name) for program in PROGRAMS for name in scenarios_of(program)]
    assert len(whole) > 50
    whole = [one for one in whole if one[1] not in OF_OTHER_COMPILERS]
    whole += [("barrier", "5"), ("tasks", ""), ("nested", ""), ("teams", "2 nested")]
    found = []
    for i, (program, scenario) in enumerate(whole):
        for k in range(12) if machine.FULL else [0]:
            settings = SETTINGS[(i // 2 + k) % len(SETTINGS)]
            if "twice" in scenario:
                settings = {}  # the runtime would end it
            cell = (
                program,
                scenario,
                RUNTIMES[(i + k) % len(RUNTIMES)],
                KINDS[(i // 4 + k) % len(KINDS)],
                BUILDS[(i + k // 3) % len(BUILDS)],
                settings,
            )
            words = [*cell[:5], *(f"{name}={value}" for name, value in settings.items())]
            found.append(pytest.param(*cell, id="-".join(words).replace(" ", "-")))
    return found


@pytest.mark.parametrize("program, scenario, runtime, kind, build, settings", cells())
def test_scenario(
    program: str,
    scenario: str,
    runtime: str,
    kind: str,
    build: str,
    settings: dict[str, str],
    folder: Path,
) -> None:
    executable, home = machine.compiled(program, build), machine.cached(runtime)
    asked = [*(f"{command} -json" for command in COMMANDS), *TEXTS]
    with target(kind, executable, scenario.split(), home, folder, settings) as made:
        answer = ask("gdb", asked, made.before, made.files, folder=folder)
    documents = {command: answer.document(f"{command} -json") for command in COMMANDS}
    stop = Stop(documents, dict(zip(TEXTS, answer.texts[len(COMMANDS) :])))
    found = score.compare(stop)
    assert not found, "\n".join([*found, answer.everything])


def a_stop() -> Stop:
    """Of a program of which nothing is told."""
    empty = {"stop_id": 1}
    deadlock = {
        "verdict": "none",
        "certainty": "certain",
        "text": "No deadlock.",
        "cycles": [],
        "waits": [],
        "unknown": [],
    }
    summary: dict[str, Any] = {"findings": []}
    sections: dict[str, Any] = {
        "threads": [],
        "barriers": [],
        "locks": [],
        "deadlock": deadlock,
        "tasks": [],
        "summary": summary,
    }
    names = {"ompd": "summary"}
    documents = {
        command: {**empty, name: sections[name]}
        for command in COMMANDS[1:]
        for name in [names.get(command, command.rpartition(" ")[2])]
    }
    documents["ompd report"] = {**empty, **sections, "findings": []}
    texts = dict.fromkeys(TEXTS, "No problems found. No deadlock. Threads : 0:")
    for command in TEXTS:
        if command not in ("ompd", "ompd report"):
            texts[command] = "No deadlock."
    return Stop(documents, texts)


def a_thread(name: str, state: str) -> dict[str, Any]:
    member = {"id": name, "state": state, "wait": None, "task": None}
    return {"gdb": "1.1", "running": False, "in_call": None, "openmp": [member]}


def a_wait(name: str, **facts: Any) -> dict[str, Any]:
    nothing = {"outside": None, "unknown": None, "progress": False, "barrier": None, "for": []}
    return {"who": name, "count": 1, "kind": "lock", **nothing, **facts}


def test_what_agrees() -> None:
    assert contradictions(a_stop()) == []


LIES = {
    "can go on, and is in wait_lock": (
        [a_thread("R1.0", "wait_lock")],
        [a_wait("R1.0", progress=True)],
    ),
    "waits for nothing": ([a_thread("R1.0", "wait_critical")], []),
    "waits and is no thread": ([], [a_wait("R1.7", unknown="why")]),
    "waits for lock, and is in work_parallel": (
        [a_thread("R1.0", "work_parallel")],
        [a_wait("R1.0")],
    ),
    "is waited for, and is no lock": (
        [a_thread("R1.0", "wait_lock")],
        [a_wait("R1.0", **{"for": [{"thread": "R1.1", "lock": "L1", "task": None}]})],
    ),
}


@pytest.mark.parametrize("sentence", LIES)
def test_would_it_see_a_lie(sentence: str) -> None:
    stop = a_stop()
    threads, waits = LIES[sentence]
    stop.section("ompd threads", "threads").extend(threads)
    stop.deadlock["waits"].extend(waits)
    assert any(sentence in found for found in contradictions(stop)), contradictions(stop)


def test_would_it_see_another_verdict() -> None:
    stop = a_stop()
    stop.findings.append({"code": "deadlock", "text": "DEADLOCK", "wrong": True})
    assert any("the verdict none" in found for found in contradictions(stop))
    stop.texts["ompd"] = "No problems found."  # type: ignore[index]
    assert any("says otherwise" in found for found in contradictions(stop))
