# SPDX-License-Identifier: Apache-2.0
"""What does an editor see? A client of the Debug Adapter Protocol, as far as the tests need one."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any, Iterator, Sequence

import machine
from sessions import PATIENCE


class Client:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._sent = 0
        self._kept: list[Any] = []  # what came while something else was waited for

    def send(self, command: str, **arguments: Any) -> int:
        self._sent += 1
        message = {"seq": self._sent, "type": "request", "command": command}
        body = json.dumps({**message, "arguments": arguments}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()
        return self._sent

    def answer(self, number: int) -> Any:
        found = self._wait(type="response", request_seq=number)
        assert found["success"], found
        return found.get("body")

    def ask(self, command: str, **arguments: Any) -> Any:
        return self.answer(self.send(command, **arguments))

    def event(self, name: str) -> Any:
        return self._wait(type="event", event=name).get("body")

    def _wait(self, **wanted: Any) -> Any:
        def is_it(message: Any) -> bool:
            return all(message.get(key) == value for key, value in wanted.items())

        for at, message in enumerate(self._kept):
            if is_it(message):
                return self._kept.pop(at)
        while True:
            message = self._next()
            if is_it(message):
                return message
            self._kept.append(message)

    def _next(self) -> Any:
        stream = self._process.stdout
        assert stream is not None
        length = 0
        while True:
            line = stream.readline()
            assert line, f"GDB has ended; it had said: {self._kept}"
            if not line.strip():
                break
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
        return json.loads(stream.read(length))


@contextlib.contextmanager
def client(gdb: str, commands: Sequence[str], folder: Path) -> Iterator[Client]:
    """commands: of GDB's, before the first request."""
    words = [machine.gdb(gdb), "-i=dap", "-nx"]
    for command in commands:
        words += ["-iex", command]
    with open(folder / "dap-errors", "wb") as errors, subprocess.Popen(
        words,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        start_new_session=True,
    ) as process:
        watch = threading.Timer(PATIENCE, os.killpg, (process.pid, signal.SIGKILL))
        watch.start()
        try:
            yield Client(process)
        finally:
            watch.cancel()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
