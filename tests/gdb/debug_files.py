# SPDX-License-Identifier: Apache-2.0
"""Which tests have the debug files of the distribution's libraries? Few of our users do, and to
read that of libc is half of what a session of GDB takes. So one test in four has them, by its name;
all in --full, and those that are marked `debug_files'."""

from __future__ import annotations

import os
import shlex
import shutil
import zlib
from pathlib import Path
from typing import Any, Iterator

import machine
import pytest


def configure(config: Any) -> None:
    config.addinivalue_line("markers", "debug_files: has the debug files that are installed")


@pytest.fixture(autouse=True)
def session_of_gdb(request: Any, monkeypatch: Any) -> Iterator[None]:
    """The first `gdb' in PATH is one that looks for no debug files."""
    name = request.node.nodeid.split("@")[0]
    marked = request.node.get_closest_marker("debug_files")
    if not (machine.FULL or marked or zlib.crc32(name.encode()) % 4 == 0):
        monkeypatch.setenv("PATH", f"{_without()}{os.pathsep}{os.environ['PATH']}")
    yield


def _without() -> Path:
    folder = machine.BUILD / "gdb_without_debug_files"
    for name in ("gdb", "gdb-multiarch"):
        wrapper, path = folder / name, shutil.which(name)
        if path is None or wrapper.exists():
            continue
        folder.mkdir(exist_ok=True)
        other = folder / f"{name}.{os.getpid()}"
        setting = "set debug-file-directory /nonexistent"
        text = f'#!/bin/sh\nexec {shlex.quote(path)} -iex {shlex.quote(setting)} "$@"\n'
        other.write_text(text, encoding="utf-8")
        other.chmod(0o755)
        other.rename(wrapper)
    return folder
