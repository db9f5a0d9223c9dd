# SPDX-License-Identifier: Apache-2.0
"""A minimal Debian that packages are installed in, command by command."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import machine
from minimal import Minimal, settings_of_apt

PATIENCE = 1800  # seconds: a mirror may be far away
# What programs write for themselves, whatever is installed: GDB, too, when root runs it.
_PASSING = {"dev", "proc", "run", "sys", "tmp", "usr/share/gdb/python"}
_PASSING |= {"var/cache", "var/lib/apt", "var/log"}


# Packages set the kernel's parameters, which are this machine's as well.
ENTER = """
mount --bind "$0/proc/sys" "$0/proc/sys"
mount -o remount,bind,ro "$0/proc/sys"
exec chroot "$0" sh -euc "$1"
"""


@dataclass(frozen=True)
class Chroot:
    root: Path

    def run(self, script: str) -> str:
        """By its shell."""
        done = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={self.root / 'proc'}"]
            + ["sh", "-euc", ENTER, str(self.root), script],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}"
        return done.stdout

    def install(self, *packages: str) -> None:
        self.run(f"apt-get -qq update && apt-get -qq -y install {' '.join(packages)}")

    def put(self, *paths: Path) -> None:
        """Into its /tmp."""
        for path in paths:
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, self.root / "tmp" / path.name)

    def files(self) -> set[str]:
        """Folders, too."""
        found = set()
        for folder, folders, names in os.walk(self.root):
            inside = os.path.relpath(folder, self.root)
            path = {name: os.path.normpath(os.path.join(inside, name)) for name in folders + names}
            folders[:] = [name for name in folders if path[name] not in _PASSING]
            found |= set(path.values())
        return found


def made(release: str, folder: Path) -> Chroot:
    if os.geteuid() != 0:
        raise machine.Missing("A chroot is root's to make: run this test as root.")
    minimal, root = Minimal(release, folder), folder / "root"
    minimal.make()
    root.mkdir()
    machine.run("tar", "-xf", minimal.base, "-C", root)
    fresh = Chroot(root)
    fresh.run(settings_of_apt())
    (root / "etc" / "apt" / "apt.conf.d" / "99-no-recommends").write_text(
        'APT::Install-Recommends "false";\n', encoding="utf-8"
    )
    return fresh
