# SPDX-License-Identifier: Apache-2.0
"""Is it right on AArch64, on a real kernel? Holders of locks by the code of many builds, events,
steps, in a virtual machine (`--full'): what the default tests see of it are the corpus' cores."""

from __future__ import annotations

import json
import re
from pathlib import Path

import machine
import pytest
import random_programs
import sessions
import test_breakpoints
import test_holding
import test_stacks as test_stacks_of
import test_steps
import virtual
from sessions import ask
from test_truth import told_truth
from virtual import NEWER_PLAIN_CPU, PLAIN_CPU, SIGNED, SIGNING_CPU, Build

pytestmark = pytest.mark.skipif(not machine.FULL, reason="in --full")
GDB = "gdb-multiarch"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "PATIENCE", virtual.PATIENCE)


BUILDS = {
    PLAIN_CPU: [
        Build((level, *flags), compiler)
        for compiler in (machine.CLANG, "gcc")
        for level, flags in (
            *(("-O0", ("-g",)), ("-O1", ("-g", "-no-pie")), ("-O2", ("-g",)), ("-O3", ())),
            *(("-O2", ("-g", "-fno-plt", "-fPIC")), ("-Os", ("-g",))),
        )
    ],
    SIGNING_CPU: [Build((level, "-g", SIGNED)) for level in ("-O0", "-O2")]
    + [Build(("-O2", "-g", SIGNED), "gcc")],
}


@pytest.mark.parametrize("cpu", BUILDS)
def test_holders(cpu: str, folder: Path) -> None:
    """As tests/gdb/test_holding.py judges it."""
    made = virtual.shared(folder, "libomp-19")
    names = [f"holding{i}" for i in range(len(BUILDS[cpu]))]
    for name, build in zip(names, BUILDS[cpu]):
        made.compiled("holding", build, name)
    wrong = []
    for build, one in zip(BUILDS[cpu], virtual.cores(made, names, cpu).values()):
        answer = ask(GDB, [test_holding.TELL], one.before, folder=folder)
        told = json.loads(answer.text.splitlines()[-1])
        true = test_holding.true_holdings(one)
        try:
            figures = test_holding.judge(told, true)
            test_holding.check_waits(told, true)
            print(build, figures)
            assert figures.found >= 0.85 * figures.held
        except AssertionError as error:
            wrong.append(f"{build}: {error}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "release, cpu", [("13", 0), ("14", 1), ("16", 0), ("19-pac", 1), ("23", 1)]
)
def test_stacks(release: str, cpu: int, folder: Path) -> None:
    """As their author wrote them, down to where each thread began."""
    made = virtual.shared(folder, f"libomp-{release}")
    scenarios = test_stacks_of.SCENARIOS
    build = LIVE[CPUS[cpu]]
    for scenario in scenarios:
        made.compiled("stacks", build, scenario)
    found = virtual.cores(made, scenarios, CPUS[cpu], [(scenario,) for scenario in scenarios])
    for scenario, one in found.items():
        answer = ask(GDB, [test_stacks_of.ALL], one.before, folder=folder)
        document = answer.document(test_stacks_of.ALL)
        true = test_stacks_of.expected(test_stacks_of.SOURCE, scenario)
        assert test_stacks_of.told(document, "stacks.c") == true, answer.everything
        assert all(stack["complete"] for stack in document["stacks"])


# The bytes of a vector register that the kernel gives to a program; the signing processor has SVE.
PAGES = {"vm-arm64": 4096, "vm-arm64-16k": 16 << 10, "vm-arm64-64k": 64 << 10}
VECTORS = "/proc/sys/abi/sve_default_vector_length"


@pytest.mark.parametrize(
    "kernel, cpu, runtime, vector",
    [
        ("vm-arm64", PLAIN_CPU, "libomp-16", 0),
        ("vm-arm64", SIGNING_CPU, "libomp-19-pac", 16),
        ("vm-arm64-16k", NEWER_PLAIN_CPU, "libomp-19", 0),
        ("vm-arm64-16k", SIGNING_CPU, "libomp-19-pac", 64),
        ("vm-arm64-64k", PLAIN_CPU, "libomp-19", 0),
        ("vm-arm64-64k", SIGNING_CPU, "libomp-19-pac", 64),
    ],
)
def test_random_programs(kernel: str, cpu: str, runtime: str, vector: int, folder: Path) -> None:
    """Which nobody has seen before; with pages of each size."""
    shared = virtual.shared(folder, runtime)
    shared.machine = kernel
    shared.lines += [f"echo {vector} > {VECTORS}"] if vector else []
    seed = random_programs.new_seed()
    made = [maker(seed + i) for maker in random_programs.MAKERS.values() for i in range(4)]
    for one in made:
        shared.compiled(one.write(folder), LIVE[cpu], one.name)
    names = [one.name for one in made]
    given = [random_programs.arguments(one) for one in made]
    found = virtual.cores(shared, names, cpu, given)
    facts = ask(GDB, ["info auxv", "print $vg"], found[names[0]].before, folder=folder).texts
    assert re.search(rf"AT_PAGESZ .* {PAGES[kernel]}$", facts[0], re.MULTILINE), facts
    assert not vector or facts[1] == f"$1 = {vector // 8}", facts
    for one, target in zip(made, found.values()):
        random_programs.check(one, target, GDB, folder)


LARGE_PAGES = [kernel for kernel, size in PAGES.items() if size > 4096]


@pytest.mark.parametrize("kernel", LARGE_PAGES)
def test_live_on_large_pages(kernel: str, folder: Path) -> None:
    """Through gdbserver; the cores of such kernels are looked at above."""
    made = virtual.shared(folder, "libomp-19-pac")
    made.machine = kernel
    made.compiled("nested", Build(), "nested")
    with virtual.served(made, "nested", (), NEWER_PLAIN_CPU) as one:
        before = [*one.before, "break stop_here", "continue"]
        commands = [*random_programs.FACTS, "ompd bt * -json", "info auxv", "kill"]
        answer = ask(GDB, commands, before, folder=folder)
    told_truth(one.truth(), answer)
    assert all(stack["complete"] for stack in answer.document(commands[2])["stacks"])
    assert re.search(rf"AT_PAGESZ .* {PAGES[kernel]}$", answer.texts[3], re.MULTILINE)


CPUS = [PLAIN_CPU, SIGNING_CPU]
LIVE = {cpu: Build() for cpu in (PLAIN_CPU, NEWER_PLAIN_CPU)}
LIVE[SIGNING_CPU] = Build(("-O0", "-g", SIGNED))


def live_build(runtime: str, cpu: str) -> Build:
    """By the compiler that the runtime comes with."""
    return Build(LIVE[cpu].flags, "gcc") if machine.is_gnus(runtime) else LIVE[cpu]


# The last one's runtime signs, too.
ON_GNUS = [("libgomp-12", PLAIN_CPU), ("libgomp-16", SIGNING_CPU)]


@pytest.mark.parametrize("runtime, cpu", [*[("libomp-16", cpu) for cpu in CPUS], *ON_GNUS])
def test_events(runtime: str, cpu: str, folder: Path) -> None:
    """A stop for each, and no other one. gcc tells the runtime no lines."""
    made = virtual.shared(folder, runtime)
    made.compiled("events", live_build(runtime, cpu), "events")
    events = test_breakpoints.EVENTS
    with virtual.served(made, "events", ["1"], cpu) as one:
        commands = [test_breakpoints.DRIVER, *test_breakpoints.breaks(events)]
        commands.append(f"record-stops {folder / 'stops'} continue")
        answer = ask(GDB, [*commands, "maint info breakpoints"], one.before, folder=folder)
    (folder / "truth.json").write_bytes(one.record.read_bytes())
    test_breakpoints.compare(folder, events, lines=not machine.is_gnus(runtime))
    assert not test_breakpoints.HIDDEN.search(answer.text), "breakpoints were left behind"
    print(sum(test_breakpoints.true_counts(one.record, events).values()), "events")


OF_CLANG, OF_GCC = test_steps.OF_CLANG, test_steps.OF_GCC
WALKS = [(i, walk, "libomp-19", CPUS[i // 4 % 2]) for i, walk in enumerate(OF_CLANG) if i % 4 == 0]
WALKS += [(i, OF_GCC[i * len(OF_GCC) // 2], *on) for i, on in enumerate(ON_GNUS)]


@pytest.mark.parametrize("number, walk, runtime, cpu", WALKS)
def test_walks(number: int, walk: test_steps.Walk, runtime: str, cpu: str, folder: Path) -> None:
    made = virtual.shared(folder, runtime)
    executable = made.compiled("steps", live_build(runtime, cpu), "steps")
    locking = test_steps.LOCKING[number % len(test_steps.LOCKING)]
    with virtual.served(made, "steps", (), cpu) as one:
        test_steps.walk_through(
            walk, executable, made.runtime, folder, locking, GDB, connected=one.before
        )
