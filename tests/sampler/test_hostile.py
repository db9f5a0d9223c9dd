# SPDX-License-Identifier: Apache-2.0
"""And when the program does harm to what the sampler reads: its runtime's memory, its stacks, its
files? The sampler that looks is built with the address and undefined-behaviour sanitizers."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import COMPILERS, PROGRAMS, TREE
from record import Record, read

FULL = os.environ.get("OMPD_FULL") == "1"
# Generous: of a sampler with sanitizers, some 100 MB are; a program's half second takes as long.
MOST_BYTES = 1 << 30
MOST_SECONDS = 60
CLOCKS = ("perf", "perf", "perf", "memory", "stops")
# What the program and the C library keep for the kernel is not what is asked: it would kill. So
# would the dynamic linker, if it had to look for a function in what is spoilt.
ENVIRONMENT = {**os.environ, "GLIBC_TUNABLES": "glibc.pthread.rseq=0", "LD_BIND_NOW": "1"}
SEEDS = 300 if FULL else 2
DAMAGES = 1000 if FULL else 4


@dataclass
class Ended:
    status: int
    words: str
    memory: int


def ends_well(ended: Ended) -> None:
    assert ended.status == 0, ended.words
    assert "Sanitizer" not in ended.words and "runtime error" not in ended.words, ended.words
    assert ended.memory < MOST_BYTES


def sample(sampler: Path, folder: Path, *more: object, **options: Any) -> Record:
    """What is recorded with these arguments, if the sampler ended well, and within bounds."""
    record, words = folder / "record", folder / "words"
    record.unlink(missing_ok=True)
    command = (sampler, "-F", "500", "--budget", "0", "-o", record, *more)
    with open(words, "w", encoding="utf-8") as file:
        process = subprocess.Popen(
            ("timeout", "-k", "1", str(MOST_SECONDS), *(str(word) for word in command)),
            stdout=subprocess.DEVNULL,
            stderr=file,
            **options,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    text = words.read_text(encoding="utf-8", errors="replace")
    # Of the program and of who starts the sampler, too.
    ends_well(Ended(status, text, usage.ru_maxrss * 1024))
    return read(record)


def shown(folder: Path) -> str:
    command = (TREE / "gdb-plugin" / "bin" / "ompd", "show", folder / "record")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done
    return done.stdout


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_spoilt_structures_and_stacks(build, sanitized, tmp_path, compiler) -> None:
    program = build("vandal", compiler, "-Wl,-z,now")
    fallen = 0
    for turn in range(SEEDS):
        seed = random.randrange(1 << 32)
        clock = random.choice(CLOCKS)
        print("seed", seed, clock)
        options = ("--clock", clock, "--", program, seed, 1 if FULL else 0.5)
        record = sample(sanitized, tmp_path, *options, env=ENVIRONMENT)
        fallen += record.end["status"] != 0
        if turn % 10 == 0:
            shown(tmp_path)
    # Over what it has spoilt itself: of 136 without a sampler one did.
    assert fallen <= 1 + SEEDS // 50


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_spoilt_unwind_information_in_memory(build, sanitized, tmp_path, compiler) -> None:
    """There is no file of the program's: all is read where it was mapped."""
    cut = stacks = 0
    for _ in range(SEEDS // 2):
        seed = random.randrange(1 << 32)
        print("seed", seed)
        program = tmp_path / "bare"
        shutil.copy(build("vandal", compiler, "-Wl,-z,now"), program)
        command = (program, str(seed), "1" if FULL else "0.5", "bare")
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
            text=True,
        ) as process:
            try:
                assert process.stdout and process.stdout.readline() == "ready\n"
                record = sample(sanitized, tmp_path, "-p", process.pid)
            finally:
                process.kill()
        cut += record.end["cut"]
        stacks += record.end["stacks"]
    print(cut, "of", stacks, "stacks were cut")
    # One seed may have spoilt one byte.
    assert not FULL or cut > stacks / 4, "many of its stacks lead through what was spoilt"


def sections(path: Path) -> dict[str, tuple[int, int]]:
    """Where each is in the file, and its size."""
    found = {}
    listed = subprocess.run(("readelf", "-SW", path), capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines():
        fields = line.partition("]")[2].split()
        if fields and fields[0].startswith("."):
            found[fields[0]] = int(fields[3], 16), int(fields[4], 16)
    return found


# What nobody reads who only loads and executes the file.
FOR_DEBUGGERS = (".symtab", ".strtab", ".shstrtab", ".note.gnu.build-id", ".gnu_debuglink")


def parts(path: Path, data: bytes) -> list[list[tuple[int, int]]]:
    """That may be damaged, by kind: what tells how to unwind often."""
    listed = sections(path)
    frames = [listed[".eh_frame"]], [listed[".eh_frame_hdr"]]
    names = [
        place
        for name, place in listed.items()
        if name in FOR_DEBUGGERS or name.startswith(".debug")
    ]
    table = int.from_bytes(data[40:48], "little")
    headers = [(40, 8), (58, 6), (table, len(data) - table)]
    everything = [*frames[0], *frames[1], *names]
    return [frames[0], frames[0], *frames, *([one] for one in names), everything, headers]


def damage(source: Path, to: Path, draw: random.Random) -> None:
    data = bytearray(source.read_bytes())
    kind = draw.choice(parts(source, data))
    for _ in range(draw.choice((1, 1, 10, 100))):
        start, size = draw.choice(kind)
        if size and start + size <= len(data):
            data[start + draw.randrange(size)] = draw.choice((0, 0xFF, draw.randrange(256)))
    to.write_bytes(data)
    to.chmod(0o755)


# What the program may do; anything else was made up.
POSSIBLE = {
    *("work_parallel", "work_serial", "wait_barrier", "wait_barrier_implicit_parallel"),
    *("wait_barrier_implementation", "idle", "overhead", "asleep", "outside"),
    *("preempted", "kernel", "?"),
}


def samples_by_state(record: Record) -> Counter[str]:
    sums: Counter[str] = Counter()
    for _, _, _, activity, samples in record.rows():
        sums[activity["state"]] += samples
    return sums


def runtime_of(program: Path) -> Path:
    listed = subprocess.run(("ldd", program), capture_output=True, text=True, check=True).stdout
    (line,) = [one for one in listed.splitlines() if "libomp." in one or "libgomp." in one]
    return Path(line.split()[2])


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_damaged_files(build, sanitized, tmp_path, compiler) -> None:
    """Of the program, and of its runtime: they run as before; nothing is made up."""
    program = build("victim", compiler)
    runtime = runtime_of(program)
    known: Counter[str] = Counter()
    for turn in range(DAMAGES // 2):
        seed = random.randrange(1 << 32)
        print("seed", seed)
        draw = random.Random(seed)
        damaged = tmp_path / "damaged"
        shutil.rmtree(damaged, ignore_errors=True)
        damaged.mkdir()
        started = program
        if turn % 3 == 1:
            damage(runtime.resolve(), damaged / runtime.name, draw)
        else:
            started = damaged / "victim"
            damage(program, started, draw)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(damaged)}
        record = sample(sanitized, tmp_path, "--", started, 400, env=environment)
        assert (record.end["how"], record.end["status"]) == ("exited", 3)
        sums = samples_by_state(record)
        assert set(sums) <= POSSIBLE, sums
        # It hardly ever is in no region: as much as chance and its beginning.
        assert sums["work_serial"] <= 8 + 0.05 * sum(sums.values()), sums
        known += sums
        if turn % 20 == 0:
            shown(tmp_path)
    assert known["?"] < sum(known.values()), known


@pytest.mark.parametrize("compiler", ["clang", "gcc"] if FULL else ["gcc"])
def test_a_file_that_is_written_to_meanwhile(build, sanitized, tmp_path, compiler) -> None:
    """Its end is cut off, with all names: what is met from then on has none, and it is said why."""
    library = tmp_path / "region.so"
    # With macros, which fill pages behind the program's own.
    made = (*COMPILERS[compiler][:1], *(["-fdebug-macro"] if compiler == "clang" else []))
    options = ("-DLIBRARY", "-shared", "-fPIC", "-fopenmp", "-O2", "-g3", "-o", library)
    subprocess.run((*made, *options, PROGRAMS / "plugin.c"), check=True)
    listed = sections(library)
    end_of_program = max(sum(listed[name]) for name in (".data", ".got", ".eh_frame"))
    kept = (end_of_program + 4095) // 4096 * 4096
    assert kept < listed[".symtab"][0], "more than a page is cut off"
    program = build("plugin", "plain", "-ldl")
    record = sample(sanitized, tmp_path, "--", program, library, 1, kept)
    assert record.end["status"] == 0
    notes = [line["text"] for line in record.lines if line.get("note") == "file_changed"]
    assert len(notes) == 1 and str(library) in notes[0]
    # Of constructs clang's code tells it, in memory.
    frames = [one for one in record.tables["frame"].values() if one["kind"] == "user"]
    functions = [str(frame.get("function")) for frame in frames]
    assert any("region" in name for name in functions)
    assert not any("other_region" in name for name in functions), functions
    shown(tmp_path)
