# SPDX-License-Identifier: Apache-2.0
"""What threads do on devices, and what is mapped there: compared with what the programs recorded,
on LLVM's host plugin. No GPU is needed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import gpu
import machine
import pytest
import shown
from device_score import score
from gpu import compiled
from sessions import ask, target

RUNTIMES = ["libomptarget-14", "libomptarget-16", "libomptarget-19"]
BUILDS = ["debug", "optimised", "release", "light-debug"]
KINDS = ["live", "core", "attach"]
WRONG = {
    **dict.fromkeys(["unmapped", "returned", "below"], "mapping_stale"),
    "left": "mapping_left",
}
RIGHT = [
    *("heap", "of_program", "live_local", "unmapped_in_time", "counted", "associated"),
    *("in_worker", "none", "reused", "structures", "unmapped_at_exit"),
]


@pytest.fixture(autouse=True)
def own_temporary_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host plugin leaves the code that it loads, if a program is killed."""
    monkeypatch.setenv("TMPDIR", str(folder))


def told(document: Any) -> dict[int, Any]:
    return {one["lwp"]: one for one in document["offload"]["targets"]}


def recorded(record: Path, suffix: str) -> list[list[str]]:
    path = Path(f"{record}.{suffix}")
    return [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]


def cells() -> list[Any]:
    found = [
        (RUNTIMES[i], BUILDS[k], KINDS[(i + k) % len(KINDS)])
        for i in range(len(RUNTIMES))
        for k in range(len(BUILDS))
    ]
    return [pytest.param(*one, id="-".join(one)) for one in found]


@pytest.mark.parametrize("runtime,build,kind", cells())
def test_threads_in_constructs(runtime: str, build: str, kind: str, folder: Path) -> None:
    """Kernel, line and device of each thread, whichever of four constructs it met."""
    seed = random.randrange(4)
    asked = ["ompd target -json", "ompd bt * -json", "ompd target", "ompd threads", "bt"]
    args = ["several", str(seed)]
    library = machine.cached(runtime)
    with target(kind, compiled("targets", build), args, library, folder) as made:
        answer = ask("gdb", asked, made.before, made.files, folder=folder)
        truth = recorded(made.record, "targets")
    found = told(answer.document("ompd target -json"))
    assert len(truth) == len(found) == 4, answer.everything
    for tid, construct, line, device in truth:
        one = found[int(tid)]
        assert one["construct"].split(" ")[0] == construct
        assert one["device"] == int(device), (seed, one)
        # Which kernel it is, its own name tells: always right, or not known.
        if one["kernel"] is None:
            assert one["doubts"]["kernel"]["certainty"] == "unknown"
            assert kind == "core", "the kernel's code is on the stack"
        else:
            assert (one["kernel"]["function"], one["kernel"]["line"]) == ("meet", int(line))
            assert one["loc"]["line"] == int(line)
            assert one["phase"] == "kernel"
    stacks = answer.document("ompd bt * -json")["stacks"]
    constructs = [
        frame
        for stack in stacks
        for frame in stack["frames"]
        if frame["construct"] and frame["construct"].startswith("target")
    ]
    assert len(constructs) == 4
    shown = [frame for stack in stacks for frame in stack["frames"] if frame["kind"] == "user"]
    names = [frame["text"] for frame in shown]
    assert not [name for name in names if "__tgt" in name or "ffi" in name], names


@pytest.mark.full
def test_a_construct_on_the_host(folder: Path) -> None:
    library = machine.cached("libomptarget-14")
    with target("live", compiled("targets"), ["on_host"], library, folder) as made:
        asked = ["ompd target -json", "ompd bt R0"]
        answer = ask("gdb", asked, made.before, made.files, folder=folder)
        ((_, _, line, _),) = recorded(made.record, "targets")
    (one,) = answer.document("ompd target -json")["offload"]["targets"]
    assert (one["phase"], one["device"], one["kernel"]["line"]) == ("host", None, int(line))
    assert f"#pragma omp target at targets.c:{line}, on the host" in answer.text
    assert one["reason"].startswith("one of: its `if' is false")


IN_ENVIRONMENT = "the program's environment has OMP_TARGET_OFFLOAD=disabled"
NO_DEVICE = "the offload runtime has found no device for the program's code"
# What there is, what the program does, and what is said: of gcc's programs libgomp calls the code.
REASONS = {
    "disabled": (machine.CLANG, "libomptarget-14", "on_host", "target-offload-var is disabled"),
    "disabled-gcc": ("gcc", "libgomp-12", "on_host", IN_ENVIRONMENT),
    "if-gcc": ("gcc", "libgomp-12", "if_zero", "its `if' is false"),
    "unknown-gcc": ("gcc", "libgomp-12", "on_host", "there is no device, or one of: its `if'"),
    "no-plugin": (
        *(machine.CLANG, "libomptarget-14", "on_host"),
        "the offload runtime has loaded no plugin for devices",
    ),
    "other-code": (
        *(machine.CLANG, "libomptarget-16", "on_host"),
        f"{NO_DEVICE} by the plugins that are loaded: amdgpu, cuda, x86_64",
    ),
    "other-code-19": (machine.CLANG, "libomptarget-19", "on_host", NO_DEVICE),
}


def without_plugins(library: Path, folder: Path) -> Path:
    made = folder / "without"
    made.mkdir()
    for path in library.iterdir():
        if ".rtl." not in path.name:
            (made / path.name).symlink_to(path)
    return made


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name.startswith("disabled") else [pytest.mark.full])
        for name in REASONS
    ],
)
def test_why_on_the_host(name: str, folder: Path) -> None:
    compiler, runtime, scenario, reason = REASONS[name]
    if compiler == "gcc":
        library = machine.under_gcc(runtime, folder)
        program = machine.compiled("targets", compiler="gcc")
    else:
        library, program = machine.cached(runtime), compiled("targets")
    if name == "no-plugin":
        library = without_plugins(library, folder)
    elif name.startswith("other-code"):
        # There is no driver for it.
        program = gpu.program_for_gpus("targets", "debug", folder)
    settings = {"OMP_TARGET_OFFLOAD": "disabled"} if name.startswith("disabled") else {}
    with target("live", program, [scenario], library, folder, settings) as made:
        asked = ["ompd target -json", "ompd bt 1-1", "ompd target"]
        answer = ask("gdb", asked, made.before, made.files, folder=folder)
        ((_, _, line, _),) = recorded(made.record, "targets")
    (one,) = answer.document("ompd target -json")["offload"]["targets"]
    assert (one["phase"], one["device"]) == ("host", None)
    assert one["loc"]["line"] == int(line)
    assert one["reason"].startswith(reason), answer.everything
    assert f"T1 on the host: {one['reason']}." in " ".join(answer.texts[2].split())
    assert f"#pragma omp target at targets.c:{line}, on the host" in answer.texts[1]


def test_a_deferred_construct(folder: Path) -> None:
    """A hidden helper thread executes it."""
    library = machine.cached("libomptarget-14")
    with target("live", compiled("targets"), ["deferred"], library, folder) as made:
        asked = ["ompd target -json", "ompd bt R0"]
        answer = ask("gdb", asked, made.before, made.files, folder=folder)
        ((_, _, line, _),) = recorded(made.record, "targets")
    (one,) = answer.document("ompd target -json")["offload"]["targets"]
    assert (one["loc"]["line"], one["device"], one["phase"]) == (int(line), 0, "kernel")


@pytest.mark.parametrize("scenario", [*WRONG, *RIGHT])
def test_what_is_mapped(scenario: str, folder: Path) -> None:
    """Each mapping as the program has it, and a finding exactly where one is due."""
    runtime = RUNTIMES[[*WRONG, *RIGHT].index(scenario) % len(RUNTIMES)]
    with target("live", compiled("mapped"), [scenario], machine.cached(runtime), folder) as made:
        asked = ["ompd target map -json", "ompd report -json", "ompd target map", "ompd"]
        answer = ask("gdb", asked, made.before, made.files, folder=folder)
        exists = Path(f"{made.record}.mapped").exists()
        truth = recorded(made.record, "mapped") if exists else []
    mapped = answer.document("ompd target map -json")["offload"]["mappings"]
    known = {(int(one["host"], 16), int(one["size"])): one for one in mapped}
    for *_, begin, size, count, _ in truth:
        one = known.pop((int(begin, 16), int(size)))
        score.judge("mappings", -1 if one["infinite"] else one["dynamic"], int(count))
        assert one["infinite"] == (count == "-1")
        assert one["infinite"] or one["dynamic"] == int(count)
        assert one["line"] or one["infinite"]
    if scenario != "structures":
        assert all(one["infinite"] for one in known.values()), known
    findings = [one["code"] for one in answer.document("ompd report -json")["findings"]]
    expected = [WRONG[scenario]] if scenario in WRONG else []
    score.find(len(expected), len(findings))
    assert findings == expected, answer.everything


def test_an_entry_that_contradicts_itself(folder: Path) -> None:
    """It is not told, and nothing is found by it; what else is mapped is told as likely."""
    runtime = machine.cached("libomptarget-14")
    with target("attach", compiled("mapped"), ["returned"], runtime, folder) as made:
        assert made.pid is not None
        offload = shown.told("attach", made.pid)["offload"]
        whole = [one for device in offload["devices"] for one in device["mappings"]]
        (entry,) = (one for one in whole if one["source"])
        # Its end comes before its beginning.
        spoilt = f"set var *(unsigned long *) ({entry['address']} + 16) = 0"
        asked = ["ompd target map -json", "ompd report -json", "ompd target"]
        answer = ask("gdb", asked, [*made.before, spoilt], made.files, folder=folder)
    found = answer.document("ompd target map -json")["offload"]
    others = [one["begin"] for one in whole if one is not entry]
    assert [one["host"] for one in found["mappings"]] == others and others
    assert found["doubts"]["mappings"]["certainty"] == "likely"
    device = found["devices"][0]
    assert (device["mapped"], device["complete"]) == (len(whole), False)
    assert answer.document("ompd report -json")["findings"] == []
    assert found["doubts"]["mappings"]["why"] in " ".join(answer.texts[2].split())


def test_both_sides_of_an_address(folder: Path) -> None:
    library = machine.cached("libomptarget-16")
    with target("live", compiled("mapped"), ["heap"], library, folder) as made:
        before = [*made.before, "up 2"]
        asked = ["ompd target map -json", "ompd target map &p[3]", "ompd target map nothing"]
        asked += ["ompd target map 0", "ompd target map 12345678", "ompd target nonsense"]
        answer = ask("gdb", asked, before, made.files, folder=folder)
        ((*_, begin, _, _, _),) = recorded(made.record, "mapped")
    mapped = answer.document("ompd target map -json")["offload"]["mappings"]
    (one,) = [one for one in mapped if one["host"] == begin]
    there = int(one["target"], 16) + 24
    assert f"{int(begin, 16) + 24:#x} on the host is p[0:1000] + 24" in answer.texts[1]
    assert f"on device 0 {there:#x}" in answer.texts[1]
    assert "not a device, an address or a variable" in answer.texts[2]
    assert "p[0:1000]" in answer.texts[3]
    assert "is mapped on no device" in answer.texts[4]
    assert "takes no argument `nonsense'" in answer.texts[5]


def test_a_program_without_devices(folder: Path) -> None:
    library = machine.cached("libomp-14")
    with target("live", machine.compiled("states"), ["critical"], library, folder) as made:
        asked = ["ompd target -json", "ompd target", "ompd target map"]
        answer = ask("gdb", asked, made.before, made.files, folder=folder)
    assert answer.document("ompd target -json")["offload"]["runtime"] is None
    assert "has loaded no offload runtime" in answer.texts[1]
    assert "has loaded no offload runtime" in answer.texts[2]
