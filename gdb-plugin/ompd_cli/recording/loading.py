# SPDX-License-Identifier: Apache-2.0
"""Can this machine load ompd-sampler, and if not, what is missing?"""

from __future__ import annotations

import errno
import os
import platform
import subprocess

from ompd_core import late_patterns
from ompd_core.errors import UserError

_PATIENCE = 10.0  # seconds, for a file that has to come from far away
_NO_VERSION = late_patterns.compile(r"(\S+): version `([^\d']*)_([\d.]+)' not found")
_NO_LIBRARY = late_patterns.compile(r"loading shared libraries: ([^:]+): cannot open shared object")
_BUILT_HERE = "Build ompd on this machine, or take the release, whose sampler needs no library."
_PACKAGES = {"libdw.so.1": "libdw1, elfutils-libs", "libelf.so.1": "libelf1, elfutils-libelf"}


def check(path: str) -> None:
    """Before it is needed: what the dynamic linker says would stand among a program's words.
    Raises UserError."""
    try:
        done = subprocess.run(
            [path, "--help"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return
    except OSError as error:
        raise UserError("no_sampler", *_not_executed(path, error)) from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise UserError("no_sampler", *_not_loaded(path, said, done.returncode))


def _not_executed(path: str, error: OSError) -> tuple[str, str]:
    name = os.path.basename(path)
    if error.errno == errno.ENOENT and os.path.exists(path):
        return f"{name} needs glibc, which is not on this machine.", _BUILT_HERE
    if error.errno == errno.ENOEXEC:
        return f"{name} is for another machine: this is {platform.machine()}.", _BUILT_HERE
    return f"{path} cannot be started: {error.strerror}.", ""


def _not_loaded(path: str, said: str, status: int) -> tuple[str, str]:
    name = os.path.basename(path)
    newest = max(_NO_VERSION.findall(said), key=_order, default=None)
    if newest is not None:
        library, of, version = newest
        wanted = f"glibc {version}" if of == "GLIBC" else f"{of.lower()} {version}"
        return f"{name} needs {wanted}; here is {_here(library, of)}.", _BUILT_HERE
    missing = _NO_LIBRARY.search(said)
    if missing is not None:
        library = missing[1]
        packages = _PACKAGES.get(library)
        hint = f"Install it (packages {packages})." if packages else _BUILT_HERE
        return f"{name} needs {library}, which is not on this machine.", hint
    last = said.rsplit("\n", 1)[-1] or f"it ended with status {status}"
    return f"{path} cannot be loaded: {last.rstrip('.')}.", _BUILT_HERE


def _order(found: tuple[str, str, str]) -> tuple[bool, list[int]]:
    """The C library's first: nothing helps without a newer one."""
    return found[1] == "GLIBC", [int(number) for number in found[2].split(".") if number]


def _here(library: str, of: str) -> str:
    if of != "GLIBC":
        return f"an older {os.path.realpath(library)}"
    known = "CS_GNU_LIBC_VERSION" in os.confstr_names
    return (os.confstr("CS_GNU_LIBC_VERSION") if known else None) or "another C library"
