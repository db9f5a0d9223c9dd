# SPDX-License-Identifier: Apache-2.0
"""Would tests/hostile see it, if a core file did harm? Its mutations change what they say, and its
judge is shown commands that do what must not be."""

from __future__ import annotations

import random
import re
import struct
import subprocess
import sys
from pathlib import Path

import command
import corpus
import machine
import pytest

sys.path.insert(0, str(machine.ROOT / "tests" / "hostile"))

import judge  # noqa: E402
import mutations  # noqa: E402

WHERE_A_SECTION_IS = 0x27D068
HARM = {
    "print('Traceback (most recent call last):')": "stdout has `Traceback",
    "print('defect of its own', file=sys.stderr)": "stderr has `defect",
    "print('red \\x1b[31m')": "stdout has '\\x1b'",
    "sys.exit(5)": "its status is 5",
    "sys.exit(2)": "it says nothing",
    "open('left', 'w')": "it left left",
    "open(os.environ['TMPDIR'] + '/left', 'w')": "it left left",
    "os.system(DECOYS + '/decoy.sh')": "a decoy was run or loaded",
    "ctypes.CDLL(DECOYS + '/decoy.so')": "a decoy was run or loaded",
    "open(DECOYS + '/decoy.so-gdb.py').read()": "the decoy decoy.so-gdb.py was opened",
    "print('a line\\nanother', file=sys.stderr)": "it complains in several lines",
    "print('GDB was ended by signal 11', file=sys.stderr)": "GDB died, and without us it does not",
}


@pytest.fixture(name="decoys", scope="module")
def fixture_decoys(tmp_path_factory: pytest.TempPathFactory) -> judge.Decoys:
    return judge.Decoys(tmp_path_factory.mktemp("hostile") / "decoys")


def judged(code: str, decoys: judge.Decoys, folder: Path, traced: bool = False) -> list[str]:
    """Of a command that does this, instead of `ompd core'."""
    for part in ("scratch", "home"):
        (folder / part).mkdir()
    core, program = corpus.unpack(corpus.entries()["idle-pool"], folder / "sound")
    run = judge.Run(
        core, program, folder / "sound", folder, judge.logging_gdb(folder / "gdb"), ("text",)
    )
    source = f"import ctypes, os, sys\nDECOYS = {str(decoys.folder)!r}\nprint('fine')\n{code}\n"
    if "says nothing" in HARM.get(code, ""):
        source = source.replace("print('fine')\n", "")
    run.command = [sys.executable, "-c", source]
    return run.judged(decoys, traced)[1]


@pytest.mark.each("code")
@pytest.mark.parametrize("code", HARM)
def test_harm_is_seen(code: str, decoys: judge.Decoys, folder: Path) -> None:
    found = judged(code, decoys, folder)
    assert any(HARM[code] in one for one in found), found


@pytest.mark.parametrize(
    "code, sentence",
    [
        ("os.execv('/bin/true', ['true'])", "it started /bin/true"),
        (
            "open('/var/tmp/ompd-hostile-test', 'w'); os.unlink('/var/tmp/ompd-hostile-test')",
            "to write",
        ),
    ],
)
def test_traced_harm_is_seen(code: str, sentence: str, decoys: judge.Decoys, folder: Path) -> None:
    found = judged(code, decoys, folder, traced=True)
    assert any(sentence in one for one in found), found


def test_no_harm(decoys: judge.Decoys, folder: Path) -> None:
    assert judged("print('fine')", decoys, folder) == []


@pytest.mark.each("mutation")
@pytest.mark.parametrize("mutation", dict.fromkeys(mutations.MUTATIONS), ids=lambda m: m.__name__)
def test_mutation(mutation: object, decoys: judge.Decoys, folder: Path) -> None:
    """It changes something, and again the same by the same seed."""
    core, _ = corpus.unpack(corpus.entries()["serialized"], folder)
    sound = core.read_bytes()
    made = []
    for seed in (1, 2, 3, 1):
        one = mutations.Core(sound, random.Random(seed), decoys.folder)
        assert callable(mutation)
        mutation(one)
        made.append(bytes(one.data))
    assert made[0] == made[3]
    assert any(data != sound for data in made)


def test_known_structures(decoys: judge.Decoys, folder: Path) -> None:
    """Every other mutation is of them, and changes no byte far from them."""
    core, _ = corpus.unpack(corpus.entries()["serialized"], folder)
    sound = core.read_bytes()
    whole = mutations.Core(sound, random.Random(0), decoys.folder)
    segment, at = whole.pages[0]
    place = segment.address + at - segment.offset + 1024
    done: list[str] = []
    for seed in range(40):
        done += mutations.mutated(sound, random.Random(seed), decoys.folder, [place])[1]
    assert len(done) < 3 * done.count("known_structures") < 2 * len(done)
    one = mutations.Core(sound, random.Random(1), decoys.folder, [place])
    mutations.known_structures(one)
    changed = [i for i in range(len(sound)) if sound[i] != one.data[i]]
    assert changed and at + 512 <= changed[0] and changed[-1] < at + 2048


def test_two_threads_of_one_lwp(decoys: judge.Decoys, folder: Path) -> None:
    """GDB forgets the first of them, which is the selected one."""
    name = "serialized"
    core, program = corpus.unpack(corpus.entries()[name], folder)
    changed = mutations.Core(core.read_bytes(), random.Random(0), decoys.folder)
    bodies = [body for _, kind, body, _ in changed.notes() if kind == mutations.NT_PRSTATUS]
    changed.put_bytes(bodies[1] + 32, bytes(changed.data[bodies[0] + 32 : bodies[0] + 36]))
    core.write_bytes(changed.data)
    words = ["core", "--json", "--lib-search-root", folder, core, program]
    # Newer ones do not open it, without us either.
    newer = command.ompd(*words, "--gdb", machine.gdb("gdb-16"), folder=folder)
    assert re.fullmatch(
        r"ompd: GDB failed in its own code, \S+:\d+\. Try .*\n", newer.errors
    ), newer
    told = command.ompd(*words, folder=folder)
    if told.errors == newer.errors:
        return
    assert told.errors == "" and told.document["unavailable"] == []
    assert len(told.document["regions"]) == 18


@pytest.mark.parametrize("gdb", ["gdb-16", "gdb-18"] if machine.FULL else ["gdb-16"])
def test_image_without_sections(gdb: str, folder: Path) -> None:
    """`info symbol' ends GDB then. The vDSO's table of sections is damaged at one place."""
    inside, where_gdb_dies = folder / "files", folder / "gdb"
    for one in (inside, where_gdb_dies):
        one.mkdir()
    core, program = corpus.unpack(corpus.entries()["lock-order"], inside)
    image = bytearray(core.read_bytes())
    assert struct.unpack_from("<Q", image, WHERE_A_SECTION_IS) == (0x1522,)
    struct.pack_into("<Q", image, WHERE_A_SECTION_IS, 0x152A)
    core.write_bytes(image)
    words = ["-nx", "-q", "-batch", "-ex", f"core {core}", "-ex", "info symbol 1"]
    found = [machine.gdb(gdb), *words]
    alone = subprocess.run(found, capture_output=True, cwd=where_gdb_dies, check=False)
    assert alone.returncode < 0 or b"internal-error" in alone.stderr
    answer = command.ompd("core", "--gdb", machine.gdb(gdb), core, program, folder=folder)
    assert answer.status in (command.FINDING, command.CANNOT_TELL) and not answer.errors, answer
