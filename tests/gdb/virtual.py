# SPDX-License-Identifier: Apache-2.0
"""Programs for AArch64 on a real kernel, in an emulator of the whole machine. The folder that it
shares with this one is /host there, and lies in a root of its own here, as GDB's sysroot."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Sequence

import machine
import sessions
from sessions import Target

# A machine that is emulated is many times slower than what emulates it.
PATIENCE = 6 * sessions.PATIENCE
TARGET = "aarch64-linux-gnu"
LOADER = "ld-linux-aarch64.so.1"
# With and without signed return addresses.
PLAIN_CPU, SIGNING_CPU = "cortex-a72", "max,pauth-impdef=on"
# Without, and it can have pages of 16 KiB, which the first has not.
NEWER_PLAIN_CPU = "neoverse-n1"
SIGNED = "-mbranch-protection=standard"


@dataclass(frozen=True)
class Build:
    flags: tuple[str, ...] = ("-O0", "-g")
    compiler: str = machine.CLANG

    def __str__(self) -> str:
        return "".join([self.compiler, *self.flags])


@dataclass
class Shared:
    """What both machines see."""

    root: Path
    runtime: Path  # of tools/test-runtimes, with its libc
    lines: list[str] = field(default_factory=list)  # what is done there
    machine: str = "vm-arm64"

    @property
    def host(self) -> Path:
        return self.root / "host"

    def prepare(self) -> None:
        libraries = self.host / "lib"
        shutil.copytree(self.runtime, libraries, ignore=shutil.ignore_patterns("libc", "run"))
        for library in (self.runtime / "libc").iterdir():
            if library.is_file():
                shutil.copy2(library, libraries)
        if not (libraries / "libgomp.so.1").exists():
            (libraries / "libgomp.so.1").symlink_to("libomp.so.5")

    def compiled(self, program: str | Path, build: Build, name: str) -> Path:
        """One of tests/programs, or a source file of a test's own."""
        executable = self.host / name
        # Not by the environment: gdbserver has a libc of its own.
        linking = f"-Wl,--dynamic-linker=/host/lib/{LOADER},-rpath,/host/lib,--disable-new-dtags"
        words: list[str | Path] = [f"{TARGET}-gcc"]
        if build.compiler != "gcc":
            words = [build.compiler, f"--target={TARGET}", "-fuse-ld=lld", f"-L{self.runtime}"]
            linking += ",--allow-shlib-undefined"
        source = machine.PROGRAMS / (f"{program}.c" if isinstance(program, str) else program)
        words += [*build.flags, "-fopenmp", "-pthread", linking, f"-I{machine.PROGRAMS}", source]
        machine.run(*words, "-o", executable)
        return executable

    def do(self, name: str, arguments: Sequence[str] = (), **settings: str) -> None:
        """A program, in a folder of its own."""
        known = {"OMPD_TRUTH_FILE": f"/host/{name}.json"}
        words = ["env", *(f"{key}={value}" for key, value in {**known, **settings}.items())]
        self.lines.append(f"mkdir /tmp/{name}; cd /tmp/{name}")
        self.lines.append(shlex.join([*words, f"/host/{name}", *arguments]))

    def command(self, cpu: str, port: int | None = None) -> list[str]:
        job = "\n".join(["ulimit -c unlimited -s 1024", *self.lines, ""])
        (self.host / "job.sh").write_text(job, encoding="utf-8")
        run = machine.cached(self.machine) / "run"
        return [str(run), str(self.host), cpu, *([] if port is None else [str(port)])]


def shared(folder: Path, runtime: str) -> Shared:
    made = Shared(folder / "root", machine.cached(f"{runtime}-arm64"))
    made.prepare()
    return made


def cores(
    made: Shared, names: Sequence[str], cpu: str, arguments: Sequence[Sequence[str]] = ()
) -> dict[str, Target]:
    """Of programs that abort at their stop."""
    for number, name in enumerate(names):
        given = arguments[number] if arguments else ()
        made.do(name, given, OMPD_TRUTH_STOP="abort")
        made.lines.append(f"cp core /host/{name}.core; rm core")
    with open(made.root / "said", "wb") as said:
        subprocess.run(
            made.command(cpu),
            check=True,
            timeout=PATIENCE * (2 + len(names)),
            stdout=said,
            stderr=said,
        )
    found = {}
    for name in names:
        executable, core = made.host / name, made.host / f"{name}.core"
        assert core.exists(), (made.root / "said").read_text(encoding="utf-8", errors="replace")
        before = [f"set sysroot {made.root}", f"file {executable}", f"core {core}"]
        found[name] = Target("core", executable, made.host / f"{name}.json", before)
    return found


@contextlib.contextmanager
def served(
    made: Shared, name: str, arguments: Sequence[str], cpu: str, **settings: str
) -> Iterator[Target]:
    """By a gdbserver there, at the program's first instruction."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    made.do(name, arguments, **settings)
    program = f" /host/{name}"
    served_there = made.lines.pop().replace(program, f" gdbserver --once 0.0.0.0:1234{program}", 1)
    made.lines.append(served_there)
    said = made.root / "said"
    with open(said, "wb") as output:
        process = subprocess.Popen(made.command(cpu, port), stdout=output, stderr=output)
        try:
            end = time.monotonic() + PATIENCE
            while b"Listening on port" not in said.read_bytes():
                assert process.poll() is None and time.monotonic() < end, said.read_bytes()
                time.sleep(0.1)
            before = [f"set sysroot {made.root}", f"set remotetimeout {PATIENCE}"]
            before += [f"file {made.host / name}", f"target remote :{port}"]
            record = made.host / f"{name}.json"
            yield Target("gdbserver", made.host / name, record, before)
            # What was written is here when the kernel there has ended.
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.wait()
