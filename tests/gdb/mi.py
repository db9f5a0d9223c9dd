# SPDX-License-Identifier: Apache-2.0
"""How does a front end see GDB? A session in GDB/MI, and a reader of what is answered there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

import schema
import sessions

ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}


@dataclass(frozen=True)
class Result:
    """ "done" or "error", and the values."""

    kind: str
    fields: dict[str, Any]


class Session:
    """One GDB; `before' leads to where the first command is asked."""

    def __init__(
        self, gdb: str, before: Sequence[str], files: Sequence[str | Path], folder: Path
    ) -> None:
        self.seen = ""
        self._folder = folder
        self._asked = 0
        words = sessions.started(gdb, "-i=mi")
        for step in sessions.sourcing():
            words += ["-ex", step]
        self._gdb = subprocess.Popen(
            [*words, *map(str, files)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._watchdog = threading.Timer(sessions.PATIENCE, self._kill)
        self._watchdog.start()
        for step in before:
            self.console(step)
        self.ask("-gdb-version")  # GDB puts the frame of the start into the next answer

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self.ask("-gdb-exit", "exit")
                met = sessions.FORBIDDEN.search(self.seen)
                assert met is None, f"GDB printed `{met.group() if met else ''}':\n{self.seen}"
        finally:
            self._watchdog.cancel()
            self._kill()
            self._gdb.communicate()

    def _kill(self) -> None:
        if self._gdb.poll() is None:
            os.killpg(self._gdb.pid, signal.SIGKILL)

    def ask(self, command: str, kind: str = "done") -> Result:
        """Its answer, which must be of that kind."""
        self._asked += 1
        token = f"{self._asked}^"
        assert self._gdb.stdin is not None
        self._gdb.stdin.write(f"{self._asked}{command}\n")
        self._gdb.stdin.flush()
        line = self._line(token)
        found = parsed(line[len(token) :])
        assert found.kind == kind, f"{command}: {line}"
        return found

    def _line(self, begin: str) -> str:
        """The next one that begins so."""
        assert self._gdb.stdout is not None
        for line in self._gdb.stdout:
            self.seen += line
            if line.startswith(begin):
                return line.rstrip("\n")
        raise AssertionError(f"GDB ended, or was ended for its silence:\n{self.seen}")

    def console(self, command: str) -> str:
        """What a command of the command line prints. If the program runs by it: until it stops."""
        before = len(self.seen)
        runs = command in ("run", "continue")
        self.ask(f"-interpreter-exec console {json.dumps(command)}", "running" if runs else "done")
        if runs:
            self._line("*stopped")
        lines = self.seen[before:].splitlines()
        return "".join(_Reader(line[1:]).value() for line in lines if line.startswith("~"))

    def document(self, command: str) -> Any:
        path = self._folder / "document.json"
        self.console(f"{command} -json {path}")
        document = json.loads(path.read_text(encoding="utf-8"))
        schema.check(document)
        return document


def parsed(text: str) -> Result:
    kind, comma, rest = text.partition(",")
    reader = _Reader(rest)
    fields = reader.fields("") if comma else {}
    assert reader.at_end(), f"not understood: {rest[reader.at:]}"
    return Result(kind, fields)


class _Reader:
    """Of GDB/MI's output syntax: name=value, "text", {name=value,...}, [value,...]."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def at_end(self) -> bool:
        return self.at == len(self.text)

    def value(self) -> Any:
        opening = self.text[self.at]
        self.at += 1
        if opening == '"':
            return self._string()
        assert opening in "{[", f"no value: {self.text[self.at - 1:]}"
        return self.fields("}") if opening == "{" else self._list()

    def fields(self, end: str) -> dict[str, Any]:
        """Up to end, or to the end of the text."""
        found: dict[str, Any] = {}
        while not self._closes(end):
            equals = self.text.index("=", self.at)
            name = self.text[self.at : equals]
            assert name not in found, f"{name} twice"
            self.at = equals + 1
            found[name] = self.value()
        return found

    def _list(self) -> list[Any]:
        found = []
        while not self._closes("]"):
            found.append(self.value())
        return found

    def _closes(self, end: str) -> bool:
        if self.text[self.at : self.at + 1] == end:
            self.at += len(end)
            return True
        if self.text[self.at : self.at + 1] == ",":
            self.at += 1
        return False

    def _string(self) -> str:
        found = bytearray()
        while self.text[self.at] != '"':
            if self.text[self.at] != "\\":
                found += self.text[self.at].encode()
                self.at += 1
            elif self.text[self.at + 1] in "01234567":
                found.append(int(self.text[self.at + 1 : self.at + 4], 8))
                self.at += 4
            else:
                escaped = self.text[self.at + 1]
                found.append(ESCAPES.get(escaped, ord(escaped)))
                self.at += 2
        self.at += 1
        return found.decode(errors="replace")
