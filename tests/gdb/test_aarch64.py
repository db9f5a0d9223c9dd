# SPDX-License-Identifier: Apache-2.0
"""Is it right on another architecture? A real program on a real libomp for aarch64, run by an
emulator that GDB is connected to. There is no libthread_db, and no register is read: threads are
known by the kernel's ids."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Mapping, Sequence

import machine
import objdump_aarch64
import pytest
import truth
from machine import CLANG, CLANGXX, PROGRAMS
from sessions import Target, ask
from test_truth import told_truth

ASK = ["ompd threads -json", "ompd parallel -json", "ompd status", "ompd tasks"]
TARGET = "aarch64-linux-gnu"


@dataclass(frozen=True)
class Foreign:
    """A machine, of its programs compilers and the emulator."""

    target: str
    emulator: tuple[str, ...]
    loader: str
    linker: str = "lld"

    @property
    def sysroot(self) -> Path:
        return Path("/usr") / self.target


# Of a processor that signs addresses the emulator does not tell GDB how.
AARCH64 = Foreign(TARGET, ("qemu-aarch64", "-cpu", "cortex-a72"), "ld-linux-aarch64.so.1")
# Its own is older than that of the machine's cross-compilers.
OTHER_LIBC = {"libgomp-10-arm64": "libgomp-12-arm64"}


@contextlib.contextmanager
def emulated(
    program: str,
    runtime: Path,
    folder: Path,
    environment: Mapping[str, str] = {},
    link: Sequence[str] = (),
    there: Foreign = AARCH64,
) -> Iterator[Target]:
    """With the runtime's own libc, if it has one."""
    executable, record = folder / program, folder / "truth.json"
    compiler = [f"{there.target}-gcc"]
    if not (runtime / "libgomp.so.1").exists():
        compiler = [CLANG, f"--target={there.target}", f"-fuse-ld={there.linker}"]
    flags = ["-g", "-fopenmp", "-pthread", f"-L{runtime}"]
    other = OTHER_LIBC.get(runtime.name)
    libc = (machine.cached(other) if other else runtime) / "libc"
    if libc.is_dir():
        flags += [f"-Wl,--dynamic-linker={libc}/{there.loader},--allow-shlib-undefined"]
    machine.run(*compiler, *flags, PROGRAMS / f"{program}.c", "-o", executable, *link)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    # Without a libc of the runtime's the emulator finds all else in the sysroot, as GDB does.
    path = f"{runtime}:{libc}:{there.sysroot}/lib" if libc.is_dir() else f"{runtime}"
    settings = {"LD_LIBRARY_PATH": path, "OMPD_TRUTH_FILE": record, **environment}
    words = [word for name, value in settings.items() for word in ("-E", f"{name}={value}")]
    command = [*there.emulator, "-L", there.sysroot, *words, "-g", str(port), executable]
    with subprocess.Popen(
        [str(word) for word in command],
        env=dict(os.environ),
        stderr=open(folder / "said", "wb"),
    ) as process:
        try:
            sysroot = "/" if libc.is_dir() else there.sysroot
            before = [f"set sysroot {sysroot}", f"file {executable}"]
            before += [f"target remote :{port}", "break stop_here", "continue"]
            yield Target("gdbserver", executable, record, before, [], process.pid)
        finally:
            process.kill()


@pytest.mark.parametrize("release", ["14", "16", "19", "22"])
@pytest.mark.parametrize("stripped", [False, True], ids=["symbols", "stripped"])
def test_truth(stripped: bool, release: str, folder: Path) -> None:
    runtime = machine.cached(f"libomp-{release}-aarch64")
    if stripped:
        private = folder / "lib"
        private.mkdir()
        library = private / "libomp.so.5"
        machine.run(f"{TARGET}-strip", runtime / "libomp.so.5", "-o", library)
        (private / "libomp.so").symlink_to("libomp.so.5")
        runtime = private
    with emulated("nested", runtime, folder) as made:
        answer = ask("gdb-multiarch", ASK, made.before, made.files, folder=folder)
        found = told_truth(made.truth(), answer)
    assert found["runtimes"][0]["descriptors"] == ("recovered" if stripped else "symbols")
    assert f"libomp-{'19' if release == '22' else release}-aarch64" in answer.texts[2]


GNUS = ["10", "12", "14", "16"]
# Linked into the program by the machine's own cross-compiler; the rest may not be linked so.
LINKED = {"archive": "-Wl,-Bstatic,-lgomp,-Bdynamic,--as-needed", "static": "-static"}


@pytest.mark.parametrize("case", GNUS + [*LINKED] if machine.FULL else ["10", "static"])
def test_truth_on_gnus_runtime(case: str, folder: Path) -> None:
    """Of Debian's own builds; and linked into the program."""
    release = "12" if case in LINKED else case
    link = [LINKED[case]] if case in LINKED else []
    nested = {"OMP_NESTED": "true"}
    with emulated(
        "nested", machine.cached(f"libgomp-{release}-arm64"), folder, nested, link
    ) as made:
        answer = ask("gdb-multiarch", ASK, made.before, made.files, folder=folder)
        record = truth.as_gnus(made.truth(), answer.document(ASK[0]))
        (found,) = told_truth(record, answer)["runtimes"]
    assert (found["kind"], str(found["version"])) == ("gomp", release)
    assert found["path"].endswith("nested" if link else "libgomp.so.1")


# Debian's own builds, which lay their variables out otherwise than ours. Those of trixie and sid
# sign return addresses.
DEBIANS = ["14", "19"]
OTHERS = ["13", "15", "16", "17", "18", "19-pac", "23"]
# None of them is the default; what OMP_DISPLAY_ENV says proves that the runtime took it.
SETTINGS = {
    "OMP_CANCELLATION": "TRUE",
    "OMP_MAX_TASK_PRIORITY": "9",
    "OMP_STACKSIZE": "3M",
    "OMP_WAIT_POLICY": "ACTIVE",
    "OMP_TARGET_OFFLOAD": "DISABLED",
    "OMP_NUM_TEAMS": "5",
    "OMP_TEAMS_THREAD_LIMIT": "6",
    "OMP_DISPLAY_AFFINITY": "TRUE",
    "OMP_AFFINITY_FORMAT": "bound %n to {%A}",
    "OMP_TOOL": "disabled",
    "OMP_TOOL_LIBRARIES": "/nowhere/tool.so",
    "OMP_TOOL_VERBOSE_INIT": "stderr",
    "OMP_DEBUG": "enabled",
}
# In the same order.
TRUE = {
    "cancel-var": "true",
    "max-task-priority-var": "9",
    "stacksize-var": str(3 << 20),
    "wait-policy-var": "active",
    "target-offload-var": "disabled",
    "nteams-var": "5",
    "teams-thread-limit-var": "6",
    "display-affinity-var": "true",
    "affinity-format-var": "bound %n to {%A}",
    "tool-var": "disabled",
    "tool-libraries-var": "/nowhere/tool.so",
    "tool-verbose-init-var": "stderr",
    "debug-var": "enabled",
}
# The code of a function tells where they are.
BY_GETTERS = [*TRUE][:7]
# Of these builds, whose variables lie as in ours, their distances do.
BY_DISTANCES = ["display-affinity-var", "affinity-format-var"]
ALIKE = ["18", "19", "19-pac", "23"]


@pytest.mark.parametrize("release", [*DEBIANS, *(OTHERS if machine.FULL else [])])
def test_icvs(release: str, folder: Path) -> None:
    """What is told is what the process was set to, or it is not known."""
    known = [*BY_GETTERS, *(BY_DISTANCES if release in ALIKE else [])]
    true_or_unknown(f"libomp-{release}-arm64", SETTINGS, known, folder)


# What its functions tell. The size of stacks is shown otherwise than it is set; threads that spin
# in an emulator would not let others go on; it has no tools.
NOT_GNUS = {"OMP_STACKSIZE", "OMP_WAIT_POLICY", *[*SETTINGS][-4:]}
GNUS_SETTINGS = {name: value for name, value in SETTINGS.items() if name not in NOT_GNUS}
GNUS_GETTERS = ["cancel-var", "max-task-priority-var", "affinity-format-var"]
SINCE_12 = ["nteams-var", "teams-thread-limit-var"]


@pytest.mark.parametrize("release", GNUS if machine.FULL else ["16"])
def test_icvs_of_gnus_runtime(release: str, folder: Path) -> None:
    getters = GNUS_GETTERS + (SINCE_12 if int(release) >= 12 else [])
    true_or_unknown(f"libgomp-{release}-arm64", GNUS_SETTINGS, getters, folder)


def true_or_unknown(
    runtime: str,
    settings: Mapping[str, str],
    known: Sequence[str],
    folder: Path,
    plugin: Sequence[str] | None = None,
) -> None:
    """known: what has to be told."""
    environment = {**settings, **machine.settings_of(runtime), "OMP_DISPLAY_ENV": "verbose"}
    with emulated("settings", machine.cached(runtime), folder, environment) as made:
        commands = ["ompd icvs -json"]
        answer = ask(
            "gdb-multiarch", commands, made.before, made.files, folder=folder, plugin=plugin
        )
        procs = made.truth()["threads"][0]["num_procs"]
    said = (folder / "said").read_text(encoding="utf-8")
    shown = dict(re.findall(r"(OMP_\w+)\s*=\s*'(.*)'", said))
    taken = {name: value for name, value in settings.items() if name in shown}
    assert taken == {name: shown[name] for name in taken} and len(taken) >= len(settings) - 3, said
    icvs = {
        one["name"]: one["values"]
        for one in answer.document(commands[0])["icvs"]
        if one["scope"] == "process"
    }
    # What is not set is as it says itself.
    are = {
        name: TRUE[name] if setting in settings else shown.get(setting, "").lower()
        for name, setting in zip(TRUE, SETTINGS)
    }
    are["num-procs-var"] = str(procs)
    for name, (told,) in icvs.items():
        true = are.get(name)
        unknown = name not in known and told["text"] is None and told["doubts"]
        assert unknown or told["text"] == true, (name, told, true)


DECODED = ["libomp-14-arm64/libc/ld-linux-aarch64.so.1"]
ALL_DECODED = [
    *["libomp-23-arm64/libc/libc.so.6", "libgomp-12-arm64/libgomp.so.1"],
    "libgomp-16-arm64/libgomp.so.1",
    *[f"libomp-{release}-arm64/libomp.so.5" for release in (*DEBIANS, "19-pac", "23")],
]


@pytest.mark.parametrize("file", ALL_DECODED if machine.FULL else DECODED)
def test_decoder(file: str) -> None:
    """Every word of a file: as binutils read it."""
    runtime, _, path = file.partition("/")
    wrong, count = [], 0
    for line in objdump_aarch64.lines(machine.cached(runtime) / path):
        count += 1
        wrong += [(line, one) for one in objdump_aarch64.differences(line)]
    assert count > 20_000
    assert not wrong, (len(wrong), wrong[:10])


# The tests' own programs, as compilers make them; with vectors of any width, atomic operations and
# signed return addresses, too.
LEVELS = [("-O0",), ("-O2",), ("-O3", "-march=armv9-a", "-mbranch-protection=standard")]
# Programs that a compiler refuses: some want headers that are not there for that machine, or what
# is newer than the compiler.
MOST_REFUSED = 8


@pytest.mark.full
@pytest.mark.parametrize("flags", LEVELS, ids="".join)
@pytest.mark.parametrize("compiler", ["gcc", CLANG])
def test_decoder_of_programs(compiler: str, flags: Sequence[str], folder: Path) -> None:
    """Every word of them, with what linkers make of it and add to it."""
    refused, wrong, count = [], [], 0
    for source in sorted(PROGRAMS.glob("*.c*")):
        executable = folder / source.stem
        try:
            link_alone(compiler, flags, source, executable)
        except machine.Missing as problem:
            refused.append(str(problem))
            continue
        for line in objdump_aarch64.lines(executable):
            count += 1
            wrong += [(source.name, line, one) for one in objdump_aarch64.differences(line)]
    assert count > 90_000 and len(refused) <= MOST_REFUSED, refused
    assert not wrong, (len(wrong), wrong[:10])


def link_alone(compiler: str, flags: Sequence[str], source: Path, executable: Path) -> None:
    """Nobody runs it: other parts of the program may be missing."""
    runtime = machine.cached("libomp-19-arm64")
    words = [f"{TARGET}-{'g++' if source.suffix == '.cc' else 'gcc'}"]
    if compiler == CLANG:
        words = [CLANGXX if source.suffix == ".cc" else CLANG, f"--target={TARGET}"]
        words += ["-fuse-ld=lld", f"-L{runtime}", "-Wl,--allow-shlib-undefined"]
    words += [*flags, "-w", "-fopenmp", "-pthread", "-Wl,--unresolved-symbols=ignore-all"]
    machine.run(*words, source, "-o", executable)
