# SPDX-License-Identifier: Apache-2.0
"""Does every command of the shell keep to what the user's terminal can show? Each is run in one of
60 columns, and in one that knows neither escape sequences nor anything but ASCII."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Callable, Iterator, Mapping, Sequence

import corpus
import machine
import made_records
import pytest
from command import OMPD, ompd, program
from terminal import Terminal
from test_record import environment as of_record
from test_record import program as uneven

COLUMNS = 60
MODERN = {"LC_ALL": "C.UTF-8"}
PLAIN = {"LC_ALL": "C", "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": str(COLUMNS)}
Words = Sequence[str | Path]


class Inputs:
    """One of each kind, for all commands."""

    def __init__(self, folder: Path, pid: int) -> None:
        self.folder, self.pid = folder, str(pid)
        core, exe = corpus.unpack(corpus.entries()["lock-order"], folder / "core")
        self.core = ["core", "--lib-search-root", folder / "core", core, exe]
        self.record, self.report = folder / "record.jsonl", folder / "rank0.json"
        self.record.write_bytes(made_records.any_program(1, moments=100).data())
        answer = ompd(*self.core, "--json", "-o", self.report, folder=folder)
        assert answer.status == 1, answer


@pytest.fixture(name="inputs", scope="module")
def fixture_inputs() -> Iterator[Inputs]:
    made = Path(tempfile.mkdtemp(prefix="ompd-terminal-"))
    with subprocess.Popen(
        [uneven(), "100000", "50"],
        env={**os.environ, **of_record()},
        stdout=subprocess.DEVNULL,
    ) as process:
        yield Inputs(made, process.pid)
        process.kill()
    shutil.rmtree(made, ignore_errors=True)


ANSWERS: Mapping[str, Callable[[Inputs], Words]] = {
    "core": lambda given: given.core,
    "pid": lambda given: ["pid", given.pid],
    "run": lambda given: ["run", "--", program(), "unmapped"],
    "merge": lambda given: ["merge", given.report],
    "job": lambda given: ["job", "--pid", given.pid],
    "top": lambda given: ["top", "-d", "1", given.pid],
    "record": lambda given: ["record", "-d", "1", "-o", "/dev/null", given.pid],
    "show": lambda given: ["show", given.record],
}


def shown(words: Words, folder: Path, env: Mapping[str, str], columns: int) -> str:
    home = machine.cached("libomp-14")
    terminal = Terminal(
        [OMPD, *words],
        {"LD_LIBRARY_PATH": str(home), "OMPD_TRUTH_FILE": str(folder / "truth"), **env},
        folder,
        columns=columns,
    )
    terminal.end()
    assert terminal.seen
    return terminal.seen


# What is not cut: a place's line, a file's path, a command to type, a row of numbers.
WHOLE = re.compile(r"\w\.\w+:\d+|/|`|(\d|outside)\)$|^(% of time|Thread) |^([~<]?[\d.]+ .*){6}")


@pytest.mark.each("name")
@pytest.mark.parametrize("name", ANSWERS)
def test_narrow(name: str, inputs: Inputs, folder: Path) -> None:
    text = shown(ANSWERS[name](inputs), folder, MODERN, COLUMNS)
    assert not re.search(r"\x1b\[[0-9;]*m", text), "a colour"
    # Progress, and what `top' draws, stand in the same place again.
    lines = [line for line in re.split(r"[\r\n]+|\x1b\[[0-9;?]*[a-zA-Z]", text) if line]
    wide = [line for line in lines if len(line) > COLUMNS and not WHOLE.search(line)]
    assert not wide, "\n".join(wide)
    if name in ("core", "merge", "show"):
        assert "└─ " in text


@pytest.mark.each("name")
@pytest.mark.parametrize("name", ANSWERS)
def test_plain(name: str, inputs: Inputs, folder: Path) -> None:
    """Wider than $COLUMNS says, which is believed."""
    text = shown(ANSWERS[name](inputs), folder, PLAIN, 2 * COLUMNS)
    lines = text.split("\r\n")
    for line in lines:
        assert re.fullmatch("[ -~]*", line), line
    wide = [line for line in lines if len(line) > COLUMNS and not WHOLE.search(line)]
    assert not wide, "\n".join(wide)
    if name in ("core", "merge", "show"):
        assert "`- " in text


@pytest.mark.parametrize("env", [MODERN, PLAIN])
def test_help(env: Mapping[str, str], folder: Path) -> None:
    for words in (["--help"], *([name, "--help"] for name in ANSWERS)):
        text = shown(words, folder, env, COLUMNS)
        wide = [line for line in text.split("\r\n") if len(line) > COLUMNS]
        assert "\x1b" not in text and not wide, "\n".join(wide)


@pytest.mark.parametrize(
    "locale, modern",
    [
        ({"LANG": "C.UTF-8"}, True),
        ({"LC_CTYPE": "C.UTF-8"}, True),
        ({"LC_ALL": "POSIX", "LANG": "C.UTF-8"}, False),
        ({"LANG": "C"}, False),
        ({}, False),
        ({"LANG": "C.UTF-8", "PYTHONIOENCODING": "ascii"}, False),
    ],
)
def test_locale(locale: dict[str, str], modern: bool, inputs: Inputs) -> None:
    """Without a terminal too."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    for words in (inputs.core, ["show", inputs.record]):
        done = subprocess.run(
            [OMPD, *words], env={**kept, **locale}, stdout=subprocess.PIPE, check=False
        )
        assert ("└─ " in done.stdout.decode("utf-8")) == modern
        assert done.stdout.isascii() != modern


def test_files_are_the_users_own(inputs: Inputs, folder: Path) -> None:
    """They show what is in a program's memory."""
    names = ["text", "page.html", "report.json"]
    for words in (inputs.core, ["merge", inputs.report], ["show", inputs.record]):
        ompd(*words, "-o", "text", "--html", "page.html", folder=folder)
        ompd(*words, "--json", "-o", "report.json", folder=folder)
        check_modes(folder, names)
    exports = ["speedscope", "chrome-trace", "folded", "pprof"]
    options = [word for name in exports for word in (f"--{name}", name)]
    ompd("show", inputs.record, *options, "--paraver", "trace", folder=folder)
    check_modes(folder, [*exports, "trace.prv", "trace.pcf", "trace.row"])
    ompd("record", "-d", "0.1", "-o", "record", inputs.pid, folder=folder)
    check_modes(folder, ["record"])


def check_modes(folder: Path, names: Sequence[str]) -> None:
    before = os.umask(0o022)
    os.umask(before)
    assert before & 0o044 == 0, "with this umask nothing is seen"
    for name in names:
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600, name
        (folder / name).unlink()
