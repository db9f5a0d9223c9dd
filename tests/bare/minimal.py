# SPDX-License-Identifier: Apache-2.0
"""A minimal Debian with git, as a user's new machine or a container is: made by debootstrap, kept
in the tests' cache, and unpacked into memory. All mounts are in a namespace that ends with its
processes, and those end with us, however we end: nothing stays mounted."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any, Mapping

ROOT = Path(__file__).resolve().parents[2]
# A blank is in many users' paths.
TREE = "/opt/open mp/ompd"
OLD = 30 * 86400  # seconds: then it is made anew, with what the suite has by then


def _runtimes() -> Any:
    """tools/test-runtimes, which knows this machine's archive and the cache."""
    loader = SourceFileLoader("test_runtimes", str(ROOT / "tools" / "test-runtimes"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[loader.name] = module  # where its dataclasses look
    loader.exec_module(module)
    return module


# $1: the folder; $2: the archive; $3: packages that were downloaded; $4: our source tree; $5: what
# runs there; $6: where its words go.
ENTER = f"""
set -e
mount -t tmpfs -o size=80% none "$1"
tar -xf "$2" -C "$1"
mkdir -p "$1/out" "$1/var/cache/apt/archives" "$1{TREE}" "$1/old"
mount --bind "$3" "$1/var/cache/apt/archives"
mount --bind "$6" "$1/out"
mount -t proc proc "$1/proc"
# Packages set the kernel's parameters, which are this machine's as well.
mount --bind "$1/proc/sys" "$1/proc/sys"
mount -o remount,bind,ro "$1/proc/sys"
mount --rbind /sys "$1/sys"
mount --rbind /dev "$1/dev"
cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
cp -a "$4/." "$1{TREE}"
cp "$5" "$1/script"
cd "$1"
pivot_root . old
cd /
umount -l /old
exec bash /script
"""
# Each command's words and status are files of their own. The first that fails is the last.
STEP = """
step() {
    local name=$1 rc=0
    shift
    "$@" >"/out/$name.log" 2>&1 </dev/null || rc=$?
    echo "$rc" >"/out/$name.status"
    return $rc
}
set -e
"""


class Minimal:
    def __init__(self, suite: str, folder: Path) -> None:
        self.suite = suite
        self.folder = folder
        runtimes = _runtimes()
        self.archive = runtimes.Archive.of_this_machine()
        self.home = runtimes.Cache.of_this_user().root / "bare" / suite
        self.packages = self.home / "packages"
        self.base = self.home / "base.tar"

    def make(self) -> None:
        """The archive, unless there is a recent one."""
        if self.base.exists() and time.time() - self.base.stat().st_mtime < OLD:
            return
        (self.packages / "partial").mkdir(parents=True, exist_ok=True)
        tree, scratch = self.folder / "base", self.home / f"base.{os.getpid()}"
        tree.mkdir()
        keyring = [f"--keyring={self.archive.signed_by}"] if self.archive.signed_by else []
        made = ["debootstrap", "--variant=minbase", "--include=git", *keyring, self.suite]
        # It mounts /proc there; and each package is synced to the disk, if it is one.
        script = f"""
            mount -t tmpfs none {shlex.quote(str(tree))} &&
            {shlex.join([*made, str(tree), self.archive.uri])} &&
            rm -f {shlex.quote(str(tree))}/var/cache/apt/archives/*.deb &&
            tar --one-file-system -cf {shlex.quote(str(scratch))} -C {shlex.quote(str(tree))} .
        """
        self._inside("-c", script, log=self.folder / "debootstrap.log")
        scratch.replace(self.base)

    def run(self, commands: Mapping[str, str], seconds: int) -> dict[str, tuple[int, str]]:
        """What each said, and its status; those after one that failed are not run."""
        self.make()
        out, root, tree = (self.folder / name for name in ("out", "root", "tree"))
        for folder in (out, root):
            folder.mkdir(exist_ok=True)
        # What is committed, as a user's clone.
        subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{ROOT}", tree], check=True)
        script = self.folder / "script"
        lines = [STEP, settings_of_apt(), f"cd {shlex.quote(TREE)}"]
        for name, words in commands.items():
            lines.append(f"step {shlex.quote(name)} bash -c {shlex.quote(words)}")
        script.write_text("\n".join([*lines, ""]), encoding="utf-8")
        words = ["-c", ENTER, "-", root, self.base, self.packages, tree, script, out]
        self._inside(*words, seconds=seconds, log=self.folder / "log")
        return {
            name: (
                int((out / f"{name}.status").read_text()),
                (out / f"{name}.log").read_text(encoding="utf-8", errors="replace"),
            )
            for name in commands
            if (out / f"{name}.status").exists()
        }

    def _inside(self, *words: str | Path, log: Path, seconds: int = 1200) -> None:
        kept = {name: os.environ[name] for name in _SETTINGS if name in os.environ}
        with open(log, "wb") as file:
            done = subprocess.run(
                [*UNSHARED, "bash", *words],
                env={**kept, "HOME": "/root", "PATH": _PATH, "LC_ALL": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                check=False,
            )
        text = log.read_text(encoding="utf-8", errors="replace")
        # A step's own status is with its words.
        assert done.returncode == 0 or list(self.folder.glob("out/*.status")), text[-3000:]


UNSHARED = (
    *("setpriv", "--pdeathsig=KILL", "unshare", "--mount", "--propagation=private"),
    *("--pid", "--fork", "--kill-child=KILL"),
)
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SETTINGS = tuple(f"{name}_proxy" for name in ("http", "https", "ftp", "no"))


def settings_of_apt() -> str:
    """This machine's way to the archive."""
    dump = subprocess.check_output(["apt-config", "dump", "--no-empty", "Acquire"], text=True)
    lines = re.findall(r"^Acquire::\S*(?:proxy|check-|retries)\S* .*;$", dump, re.M | re.I)
    return f"printf '%s\\n' {shlex.join(lines) if lines else ''} >/etc/apt/apt.conf.d/90host"
