# SPDX-License-Identifier: Apache-2.0
"""`set ompd thread-names': does `info threads' show the ids that `ompd threads' tells, and nothing
else change?"""

from __future__ import annotations

import re
from pathlib import Path

import machine
import pytest
from sessions import Answer, ask, target

GDBS = ["gdb", "gdb-10", "gdb-16", "gdb-18"]
ON, OFF = "set ompd thread-names on", "set ompd thread-names off"
INFO, ASK = "info threads", "ompd threads -json"


def names(text: str) -> dict[str, str]:
    """By GDB's number of the thread."""
    target_id = r"(?:Thread \S+(?: \(LWP \d+\))?|LWP \d+)"
    found = re.findall(rf'^[* ] (\d+) +{target_id}(?: "(.*?)")?', text, re.MULTILINE)
    assert found, text
    return dict(found)


def expected(answer: Answer, time: int = 0) -> dict[str, str]:
    found = {}
    for thread in answer.document(ASK, time)["threads"]:
        if thread["gdb"] is None:
            continue  # the runtime has just made it, and GDB has not heard of it yet
        ids = ",".join(one["id"] for one in thread["openmp"] if one["id"])
        found[thread["gdb"].split(".")[1]] = f"{ids} {thread['name'] or ''}".strip()
    return found


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("kind", ["live", "attach", "core", "gdbserver"])
def test_names_are_the_ids(kind: str, gdb: str, folder: Path) -> None:
    commands = [INFO, ASK, ON, INFO, ASK, "show ompd thread-names", OFF, INFO]
    home = machine.cached("libomp-19")
    with target(kind, machine.compiled("nested"), (), home, folder) as made:
        answer = ask(gdb, commands, made.before, made.files, folder=folder)
    own = names(answer.texts[0])
    assert names(answer.texts[3]) == expected(answer) != own
    # The document tells the program's own name, also while another is shown.
    first, second = (answer.document(ASK, time)["threads"] for time in (0, 1))
    assert [one["name"] for one in first] == [one["name"] for one in second]
    assert answer.texts[5] == "OpenMP ids in the names of threads: on."
    assert names(answer.texts[7]) == own


@pytest.mark.parametrize("gdb", GDBS)
def test_each_stop(gdb: str, folder: Path) -> None:
    """The team changes its size: who is in no region any more has its own name back."""
    one = [INFO, ASK, "continue"]
    home = machine.cached("libomp-19")
    with target("live", machine.compiled("reused"), ("all",), home, folder) as made:
        before = [ON, *made.before]
        answer = ask(gdb, [*one, *one, *one], before, made.files, folder=folder)
    # GDB says who stopped the program before the ids of this stop are known.
    assert re.search(r'^Thread \d+ "reused" hit', answer.everything, re.MULTILINE)
    assert '"R1.0 reused" hit' not in answer.everything
    for time in range(3):
        assert names(answer.texts[3 * time]) == expected(answer, time)
    sizes = [
        sum(name.startswith("R1.") for name in names(text).values()) for text in answer.texts[::3]
    ]
    assert len(set(sizes)) > 1, sizes


@pytest.mark.parametrize("gdb", GDBS)
def test_what_the_user_named(gdb: str, folder: Path) -> None:
    """Before it is on, and while it is; his names stay when it is off again."""
    steps = ["thread 1", "thread name mine", ON, "thread 3", "thread name R9.9 his", "continue"]
    commands = [*steps, INFO, OFF, INFO, "continue", INFO]
    home = machine.cached("libomp-19")
    with target("live", machine.compiled("reused"), ("all",), home, folder) as made:
        answer = ask(gdb, commands, made.before, made.files, folder=folder)
    shown = [names(answer.texts[at]) for at in (6, 8, 10)]
    assert all((one["1"], one["3"]) == ("mine", "R9.9 his") for one in shown)
    assert [one["2"] for one in shown] == ["R1.1 reused", "reused", "reused"]


@pytest.mark.parametrize("gdb", GDBS)
def test_selection_and_stops_stay(gdb: str, folder: Path) -> None:
    """What GDB prints at a stop is the same, on or off, but for the names."""
    told = []
    for before in ([], [ON]):
        home = machine.cached("libomp-14")
        with target("live", machine.compiled("nested"), (), home, folder) as made:
            steps = ["frame", "set scheduler-locking on", "next", "up", "thread", "next", "frame"]
            answer = ask(gdb, [*steps, INFO], [*before, *made.before], made.files, folder=folder)
        assert answer.text.count("nested") >= 6
        current = {text.split()[3] for text in answer.texts if text.startswith("[Current")}
        assert current == set(re.findall(r"^\* (\d+)", answer.text, re.MULTILINE))
        told.append([text for text in answer.texts[:-1] if not text.startswith("[Current")])
    assert told[0] == told[1]


@pytest.mark.parametrize("program", ["no_openmp", "not_started"])
def test_without_openmp(program: str, folder: Path) -> None:
    home = machine.cached("libomp-19")
    with target("live", machine.compiled(program), (), home, folder) as made:
        commands = [INFO, ON, INFO, "next", INFO, OFF, INFO]
        answer = ask("gdb", commands, [ON, OFF, *made.before], made.files, folder=folder)
    assert len({str(names(answer.texts[at])) for at in (0, 2, 4, 6)}) == 1


def test_without_process(folder: Path) -> None:
    answer = ask("gdb", [ON, OFF, ON, INFO, "show ompd thread-names"], folder=folder)
    assert answer.texts[:3] == ["", "", ""]
    assert answer.text.endswith(": on.")


def test_running_threads(folder: Path) -> None:
    """In non-stop mode: where a running thread is changes, and no id is shown for it."""
    home = machine.cached("libomp-19")
    with target("live", machine.compiled("nested"), (), home, folder) as made:
        before = ["set non-stop on", ON, *made.before]
        answer = ask("gdb", [INFO], before, made.files, folder=folder)
    running = re.findall(r'"(.*)" +\(running\)', answer.texts[0])
    assert running and not any(re.match(r"R\d", name) for name in running)


@pytest.mark.parametrize("gdb", GDBS)
def test_beside_event_breakpoints(gdb: str, folder: Path) -> None:
    """Which stop the program on their own, and let it go on."""
    one = [INFO, ASK, "continue"]
    home = machine.cached("libomp-19")
    with target("live", machine.compiled("nested"), (), home, folder) as made:
        before = [ON, *made.before[:2], "ompd break parallel", "run"]
        answer = ask(gdb, [*one, *one], before, made.files, folder=folder)
    for time in range(2):
        assert names(answer.texts[3 * time]) == expected(answer, time)


def test_several_runs(folder: Path) -> None:
    home = machine.cached("libomp-19")
    with target("live", machine.compiled("nested"), (), home, folder) as made:
        commands = ["run", INFO, ASK, "kill", OFF, INFO]
        answer = ask("gdb", commands, [ON, *made.before], made.files, folder=folder)
    assert names(answer.texts[1]) == expected(answer)
    assert answer.text == "No threads."


def test_thousand_threads(folder: Path) -> None:
    home = machine.cached("libomp-19")
    with target("live", machine.compiled("wide"), ("1000",), home, folder) as made:
        answer = ask("gdb", [INFO, ASK], [ON, *made.before], made.files, folder=folder)
    assert names(answer.texts[0]) == expected(answer)
