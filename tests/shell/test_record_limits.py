# SPDX-License-Identifier: Apache-2.0
"""What do `ompd record' and `ompd top' say where they may not all that they want to, and is what
they record then still true?"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Iterator, Sequence

import machine
import pytest
from command import OMPD, Answer, is_an_error, ompd
from test_record import shown

THREADS = 40
SETPRIV = "/usr/bin/setpriv"


@pytest.fixture(name="running")
def fixture_running(folder: Path) -> Iterator[int]:
    """All its threads are there."""
    program = machine.compiled("pool")
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"}
    with subprocess.Popen([program, str(THREADS)], env=environment) as process:
        while len(list(Path(f"/proc/{process.pid}/task").iterdir())) < THREADS:
            time.sleep(0.02)
        yield process.pid
        assert process.poll() is None, "the program has ended"
        process.kill()


def ompd_by(means: Sequence[str | Path], *words: str | Path, folder: Path) -> Answer:
    """By a program that changes what is allowed."""
    folder.chmod(0o777)
    asked = OMPD
    if SETPRIV in means:
        # The source tree may be where others may not look.
        asked = machine.installed(folder) / "bin" / "ompd"
    return ompd(*means[1:], asked, *words, folder=folder, command=Path(means[0]))


def as_nobody() -> list[str]:
    if os.geteuid() != 0:
        pytest.skip("to be another user needs root")
    return [SETPRIV, "--reuid", "65534", "--regid", "65534", "--clear-groups"]


def guarded(what: str, folder: Path) -> list[str | Path]:
    """As a container's filter refuses it."""
    source = machine.ROOT / "tests" / "sampler" / "programs" / "guard.c"
    subprocess.run(["gcc", source, "-o", folder / "guard"], check=True)
    return [folder / "guard", what]


def limited(limit: str, *means: str) -> list[str]:
    return ["/bin/sh", "-c", f'ulimit {limit} && exec "$@"', "-", *means]


@pytest.mark.parametrize("words", [("record",), ("top", "--once")])
def test_another_users_process(running: int, folder: Path, words: tuple[str, ...]) -> None:
    answer = ompd_by(as_nobody(), *words, "-d", "0.2", str(running), folder=folder)
    is_an_error(answer, f"Process {running} is of another user", "root")
    assert answer.errors.count(".") == 1 and not list(folder.glob("*.jsonl"))


def test_all_is_refused(running: int, folder: Path) -> None:
    means = guarded("perf-memory", folder)
    answer = ompd_by(means, "record", "-o", "x", "-d", "0.2", str(running), folder=folder)
    is_an_error(answer, "kernel.perf_event_paranoid is", "seccomp", "memory may not be read")
    assert not (folder / "x").exists()


@pytest.mark.parametrize(
    "refused, setting", [("perf", "perf_event_paranoid"), ("memory", "process_vm_readv")]
)
def test_a_part_is_refused(running: int, folder: Path, refused: str, setting: str) -> None:
    """It is recorded, and the record says what was not allowed; so does the live table."""
    words = ("-d", "0.5", str(running))
    answer = ompd_by(guarded(refused, folder), "record", "-o", "x", *words, folder=folder)
    assert answer.status == 0
    # Without perf hardly anything is told: it is said when it begins.
    assert (setting in answer.errors) == (refused == "perf")
    assert ("Only the runtime's memory tells" in answer.errors) == (refused == "perf")
    assert setting in " ".join(ompd("show", "x", folder=folder).text.split())
    table = ompd_by(guarded(refused, folder), "top", "--once", *words, folder=folder)
    assert table.status == 0 and setting in table.text


def test_little_memory_to_lock(running: int, folder: Path) -> None:
    """Rings are shared then, and no thread is left out."""
    folder.chmod(0o777)
    program = Path(shutil.copy(machine.compiled("pool"), folder))
    means = limited("-l 64", *as_nobody())
    answer = ompd_by(means, "record", "-o", "x", "--", program, str(THREADS), "1", folder=folder)
    assert answer.status == 0, answer
    document = shown(folder / "x", folder)
    assert len(document["threads"]) >= THREADS and "ulimit" not in json.dumps(document)


@pytest.mark.parametrize("most", [14, 32])
def test_few_descriptors(running: int, folder: Path, most: int) -> None:
    """Some threads are not sampled, which is said; and the record does not end before its time."""
    means = limited(f"-n {most}", "/usr/bin/env")
    answer = ompd_by(means, "record", "-d", "1", "-o", "x", str(running), folder=folder)
    assert answer.status == 0, answer
    assert shown(folder / "x", folder)["recording"]["ended"]["how"] == "duration"
    assert "ulimit -n" in " ".join(ompd("show", "x", folder=folder).text.split())


def test_no_descriptor_for_the_sampler(running: int, folder: Path) -> None:
    means = limited("-n 8", "/usr/bin/env")
    answer = ompd_by(means, "record", "-d", "1", "-o", "x", str(running), folder=folder)
    is_an_error(answer, "Too many open files")
    assert not (folder / "x").exists()


def test_folder_is_not_writable(running: int, folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o755)
    means = as_nobody()
    words = ("record", "-o", closed / "x", "-d", "1", "--", "/bin/true")
    answer = ompd_by(means, *words, folder=folder)
    is_an_error(answer, "closed/x cannot be written: Permission denied", "`-o'", status=125)
    nowhere = ompd("record", "-o", folder / "none" / "x", str(running), folder=folder)
    is_an_error(nowhere, "none/x cannot be written: No such file or directory", "`-o'")
    is_an_error(ompd("record", "-o", folder, str(running), folder=folder), "Is a directory")


def test_disk_gets_full(running: int, folder: Path) -> None:
    """In the middle, by a limit that the file's size has: what is there is shown."""
    means = limited("-f 16", "/usr/bin/env")  # of 512 bytes each
    answer = ompd_by(means, "record", "-d", "3", "-o", "x", str(running), folder=folder)
    is_an_error(answer, "x could not be written further: there is no room left", "`ompd show'")
    cut = ompd("show", "x", folder=folder)
    assert cut.status == 1 and "It ends early" in cut.text


@pytest.mark.parametrize(
    "words, said",
    [
        (("record", "-d", "0", "1"), "`0' is not a duration"),
        (("record", "-d", "-1", "1"), "`-1' is not a number of seconds"),
        (("record", "-d", "nan", "1"), "`nan' is not a number of seconds"),
        (("top", "-d", "1h", "1"), "`1h' is not a number of seconds"),
        (("top", "-i", "0", "1"), "from 0.1 to 3600"),
        (("record", "-F", "1e9", "1"), "not a rate from 1 to 10000"),
        (("record", "-o", "", "1"), "a file has a name"),
        (("record", "0"), "`0' is not a process ID"),
        (("record", "1", "2"), "unrecognized arguments: 2"),
        (("top", "--view", "colours", "1"), "colours"),
    ],
)
def test_nonsense(folder: Path, words: tuple[str, ...], said: str) -> None:
    is_an_error(ompd(*words, folder=folder), said)


def test_packed_records(running: int, folder: Path) -> None:
    """What is kept packed is shown as it was, whatever its name; or it is told to be broken."""
    plain, packed = folder / "x", folder / "packed"
    assert ompd("record", "-d", "0.5", "-o", plain, str(running), folder=folder).status == 0
    whole = ompd("show", "--json", plain, folder=folder)
    for form in ("gzip", "xz", "zstd", "lz4"):
        with open(packed, "wb") as file:
            subprocess.run([form, "-c", plain], stdout=file, check=True)
        answer = ompd("show", "--json", packed, folder=folder)
        assert answer.status == 0 and answer.text == whole.text, form
        packed.write_bytes(packed.read_bytes()[:-100])
        is_an_error(ompd("show", packed, folder=folder), "packed cannot be unpacked", "Copy it")


@pytest.mark.parametrize("tool", ["zstd", "lz4"])
def test_packed_by_a_tool_that_is_not_here(tool: str, folder: Path) -> None:
    """One sentence, and what helps."""
    packed, bare = folder / "x", folder / "bin"
    with open(packed, "wb") as file:
        subprocess.run([tool, "-c"], input=b"{}", stdout=file, check=True)
    bare.mkdir()
    for name in ("env", "python3"):
        (bare / name).symlink_to(f"/usr/bin/{name}")
    answer = ompd("show", packed, folder=folder, environment={"PATH": str(bare)})
    is_an_error(answer, f"is packed by {tool}, which is not installed", f"Install {tool}")
