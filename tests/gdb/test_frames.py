# SPDX-License-Identifier: Apache-2.0
"""Does GDB's own `bt', its MI and its DAP show the user's frames, and leave everything else alone?
The frames that are left out are told by `bt -no-filters' of the same stop; names and lines by the
comments of tests/programs/stacks.c, and by `ompd bt'."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import machine
import pytest
from expected_stacks import expected
from sessions import Answer, ask, target

SOURCE = machine.PROGRAMS / "stacks.c"
GDBS = ["gdb-10", "gdb", "gdb-16", "gdb-18"]
SCENARIOS = ["nested", "tasks", "gone", "waits", "serialized"]
# What must not be left out: the program's own code, but for clang's between it and the runtime, and
# what the program called.
USERS = re.compile(r"(?!\.omp_outlined\.|\.omp_task_entry).* at \S*(stacks\.c|truth\.h):|usleep ")


@dataclass
class Shown:
    level: int
    function: str
    line: int | None
    text: str


def shown(text: str) -> list[list[Shown]]:
    """The stacks that `thread apply all bt' printed."""
    found = []
    for stack in re.split(r"^Thread \d+ .*\n", text, flags=re.MULTILINE)[1:]:
        joined = re.sub(r"\n\s+(?=\S)", " ", stack)
        frames = []
        for level, rest in re.findall(r"^#(\d+)\s+(.*)$", joined, re.MULTILINE):
            rest = re.sub(r"^0x[0-9a-f]+ in ", "", rest)
            line = re.search(r" at \S*stacks\.c:(\d+)", rest)
            function = re.split(r" \(", rest)[0].strip()
            frames.append(Shown(int(level), function, int(line.group(1)) if line else None, rest))
        found.append(frames)
    return found


def asked(
    commands: list[str],
    folder: Path,
    *,
    program: str = "stacks",
    scenario: str = "nested",
    runtime: str = "libomp-14",
    kind: str = "live",
    gdb: str = "gdb",
    build: str = "debug",
    before: tuple[str, ...] = (),
) -> Answer:
    executable, home = machine.compiled(program, build), machine.cached(runtime)
    with target(kind, executable, scenario.split(), home, folder) as made:
        return ask(gdb, commands, [*made.before, *before], made.files, folder=folder)


EVERY, PLAIN, OURS = "thread apply all bt", "thread apply all bt -no-filters", "ompd bt * -json"


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_users_frames(scenario: str, number: int, folder: Path) -> None:
    """With the numbers, names and lines that `ompd bt' has; only frames of others are left out."""
    turn = SCENARIOS.index(scenario) + number
    runtime = ["libomp-13", "libomp-14", "libomp-19", "libomp-19-ompd"][number]
    kind, gdb = ["live", "core", "attach", "gdbserver"][turn % 4], GDBS[turn // 2 % 4]
    how: Any = {"scenario": scenario, "runtime": runtime, "kind": kind, "gdb": gdb}
    answer = asked([EVERY, PLAIN, OURS], folder, **how)
    filtered, whole = shown(answer.texts[0]), shown(answer.texts[1])
    assert len(filtered) == len(whole) > 1
    for few, all_ in zip(filtered, whole):
        assert few, answer.everything
        levels = [frame.level for frame in few]
        assert set(levels) <= {frame.level for frame in all_}
        for frame in all_:
            if frame.level not in levels:
                assert not USERS.match(frame.text), f"{frame}\n{answer.everything}"
        runtimes = [frame for frame in few if re.search(r"libomp|/kmp_\w+\.", frame.text)]
        assert len(runtimes) <= 1, answer.everything
    known = {(frame.level, frame.function, frame.line) for stack in filtered for frame in stack}
    for stack in answer.document(OURS)["stacks"]:
        for frame in stack["frames"]:
            in_source = ((frame["loc"] or {}).get("file") or "").endswith("stacks.c")
            if frame["kind"] == "user" and frame["level"] is not None and in_source:
                loc = frame["loc"]
                assert (frame["level"], loc["function"], loc["line"]) in known, answer.everything


def test_as_written(folder: Path) -> None:
    """The innermost frames of each thread, as the author wrote them down."""
    (written,) = expected(SOURCE, "nested")
    users = [frame for frame in written if re.match(r"\w+:\d+$", frame)]
    answer = asked([EVERY], folder, runtime="libomp-19")
    stacks = [
        [f"{frame.function}:{frame.line}" for frame in stack if frame.line]
        for stack in shown(answer.text)
    ]
    inside = [stack for stack in stacks if stack[0].startswith("here:")]
    assert len(inside) == 4
    for stack in inside:
        assert stack[:3] == users[:3], answer.everything
