# SPDX-License-Identifier: Apache-2.0
"""Is all that is said of programs that nobody here wrote true? What can be held against GDB's own
frames, the kernel's maps and counts is; none of these programs ever hangs. How long they stand for
a look is printed, and judged by nobody: it is the machine's, too."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import threading
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import machine
import places
import record
import schema
import stops
from command import CANNOT_TELL, FINDING, NOTHING_ODD, OMPD, ompd
from programs import Running
from sessions import PATIENCE
from table import table

LOOKS = 10 if machine.FULL else 2
# A region that is seen at most looks is no chance.
OFTEN = LOOKS / 2
SECONDS = "6" if machine.FULL else "2"
TABLES = 8 if machine.FULL else 3

# The files that begin regions, at how many looks of each process.
_beginning: defaultdict[int, Counter[str]] = defaultdict(Counter)


def test_looks(running: Running, folder: Path) -> None:
    wrong, row = [], table.of(running.field.name)
    for _ in range(LOOKS):
        row.counts["looks"] += 1
        wrong += by_pid(running, folder)
        wrong += beside_gdb(running, folder)
    assert not wrong, "\n".join(wrong)


def by_pid(running: Running, folder: Path) -> list[str]:
    """Two looks: whoever waits has to be seen to go on."""
    row = table.of(running.field.name)
    with stops.watched(running.pid) as standing:
        answer = ompd("pid", "--json", str(running.pid), folder=folder)
    row.ours.append(standing.seconds)
    maps = stops.mappings(Path(f"/proc/{running.pid}/maps").read_text(encoding="utf-8"))
    wrong = judged(running, answer.status, answer.document)
    if answer.status == CANNOT_TELL:
        row.counts["unclear"] += 1
        wrong.append(f"unclear: {answer.document['deadlock']}")
    elsewhere = [
        places.in_file(thread, maps)
        for thread in answer.document["threads"]
        if thread["where"] is not None
    ]
    found = [text for text in elsewhere if text]
    row.counts["wrong"] += len(found)
    return wrong + found


def beside_gdb(running: Running, folder: Path) -> list[str]:
    """The same moment, by GDB without us and by us."""
    row = table.of(running.field.name)
    plain = stops.plain(running.pid, folder)
    row.gdbs.append(plain.seconds)
    answer = ompd("core", "--json", plain.core, folder=folder)
    plain.core.unlink()
    wrong = judged(running, answer.status, answer.document)
    threads = {thread["lwp"]: thread for thread in answer.document["threads"]}
    assert threads.keys() == plain.stacks.keys()
    begin = set()
    for lwp, stack in plain.stacks.items():
        begin |= places.callers(stack, plain.maps)
        how = places.judge(threads[lwp], stack, plain.maps)
        if how not in (places.RIGHT, places.UNTOLD, places.UNCHECKED):
            wrong.append(f"{how}\n{places.shown(stack, plain.maps)}")
            how = "wrong"
        row.counts[how] += 1
    _beginning[running.pid].update(begin)
    return wrong


def judged(running: Running, status: int, document: Any) -> list[str]:
    """Of a program that goes on."""
    assert status in (NOTHING_ODD, FINDING, CANNOT_TELL), document
    accusing = [one["text"] for one in document["findings"] if one["wrong"]]
    table.of(running.field.name).counts["accusations"] += status == FINDING
    return accusing or ["it ended as if there were a finding"] * (status == FINDING)


def test_record(running: Running, folder: Path) -> None:
    """Each thread's time adds up to what it lived. Regions are those of files that GDB saw begin
    one."""
    path = folder / "record.jsonl"
    row = table.of(running.field.name)
    answer = ompd("record", "-d", SECONDS, "-o", path, str(running.pid), folder=folder)
    assert answer.status == 0, answer
    written = record.read(path)
    told = ompd("show", "--json", path, folder=folder).document
    total = told["recording"]["thread_time"]
    assert sum(one["time"] for one in told["states"]) == total
    lived = sum(one["end"] - one["begin"] for one in told["threads"])
    assert abs(total - lived) <= 0.01 * lived
    regions = [one for one in written.tables["region"].values() if one["generator"] == "parallel"]
    images = {written.tables["image"][one["image"]]["path"] for one in regions}
    assert regions and not [one for one in images if places.RUNTIME.search(Path(one).name)]
    seen = {file for file, looks in _beginning[running.pid].items() if looks >= OFTEN}
    assert seen <= images, f"GDB saw regions of {seen}, the record has those of {images}"
    unknown = sum(one["time"] for one in told["states"] if one["state"] == "?")
    row.record = (
        f"{len(regions)} regions, {100 * total / lived:.1f} % of the threads' time,"
        f" {100 * unknown / total:.0f} % not known"
    )


def test_top(running: Running) -> None:
    """The table goes on as the program does."""
    words = [OMPD, "top", "--json", "-i", "0.5", str(running.pid)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        frozen = threading.Timer(PATIENCE, process.kill)
        frozen.daemon = True
        frozen.start()
        assert process.stdout is not None
        documents = [json.loads(line) for line in itertools.islice(process.stdout, TABLES)]
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        frozen.cancel()
    for document in documents:
        schema.check(document)
    # Until when something is told of any thread: what came since may be of the others.
    ends = [document["recording"]["duration"] for document in documents]
    assert len(ends) == TABLES and ends == sorted(ends) and len(set(ends)) > TABLES / 2, ends
    table.of(running.field.name).top = f"{TABLES} tables in {ends[-1] / 1e9:.1f} s"
