# SPDX-License-Identifier: Apache-2.0
"""What must never happen when somebody looks at a core file, whatever is in it?"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import AbstractSet as Set

ROOT = Path(__file__).resolve().parents[2]
OMPD = ROOT / "gdb-plugin" / "bin" / "ompd"
LONGEST = 10.0  # seconds
ENDS = 60.0
TRACEBACK = re.compile(
    r"Traceback \(most recent|Python Exception|Error while executing Python|Exception ignored"
    r"|defect of its own"
)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
DIED = re.compile(r"GDB was ended by signal|GDB failed in its own code|internal-error|gdb_died")
IN_OPEN = 0x20
# Of the decoys: what may be read, since it is an image that the core names.
IMAGES = ("decoy.so", "libompd.so", "libthread_db.so.1")
# GDB asks iconv which character sets there are.
STARTED = frozenset(("python3", "python3.11", "gdb", "sh", "cat", "iconv"))
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")


class Decoys:
    """Files that core files name, which tell when they are run or loaded."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.told = folder, folder.with_name("told")
        folder.mkdir()
        source = folder.with_name("decoy.c")
        source.write_text(
            "#include <fcntl.h>\n__attribute__((constructor)) static void tell(void)"
            f' {{ (void)!creat("{self.told}", 0600); }}\n',
            encoding="utf-8",
        )
        for name in IMAGES:
            command = ["gcc", "-shared", "-fPIC", source, "-o", folder / name]
            subprocess.run(command, check=True)
        told = str(self.told)
        self._script("decoy.so-gdb.py", f"open({told!r}, 'w')\n")
        self._script("decoy.so-gdb.gdb", f"shell touch {told}\n")
        self._script("decoy.sh", f"#!/bin/sh\ntouch {told}\n")
        os.mkfifo(folder / "pipe")
        libc = ctypes.CDLL(None, use_errno=True)
        self._watch = libc.inotify_init1(os.O_NONBLOCK)
        watched = libc.inotify_add_watch(self._watch, os.fsencode(folder), IN_OPEN)
        assert watched >= 0, os.strerror(ctypes.get_errno())

    def _script(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")
        (self.folder / name).chmod(0o755)

    def _opened(self) -> set[str]:
        """Since it was asked last."""
        found: set[str] = set()
        while True:
            try:
                events, at = os.read(self._watch, 1 << 16), 0
            except BlockingIOError:
                return found
            while at < len(events):
                (size,) = struct.unpack_from("I", events, at + 12)
                found.add(events[at + 16 : at + 16 + size].rstrip(b"\0").decode())
                at += 16 + size

    def named_in(self, data: bytes) -> set[str]:
        """Scripts that a core says it had mapped: whether they are images, only their first bytes
        tell. A pipe is none, whatever it says."""
        paths = [path for path in self.folder.iterdir() if path.is_file()]
        return {path.name for path in paths if os.fsencode(path) in data}

    def findings(self, named: Set[str] = frozenset()) -> list[str]:
        opened = sorted(self._opened() - {"", *IMAGES, *named})
        found = [f"the decoy {name} was opened" for name in opened]
        if self.told.exists():
            self.told.unlink()
            found.append("a decoy was run or loaded")
        return found


def logging_gdb(path: Path) -> Path:
    """A GDB that leaves a copy of its words where $OMPD_HOSTILE_LOG says, and dies as it does."""
    path.write_text(
        '#!/bin/sh\ngdb "$@" >"$OMPD_HOSTILE_LOG" 2>&1\nstatus=$?\ncat "$OMPD_HOSTILE_LOG"\n'
        "[ $status -gt 128 ] && kill -$((status - 128)) $$\nexit $status\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


class Run:
    def __init__(
        self,
        core: Path,
        program: Path,
        files: Path,
        place: Path,
        gdb: Path,
        form: tuple[str, ...],
    ) -> None:
        """files: where the libraries are; place: has scratch/, home/ and the core."""
        self.core, self.program, self.files, self.place = core, program, files, place
        self.form = form[0]
        self.page = place / "home" / "page.html"
        words = [*form[1:], str(self.page)] if self.form == "html" else [*form[1:]]
        options = ["--gdb", str(gdb), "--lib-search-root", str(files)]
        self.command = [
            sys.executable,
            str(OMPD),
            "core",
            *words,
            *options,
            str(core),
            str(program),
        ]
        self.log, self.trace = place / "gdb.log", place / "trace"

    def judged(
        self, decoys: Decoys, traced: bool, named: Set[str] = frozenset()
    ) -> tuple[str, list[str]]:
        """How it ended in a word, and what must not be."""
        done, took = self._run(traced)
        if done is None:
            return "late", [] if self._gdb_dies() else [f"it did not end in {ENDS:g} s"]
        found = decoys.findings(named)
        if took > LONGEST and self._run(False)[1] > LONGEST * self._slowness():
            found.append(f"it took {took:.1f} s")
        text, errors = done.stdout.decode("utf-8", "replace"), done.stderr.decode(
            "utf-8", "replace"
        )
        log = self.log.read_text("utf-8", "replace") if self.log.exists() else ""
        for where, words in (("stdout", text), ("stderr", errors), ("GDB's log", log)):
            met = TRACEBACK.search(words)
            if met is not None:
                found.append(f"{where} has `{met.group()}': {_line(words, met.start())}")
        for where, words in (("stdout", text), ("stderr", errors)):
            met = CONTROL.search(words)
            if met is not None:
                found.append(f"{where} has {met.group()!r}: {_line(words, met.start())!r}")
        if done.returncode not in (0, 1, 2, 3):
            found.append(f"its status is {done.returncode}")
        found += self._output(done.returncode, text, errors)
        found += self._left()
        if DIED.search(errors + log) and not self._gdb_dies():
            found.append(f"GDB died, and without us it does not: {errors.strip()}")
        if traced and self.trace.exists():
            found += self._traced()
        return ("report" if text or self.page.exists() else "refused"), found

    def _run(self, traced: bool) -> tuple[subprocess.CompletedProcess[bytes] | None, float]:
        environment = {
            **os.environ,
            "TMPDIR": str(self.place / "scratch"),
            "HOME": str(self.place / "home"),
            "OMPD_HOSTILE_LOG": str(self.log),
        }
        # The next one finds the bytecode of this one, as a user's does.
        for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"):
            environment.pop(name, None)
        calls = "execve,open,openat,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat"
        calls += ",symlink,symlinkat,link,linkat,truncate,connect,rmdir,chmod,fchmodat"
        tracer = shutil.which("strace") if traced else None
        prefix = (
            [tracer, "-f", "-qq", "-o", str(self.trace), "-e", f"trace={calls}"] if tracer else []
        )
        began = time.monotonic()
        process = subprocess.Popen(
            [*(prefix if tracer else ()), *self.command],
            cwd=self.place / "home",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            text, errors = process.communicate(timeout=ENDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate()
            return None, ENDS
        took = time.monotonic() - began
        return subprocess.CompletedProcess(self.command, process.returncode, text, errors), took

    def _slowness(self) -> float:
        """Of a machine that does other things too."""
        began = time.monotonic()
        command = [sys.executable, "-c", "for i in range(50_000_000): pass"]
        subprocess.run(command, check=True)
        return max(time.monotonic() - began, 1.0)

    def _output(self, status: int, text: str, errors: str) -> list[str]:
        if self.form == "json":
            try:
                json.loads(text)
            except ValueError as error:
                return [f"its JSON cannot be read: {error}"]
        if self.form == "html" and self.page.exists():
            page = self.page.read_text(encoding="utf-8", errors="replace")
            if "<script>x()" in page or CONTROL.search(page):
                return ["its page has what the core wrote, unescaped"]
        if status == 2 and not errors and not text and not self.page.exists():
            return ["it says nothing"]
        if len(errors.splitlines()) > 1:
            return [f"it complains in several lines: {errors!r}"]
        return []

    def _left(self) -> list[str]:
        left = [path for path in (self.place / "scratch").iterdir()]
        left += [path for path in (self.place / "home").iterdir() if path != self.page]
        return [f"it left {path.name}" for path in left]

    def _gdb_dies(self) -> bool:
        """Alone, on the same file; or does not end."""
        try:
            done = subprocess.run(
                ["gdb", "-nx", "-q", "-batch", "-iex", f"set sysroot {self.files / 'root'}"]
                + ["-ex", "thread apply all bt", str(self.program), str(self.core)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=ENDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return True
        return done.returncode < 0 or b"internal-error" in done.stdout

    def _traced(self) -> list[str]:
        """What was started, and what was written where."""
        found = []
        for line in self.trace.read_text("utf-8", "replace").splitlines():
            call = re.match(r"\d+ +(\w+)\((.*)", line)
            if call is None or "= -1 " in line:
                continue
            name, rest = call.groups()
            paths = [path for path in re.findall(r'"((?:[^"\\]|\\.)*)"', rest)]
            if name == "execve":
                if os.path.basename(paths[0]) not in STARTED:
                    found.append(f"it started {paths[0]}")
            elif name == "connect":
                found.append(f"it connected: {line}")
            elif name in ("open", "openat"):
                if WRITES.search(rest) and not self._may_write(paths[0]):
                    found.append(f"it opened {paths[0]} to write")
            elif paths and not self._may_write(paths[-1]):
                found.append(f"it did {name} to {paths[-1]}")
        return found

    def _may_write(self, path: str) -> bool:
        own = path.startswith((str(self.place), "/dev/null", "/dev/tty", "/dev/ptmx", "/dev/pts/"))
        return own or "__pycache__" in path or "/" not in path


def _line(text: str, at: int) -> str:
    return text[max(text.rfind("\n", 0, at) + 1, at - 100) : at + 300].split("\n\n")[0]
