# SPDX-License-Identifier: Apache-2.0
"""Programs that use devices, as ompd-host sees them, and what they recorded themselves."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import resource
import subprocess
import time
from pathlib import Path
from typing import Any, Iterator

import machine

PROGRAMS = machine.ROOT / "tests" / "offload"
PATIENCE = 300
NEVER = -1  # a count that stays
Mapping = tuple[int, int, int, int, "str | None"]  # end, both counts, where on the device, variable
DUMPS_ITSELF = 19  # the first release that prints its tables when asked


@functools.lru_cache(maxsize=None)
def built(runtime: str, *flags: str, compiler: str = machine.CLANG) -> Path:
    """The program maps for one libomptarget: with its own loader where it wants another libc."""
    place = machine.cached(runtime)
    folder = machine.BUILD / "tests" / "offload" / "-".join([runtime, compiler, *flags])
    folder.mkdir(parents=True, exist_ok=True)
    own: list[str] = []
    if (place / "libc").exists():
        loader = place / "libc" / "ld-linux-x86-64.so.2"
        own = [f"-Wl,--dynamic-linker={loader}", "-Wl,--allow-shlib-undefined"]
    made = folder / f"maps.{os.getpid()}"
    machine.run(
        *(
            machine.command(compiler),
            "-g",
            "-O1",
            "-fopenmp",
            "-fopenmp-targets=x86_64-pc-linux-gnu",
        ),
        *("-rdynamic", f"-L{place}", *own, *flags, PROGRAMS / "maps.c", "-o", made),
    )
    return made.rename(folder / "maps")


def environment(runtime: str) -> dict[str, str]:
    """For the program alone: the host debugger runs on this machine's libraries."""
    place = machine.cached(runtime)
    paths = [str(path) for path in (place, place / "libc") if path.exists()]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(paths)}


def told(*words: str | Path | int, library: Path | None = None) -> Any:
    """What ompd-host prints of the offload runtime, and of the process's ICVs."""
    host = machine.BUILD / "tests" / "host" / "ompd-host"
    options = ["--print", "offload", *(["--library", str(library)] if library else [])]
    done = subprocess.run(
        [str(host), *options, *(str(word) for word in words)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@contextlib.contextmanager
def living(
    runtime: str, folder: Path, *arguments: object, program: Path | None = None, **settings: str
) -> Iterator[tuple[subprocess.Popen[str], Any]]:
    """The process, when it has written its account; what it printed is in folder/output."""
    account = folder / "account.json"
    account.unlink(missing_ok=True)
    with open(folder / "output", "w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [program or built(runtime), *map(str, arguments), account],
            env={**environment(runtime), **settings},
            stderr=output,
            stdout=output,
            text=True,
            cwd=folder,
        )
    try:
        until = time.monotonic() + PATIENCE
        while not account.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        words = (folder / "output").read_text(encoding="utf-8", errors="replace")
        assert account.exists(), f"{runtime}: no account, status {process.poll()}: {words[-2000:]}"
        yield process, json.loads(account.read_text(encoding="utf-8"))
    finally:
        process.kill()
        process.wait()
        remove_images(folder)


def died(
    runtime: str,
    folder: Path,
    *arguments: object,
    how: str = "abort",
    program: Path | None = None,
    **settings: str,
) -> tuple[Path, Any]:
    """The core file that the kernel wrote of it, and its account; what it printed is in
    folder/output."""
    account = folder / "account.json"
    before = set(folder.glob("core*"))
    with open(folder / "output", "w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [program or built(runtime), *map(str, arguments), how, account],
            env={**environment(runtime), "TMPDIR": str(folder), **settings},
            stderr=output,
            stdout=output,
            cwd=folder,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)),
        )
    process.wait(timeout=PATIENCE)
    cores = set(folder.glob("core*")) - before
    if not cores:
        raise machine.Missing("No core file: /proc/sys/kernel/core_pattern has to be `core'.")
    return cores.pop(), json.loads(account.read_text(encoding="utf-8"))


def remove_images(folder: Path) -> None:
    """What the host plugin leaves of a program that did not end by itself."""
    for path in folder.glob("tmpfile_*"):
        path.unlink(missing_ok=True)


def recorded(account: Any) -> dict[tuple[int, int], Mapping]:
    return {
        (one["device"], one["begin"]): (
            one["end"],
            one["dynamic"],
            one["hold"],
            one["target"],
            one["variable"] or None,
        )
        for one in account["mappings"]
    }


def shown(offload: Any) -> dict[tuple[int, int], Mapping]:
    found = {}
    for device in offload["devices"]:
        for one in device["mappings"]:
            source = one["source"] or ""
            found[device["number"], int(one["begin"], 16)] = (
                int(one["end"], 16),
                one["dynamic"],
                one["hold"],
                int(one["device_begin"], 16),
                source.split(";")[1] if source.startswith(";") else None,
            )
    return found
