# SPDX-License-Identifier: Apache-2.0
"""What do the documents tell readers to type, and what is printed? In a fenced block without a
language a line that begins with `$ ' is typed into a shell, one that begins with `(gdb) ' into the
GDB that the last of those has started. What follows is what the command prints; a line of three
dots stands for any lines. Each section is read in one shell, in a copy of the source tree."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Mapping

import command
import machine
from sessions import FORBIDDEN, PATIENCE, need_kernel_cores, sourcing

# Where their readers begin.
DOCUMENTS = {
    "README.md": "",
    "docs/tutorial.md": "docs/examples",
    "docs/performance.md": "docs/examples",
    "docs/post-mortem.md": "",
    "docs/jobs.md": "",
}
# Examples that hang, and the process that does. What is typed next is typed when it has begun to.
HANGS = {
    "./transfers &": "$!",
    "mpirun -n 4 ./halo &": "$(pgrep -P $! | sed -n 3p)",
}
# A shell's or our own command's status that says: this cannot be typed so.
WRONG = (2, 125, 126, 127)
MARK = "@@@"


@dataclass
class Step:
    """A command, and what it is said to print."""

    words: str
    shown: str = ""
    typed: list[Step] = field(default_factory=list)  # into the GDB that it starts
    # What it has printed, and how it ended; of GDB's commands 0, or one of WRONG.
    text: str = ""
    status: int | None = None

    def parts(self) -> list[Step]:
        return [self, *self.typed]


def sections(document: str) -> dict[str, list[Step]]:
    """By heading, those that have commands."""
    text = (machine.ROOT / document).read_text(encoding="utf-8")
    found = {}
    for section in re.split(r"^#+ ", text, flags=re.MULTILINE)[1:]:
        steps = _steps(section)
        if steps:
            found[section.split("\n", 1)[0]] = steps
    return found


def _steps(section: str) -> list[Step]:
    found: list[Step] = []
    for block in re.findall(r"^```\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL):
        assert block.startswith(("$ ", "(gdb) ")), f"which command prints this?\n{block}"
        step = None
        for line in block.splitlines(keepends=True):
            if step is not None and not step.shown and step.words.endswith("\\"):
                step.words += "\n" + line.rstrip("\n")
            elif line.startswith("$ "):
                step = Step(line[2:].strip())
                found.append(step)
            elif line.startswith("(gdb) "):
                step = Step(line[6:].strip())
                found[-1].typed.append(step)
            else:
                assert step is not None
                step.shown += line
    return found


def tree(folder: Path) -> Path:
    """A source tree to work in: what is written lands in folder."""
    copy = folder / "ompd"
    copy.mkdir()
    for path in machine.ROOT.iterdir():
        if path.name not in ("docs", "build", ".git"):
            (copy / path.name).symlink_to(path)
    (copy / "docs").mkdir()
    shutil.copytree(machine.ROOT / "docs" / "examples", copy / "docs" / "examples")
    (copy / "build").symlink_to(machine.BUILD)
    return copy


def type_all(
    steps: list[Step],
    compiler: str,
    folder: Path,
    where: Path,
    environment: Mapping[str, str] | None = None,
) -> None:
    """In one shell, as they are read; each gets its text and status."""
    if any("ulimit -c" in step.words for step in steps):
        need_kernel_cores()
    # A launcher that is killed leaves its ranks.
    script = ["trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT", f"cd {where}"]
    for number, step in enumerate(steps):
        words = re.sub(r"\bclang\b", compiler, step.words)
        if step.typed:
            session = folder / f"{number}.json"
            session.write_text(json.dumps([one.words for one in step.typed]), encoding="utf-8")
            options = f"-q -batch -ex 'source {folder}/typed.py' -ex 'python typed(\"{session}\")'"
            words = re.sub(r"^gdb\b", f"gdb {options}", words)
        # What spins must not starve who looks at it.
        words = re.sub(r"^(?=(\./|mpirun ).*&$)", "nice -n 19 ", words)
        script += [
            f"{{ {words}\n}} >{folder}/{number}.text 2>&1",
            f"status=$?; echo $status >{folder}/{number}.status",
        ]
        if step.words in HANGS:
            looking = f"ompd pid {HANGS[step.words]} >/dev/null 2>&1"
            script.append(f"until {looking}; [ $? = 1 ]; do kill -0 $! || exit; done")
        # As kernels do that are set so.
        script.append("for file in core.*; do [ -f $file ] && mv $file core; done")
        script.append("(exit $status)")
    process = subprocess.Popen(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env={**os.environ, **(environment or {}), **_environment(steps, compiler, folder)},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(PATIENCE)
    finally:
        # With what it has left in the background.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for number, step in enumerate(steps):
        path = folder / f"{number}.status"
        assert path.exists(), f"it did not get to `{step.words}'"
        step.status = int(path.read_text(encoding="ascii"))
        step.text = (folder / f"{number}.text").read_text(encoding="utf-8", errors="replace")
        assert FORBIDDEN.search(step.text) is None, step.text
        if step.typed:
            step.text, *parts = step.text.split(f"\n{MARK}")
            assert len(parts) == len(step.typed), f"{step.words}\n{step.text}\n{parts}"
            for one, part in zip(step.typed, parts):
                one.text, _, status = part.rpartition("\n=")
                one.status = int(status.split("\n")[0])


def _environment(steps: list[Step], compiler: str, folder: Path) -> dict[str, str]:
    """As a reader has it, with the compilers and runtimes of the tests."""
    commands = folder / "bin"
    commands.mkdir()
    (commands / "clang").symlink_to(shutil.which(machine.CLANG) or machine.CLANG)
    ompd = commands / "ompd"
    # A busy machine takes longer.
    patient = f'case ${{1:-}} in pid | job) set -- "$1" --timeout {PATIENCE} "${{@:2}}" ;; esac'
    ompd.write_text(
        f'#!/bin/bash\n{patient}\nexec {shlex.quote(str(command.OMPD))} "$@"\n', encoding="utf-8"
    )
    ompd.chmod(0o755)
    (folder / "typed.py").write_text(_TYPED, encoding="utf-8")
    (folder / ".gdbinit").write_text("".join(f"{one}\n" for one in sourcing()), encoding="utf-8")
    runtime = {}
    if compiler == "clang":
        devices = any("-fopenmp-targets" in step.words for step in steps)
        home = machine.cached("libomptarget-14" if devices else "libomp-14")
        runtime = {"LD_LIBRARY_PATH": str(home)}
    return {
        **runtime,
        "PATH": f"{commands}:/usr/bin:{os.environ['PATH']}",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "100",
        "DEBUGINFOD_URLS": "",
        # Open MPI: by this compiler, for root, on any machine.
        "OMPI_CC": machine.CLANG if compiler == "clang" else compiler,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }


_TYPED = f"""
import json
import gdb

def typed(path):
    with open(path, encoding="utf-8") as file:
        commands = json.load(file)
    for words in commands:
        gdb.write("\\n{MARK}")
        try:
            gdb.execute(words, True)
            status = 0
        except (gdb.error, gdb.GdbError) as error:
            gdb.write(str(error))
            status = 2
        gdb.write(f"\\n={{status}}\\n")
        gdb.flush()
"""


def plain(text: str) -> str:
    """Without what differs from run to run."""
    for pattern, name in (
        (r"^(\[New |\[Thread debugging|Using host libthread_db|warning: Section `\.reg).*\n", ""),
        (r"0x[0-9a-f]{5,}", "ADDRESS"),
        (r"/\S*/(lib[\w.]+\.so)", r"\1"),
        (r"([Pp]rocess|LWP|-p) \d+", r"\1 PID"),
        (r"--jobid=\d+", "--jobid=ID"),
        (r"\d+\.\d+ s\b", "N s"),
        (r"on thread \d+ -+", "on thread N"),
        (r"__GI_|_(nocancel|time64)\b", ""),
    ):
        text = re.sub(pattern, name, text, flags=re.MULTILINE)
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


# What gcc's code and GNU's runtime show differently: see docs/tutorial.md.
_OF_GNU = (
    (r"\s+", " "),
    (r"Runtime : .*? Threads", "Threads"),
    (r"; run the program with KMP_CONSISTENCY_CHECK=all, and the runtime records it", ""),
    (r"\(\d+ frames of the runtime", "(frames of the runtime"),
    (r"(barrier)(, implicit)?, end of (region|for)", r"\1"),
    # A construct's line is that of its first statement, or of what is in front of it.
    (r"\b(main|sum)( \(.*?\) at|,) (\w+\.c):\d+( -> parallel R\d)(, \w+\.c:\d+)?", r"\1, \3\4"),
    (r"(main|sum) \((.*?)\) at (\w+\.c):\d+", r"\1 () at \3"),
    (r"(R\d), serialized", r"\1"),
    # Threads that spin have other words that may move than those that sleep.
    (r"Compared: .*? moved\.( \d of them use a processor\.)?", "Compared."),
    (r"For certain nobody can go on(: all \d+ threads .*? wakes it)?\. ?", ""),
)


def agrees(step: Step, compiler: str) -> bool:
    """Does it print what is shown?"""
    if compiler == "clang":
        pieces, text = re.split(r"^\.\.\.$", plain(step.shown), flags=re.M), plain(step.text)
    else:
        pieces = [_of_gnu(one) for one in re.split(r"^\.\.\.$", plain(step.shown), flags=re.M)]
        text = _of_gnu(plain(step.text))
    return re.fullmatch(".*?".join(map(re.escape, pieces)), text, flags=re.DOTALL) is not None


def _of_gnu(text: str) -> str:
    """As running text, since lines break elsewhere."""
    for pattern, name in _OF_GNU:
        text = re.sub(pattern, name, text)
    return text.strip()
