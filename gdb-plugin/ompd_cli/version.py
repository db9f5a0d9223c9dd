# SPDX-License-Identifier: Apache-2.0
"""`ompd --version': which ompd is this, and with which Python and GDB does it work?"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from typing import Sequence

from ompd_core import source_tree
from ompd_core.errors import UserError
from ompd_core.views.terminal import plain

from .debugger import HOME
from .recording import sampler

SECONDS = 20  # for GDB, which may have to be read from a slow disk


def lines(gdb: str = "gdb") -> list[str]:
    return [
        f"ompd {_own()}",
        f"Python {platform.python_version()} ({sys.executable}); 3.9 or newer is needed",
        f"{_debuggers(gdb)}; 10 or newer is needed, with Python 3.9",
        _sampler(),
    ]


def _own() -> str:
    """Written by the build, beside the plugin where it is installed."""
    for path in (
        os.path.join(HOME, "version.txt"),
        os.path.join(source_tree.build(os.path.dirname(HOME)), "version.txt"),
    ):
        try:
            with open(path, encoding="utf-8") as file:
                return file.read().strip()
        except OSError:
            pass
    return "of a source tree that is not built: cmake -S . -B build && cmake --build build"


def _sampler() -> str:
    """What `top' and `record' need besides."""
    try:
        return f"{sampler.NAME}: {sampler.found()}"
    except UserError as error:
        return error.sentence()


def _debuggers(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        return "GDB: there is none; install gdb, or name one with --gdb PATH"
    name_and_version = _said([path, "-nx", "-q", "-batch", "-ex", "show version"])
    python = _said([path, "-nx", "-q", "-batch", "-ex", f"python {_ASKED}"])
    if not name_and_version:
        return f"GDB: {path} does not run"
    return f"{name_and_version} ({path}), {f'Python {python}' if python else 'without Python'}"


_ASKED = "import platform; print(platform.python_version())"


def _said(command: Sequence[str]) -> str:
    """Its first line."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return plain(done.stdout.decode("utf-8", "replace").partition("\n")[0])
