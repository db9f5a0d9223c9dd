# SPDX-License-Identifier: Apache-2.0
"""How does the package come to nodes that have no file system in common with this one, and go
again? As a tarball in front of what else comes by the launcher's stdin. Each node unpacks it into a
private folder, looks at its ranks, and removes the folder."""

from __future__ import annotations

import io
import os
import platform
import tarfile
from typing import Sequence

from ompd_core.library import search

from ..debugger import HOME

LARGEST = 64 << 20  # bytes
_PACKAGES = ("ompd_core", "ompd_gdb", "ompd_cli")
_ENDINGS = (".py", ".css", ".js")

# What a node executes: it has Python, and nothing of ours yet. A folder of one that was killed, so
# that it could not remove it, is removed by the next one.
_UNPACK = """
import os, platform, shutil, signal, subprocess, sys, tarfile, tempfile
size, machine, *command = sys.argv[1:]
if sys.version_info < (3, 9):
    sys.exit("ompd: Python is %d.%d here, and has to be 3.9 or newer." % sys.version_info[:2])
if platform.machine() != machine:
    sys.exit("ompd: this node is %s, and ompd came from %s." % (platform.machine(), machine))
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: None)
# Hosts, and containers of one host, may have this folder in common, and not their processes.
space = os.readlink("/proc/self/ns/pid").strip("pid:[]")
mine = "ompd-ship-%d-%s-%s-" % (os.getuid(), platform.node(), space)
for name in os.listdir(tempfile.gettempdir()):
    left = os.path.join(tempfile.gettempdir(), name)
    owner = name[len(mine):].partition("-")[0] if name.startswith(mine) else ""
    if owner.isdigit() and not os.path.exists("/proc/" + owner):
        if os.lstat(left).st_uid == os.getuid() and not os.path.islink(left):
            shutil.rmtree(left, ignore_errors=True)
try:
    folder = tempfile.mkdtemp(prefix="%s%d-" % (mine, os.getpid()))
except OSError as error:
    sys.exit("ompd: there is no room for it on this node: %s." % error.strerror)
try:
    package = os.path.join(folder, "package")
    with open(package, "wb") as file:
        left = int(size)
        while left > 0:
            piece = os.read(0, min(left, 1 << 16))
            if not piece:
                sys.exit("ompd: it did not come whole.")
            file.write(piece)
            left -= len(piece)
    with tarfile.open(package) as file:
        file.extractall(folder)
    ompd = os.path.join(folder, "share", "ompd", "bin", "ompd")
    status = subprocess.call([sys.executable, ompd, *command, "--shipped", package])
except OSError as error:
    sys.exit("ompd: it cannot be unpacked on this node: %s." % error.strerror)
finally:
    shutil.rmtree(folder, ignore_errors=True)
sys.exit(status)
"""


def package() -> bytes:
    """As it is installed: share/ompd, and the library in lib/ompd. Raises UserError, OSError."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz", compresslevel=6) as file:
        _add(file, search.find(os.path.join(HOME, "ompd_gdb"), "", ""), f"lib/ompd/{search.NAME}")
        for name in ("ompd-gdb.py", os.path.join("bin", "ompd")):
            _add(file, os.path.join(HOME, name), os.path.join("share", "ompd", name))
        for top in _PACKAGES:
            for folder, _, names in os.walk(os.path.join(HOME, top)):
                for name in sorted(names):
                    if name.endswith(_ENDINGS):
                        path = os.path.join(folder, name)
                        inside = os.path.relpath(path, HOME)
                        _add(file, path, os.path.join("share", "ompd", inside))
    return made.getvalue()


def _add(file: tarfile.TarFile, path: str, name: str) -> None:
    """Nobody's but whoever unpacks it."""
    told = tarfile.TarInfo(name)
    with open(path, "rb") as content:
        told.size = os.fstat(content.fileno()).st_size
        told.mode = 0o700 if name.endswith("bin/ompd") else 0o600
        file.addfile(told, content)


def received(path: str) -> bytes:
    """What this node has got itself, to be sent on."""
    with open(path, "rb") as file:
        return file.read(LARGEST)


def command(arguments: Sequence[str], size: int) -> list[str]:
    """arguments: of `ompd'. Python's own place may be another one there."""
    return ["python3", "-c", _UNPACK, str(size), platform.machine(), *arguments]
