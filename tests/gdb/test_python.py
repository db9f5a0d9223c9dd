# SPDX-License-Identifier: Apache-2.0
"""Are Python's frames what the Python that is looked at says of itself?"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, Iterator

import looks
import machine
import pytest
import sessions
from ompd_core.cpython import layouts, states
from ompd_core.cpython.frames import Frames
from ompd_core.cpython.memory import Memory
from ompd_core.errors import Unreadable
from ompd_core.formats.elf import ElfFile

# As many as are here; by default the distribution's.
OTHERS = [f"python3.{minor}" for minor in range(9, 15)] if os.environ.get("OMPD_FULL") else []
STOPS = Path(__file__).with_name("python_stops.py")
# faulthandler shows the interpreter's own frames as well, and ends at those of 3.14.
OWN_FRAMES, INVALID = ('"<shim>",', '"__init__",'), "<invalid frame>"
# Of a C library that is another than this machine's, libthread_db lies beside it.
SAFE = "set auto-load safe-path /"
PYTHONS = ["/usr/bin/python3", *filter(shutil.which, OTHERS)]


@pytest.fixture(params=PYTHONS)
def at_rest(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[subprocess.Popen[bytes], Any]]:
    library, record = tmp_path / "calls_back.so", tmp_path / "truth.json"
    source = machine.PROGRAMS / "calls_back.c"
    machine.run(machine.GCC, "-O1", "-fopenmp", "-shared", "-fPIC", source, "-o", library)
    program = machine.PROGRAMS / "calls_back.py"
    with subprocess.Popen([request.param, program, library, record], cwd=tmp_path) as process:
        try:
            sessions.wait_for(record, process)
            yield process, json.loads(record.read_text())
        finally:
            process.kill()


def attached(process: subprocess.Popen[bytes]) -> list[str]:
    return [SAFE, f"attach {process.pid}"]


def shown(answer: sessions.Answer) -> dict[str, list[list[Any]]]:
    """Python's frames on each thread's own stack, by its number in the kernel."""
    lwps = {one["gdb"]: one["lwp"] for one in answer.document("ompd threads -json")["threads"]}
    found = {}
    for stack in answer.document("ompd bt * -json")["stacks"]:
        own = [one for one in stack["frames"] if one["thread"] == stack["gdb"]]
        places = [one["loc"] for one in own if one.get("language") == "python"]
        frames = [[place["function"], place["file"], place["line"]] for place in places]
        found[str(lwps[stack["gdb"]])] = frames
    return found


def test_frames(at_rest: tuple[subprocess.Popen[bytes], Any], tmp_path: Path) -> None:
    process, truth = at_rest
    commands = ["ompd threads -json", "ompd bt * -json", "ompd threads", "ompd bt -merge"]
    commands.append("ompd bt *")
    off = ["bt", "set ompd python-frames off", "ompd bt *", "bt"]
    # What is set later holds at once.
    skipped = ["set ompd skip-libraries *ctypes*", "ompd bt *"]
    live = sessions.ask("gdb", [*commands, *off, *skipped], attached(process), folder=tmp_path)
    files = [os.path.realpath(f"/proc/{process.pid}/exe"), looks.core_of(process.pid, tmp_path)]
    of_core = sessions.ask("gdb", commands, [SAFE], files, folder=tmp_path)
    assert len(truth) == 4
    waits, calls = _line("at_rest.wait"), _line("library.calls_back(")
    for answer in (live, of_core):
        frames = shown(answer)
        assert {lwp: frames[lwp] for lwp in truth} == truth
        threads, merged = answer.texts[2:4]
        # Not the standard library's, which it waits in.
        assert f"__hash__ () at {waits}" in threads and "threading.py" not in threads
        assert f"__hash__, {waits}" in merged and "_PyEval" not in merged
        # No line of the region's own is known.
        assert f"#pragma omp parallel called at {calls}" in answer.texts[4]
    assert "calls_back.py" not in live.texts[7] and "Py" in live.texts[7]
    assert live.texts[10].count("_ctypes") < live.texts[4].count("_ctypes")
    # GDB attaches to the first thread.
    in_python = re.findall(r" \(\) at (.*\.py):(\d+)$", live.texts[5], re.MULTILINE)
    assert [[file, int(line)] for file, line in in_python] == [
        frame[1:] for frame in truth[str(process.pid)]
    ]
    assert len(live.texts[8].splitlines()) > len(live.texts[5].splitlines())
    assert ".py:" not in live.texts[8]


@pytest.mark.parametrize("work", ["calls", *(["numpy", "sklearn"] if OTHERS else [])])
@pytest.mark.parametrize("python", PYTHONS)
def test_any_moment(python: str, work: str, tmp_path: Path) -> None:
    """What faulthandler says of the same moment."""
    if work != "calls" and subprocess.run([python, "-c", f"import {work}"], check=False).returncode:
        pytest.skip(f"there is no {work}")
    library, record, begun = (tmp_path / name for name in ("library.so", "record", "begun"))
    source = machine.PROGRAMS / "calls_back.c"
    machine.run(machine.GCC, "-O1", "-fopenmp", "-shared", "-fPIC", source, "-o", library)
    program = machine.PROGRAMS / "python_work.py"
    with subprocess.Popen([python, program, library, record, begun, work]) as process:
        try:
            sessions.wait_for(begun, process)
            stops = "60" if OTHERS else "4"
            wishes = {"OMPD_STOPS": stops, "OMPD_STOPS_SEED": "1", "OMPD_STOPS_RECORD": str(record)}
            before = [f"python import os; os.environ.update({wishes})", *attached(process)]
            answer = sessions.ask("gdb", [f"source {STOPS}"], before, folder=tmp_path)
        finally:
            process.kill()
    stopped = [json.loads(line) for line in (tmp_path / "stops.jsonl").read_text().splitlines()]
    assert len(stopped) == int(stops), answer.everything
    told = [look for look in stopped if look["truth"]]
    counted = Counter(judged for look in told for judged in _judged(look))
    print(f"{python} {work}: {len(told)} stops, threads: {dict(counted)}")
    assert not counted["wrong"] and counted["right"] > 5 * counted["unknown"], told


def _judged(look: Any) -> Iterator[str]:
    """Of each thread: "right", "unknown" or "wrong"."""
    truth: dict[int, list[str]] = {}
    frames: list[str] = []
    for line in look["truth"].splitlines():
        words = line.split()
        if line.endswith("(most recent call first):"):
            frames = truth[int(next(word for word in words if word.startswith("0x")), 16)] = []
        elif words[:1] == ["File"] and words[1] not in OWN_FRAMES:
            frames.append(line.strip())
        elif line.strip() == INVALID:
            frames.append(INVALID)
    for handle, shown in look["shown"].items():
        known = truth.get(int(handle), [])
        frames = [*map(_told, shown["frames"])]
        if known[-1:] == [INVALID]:
            known, frames = known[:-1], frames[: len(known) - 1]
        if frames == known:
            yield "right"
        else:
            left = iter(known)
            is_part = all(frame in left for frame in frames)
            yield "unknown" if is_part and not shown["whole"] else "wrong"


def _told(frame: tuple[str, str, int | None]) -> str:
    """As faulthandler does."""
    function, file, line = frame
    name = function.rpartition(".")[2]
    told = f'File "{file}", line {"???" if line is None else line} in {name}'
    return told.encode("ascii", "backslashreplace").decode()


def test_damaged_memory(at_rest: tuple[subprocess.Popen[bytes], Any]) -> None:
    """Whatever is there, it is bounded, and nothing else is raised."""
    process, truth = at_rest
    chance = random.Random(process.pid)
    with open(f"/proc/{process.pid}/mem", "rb", buffering=0) as memory:
        damage = 0.0

        def read(address: int, nbytes: int) -> bytes:
            try:
                memory.seek(address)
                found = bytearray(memory.read(nbytes))
            except (OSError, ValueError, OverflowError):
                raise Unreadable(hex(address)) from None
            if len(found) != nbytes:
                raise Unreadable(hex(address))
            while found and chance.random() < damage:
                found[chance.randrange(nbytes)] = chance.randrange(256)
            return bytes(found)

        runtime, layout = _found(process.pid, Memory(read))
        whole = 0
        for damage in (0.0, *[0.05] * 100):
            known = Memory(read)
            try:
                for state in states.of(known, layout, runtime):
                    runs = Frames(known, layout).of(state.address)
                    whole += not damage and not runs.damaged and len(runs.all) > 0
            except Unreadable:
                assert damage
        assert whole >= len(truth)


def _line(text: str) -> str:
    """calls_back.py:26"""
    program = machine.PROGRAMS / "calls_back.py"
    lines = program.read_text(encoding="utf-8").splitlines()
    number = next(number for number, line in enumerate(lines, 1) if text in line)
    return f"{program.name}:{number}"


def _found(pid: int, memory: Memory) -> tuple[int, layouts.Layout]:
    """By the files that are mapped from their beginning."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        words = line.split()
        if len(words) < 6 or words[2] != "00000000" or "python" not in words[5]:
            continue
        file = ElfFile(words[5])
        values = {
            name: next((one.value for one in file.symbols(name)), 0)
            for name in ("_PyRuntime", "Py_Version", "Py_NewRef")
        }
        file.close()
        if not values["_PyRuntime"]:
            continue
        start = int(words[0].partition("-")[0], 16)
        bias = start if values["_PyRuntime"] < start else 0
        runtime = bias + values["_PyRuntime"]
        version = values["Py_Version"]
        minor = memory.int32(bias + version) >> 16 & 255 if version else 9
        told = layouts.told(memory, runtime)
        return runtime, told or layouts.of_release(minor or 10 - (not values["Py_NewRef"]))
    raise AssertionError("there is no interpreter")
