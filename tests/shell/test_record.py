# SPDX-License-Identifier: Apache-2.0
"""Do `ompd record' and `ompd top' tell of a real program who is slow and who waits for it, pass on
how it ended, and say what went wrong in a sentence?"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Iterator

import container
import machine
import pytest
import schema
from command import OMPD, check, is_an_error, ompd
from sessions import PATIENCE
from terminal import Terminal

SOURCE = machine.PROGRAMS / "uneven.c"


@pytest.fixture(autouse=True)
def sampler() -> None:
    if not (machine.ROOT / "sampler").exists():
        pytest.skip("the sampler is not in this tree")
    if not (machine.BUILD / "sampler" / "ompd-sampler").exists():
        raise machine.Missing("There is no ompd-sampler: build it with the rest")


def line_of(mark: str) -> int:
    lines = SOURCE.read_text(encoding="utf-8").split("\n")
    (found,) = [i for i, line in enumerate(lines, 1) if f"/* {mark} */" in line]
    return found


def program() -> Path:
    return machine.compiled("uneven", "debug")


def environment() -> dict[str, str]:
    # Who waits sleeps: on a busy machine too thread 1 gets a processor.
    home = machine.cached("libomp-19")
    return {"LD_LIBRARY_PATH": str(home), "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2"}


def shown(record: Path, folder: Path) -> Any:
    answer = ompd("show", "--json", record, folder=folder)
    assert answer.status == 0, answer
    return answer.document


def blamed(document: Any) -> Any:
    """The wait at the loop's end, and who is waited for."""
    waits = [one for one in document["waits"] if one["state"].startswith("wait_barrier_implicit")]
    most = max(waits, key=lambda one: one["time"])
    return most, most["charged"][0]


def test_who_is_slow_is_named(folder: Path) -> None:
    """Thread 1 in its slow part, by the wait of thread 0; the region by its line."""
    record = folder / "uneven.jsonl"
    answer = ompd(
        "record",
        "-o",
        record,
        "--",
        program(),
        "5",
        "300",
        "7",
        folder=folder,
        environment=environment(),
    )
    assert (answer.status, answer.text) == (7, "5 rounds\n")
    assert re.search(rf"^ompd: .* in {record} .*tells where the time went\.$", answer.errors, re.M)
    document = shown(record, folder)
    assert document["recording"]["complete"]
    (region,) = [one for one in document["regions"] if one["share"] > 0.2]
    assert region["loc"]["line"] == line_of("REGION") and region["threads"] == 2
    assert region["imbalance"] > 1.5 and region["busiest"]["thread"] != 0
    wait, charged = blamed(document)
    threads = {one["thread"]: one for one in document["threads"]}
    assert threads[charged["thread"]]["kind"] == "worker"
    assert charged["loc"]["function"] == "slow_part"
    # There it works, or, on a busy machine, has no processor.
    of_slow_part = sum(
        one["time"]
        for one in wait["charged"]
        if one["loc"] == charged["loc"] and one["thread"] == charged["thread"]
    )
    assert of_slow_part > 0.5 * wait["time"]
    (waiter,) = [one for one in wait["threads"] if one["time"] > 0.5 * wait["time"]]
    assert threads[waiter["thread"]]["kind"] == "initial"


@pytest.fixture(name="running")
def fixture_running(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [program(), "100000", "50"],
        env={**os.environ, **environment()},
        stdout=subprocess.DEVNULL,
    )
    yield process
    assert process.poll() is None, "the program has ended"
    process.kill()
    process.wait()


def test_process(running: subprocess.Popen[bytes], folder: Path) -> None:
    record = folder / "%p.jsonl"
    answer = ompd("record", "-d", "1", "-o", record, str(running.pid), folder=folder)
    assert (answer.status, answer.text) == (0, "")
    (written,) = folder.glob("*.jsonl")
    document = shown(written, folder)
    assert document["recording"]["pid"] == running.pid
    assert document["recording"]["ended"]["how"] == "duration"


def test_name_of_its_own(running: subprocess.Popen[bytes], folder: Path) -> None:
    assert ompd("record", "-d", "0.3", str(running.pid), folder=folder).status == 0
    assert len(list(folder.glob(f"ompd-{running.pid}-*.jsonl"))) == 1


def test_interrupted(running: subprocess.Popen[bytes], folder: Path) -> None:
    """By Ctrl-C: the record is whole."""
    record = folder / "record.jsonl"
    process = subprocess.Popen(
        [OMPD, "record", "-o", record, str(running.pid)], stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: record.exists() and b'"told"' in record.read_bytes())
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0 and "tells where the time went" in errors
    assert shown(record, folder)["recording"]["ended"]["how"] == "interrupted"


def test_sampler_is_killed(running: subprocess.Popen[bytes], folder: Path) -> None:
    """It is said, and what was recorded by then can be shown."""
    record = folder / "record.jsonl"
    process = subprocess.Popen(
        [OMPD, "record", "-o", record, str(running.pid)], stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: record.exists() and b'"told"' in record.read_bytes())
    (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(child), signal.SIGKILL)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2 and errors.startswith("ompd: ")
    answer = ompd("show", record, folder=folder)
    assert answer.status == 1 and "It ends early" in answer.text


def wait_for(holds: Any) -> None:
    ends = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_no_room(running: subprocess.Popen[bytes], folder: Path) -> None:
    answer = ompd("record", "-d", "0.5", "-o", "/dev/full", str(running.pid), folder=folder)
    is_an_error(answer, "/dev/full", "no room")
    assert Path("/dev/full").exists()


def test_mistakes(folder: Path) -> None:
    is_an_error(ompd("record", "-o", "x", "999999999", folder=folder), "999999999")
    is_an_error(ompd("top", "--once", "999999999", folder=folder), "999999999")
    is_an_error(ompd("record", folder=folder), "Which program?")
    is_an_error(ompd("record", "-F", "0", "1", folder=folder), "not a rate")
    nowhere = ompd("record", "--", "./nowhere", folder=folder)
    is_an_error(nowhere, "There is no program ./nowhere", status=127)
    assert not list(folder.glob("*.jsonl")) and not (folder / "x").exists()


def test_no_openmp(folder: Path) -> None:
    record = folder / "sleep.jsonl"
    answer = ompd("record", "-o", record, "--", "/bin/sleep", "0.5", folder=folder)
    assert answer.status == 0
    assert "No OpenMP runtime was seen" in ompd("show", record, folder=folder).text


# ---- top -----------------------------------------------------------------------------------------


def test_once(running: subprocess.Popen[bytes], folder: Path) -> None:
    answer = ompd("top", "--once", "-d", "1", str(running.pid), folder=folder)
    assert answer.status == 0 and answer.errors == ""
    assert f"uneven {running.pid}: 2 threads" in answer.text
    assert f"uneven.c:{line_of('REGION')}" in answer.text and "Efficiency" in answer.text


def test_once_as_a_document(running: subprocess.Popen[bytes], folder: Path) -> None:
    answer = ompd("top", "--once", "--json", "-d", "1", str(running.pid), folder=folder)
    document = answer.document
    assert document["command"] == "top" and len(document["threads"]) == 2
    assert sum(one["time"] for one in document["states"]) == document["recording"]["thread_time"]
    region = max(document["regions"], key=lambda one: one["time"])
    assert 0 < region["efficiency"] < 0.9


def test_recent_waits(running: subprocess.Popen[bytes], folder: Path) -> None:
    """For whom, also when what was before is forgotten."""
    answer = ompd("top", "--view", "waits", "-d", "8", "-i", "1", str(running.pid), folder=folder)
    *_, recent = [table for table in answer.text.split("\n\n\n") if "the last " in table]
    assert re.search(r"% +for thread \d+ \(.*\): .* in slow_part \(uneven\.c:\d+\)", recent)


def test_lines(running: subprocess.Popen[bytes], folder: Path) -> None:
    """Where it is no terminal: a document a line, or a table each second."""
    words = ("top", "-d", "2", "-i", "0.5")
    answer = ompd(*words, "--json", str(running.pid), folder=folder)
    documents = [json.loads(line) for line in answer.text.splitlines()]
    assert documents  # a machine without time writes few
    assert documents[0]["states"]  # with nothing to tell yet, none is written
    for document in documents:
        schema.check(document)
    assert ompd(*words, str(running.pid), folder=folder).text.count("uneven")


def top(*words: str | Path) -> Terminal:
    """`ompd top' on a terminal, as a user has it."""
    return Terminal([OMPD, "top", *words], {**environment(), "PYTHONIOENCODING": "utf-8"})


def test_keys(running: subprocess.Popen[bytes]) -> None:
    terminal = top("-i", "0.2", str(running.pid))
    terminal.until("% of time")
    assert "\x1b[?1049h" in terminal.seen
    for key, word in (
        ("t", "LWP"),
        ("w", "barrier, end of for"),
        ("s", "#pragma"),
        ("a", "a recent"),
    ):
        terminal.type(key)
        terminal.until(word)
    terminal.type("q")
    assert terminal.end() == 0
    assert "\x1b[?25h\x1b[?1049l" in terminal.seen
    last = terminal.seen.rsplit("\x1b[?1049l", 1)[1]
    check(last.replace("\r\n", "\n"))
    assert f"uneven {running.pid}" in last


def test_program_on_a_terminal() -> None:
    """Its output is shown when it has ended, and its status is ours."""
    terminal = top("-i", "0.2", "--", str(program()), "4", "200", "5")
    terminal.until("% of time")
    assert terminal.end() == 5
    assert "4 rounds" in terminal.seen.rsplit("\x1b[?1049l", 1)[1]


def test_program_is_ended_by_q() -> None:
    terminal = top("-i", "0.2", "--", str(program()), "100000", "50")
    terminal.until("% of time")
    terminal.type("q")
    assert terminal.end() == 128 + signal.SIGTERM


def test_program_behind_another(folder: Path) -> None:
    """`env PROGRAM' becomes the program: that is what is recorded, and nothing to be alarmed of."""
    record, page = folder / "record.jsonl", folder / "page.html"
    words = ("record", "-o", record, "--", "env", "X=1", program(), "20", "10")
    assert ompd(*words, folder=folder, environment=environment()).status == 0
    document = shown(record, folder)
    assert Path(document["recording"]["program"]).name == program().name
    # A busy machine is one thing that it may note.
    assert [one for one in document["notes"] if "had no processor" not in one] == []
    text = ompd("show", record, "--text", "--html", page, folder=folder).text
    assert text.startswith(f"{program().name}, process")
    assert f"<title>{program().name}: " in page.read_text("utf-8")


def test_a_wheels_copy_is_the_runtime(folder: Path) -> None:
    """Which has another name, and the file that the compiler linked is not there."""
    copy = folder / "libgomp-a.so"
    original = (machine.cached("libgomp-12") / "libgomp.so.1").read_bytes()
    copy.write_bytes(original.replace(b"libgomp.so.1\0", b"libgomp-a.so\0"))
    source, program = folder / "staying.c", folder / "staying"
    source.write_text(container.STAYING, encoding="ascii")
    flags = ["-g", "-O1", "-fopenmp", "-nodefaultlibs", f"-Wl,-rpath,{folder}"]
    machine.run("gcc", *flags, source, copy, "-lc", "-o", program)
    with subprocess.Popen([program], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == b"stays\n"
            record = folder / "record.jsonl"
            ompd("record", "-d", "0.3", "-o", record, str(process.pid), folder=folder)
        finally:
            process.kill()
    shown = ompd("show", record, folder=folder).text
    assert re.search(r"^barrier +\d", shown, re.MULTILINE), shown
