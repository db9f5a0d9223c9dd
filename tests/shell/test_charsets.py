# SPDX-License-Identifier: Apache-2.0
"""Is there a report of a program with any bytes for names, in whatever locale it is asked for?"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import machine
import pytest
from command import NOTHING_ODD, ompd
from sessions import ask, settle

NAMES = {
    "utf-8": "müller".encode(),
    "latin-1": "müller".encode("latin-1"),
    "bidi": "m\u202egnp.\u2066\u2069".encode(),
    "control": b"m\x1b[31m\x07",
}
LACKING = "xx_YY.UTF-8"
LOCALES = ["C", "POSIX", "C.UTF-8", LACKING]
ALL = [(name, locale) for name in NAMES for locale in LOCALES]
CELLS = [("latin-1", "C"), ("utf-8", "POSIX"), ("bidi", "C.UTF-8"), ("control", LACKING)]
GDBS = ["gdb", "gdb-10", "gdb-16", "gdb-18"] if machine.FULL else ["gdb"]
COMMANDS = (
    "threads parallel tasks barriers locks deadlock bt icvs status target info break,"
    "each info locals,print 1+1,parallel R1,report"
).split(",")
# What would steer a terminal, or turn the direction of its text.
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def built(name: bytes, folder: Path) -> Path:
    """In a folder, of a source and with symbols that are all called so."""
    home = folder / os.fsdecode(name)
    home.mkdir()
    source, code = home / (os.fsdecode(name) + ".c"), home / "code.s"
    source.write_bytes((machine.ROOT / "tests" / "programs" / "named.c").read_bytes())
    words = ["gcc", "-g", "-fopenmp"]
    subprocess.run([*words, "-S", source, "-o", code], check=True, cwd=folder)
    text = code.read_bytes()
    as_string = b"".join(b"\\%03o" % byte for byte in name)
    text = re.sub(rb'"[^"\n]*"', lambda met: met[0].replace(b"x_name_x", as_string), text)
    if name[-1] > 0x7F:  # the assembler takes no control characters
        text = text.replace(b"x_name_x", name)
    code.write_bytes(text)
    program = home / os.fsdecode(name)
    subprocess.run([*words, code, "-o", program], check=True, cwd=folder)
    return program


@contextmanager
def running(name: str, folder: Path) -> Iterator[int]:
    with subprocess.Popen([built(NAMES[name], folder)]) as process:
        try:
            while len(lwps := os.listdir(f"/proc/{process.pid}/task")) < 3:
                time.sleep(0.01)
            settle(map(int, lwps))
            yield process.pid
        finally:
            process.kill()


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("name, locale", ALL if machine.FULL else CELLS)
def test_a_report_each_time(
    name: str, locale: str, gdb: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    with running(name, folder) as pid:
        page = folder / "page.html"
        answer = ompd(
            "pid", "--gdb", machine.gdb(gdb), "--json", "--html", page, str(pid), folder=folder
        )
        assert answer.status == NOTHING_ODD, answer
        text = json.dumps(answer.document, ensure_ascii=False)
        text.encode()  # no half of a pair of surrogates
        assert ("müller" if name == "utf-8" else "\\xfc" if name == "latin-1" else "m") in text
        assert not STEERING.search(page.read_text(encoding="utf-8"))
        commands = [f"ompd {command}" for command in COMMANDS]
        told = ask(gdb, ["bt", *commands], [f"attach {pid}"], folder=folder)
        without = ask(gdb, ["bt", "bt -no-filters"], [f"attach {pid}"], plugin=(), folder=folder)
    assert not any(STEERING.search(text) for text in told.texts[1:])
    frames = [
        re.findall(r"^#\d+", text, re.MULTILINE) for text in (told.texts[0], without.texts[0])
    ]
    # The runtime's own are hidden.
    assert frames[0][-1] == frames[1][-1] and len(frames[0]) >= len(frames[1]) - 2, told.everything


def test_the_same_of_a_core(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    with running("latin-1", folder) as pid:
        words = [machine.gdb("gdb"), "-nx", "-batch", "-p", str(pid), "-ex", "gcore core"]
        subprocess.run(words, check=True, cwd=folder, stdout=subprocess.DEVNULL)
    answer = ompd("core", "core", folder=folder)
    assert answer.status == NOTHING_ODD and "\\xfc" in answer.text, answer


@pytest.mark.parametrize("gdb", ["gdb-16", "gdb"])
@pytest.mark.parametrize("locale", LOCALES if machine.FULL else ["C"])
def test_private_folder(
    gdb: str, locale: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is found again where GDB's Python has another encoding of files' names than ours."""
    monkeypatch.setenv("LC_ALL", locale)
    home = folder / os.fsdecode(NAMES["latin-1"])
    home.mkdir()
    program = built(b"plain_\xc3\xbc", folder)
    with subprocess.Popen([program]) as process:
        try:
            answer = ompd("pid", "--gdb", machine.gdb(gdb), str(process.pid), folder=home)
        finally:
            process.kill()
    assert answer.status == NOTHING_ODD, answer
