# SPDX-License-Identifier: Apache-2.0
"""Which programs are the core files of the corpus from, and how was each made?"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

CLANG, GCC, DEBUG = "clang-14", "gcc", ("-g", "-O0")


@dataclass(frozen=True)
class Machine:
    """What programs run on."""

    name: str = "x86_64"
    loader: str = "ld-linux-x86-64.so.2"
    triplet: str = ""  # of the cross-compilers
    virtual: str = ""  # of tools/test-runtimes; "": this machine


HERE = Machine()
AARCH64 = Machine("aarch64", "ld-linux-aarch64.so.1", "aarch64-linux-gnu", "vm-arm64")


@dataclass(frozen=True)
class Recipe:
    name: str
    shows: str
    program: str  # of tests/programs
    arguments: tuple[str, ...] = ()
    runtime: str = "libomp-14"  # of tools/test-runtimes
    findings: tuple[str, ...] = ()  # the program was written to have these
    compiler: str = CLANG
    flags: tuple[str, ...] = DEBUG
    environment: dict[str, str] = field(default_factory=dict)
    stop: str = "park"  # what the program does at its stop; "": it has none
    by_gdb: bool = False  # otherwise the kernel writes the core, at SIGQUIT
    filter: str = ""  # coredump_filter
    limit: int = 0  # of the core's size
    absent: tuple[str, ...] = ()  # files that are not kept
    machine: Machine = HERE
    cpu: str = "cortex-a72"  # of a virtual machine
    libc_of: str = ""  # another runtime of tools/test-runtimes, to store fewer; "": its own

    @property
    def library(self) -> str:
        """The runtime's file."""
        return "libgomp.so.1" if self.runtime.startswith("libgomp") else "libomp.so.5"

    @property
    def dumped_by(self) -> str:
        if self.by_gdb:
            return "GDB's generate-core-file, which is gcore"
        words = ["the kernel, " + ("at `kill -QUIT'" if self.stop == "park" else "at the crash")]
        if self.filter:
            words.append(f"coredump_filter {self.filter}")
        if self.limit:
            words.append(f"cut at {self.limit} bytes by `ulimit -c'")
        return ", ".join(words)


RECIPES = [
    Recipe(
        "crash-nested",
        "A thread of an inner region reads past its array.",
        "blur",
        runtime="libomp-19",
        findings=("crash",),
        stop="",
    ),
    Recipe(
        "lock-order",
        "Two threads take two locks in different orders; the third waits for them.",
        "deadlocks",
        ("inversion2",),
        findings=("deadlock",),
    ),
    Recipe(
        "barrier-divergence",
        "One thread waits at a barrier that the others of its team do not come to.",
        "states",
        ("diverging",),
        "libomp-16",
        findings=("barrier_divergence",),
    ),
    Recipe(
        "critical-twice",
        "A thread enters a critical construct that it is in.",
        "deadlocks",
        ("critical_twice",),
        "libomp-19",
        findings=("self_deadlock",),
    ),
    Recipe(
        "dependences-stuck",
        "A task waits for a lock, another for that task's data, and the lock's holder for both.",
        "deadlocks",
        ("dependence",),
        "libomp-16",
        findings=("deadlock",),
    ),
    Recipe(
        "taskwait-hang",
        "A task wants a lock that its parent holds, which waits for its children.",
        "deadlocks",
        ("ancestors_lock",),
        findings=("deadlock",),
    ),
    Recipe(
        "idle-pool",
        "Two threads of four work, two have nothing to do: nothing is wrong.",
        "states",
        ("idle",),
        "libomp-19",
    ),
    Recipe(
        "threads-256",
        "A team of 256 threads.",
        "wide",
        ("256",),
        "libomp-19",
        environment={"OMP_STACKSIZE": "64k"},
    ),
    Recipe("serialized", "Five levels of regions, three of them of one thread.", "nested"),
    Recipe("teams", "A league of two teams with a region in each.", "teams", ("2", "nested")),
    Recipe(
        "task-graph",
        "Tasks that run, wait for their children, depend on others, or wait for a thread.",
        "task_graph",
        runtime="libomp-16",
        environment={"OMP_MAX_TASK_PRIORITY": "5"},
    ),
    Recipe(
        "gcc-program",
        "A program of gcc's, with LLVM's runtime in the place of libgomp.",
        "deadlocks",
        ("inversion_critical",),
        "libomp-19",
        findings=("deadlock",),
        compiler=GCC,
    ),
    Recipe(
        "no-table",
        "A stripped runtime that was built with ThinLTO: it has no table of its structures.",
        "nested",
        runtime="libomp-19-lto",
    ),
    Recipe(
        "another-libc",
        "A newer libc than the debugger's machine has, and its runtime.",
        "nested",
        runtime="libomp-23",
    ),
    Recipe("gcore", "Nested regions, written by GDB.", "nested", runtime="libomp-19", by_gdb=True),
    Recipe(
        "no-headers",
        "The kernel was told to leave out file-backed pages and ELF headers.",
        "nested",
        runtime="libomp-16",
        filter="0x21",
    ),
    Recipe(
        "truncated",
        "`ulimit -c' cut it in the middle.",
        "nested",
        limit=400 << 10,
    ),
    Recipe(
        "no-runtime",
        "The runtime's file was not kept.",
        "nested",
        runtime="libomp-16",
        absent=("libomp.so.5",),
    ),
    *(
        # Until GCC 10 libgomp begins no regions inside of others unless it is told to.
        replace(recipe, compiler=GCC, environment={**recipe.environment, "OMP_NESTED": "true"})
        for recipe in (
            Recipe(
                "gomp-crash",
                "A thread of an inner region reads past its array, on GNU's runtime.",
                "blur",
                runtime="libgomp-12",
                findings=("crash",),
                stop="",
            ),
            Recipe(
                "gomp-lock-order",
                "Two threads take two locks in different orders, on GNU's runtime.",
                "deadlocks",
                ("inversion2",),
                "libgomp-14",
                findings=("deadlock",),
            ),
            Recipe(
                "gomp-barrier-divergence",
                "One thread waits at a barrier that the others of its team do not come to.",
                "states",
                ("diverging",),
                "libgomp-12",
                findings=("deadlock",),  # gcc calls the same for all barriers
            ),
            Recipe(
                "gomp-critical-twice",
                "A thread enters a critical construct that it is in, on GNU's runtime.",
                "deadlocks",
                ("critical_twice",),
                "libgomp-10",
                findings=("self_deadlock",),
            ),
            Recipe(
                "gomp-dependences-stuck",
                "A task waits for a lock, another for that task's data, and its holder for both.",
                "deadlocks",
                ("dependence",),
                "libgomp-12",
                findings=("deadlock",),
            ),
            Recipe(
                "gomp-idle-pool",
                "Two threads of four work, two have nothing to do: nothing is wrong.",
                "states",
                ("idle",),
                "libgomp-12",
            ),
            Recipe("gomp-nested", "Nested regions on GNU's runtime.", "nested", (), "libgomp-10"),
            Recipe(
                "gomp-task-graph",
                "Tasks that run, wait, depend on others, or wait for a thread, on GNU's runtime.",
                "task_graph",
                runtime="libgomp-14",
                environment={"OMP_MAX_TASK_PRIORITY": "5"},
            ),
            Recipe(
                "gomp-no-runtime",
                "The file of GNU's runtime was not kept; its build is known.",
                "nested",
                runtime="libgomp-12",
                absent=("libgomp.so.1",),
            ),
        )
    ),
]


def _on_aarch64(name: str, runtime: str, **changes: Any) -> Recipe:
    """The brother of an x86-64 core."""
    (one,) = [recipe for recipe in RECIPES if recipe.name == name]
    runtime = f"{runtime}-arm64"
    libc_of = "libomp-19-pac-arm64"
    changes = {"machine": AARCH64, "runtime": runtime, "libc_of": libc_of, **changes}
    return replace(one, name=f"aarch64-{name}", shows=f"{one.shows[:-1]}, on AArch64.", **changes)


# Return addresses are signed, by a processor that does it.
SIGNED = {"cpu": "max,pauth-impdef=on", "flags": (*DEBUG, "-mbranch-protection=standard")}

RECIPES += [
    _on_aarch64("crash-nested", "libomp-19"),
    _on_aarch64("lock-order", "libomp-14"),
    _on_aarch64("barrier-divergence", "libomp-19"),
    _on_aarch64("critical-twice", "libomp-19-pac", **SIGNED),
    _on_aarch64("dependences-stuck", "libomp-14", flags=("-g", "-O2")),
    _on_aarch64("taskwait-hang", "libomp-14"),
    _on_aarch64("idle-pool", "libomp-19"),
    _on_aarch64("serialized", "libomp-14"),
    _on_aarch64("teams", "libomp-19-pac", **SIGNED),
    _on_aarch64("task-graph", "libomp-19"),
    _on_aarch64("gcc-program", "libomp-19"),
    _on_aarch64("gomp-crash", "libgomp-12"),
    _on_aarch64("gomp-lock-order", "libgomp-14", **SIGNED),
    _on_aarch64("gomp-barrier-divergence", "libgomp-12"),
    _on_aarch64("gomp-critical-twice", "libgomp-12", **SIGNED),
    _on_aarch64("gomp-dependences-stuck", "libgomp-12", flags=("-g", "-O2")),
    _on_aarch64("gomp-idle-pool", "libgomp-16"),
    _on_aarch64("gomp-nested", "libgomp-16", **SIGNED),
    _on_aarch64("gomp-task-graph", "libgomp-14"),
    _on_aarch64("gomp-no-runtime", "libgomp-12"),
]
