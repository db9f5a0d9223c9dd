# SPDX-License-Identifier: Apache-2.0
"""Threads that wait for devices of which the process has nothing but what the offload runtime
keeps: LLVM's unmodified CUDA plugin over a driver of ours. Compared with what they recorded."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import gpu
import machine
import pytest
from device_score import WRONG, score
from sessions import Answer, ask, target
from test_target import recorded, told

RELEASES = [14, 15, 16, 19]
# Of other suites, with the libc that they want.
OTHERS = [17, 18, 21, 22]
ALL = [*RELEASES, *(pytest.param(one, marks=pytest.mark.full) for one in OTHERS)]
BUILDS = ["debug", "optimised", "release", "light-debug", "plain-debug"]
KINDS = ["live", "attach", "core"]
FOR_EVER = "-1"
FIRST_OF_DEVICE = 0x200000000000  # address, as the driver has it
DIRECTIVES = {"enter": "target [enter] data", "update": "target update"}


def looked(
    asked: list[str],
    args: list[str],
    kind: str,
    build: str,
    release: int,
    folder: Path,
    name: str = "targets",
    compiler: str = machine.CLANG,
    **settings: str,
) -> tuple[Answer, list[list[str]]]:
    """What is answered of a program whose devices are GPUs, and what it recorded."""
    program = gpu.marked(gpu.compiled_for(release, name, build, compiler), folder)
    path = Path(f"{gpu.driver(folder)}:{machine.cached(f'libomptarget-{release}')}")
    with target(kind, program, args, path, folder, settings) as made:
        before = [gpu.ITSELF, *made.before]
        return ask("gdb", asked, before, made.files, folder=folder), recorded(made.record, name)


def cells(releases: list[int]) -> list[Any]:
    found = [
        (release, build, KINDS[(i + k) % len(KINDS)])
        for i, release in enumerate(releases)
        for k, build in enumerate(BUILDS)
    ]
    return [
        pytest.param(
            *one,
            id="-".join(map(str, one)),
            marks=[pytest.mark.full] if one[0] in OTHERS else [],
        )
        for one in found
    ]


@pytest.mark.parametrize("release,build,kind", cells(RELEASES))
def test_threads_that_wait_for_a_gpu(release: int, build: str, kind: str, folder: Path) -> None:
    """Optimised code calls the runtime at one place for several constructs: what is told of them is
    right, or not known."""
    seed = random.randrange(4)
    asked = ["ompd target -json", "ompd threads", "ompd bt *"]
    args = ["several", str(seed)]
    cell = (kind, build, release, folder)
    answer, truth = looked(asked, args, *cell, FAKE_DRIVER_RUN_MS=FOR_EVER)
    found = told(answer.document("ompd target -json"))
    assert len(truth) == len(found) == 4, answer.everything
    for tid, _, line, device in truth:
        one = found[int(tid)]
        kernel = one["kernel"]["line"] if one["kernel"] is not None else None
        for what, said, true in (
            ("kernels", kernel, line),
            ("lines", one["loc"]["line"], line),
            ("devices", one["device"], device),
        ):
            assert score.judge(what, said, int(true)) != WRONG, (seed, what, truth, one)
        assert one["phase"] == "device", one
        assert build != "debug" or kernel is not None, one


@pytest.mark.parametrize("release,build,kind", cells([*RELEASES, *OTHERS]))
def test_directives_that_copy(release: int, build: str, kind: str, folder: Path) -> None:
    """Which of two directives a call is made for is not told where both make it."""
    asked = ["ompd target -json", "ompd threads"]
    args, stuck = ["copying", str(random.randrange(4))], str(64 * 8)
    cell = (kind, build, release, folder)
    answer, truth = looked(asked, args, *cell, FAKE_DRIVER_STUCK=stuck)
    found = told(answer.document("ompd target -json"))
    assert len(truth) == len(found) == 4, answer.everything
    copying = {device for tid, _, _, device in truth if found[int(tid)]["phase"] == "transfer"}
    for tid, directive, line, device in truth:
        one = found[int(tid)]
        assert one["construct"] == DIRECTIVES[directive]
        assert one["loc"]["line"] in (None, int(line)), (args, truth, one)
        assert one["device"] in (None, int(device)), (args, truth, one)
        # From 17 on one waits for the other that copies to the same device.
        assert one["phase"] == "transfer" or (release >= 17 and one["phase"] == "lock"), one
        assert device in copying, (args, truth, found)
        assert build != "debug" or one["loc"]["line"] is not None, one


@pytest.mark.parametrize("release", ALL)
def test_a_launch_that_fails(release: int, folder: Path) -> None:
    """The core of a program that its device has failed tells which kernel it was, and where."""
    failing = random.randint(1, 4)
    settings = {"OMP_TARGET_OFFLOAD": "mandatory", "FAKE_DRIVER_FAIL": str(failing)}
    asked, cell = ["ompd target -json", "ompd target"], ("core", "debug", release, folder)
    answer, truth = looked(asked, ["in_turn"], *cell, **settings)
    assert len(truth) == failing
    tid, _, line, device = truth[-1]
    (one,) = answer.document("ompd target -json")["offload"]["targets"]
    assert (one["lwp"], one["device"], one["phase"]) == (int(tid), int(device), "aborted")
    assert one["kernel"]["line"] == one["loc"]["line"] == int(line)
    # The array of the first map clause; the device's address is known while it is mapped there.
    arguments = {argument["name"]: argument for argument in one["arguments"]}
    array = arguments["u[0:n]"]
    assert (int(array["size"]), array["mapped"]) == (64 * 8, "whole")
    assert int(array["target"], 16) >= FIRST_OF_DEVICE
    assert re.search(rf"{array['host']} +512 +{array['target']} +mapped", answer.text)
    told_ = " ".join(answer.text.split())
    assert f"kernel meet, line {line}, device {device}: the offload runtime ended" in told_


@pytest.mark.full
@pytest.mark.parametrize("release", [*RELEASES, *OTHERS])
def test_a_pointer_that_is_not_mapped(release: int, folder: Path) -> None:
    """The kernel got none of the device's memory, and failed; what it got, differs."""
    settings = {"OMP_TARGET_OFFLOAD": "mandatory", "FAKE_DRIVER_FAIL": "1"}
    asked = ["ompd target -json", "ompd report -json", "ompd target"]
    cell = ("core", "debug", release, folder, "passed")
    answer, passed = looked(asked, ["not_mapped"], *cell, **settings)
    truth = {name: begin for name, begin, *_ in passed}
    (one,) = answer.document("ompd target -json")["offload"]["targets"]
    arguments = {argument["name"]: argument for argument in one["arguments"]}
    assert (arguments["a"]["host"], arguments["a"]["mapped"]) == (truth["a"], "none")
    codes = [found["code"] for found in answer.document("ompd report -json")["findings"]]
    assert codes == ["crash", "target_aborted", "argument_not_mapped"], answer.everything
    got = "null" if release < 16 else "the host's address"
    assert f"`a' is not mapped on device 0: the kernel got {got}." in " ".join(answer.text.split())


@pytest.mark.parametrize(
    "release", [19, *(pytest.param(one, marks=pytest.mark.full) for one in (21, 22))]
)
def test_a_deferred_construct_that_no_thread_executes(release: int, folder: Path) -> None:
    """The task of newer compilers' code keeps its device; what depends on it, is told."""
    device = random.randrange(2)
    settings = {"FAKE_DRIVER_RUN_MS": FOR_EVER}
    asked = ["ompd target -json", "ompd target", "ompd tasks -json", "ompd tasks"]
    args, cell = ["deferred_before_another", str(device)], ("live", "debug", release, folder)
    answer, ((_, _, line, _),) = looked(asked, args, *cell, compiler="clang-19", **settings)
    found = answer.document("ompd target -json")["offload"]
    tasks = {one["id"]: one for one in answer.document("ompd tasks -json")["tasks"]}
    if found["targets"]:
        # A thread was just asking the device.
        ((device_told, place),) = [(one["device"], one["loc"]["line"]) for one in found["targets"]]
    else:
        (one,) = found["deferred"]
        device_told, place = one["device"], one["loc"]["line"]
        (blocked,) = one["blocks"]
        assert tasks[blocked]["depends_on"] == [one["task"]]
        words = " ".join(answer.texts[1].split())
        assert f"waits for device {device}, blocks {blocked}" in words
        wait = tasks[one["task"]]["wait"]
        assert (wait["kind"], wait["object"]) == ("target", f"device {device}")
        assert re.search(rf"^{one['task']} .* device {device} ", answer.text, re.MULTILINE)
    assert (device_told, place) == (device, int(line))
