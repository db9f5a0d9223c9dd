# SPDX-License-Identifier: Apache-2.0
"""`ompd print', `ompd each', `ompd thread': are the values those of the threads?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import machine
import pytest
from sessions import Answer, ask, target

SELECTED = "frame function hold"
KINDS = ["live", "attach", "core"]


def answers(kind: str, runtime: str, commands: list[str], folder: Path) -> tuple[Answer, Any]:
    executable = machine.built_for(runtime, "values")
    with target(kind, executable, (), machine.cached(runtime), folder) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
        return answer, made.truth()


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19", "libomp-19-ompd", "libgomp-12"])
@pytest.mark.parametrize("kind", KINDS)
def test_print(kind: str, runtime: str, folder: Path) -> None:
    """The user's own frame of thread 0 may be stop_here(): it is left out here."""
    commands = [
        "ompd threads -json",
        "ompd print R1.1-3 me",
        "ompd print R1.1-3 part",
        "ompd print R1.1-3 odd",
    ]
    commands += [
        "ompd print R1.1-3 lost",
        "ompd print R1.1-3 absent",
        "ompd print -where R1.1-3 /x me + 16",
    ]
    answer, record = answers(kind, runtime, commands, folder)
    gdbs = {one["lwp"]: one["gdb"].split(".")[1] for one in answer.document(commands[0])["threads"]}
    lines = [text.splitlines() for text in answer.texts]
    for truth in record["threads"]:
        number, gdb = truth["thread_num"], gdbs[truth["tid"]]
        if number:
            row = [gdb, f"R1.{number}"]
            assert any(line.split() == [*row, str(number)] for line in lines[1]), answer.everything
            assert any(line.split() == [*row, f"{number * 1.5:g}"] for line in lines[2])
            assert any(line.split()[:3] == [*row, f"0x{16 + number:x}"] for line in lines[6])
    assert lines[1][-1] == "3 threads: 3 values, from 1 to 3."
    assert any(line.split()[1:] == ["R1.1,3", "1"] for line in lines[3])
    assert lines[3][-1] == "3 threads: 2 values, from 0 to 1."
    assert "99  (in the frame that began R1)" in answer.texts[4]
    assert answer.texts[4].endswith("3 threads: 1 value."), "nobody has agreed"
    assert 'No symbol "absent"' in answer.texts[5] and "3 cannot tell" in answer.texts[5]
    assert "hold () at values.c:" in answer.texts[6]


@pytest.mark.parametrize("runtime", ["libomp-19", "libgomp-12"])
@pytest.mark.parametrize("kind", KINDS)
def test_document(kind: str, runtime: str, folder: Path) -> None:
    commands = [
        "ompd print R1.1-3 odd -json",
        "thread 1",
        "ompd thread R1.2",
        "thread",
        "ompd print R1.2 me",
    ]
    answer, _ = answers(kind, runtime, commands, folder)
    section = answer.document(commands[0])["print"]
    assert section["expression"] == "odd"
    assert {value["who"] for value in section["values"] if value["text"] == "1"} == {"R1.1,3"}
    assert "[OpenMP thread R1.2]" in answer.texts[2]
    assert answer.texts[4].splitlines()[1].split()[1:] == ["R1.2", "2"]


def test_selection_stays(folder: Path) -> None:
    before = ["ompd thread R1.3", SELECTED, "frame"]
    between = [
        "ompd print R1 me",
        "ompd each R1 frame 0",
        "ompd thread R1.1 bt 1",
        "ompd each thread 1",
    ]
    answer, _ = answers("core", "libomp-19", [*before, *between, "frame"], folder)
    assert answer.texts[2] == answer.texts[-1]
    assert "hold" in answer.texts[2]


# One command of each kind that is not there to select; `{}' stands for what no frame has.
ASKING = [
    "ompd",
    "ompd status",
    "ompd threads -all",
    "ompd parallel R1",
    "ompd tasks",
    "ompd barriers",
    "ompd locks",
    "ompd deadlock",
    "ompd bt -full",
    "ompd bt R1 -runtime",
    "ompd bt -merge",
    "ompd icvs",
    "ompd print me",
    "ompd print lost",
    "ompd print R1 absent",
    "ompd print 1 +",
    "ompd print 1 / 0",
    "ompd each R1 up",
    "ompd each R1 frame 2",
    "ompd each R1 thread 1",
    "ompd each R1 print absent",
    "ompd thread R1.1 up",
    "ompd thread R1.1 print absent",
    "ompd frame",
    "ompd frame 99",
    "ompd up 0",
    "ompd thread R9.1",
    "ompd info break",
    "ompd report -locals",
    "ompd nonsense",
]
WHERE = "python print(gdb.selected_thread().num, gdb.selected_frame().level())"


@pytest.mark.parametrize("thread", ["1", "2"])
@pytest.mark.parametrize("level", [0, 1, 3])
def test_only_selecting_selects(thread: str, level: int, folder: Path) -> None:
    select = [f"thread {thread}", f"frame {level}"]
    commands: list[str] = []
    for command in ASKING:
        commands += [*select, command, WHERE]
    answer, _ = answers("core", "libomp-19", commands, folder)
    for command, found in zip(ASKING, answer.texts[3::4]):
        assert found == f"{thread} {level}", command


def test_interrupted(folder: Path) -> None:
    """Ctrl-C while another frame, or another thread, is selected."""
    interrupting = (
        "python import gdb;"
        " gdb.parse_and_eval = lambda text: (_ for _ in ()).throw(KeyboardInterrupt)"
    )
    commands = [interrupting]
    asked = ["ompd print R1.0 me", "ompd print R1 lost", "ompd print -all R1 absent"]
    for command in asked:
        commands += ["thread 1", "frame 0", command, WHERE]
    answer, _ = answers("core", "libomp-19", commands, folder)
    assert answer.texts[4::4] == ["1 0"] * len(asked), answer.everything


def test_own_frame(folder: Path) -> None:
    """Where `ompd print' looks, other commands act, and say so below their threads' names."""
    commands = [
        "ompd each R1.1-3 frame",
        "ompd each -all R1.1-3 up",
        "ompd thread R1.2 print me",
        "ompd each R1.1-3 frame function hold",
    ]
    answer, _ = answers("core", "libomp-19", commands, folder)
    for text in (answer.texts[0], answer.texts[3]):
        assert text.count("hold (me=") == 3, answer.everything
        assert all(f"hold (me={me}, " in text for me in (1, 2, 3))
    lines = answer.texts[1].splitlines()
    assert lines[0].startswith("R1.") and "outlined" in lines[1]
    assert answer.texts[2].endswith(" = 2")


def test_looked_up_once(folder: Path) -> None:
    """A lookup that fails is costly: once in each place of the code, not in each thread."""
    counting = (
        "python import gdb; asked = []; real = gdb.parse_and_eval;"
        " gdb.parse_and_eval = lambda text: asked.append(text) or real(text)"
    )
    commands = ["ompd print R1 absent", "python print(asked.count('absent'))"]
    commands += ["ompd print -all R1 lost", "python print(asked.count('lost'))"]
    with target("core", machine.compiled("below"), ["64"], machine.cached("libomp-19"), folder) as (
        made
    ):
        answer = ask("gdb", [counting, *commands], made.before, made.files, folder=folder)
    assert "64 cannot tell" in answer.texts[1]
    assert int(answer.texts[2]) <= 16, answer.everything
    assert answer.texts[3].count("99  (in the frame that began R1)") == 64
    assert int(answer.texts[4]) <= 16


def test_running(folder: Path) -> None:
    before = ["set non-stop on", "set mi-async on"]
    commands = ["ompd print R1.1-3 me", "ompd print R1.1-3 me -json"]
    with target("live", machine.compiled("values"), (), machine.cached("libomp-19"), folder) as (
        made
    ):
        answer = ask("gdb", commands, [*before, *made.before], made.files, folder=folder)
    assert "(running)" in answer.texts[0] and "your own" not in answer.texts[0], answer.everything
    assert answer.document(commands[1])["print"]["values"][0]["error"] == "running"


def test_each(folder: Path) -> None:
    commands = ["ompd each R1 print 6 * 7", "ompd each -all R1 output 6 * 7", "ompd each nonsense"]
    answer, _ = answers("core", "libomp-19", commands, folder)
    assert answer.texts[1].count("42") == 4
    assert answer.texts[2].splitlines()[0].startswith("R1.0-3 (T1-4):")
    assert 'Undefined command: "nonsense"' in answer.texts[2]


def test_completion(folder: Path) -> None:
    asked = {
        "ompd print R1 -all arriv": "ompd print R1 -all arrived",
        "ompd print /x 1 + arriv": "ompd print /x 1 + arrived",
        "ompd each R1.0-2 info local": "ompd each R1.0-2 info locals",
        "ompd thread R1.2 info local": "ompd thread R1.2 info locals",
        "ompd thread R1.2": "ompd thread R1.2",
    }
    commands = [f"complete {text}" for text in asked]
    answer, _ = answers("core", "libomp-19", ["ompd", *commands], folder)
    assert answer.texts[1:] == list(asked.values())


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ompd print", "needs an expression"),
        ("ompd each", "needs a command"),
        ("ompd each R1", "needs a command"),
        ("ompd thread", "needs one id"),
        ("ompd thread R1", "names 4 threads"),
        ("ompd thread R9.1", "R9"),
        ("ompd print R7 me", "R7"),
        ("ompd print odd -json /nonexistent/file", "cannot be written"),
    ],
)
def test_mistakes(command: str, words: str, folder: Path) -> None:
    answer, _ = answers("core", "libomp-19", [command], folder)
    assert words in answer.everything
