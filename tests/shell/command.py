# SPDX-License-Identifier: Apache-2.0
"""How is the shell's ompd run? As a user does; what must never be seen is looked for in whatever it
prints, and nothing of its own may stay."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

import machine
import schema
from sessions import FORBIDDEN, PATIENCE, kernel_core

OMPD = machine.ROOT / "gdb-plugin" / "bin" / "ompd"
NOTHING_ODD, FINDING, CANNOT_READ, CANNOT_TELL = 0, 1, 2, 3


@dataclass
class Answer:
    status: int
    text: str
    errors: str

    @property
    def document(self) -> Any:
        document = json.loads(self.text)
        schema.check(document)
        return document

    def codes(self) -> set[str]:
        return {finding["code"] for finding in self.document["findings"]}


def ompd(
    *words: str | Path,
    folder: Path,
    command: Path = OMPD,
    environment: dict[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
) -> Answer:
    """folder: where it makes its private folder, and leaves nothing."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    if words[:1] in (("pid",), ("job",)) and "--timeout" not in words:
        words = (words[0], "--timeout", str(PATIENCE), *words[1:])  # the machine may be busy
    done = subprocess.run(
        [command, *words],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(scratch), **(environment or {})},
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
        check=False,
    )
    # Not in text mode, which would hide what a line's end really is.
    answer = Answer(done.returncode, done.stdout.decode(), done.stderr.decode())
    check(answer.text + answer.errors)
    assert not list(scratch.iterdir()), "the private folder is still there"
    return answer


def check(text: str) -> None:
    met = FORBIDDEN.search(text)
    assert met is None, f"it printed `{met.group()}':\n{text}"
    control = re.search(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]", text)
    assert control is None, f"it printed {control.group()!r}:\n{text!r}"


def is_an_error(answer: Answer, *words: str, status: int = CANNOT_READ) -> None:
    """One line that says what, why and what to do."""
    assert answer.status == status, answer
    assert re.fullmatch(r"ompd: .*\.\n", answer.errors), answer.errors
    for word in words:
        assert word in answer.errors, f"no `{word}' in: {answer.errors}"


def crashed(folder: Path, how: str, runtime: str = "libomp-14", build: str = "debug") -> Path:
    """The core file of tests/programs/crashes.c."""
    return kernel_core(program(build), (how,), environment(folder, runtime), folder)


def program(build: str = "debug") -> Path:
    return machine.compiled("crashes", build)


def environment(folder: Path, runtime: str = "libomp-14") -> dict[str, str]:
    home = machine.cached(runtime)
    return {"LD_LIBRARY_PATH": str(home), "OMPD_TRUTH_FILE": str(folder / "truth")}


def truth(folder: Path) -> Sequence[int]:
    """Line, address and thread id of what it was going to do."""
    return [int(word, 0) for word in (folder / "truth").read_text(encoding="utf-8").split()]
