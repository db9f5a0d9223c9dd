# SPDX-License-Identifier: Apache-2.0
"""A terminal of a command's own: what it shows there, and what a user types."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import Mapping, Sequence

from sessions import PATIENCE


def _without_size() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}


class Terminal:
    def __init__(
        self,
        words: Sequence[str | Path],
        env: Mapping[str, str],
        folder: Path | None = None,
        alone: bool = True,
        columns: int = 80,
    ) -> None:
        """env: beside the tests' own. folder: to work in. alone: in a session of its own."""
        self.seen = ""  # since something was last typed
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            words,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            start_new_session=alone,
            env={**_without_size(), "TERM": "xterm", **env},
        )
        os.close(theirs)

    def until(self, words: str) -> None:
        ends = time.monotonic() + PATIENCE
        while words not in self.seen:
            assert time.monotonic() < ends, f"no {words!r} in: {self.seen[-2000:]!r}"
            if not self._read():
                break
        assert words in self.seen, self.seen[-2000:]

    def type(self, keys: str) -> None:
        self.seen = ""
        os.write(self._ours, keys.encode())

    def end(self) -> int:
        """When the command has ended: its status."""
        while self._read():
            pass
        os.close(self._ours)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._ours], [], [], PATIENCE)
        assert ready
        try:
            data = os.read(self._ours, 1 << 16)
        except OSError:
            return False  # nobody is at its other end
        self.seen += data.decode("utf-8", "replace")
        return bool(data)
