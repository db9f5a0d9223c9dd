# SPDX-License-Identifier: Apache-2.0
"""Does `ompd break' stop at each event, and at nothing else? The program counts what it passes."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any, Sequence

import machine
import pytest
import sessions
from sessions import Answer, ask
from test_builds import second_part, static_program

EVENTS = (
    *("parallel begin", "parallel end", "teams begin", "teams end"),
    *("task begin", "task end", "barrier"),
)
DRIVER = f"source {machine.ROOT / 'tests' / 'gdb' / 'record_stops.py'}"
HIDDEN = re.compile(r"^-\d+ +breakpoint", re.MULTILINE)

Counts = Counter[tuple[Any, ...]]


def breaks(events: Sequence[str]) -> list[str]:
    return [f"ompd break {event}" for event in events]


def true_counts(record: Path, events: Sequence[str]) -> Counts:
    passed = [tuple(event) for event in json.loads(record.read_text(encoding="utf-8"))["events"]]
    # A task ends where it began.
    passed += [("task end", *event[1:]) for event in passed if event[0] == "task begin"]
    return Counter(event for event in passed if event[0] in events)


def stops_in(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "stops").read_text(encoding="utf-8"))
    return found


def told_counts(stops: Sequence[dict[str, Any]]) -> Counts:
    names = ("what", "line", "level", "team_size", "team_num", "num_teams")
    return Counter(tuple(stop[name] for name in names) for stop in stops)


def compare(folder: Path, events: Sequence[str], *, lines: bool = True) -> None:
    stops, record = stops_in(folder), folder / "truth.json"
    true, told = true_counts(record, events), told_counts(stops)
    if not lines:
        true = Counter((what, 0, *rest) for what, _, *rest in true.elements())
        told = Counter((what, 0, *rest) for what, _, *rest in told.elements())
    assert told - true == Counter(), "stops that the program knows nothing of"
    assert true - told == Counter(), "events without a stop"
    in_primary = ("parallel begin", "teams begin", "barrier")
    assert {s["thread_num"] for s in stops if s["what"] in in_primary} <= {0}
    assert all(s["said_size"] == s["team_size"] for s in stops if s["level"] > 0)


def run(
    folder: Path,
    events: Sequence[str],
    *,
    runtime: Path,
    executable: Path,
    rounds: int = 1,
    gdb: str = "gdb",
    environment: dict[str, str] | None = None,
    after: Sequence[str] = (),
) -> Answer:
    """Of a program that GDB starts; the breakpoints are set before."""
    settings = {
        "LD_LIBRARY_PATH": str(runtime),
        "OMPD_TRUTH_FILE": str(folder / "truth.json"),
        **(environment or {}),
    }
    commands = [f"set environment {name} {value}" for name, value in settings.items()]
    commands += [DRIVER, *breaks(events), f"record-stops {folder / 'stops'} run", *after]
    return ask(gdb, commands, [], ["--args", executable, str(rounds)], folder=folder)


RUNTIMES = ["libomp-14", "libomp-16", "libomp-19", "libomp-19-ompd"]
if machine.FULL:
    RUNTIMES += ["libomp-13", "libomp-15", "libomp-19-gcc", "libomp-19-lto"]
    RUNTIMES += [f"libomp-{release}-debug" for release in (17, 18, 21, 22, 23)]


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_every_event(runtime: str, folder: Path) -> None:
    folder_of, executable = machine.cached(runtime), machine.compiled("events")
    commands = ["ompd info break -json", "maint info breakpoints"]
    answer = run(folder, EVENTS, runtime=folder_of, executable=executable, after=commands)
    compare(folder, EVENTS)
    hits = {
        f"{one['kind']} {one['when']}".replace(" all", ""): one["hits"]
        for one in answer.document(commands[0])["breakpoints"]
    }
    assert hits == Counter(stop["what"] for stop in stops_in(folder))
    assert not HIDDEN.search(answer.text), "breakpoints were left behind"


@pytest.mark.parametrize("gdb", ["gdb-10", "gdb-16", "gdb-18"])
def test_other_gdbs(gdb: str, folder: Path) -> None:
    runtime, executable = machine.cached("libomp-19"), machine.compiled("events")
    run(folder, EVENTS, runtime=runtime, executable=executable, gdb=gdb)
    compare(folder, EVENTS)


@pytest.mark.parametrize("build", ["optimised", "release"])
def test_optimised_programs(build: str, folder: Path) -> None:
    """Outlined functions are inlined there, and the last call of a function is a jump."""
    runtime, executable = machine.cached("libomp-19"), machine.compiled("events", build)
    run(folder, EVENTS, runtime=runtime, executable=executable)
    compare(folder, EVENTS, lines=build == "optimised")


@pytest.mark.parametrize("name", ["libomp-19", "libgomp-12"])
@pytest.mark.parametrize("build", ["debug", "optimised"])
def test_entry_points_of_gnu(build: str, name: str, folder: Path) -> None:
    """gcc tells the runtime no lines, and its own are not always the directive's."""
    runtime = machine.under_gcc(name, folder)
    executable = machine.compiled("events", build, compiler="gcc")
    run(folder, EVENTS, runtime=runtime, executable=executable)
    compare(folder, EVENTS, lines=False)


@pytest.mark.parametrize("runtime", ["libomp-16", "libomp-19"])
def test_runtime_that_tracks_states(runtime: str, folder: Path) -> None:
    cached, executable = machine.cached(runtime), machine.compiled("events")
    environment = {"OMP_DEBUG": "enabled"}
    run(folder, EVENTS, runtime=cached, executable=executable, environment=environment)
    compare(folder, EVENTS)


@pytest.mark.parametrize("compiler", [machine.CLANG, "gcc"])
def test_cancelled_constructs(compiler: str, folder: Path) -> None:
    """A barrier at which a region is cancelled has not been passed."""
    runtime = machine.cached("libomp-16")
    if compiler == "gcc":
        runtime = machine.as_libgomp(runtime, folder / "runtime")
    executable = machine.compiled("events", compiler=compiler)
    environment = {"OMP_CANCELLATION": "true"}
    run(folder, EVENTS, runtime=runtime, executable=executable, environment=environment)
    compare(folder, EVENTS, lines=compiler != "gcc")
    line = line_of("#pragma omp cancel parallel") + 2
    assert not any(line == e[1] for e in true_counts(folder / "truth.json", ["barrier"]))


@pytest.mark.parametrize("gdb", ["gdb", "gdb-18"])
@pytest.mark.parametrize("when", ["begin", "end"])
@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19"])
def test_worker_threads(runtime: str, when: str, gdb: str, folder: Path) -> None:
    cached, executable = machine.cached(runtime), machine.compiled("events")
    run(folder, [f"thread {when}"], runtime=cached, executable=executable, rounds=3, gdb=gdb)
    workers = sum(true_counts(folder / "truth.json", ["thread begin"]).values())
    stops = stops_in(folder)
    assert [stop["what"] for stop in stops] == [f"thread {when}"] * workers
    assert workers >= 3


def test_entry(folder: Path) -> None:
    """Once per region, before there is a team: said_size is the encountering thread's."""
    runtime, executable = machine.cached("libomp-16"), machine.compiled("events", "optimised")
    run(folder, ["parallel entry"], runtime=runtime, executable=executable)
    regions = true_counts(folder / "truth.json", ["parallel begin"])
    lines = Counter(stop["line"] for stop in stops_in(folder))
    assert lines == Counter(line for _, line, *_ in regions.elements())


def test_many_stops(folder: Path) -> None:
    rounds = 200 if machine.FULL else 60
    runtime, executable = machine.cached("libomp-19"), machine.compiled("events")
    event = "parallel begin at five_regions"
    run(folder, [event], runtime=runtime, executable=executable, rounds=rounds)
    stops = stops_in(folder)
    assert len(stops) == 5 * rounds
    line = line_of("#pragma omp parallel num_threads(4)")
    assert told_counts(stops) == {("parallel begin", line, 1, 4, 0, 1): 5 * rounds}


def test_attached(folder: Path) -> None:
    record = folder / "truth.json"
    env = {
        "LD_LIBRARY_PATH": str(machine.cached("libomp-14")),
        "OMPD_TRUTH_FILE": str(record),
    }
    with sessions.parked(machine.compiled("events"), (), env, folder, record) as pid:
        before = [f"attach {pid}", DRIVER]
        go = "set variable go = 1"
        commands = [*breaks(EVENTS), go, f"record-stops {folder / 'stops'} continue"]
        ask("gdb", commands, before, folder=folder)
    compare(folder, EVENTS)


def test_gdbserver(folder: Path) -> None:
    executable, runtime = machine.compiled("events"), machine.cached("libomp-19")
    env = ["env", f"LD_LIBRARY_PATH={runtime}", f"OMPD_TRUTH_FILE={folder / 'truth.json'}"]
    server = shlex.join([*env, "gdbserver", "--once", "-", str(executable)])
    before = [f"target remote | {server}", DRIVER]
    commands = [*breaks(EVENTS), f"record-stops {folder / 'stops'} continue"]
    ask("gdb", commands, before, [executable], folder=folder)
    compare(folder, EVENTS)


# ---- What a user does with them ------------------------------------------------------------------


def line_of(text: str) -> int:
    """Where the program's source has this text."""
    lines = (machine.PROGRAMS / "events.c").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def session(commands: Sequence[str], folder: Path, gdb: str = "gdb") -> Answer:
    executable, runtime = machine.compiled("events"), machine.cached("libomp-19")
    before = [
        f"set environment LD_LIBRARY_PATH {runtime}",
        f"set environment OMPD_TRUTH_FILE {folder / 'truth.json'}",
    ]
    return ask(gdb, commands, before, ["--args", executable, "1"], folder=folder)


def test_place_and_condition(folder: Path) -> None:
    """changing_team() has teams of 4, 2, 3 and 1."""
    line = line_of("num_threads(sizes[i])")
    answer = session(
        [
            f"ompd break parallel at events.c:{line} if $_omp_team_size() < 4",
            "run",
            "print $_omp_team_size()",
            "continue",
            "print $_omp_team_size()",
            "ompd break parallel end at nested",
            "continue",
            "print $_omp_team_size() + $_omp_thread_num() + 10 * $_omp_level()",
            "continue",
            "ompd info break",
            "info breakpoints",
            "print $_omp_num_teams()",
        ],
        folder,
    )
    texts = answer.texts
    assert f"begin of a parallel region, at events.c:{line}, if $_omp_team_size() < 4" in texts[0]
    assert f"changing_team () at events.c:{line}." in texts[1]
    assert (texts[2], texts[4], texts[7]) == ("$1 = 2", "$2 = 3", "$3 = 11")
    assert "R1.0, of 3 threads, in R0, level 1" in texts[3]
    assert "R1.0, of 1 thread, in R0" in texts[6]
    assert f"end of a parallel region, nested () at events.c:{line_of('inner = __LINE__ + 2') + 2}"
    assert "end of a parallel region, nested ()" in texts[8] or "main" in texts[8]
    assert re.search(r"^1 +keep +y +3 ", texts[9], re.M)
    assert f"'OpenMP parallel begin at events.c:{line}'" in texts[10]
    assert texts[11] == "$4 = 1"


def test_teams(folder: Path) -> None:
    """leagues() has leagues of 3, 1 and 2 teams; the numbers in conditions are the thread's."""
    line = line_of("num_teams(sizes[i])")
    answer = session(
        [
            f"ompd break teams at events.c:{line} if $_omp_team_num() == 1",
            "run",
            "print 10 * $_omp_team_num() + $_omp_num_teams()",
            "ompd tbreak parallel at leagues if $_omp_team_num() == 1",
            "continue",
            "continue",
            "ompd tbreak teams end",
            "continue",
            "print 10 * $_omp_team_num() + $_omp_num_teams()",
            "ompd info break",
            "info breakpoints",
        ],
        folder,
    )
    texts = answer.texts
    assert f"begin of a teams region, at events.c:{line}, if $_omp_team_num() == 1" in texts[0]
    assert f"begin of a teams region, leagues () at events.c:{line}." in texts[1]
    assert re.search(r"is R\d\.0, of 1 thread, in R0, level 0, team 1 of a league of 3\.", texts[1])
    assert texts[2] == "$1 = 13"
    assert re.search(r"of 2 threads, in R\d, level 1, team 1 of a league of 3\.", texts[4])
    assert "team 1 of a league of 2." in texts[5]
    assert "end of a teams region, " in texts[7] and f"leagues () at events.c:{line}" in texts[7]
    assert texts[8] == "$2 = 1"
    assert re.search(r"^1 +keep +y +2 ", texts[9], re.M) and len(texts[9].splitlines()) == 2
    assert f"'OpenMP teams begin at events.c:{line}'" in texts[10]


def test_completion(folder: Path) -> None:
    commands = [f"complete ompd break {text}" for text in ("t", "teams ", "parallel begin ")]
    answer = session(commands, folder)
    ends = [[line.split()[-1] for line in text.splitlines()] for text in answer.texts]
    assert ends == [
        ["target", "task", "teams", "thread"],
        ["at", "begin", "end", "if"],
        ["at", "if"],
    ]


def test_completion_of_places(folder: Path) -> None:
    words = [
        "parallel at changing_t",
        "task end at events.c:changing_t",
        "task if nested == changing_t",
    ]
    answer = session([f"complete ompd break {text}" for text in words], folder)
    for text, found in zip(words, answer.texts):
        assert found.splitlines()[0] == f"ompd break {text}eam"


def test_places_are_asked_for_once(folder: Path) -> None:
    """Not at each stop of ours: GDB is asked as often in five rounds as in one."""
    counting = (
        "python from ompd_gdb.target import console; real = console.output; asked = [];"
        " console.output = lambda command: asked.append(command) or real(command)"
    )
    count = "python print(sum(one.startswith('info symbol') for one in asked)); asked.clear()"
    commands = [counting, "ompd break task if 0", "run", count, "set args 5", "run", count]
    answer = session(commands, folder)
    assert answer.texts[3] == answer.texts[6] != "0", answer.everything


def test_python_is_asked_once_a_region_where_it_begins(folder: Path) -> None:
    """All four threads come there: GDB lets the three go on by itself."""
    counting = (
        "python from ompd_gdb.target.watches import Watch; real = Watch.stop; asked = [];"
        " Watch.stop = lambda watch: asked.append(watch.hit.__name__) or real(watch)"
    )
    count = "python print(asked.count('_at_place'), sum(one.startswith('hit') for one in asked))"
    commands = [counting, "ompd break parallel at five_regions", "ignore 1 1000", "set args 20"]
    texts = session([*commands, "run", count, "ompd info break"], folder).texts
    at_place, at_entries = map(int, texts[5].split())
    assert at_place == 20 * 5 and at_entries > at_place
    assert re.search(r"^1 +keep +y +100 ", texts[6], re.M)


def test_a_region_that_begins_again_is_known_by_its_function(folder: Path) -> None:
    """All else about its call is asked for the first time only."""
    counting = (
        "python from ompd_gdb.target.event_breakpoint import EventBreakpoint as Events;"
        " real = Events._at_entry; asked = [];"
        " Events._at_entry = lambda *all: asked.append(all[1]) or real(*all)"
    )
    count = "python print(asked.count('__kmpc_fork_call')); asked.clear()"
    commands = [counting, "ompd break parallel", "ignore 1 100000", "run", count]
    again = ["ignore 1 100000", "set args 20", "run", count, "ompd info break"]
    texts = session([*commands, *again], folder).texts
    once, often = int(texts[4]), int(texts[8])
    assert once == often > 5
    hits = re.search(r"^1 +keep +y +(\d+) ", texts[9], re.M)
    assert hits and int(hits.group(1)) > 20 * once


# The condition, in which turns it holds, and whether it is told where the region is begun.
CONDITIONS = (
    ("turn == 3", [3], True),
    ("turn == -1", [], True),
    ("part >= 1.5 && !(turn % 2)", [4], True),
    ("narrow == 255 || 0x1 > turn", [0, 5], True),
    ("1 << turn == 8", [3], True),
    ("hidden == 2", [2], False),
    ("hidden == -1", [], False),
    ("twice == 8", [4], False),
    ("own == 1", [1], False),
    ("*pointer == 5", [5], False),
    ("(long)turn == 2", [2], False),
    ("turn + 0 * $_omp_level() == 1", [1], False),
    ("(turn = turn) == 2", [2], False),
)


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-18"])
@pytest.mark.parametrize("condition, turns, elsewhere", CONDITIONS, ids=lambda one: str(one))
def test_condition_of_the_whole_program(
    condition: str, turns: Sequence[int], elsewhere: bool, gdb: str, folder: Path
) -> None:
    """It is asked where the region is begun: as long as it does not hold nobody comes to the
    place. Any other one is asked there, where each name means what it means to the user."""
    if condition.startswith("own") and gdb == "gdb-10":
        turns = [0, 1, 2, 3, 4, 5]  # it cannot read them here, and says so at each stop
    executable, runtime = machine.compiled("conditions"), machine.cached("libomp-19")
    counting = (
        "python from ompd_gdb.target.event_breakpoint import EventBreakpoint as Events;"
        " real = Events._at_place; places = [];"
        " Events._at_place = lambda *all: places.append(0) or real(*all)"
    )
    commands = [counting, f"ompd break parallel if {condition}", "run"]
    commands += ["print turn", "python print(len(places))", "continue"] * (len(turns) + 1)
    before = [f"set environment LD_LIBRARY_PATH {runtime}"]
    texts = ask(gdb, commands, before, [executable], folder=folder).texts
    stops = texts[2::3]
    assert [text for text in texts[3::3] if "= " in text][: len(turns)] == [
        f"${1 + i} = {turn}" for i, turn in enumerate(turns)
    ]
    assert all("OpenMP breakpoint 1, begin of" in text for text in stops[: len(turns)])
    assert "exited normally" in stops[len(turns)]
    # Where the first one is that holds, or at the end.
    first = turns[0] + 1 if turns else 6
    assert int(texts[4]) == (len(turns[:1]) if elsewhere else first)


def test_pending(folder: Path) -> None:
    """At a place that GDB does not know, until the library with it is loaded."""
    executable, runtime = machine.compiled("loads"), machine.cached("libomp-19")
    with sessions.target("live", executable, (), runtime, folder, of_loaded_part(folder)) as made:
        commands = [
            "ompd break parallel at region",
            "ompd break task at nosuch",
            "run",
            "ompd info break",
            "set breakpoint pending off",
            "ompd break task at nosuch_either",
            "info breakpoints",
        ]
        answer = ask("gdb", commands, made.before[:-2], made.files, folder=folder)
    texts = answer.texts
    assert "GDB knows no `region' yet: pending until a library with it is loaded" in texts[0]
    assert re.search("OpenMP breakpoint 1, begin of a parallel region, .*region", texts[2])
    listed = {line.split()[0]: line for line in texts[3].splitlines()}
    assert "pending" not in listed["1"] and listed["1"].split()[3] == "1"
    assert "GDB knows no `nosuch' yet" in listed["2"]
    assert texts[5].startswith("GDB knows no `nosuch_either', and `breakpoint pending' is off")
    assert "nosuch_either" not in texts[6]


def test_commands_of_gdb(folder: Path) -> None:
    answer = session(
        [
            "ompd break parallel",
            "ompd tbreak task end",
            "python gdb.breakpoints()[0].commands = 'silent\\nprint 6 * 7\\ncontinue'",
            "run",
            "ompd info break",
            "condition 1 $_omp_level() == 2",
            "ompd info break",
            "condition 1",
            "ignore 1 2",
            "disable 1",
            "ompd info break",
            "delete 1",
            "ompd info break",
            "maint info breakpoints",
        ],
        folder,
    )
    texts = answer.texts
    # All regions before the first task's end, and no text of ours.
    assert texts[3].count(" = 42") == 22
    assert texts[3].count("OpenMP breakpoint") == 1 and "end of an explicit task" in texts[3]
    assert re.fullmatch(r"Num .*\n1 +keep +y +22 .*", texts[4])
    assert "if $_omp_level() == 2" in texts[6]
    assert "if" not in texts[10] and re.search(r"^1 +keep +n", texts[10], re.M)
    assert texts[12].startswith("No OpenMP breakpoints")
    assert not HIDDEN.search(texts[13])


def test_again_in_the_next_run(folder: Path) -> None:
    commands = [
        "ompd break parallel at nested",
        "run",
        "kill",
        "run",
        "continue",
        "delete",
        "continue",
    ]
    answer = session([*commands, "maint info breakpoints"], folder)
    assert all("nested () at" in answer.texts[i] for i in (1, 3, 4))
    assert "exited normally" in answer.texts[6]
    assert not HIDDEN.search(answer.text)


def test_condition_that_cannot_be_evaluated(folder: Path) -> None:
    answer = session(["ompd break parallel if no_such_thing > 3", "run", "bt 1"], folder)
    assert "Its condition `no_such_thing > 3' cannot be evaluated: No symbol" in answer.texts[1]
    assert "five_regions" in answer.texts[1] and answer.texts[2].startswith("#0")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ompd break", "needs an event"),
        ("ompd break nonsense", "no event"),
        ("ompd break parallel middle", "`middle' has no place behind `parallel'"),
        ("ompd break task entry", "no `task entry'"),
        ("ompd break teams entry", "no `teams entry'"),
        ("ompd break barrier end", "no `barrier end'"),
        ("ompd break parallel at", "`at' needs a place"),
        ("ompd break parallel if", "`if' needs a condition"),
        ("ompd break parallel at 80", "FILE:LINE"),
        ("ompd break thread at events.c:3", "no construct"),
        ("ompd info", "ompd info break"),
    ],
)
def test_mistakes(command: str, words: str, folder: Path) -> None:
    answer = session([command, "info breakpoints"], folder)
    assert words in answer.texts[0]
    assert answer.texts[0].endswith(".") and "\n" not in answer.texts[0]
    assert "No breakpoints" in answer.texts[1]


def test_document_of_a_new_breakpoint(folder: Path) -> None:
    commands = ["ompd break task end at tasks if 1 > 0 -json", "ompd info break -json"]
    answer = session(commands, folder)
    (made,) = answer.document(commands[0])["breakpoints"]
    assert (made["kind"], made["when"], made["at"]) == ("task", "end", "tasks")
    assert made["condition"] == "1 > 0" and "to load an OpenMP runtime" in made["problem"]
    assert answer.document(commands[1])["breakpoints"] == [made]


def test_no_program(folder: Path) -> None:
    answer = ask("gdb", ["ompd break parallel", "ompd info break"], folder=folder)
    assert answer.texts[0] == "There is no program yet. First `file EXE'."
    assert answer.texts[1].startswith("No OpenMP breakpoints")


def test_core_file(folder: Path) -> None:
    runtime = machine.cached("libomp-19")
    with sessions.target("core", machine.compiled("nested"), (), runtime, folder) as made:
        commands = ["ompd break parallel", "print $_omp_level()", "info breakpoints"]
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    assert "core file does not run" in answer.texts[0]
    assert re.fullmatch(r"\$1 = \d", answer.texts[1])
    assert "No breakpoints" in answer.texts[2]


# ---- Unusual programs ----------------------------------------------------------------------------


@pytest.mark.parametrize("namespace", [False, True], ids=["dlopen", "dlmopen"])
def test_two_runtimes(namespace: bool, folder: Path) -> None:
    """The second is loaded later, its entry points have the first one's names."""
    settings = {
        "OMPD_SECOND_PART": str(second_part(folder, "llvm")),
        "KMP_DUPLICATE_LIB_OK": "TRUE",  # libomp itself refuses
        **({"OMPD_NAMESPACE": "1"} if namespace else {}),
    }
    executable, runtime = machine.compiled("two_runtimes"), machine.cached("libomp-19")
    with sessions.target("live", executable, (), runtime, folder, settings) as made:
        before = ["ompd break parallel", *made.before]
        commands = ["continue", "ompd info break", "continue"]
        answer = ask("gdb", commands, before, made.files, folder=folder)
    texts = [answer.everything, answer.texts[0]]
    assert "of 2 threads, in R0" in texts[0]
    assert "second_region ()" in texts[1] and "of 3 threads" in texts[1]
    assert re.search(r"^1 +keep +y +2 ", answer.texts[1], re.M)
    assert "stop_here" in answer.texts[2]


def test_runtime_in_the_program(folder: Path) -> None:
    executable = static_program(folder, "events", False)
    run(folder, EVENTS, runtime=folder, executable=executable)
    compare(folder, EVENTS)


def test_runtime_without_symbols(folder: Path) -> None:
    """It is told that such a breakpoint is in vain."""
    executable = static_program(folder, "nested", True)
    with sessions.target("attach", executable, (), folder, folder) as made:
        commands = ["ompd break parallel", "ompd info break", "ompd info break -json"]
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    for text in answer.texts[:2]:
        assert "the entry points of" in text and "not found" in text
    assert "not found" in answer.document(commands[2])["breakpoints"][0]["problem"]


def of_loaded_part(folder: Path) -> dict[str, str]:
    part = folder / "part.so"
    source = machine.PROGRAMS / "loaded_part.c"
    machine.run(*(machine.CLANG, "-g", "-fopenmp", "-shared", "-fPIC", source, "-o", part, "-ldl"))
    return {"OMPD_PART": str(part)}


def test_runtime_that_goes_and_comes(folder: Path) -> None:
    settings = of_loaded_part(folder)
    executable, runtime = machine.compiled("loads"), machine.cached("libomp-19")
    with sessions.target("live", executable, (), runtime, folder, settings) as made:
        before = ["ompd break parallel", *made.before[:-2], "run"]
        commands = ["ompd info break", "continue", "continue", "maint info breakpoints"]
        answer = ask("gdb", commands, before, made.files, folder=folder)
    assert re.search(r"^1 +keep +y +1 ", answer.texts[0], re.M)
    assert "region () at" in answer.texts[1] and "of 3 threads" in answer.texts[1]
    assert "exited normally" in answer.texts[2]
    assert not HIDDEN.search(answer.text)


def test_code_that_calls_what_nothing_called(folder: Path) -> None:
    """Entry points that no file names are not watched, as each breakpoint costs at every stop. The
    part that is loaded later is gcc's, and the runtime LLVM's."""
    runtime = machine.cached("libomp-19")
    source, code = machine.PROGRAMS / "loaded_part.c", folder / "part.o"
    machine.run("gcc", "-g", "-fopenmp", "-fPIC", "-c", source, "-o", code)
    machine.run(machine.CLANG, "-fopenmp", "-shared", code, "-o", folder / "part.so", "-ldl")
    settings = {"OMPD_PART": folder / "part.so", "LD_PRELOAD": runtime / "libomp.so.5"}
    settings.update({"LD_LIBRARY_PATH": runtime, "OMPD_TRUTH_FILE": folder / "truth.json"})
    before = [f"set environment {name} {value}" for name, value in settings.items()]
    shown = "maint info breakpoints"
    commands = ["tbreak main", "run", "ompd break parallel", shown, "continue", shown]
    files = ["--args", machine.compiled("loads")]
    texts = ask("gdb", commands, before, files, folder=folder).texts
    watched = [re.findall(r"<((?:__kmpc|GOMP)_\w+)>", texts[i]) for i in (3, 5)]
    assert "__kmpc_fork_call" in watched[0] and set(watched[1]) - set(watched[0]) == {
        "GOMP_parallel"
    }
    assert "begin of a parallel region, " in texts[4] and "region ()" in texts[4]


LANGUAGES = ["ada", "fortran", "pascal", "modula-2", "rust", "go"]


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-18"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_languages(language: str, gdb: str, folder: Path) -> None:
    commands = [
        f"set language {language}",
        "ompd break parallel at nested",
        "run",
        "ompd info break",
    ]
    answer = session(commands, folder, gdb)
    assert "of 2 threads, in R0" in answer.texts[2] and "nested () at" in answer.texts[2]


@pytest.mark.full
@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-18"])
def test_language_without_expressions(gdb: str, folder: Path) -> None:
    """Not even registers can be asked for by one."""
    commands = ["ompd break parallel at five_regions", "run", "set language unknown"]
    answer = session([*commands, "continue", "ompd info break"], folder, gdb)
    assert "of 4 threads, in R0" in answer.texts[3]
    assert re.search(r"^1 +keep +y +2 ", answer.texts[4], re.M)


@pytest.mark.full
@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-16", "gdb-18"])
def test_run_in_a_language_without_expressions(gdb: str, folder: Path) -> None:
    commands = ["set language unknown", "ompd break parallel at five_regions", "run"]
    answer = session([*commands, "show language", "ompd info break"], folder, gdb)
    assert "of 4 threads, in R0" in answer.texts[2]
    assert 'is "unknown"' in answer.texts[3]
    assert re.search(r"^1 +keep +y +1 ", answer.texts[4], re.M)


def test_forks(folder: Path) -> None:
    """The breakpoints are the parent's."""
    executable, runtime = machine.compiled("forks"), machine.cached("libomp-19")
    with sessions.target("live", executable, (), runtime, folder) as made:
        before = ["ompd break parallel", *made.before[:-2], "run"]
        commands = ["continue"] * 4 + ["maint info breakpoints"]
        answer = ask("gdb", commands, before, made.files, folder=folder)
    assert "begin of a parallel region" in answer.everything
    assert not HIDDEN.search(answer.text)


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-16", "gdb-18"])
def test_exec(gdb: str, folder: Path) -> None:
    """The new program's runtime is another one, at other addresses; also of a step's breakpoints
    none is left that could not be inserted there."""
    source = (machine.PROGRAMS / "execs.c").read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(source, 1) if "PLACE exec" in text)
    commands = [
        f"set environment LD_LIBRARY_PATH {machine.cached('libomp-19')}",
        "ompd break parallel",
        "ompd break parallel end if 0",
        f"tbreak execs.c:{line}",
        "run",
        "continue",
        "ompd next",
        "ompd info break",
        "continue",
        "maint info breakpoints",
    ]
    answer = ask(gdb, commands, [], [machine.compiled("execs")], folder=folder)
    texts = answer.texts
    assert "Cannot insert" not in answer.everything
    assert "begin of a parallel region, main ()" in texts[4]
    assert "Temporary breakpoint 3, main" in texts[5]
    assert "executing new program" in answer.everything
    assert "begin of a parallel region, main ()" in texts[6]
    assert re.search(r"^1 +keep +y +2 ", texts[7], re.M)
    assert "exited normally" in texts[8]
    assert not HIDDEN.search(answer.text)


ENDS = {
    "kill": ["kill"],
    "detach": ["detach"],
    "delete": ["delete", "next"],
    "again": ["kill", "run", "kill"],
    "error": ["condition 1 no_such_thing", "continue", "delete", "next"],
    "commands": [
        "python gdb.breakpoints()[0].commands = 'delete 1 2 3'",
        "continue",
        "next",
    ],
    "to_the_end": ["disable", "continue"],
}


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-18"])
@pytest.mark.parametrize("end", ENDS)
def test_nothing_is_left(end: str, gdb: str, folder: Path) -> None:
    commands = [
        "ompd break parallel",
        "ompd break barrier if 0",
        "ompd break task end",
        "run",
        "continue",
        "maint info breakpoints",
        *ENDS[end],
        "maint info breakpoints",
    ]
    answer = session(commands, folder, gdb)
    assert HIDDEN.search(answer.texts[5])
    assert not HIDDEN.search(answer.texts[-1]), answer.texts[-1]


def test_temporary_one_leaves_nothing(folder: Path) -> None:
    answer = session(["ompd tbreak parallel", "run", "maint info breakpoints"], folder)
    assert "begin of a parallel region" in answer.texts[1]
    assert not HIDDEN.search(answer.texts[2])


def test_end_of_what_has_begun(folder: Path) -> None:
    """Breakpoints that are set while threads are in the construct."""
    line = line_of('passed_by_team("parallel begin", innermost)')
    commands = [
        f"tbreak events.c:{line} if $_omp_team_num() == 1",
        "run",
        "ompd tbreak parallel end if $_omp_team_num() == 1",
        "ompd tbreak teams end",
        "continue",
        "print $_omp_level()",
        "continue",
    ]
    texts = session(commands, folder).texts
    assert "end of a parallel region, near " in texts[4] and f"events.c:{line - 1}." in texts[4]
    assert texts[5] == "$1 = 1"
    line = line_of("num_teams(sizes[i])")
    assert f"end of a teams region, near leagues () at events.c:{line}." in texts[6]


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-18"])
def test_steps_over_new_constructs(gdb: str, folder: Path) -> None:
    """The stop to set a breakpoint must not end a user's `next' or `finish'."""
    call = line_of("\t\tfive_regions(i);")
    events = ("parallel begin", "parallel end", "task end", "barrier", "thread begin")
    commands = [f"ompd break {event} if 0" for event in events]
    commands += [f"tbreak events.c:{call}", "run", *["next"] * 8]
    commands += ["kill", "tbreak tasks", "run", "finish"]
    answer = session(commands, folder, gdb)
    lines = [int(re.findall(r"^(\d+)\t", text, re.M)[-1]) for text in answer.texts[6:15]]
    assert lines == list(range(call, call + 9))
    assert "pass_all (" in answer.text and str(call + 8) in answer.text
    assert "#0" not in answer.text


@pytest.mark.parametrize("gdb", ["gdb", "gdb-10", "gdb-16", "gdb-18"])
def test_until_and_advance_over_new_constructs(gdb: str, folder: Path) -> None:
    """Each has two places to end at; main's frame is the outermost that GDB shows."""
    events = ("parallel begin", "teams begin", "teams end")
    last = line_of('record("parallel end", line, 0, 1)') + 3
    main = line_of("pass_all(rounds, argc > 100)")
    commands = [f"ompd break {event} if 0" for event in events]
    for command in (f"until {last}", f"advance {last}", "finish"):
        commands += ["tbreak leagues", "run", command, "tbreak combined_league", "continue"]
        commands += [command, "next", "kill"]
    commands += [f"tbreak {main}", "run", "until", "kill", f"tbreak {main}", "run"]
    commands += ["next", "kill"]
    answer = session(commands, folder, gdb)
    lines = {
        command: [re.findall(r"^(\d+)\t", text, re.M) for text in texts]
        for command, texts in by_command(commands, answer).items()
    }
    after = [str(line_of("\tcombined_league();"))]
    assert lines[f"until {last}"] == lines[f"advance {last}"] == [after, [str(last)]]
    assert lines["finish"] == [after, [str(line_of("\tcombined_league();") + 1)]]
    assert lines["until"] == [[str(main + 1)]] and lines["next"][-1] == [str(main + 1)]


def by_command(commands: Sequence[str], answer: Answer) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for command, text in zip(commands, answer.texts):
        found.setdefault(command, []).append(text)
    return found


def test_threads_that_go_on(folder: Path) -> None:
    """In non-stop mode the stop to set a breakpoint is one thread's, as the event is."""
    commands = ["set non-stop on", "ompd break parallel at nested", "run", "ompd info break"]
    source = "python import time; time.sleep(2)"
    answer = session([*commands[:3], source, *commands[3:], "info threads"], folder)
    assert "begin of a parallel region, nested ()" in answer.texts[2]
    assert re.search(r"^\* 1 .*nested|^\* 1 .*omp_outlined", answer.texts[5], re.M)
