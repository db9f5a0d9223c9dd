# SPDX-License-Identifier: Apache-2.0
"""Threads in constructs of devices on each release of LLVM's offload runtime, as clang 14 to
23 compile them, -O0 to -O3, with and without -g: right, or not known."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import gpu
import machine
import pytest
from device_score import UNKNOWN, WRONG, score
from sessions import Answer, ask, target
from test_target import recorded, told

pytestmark = pytest.mark.full

# 23 takes no older clang's kernels. 18 hands clang 14's a first argument too many. What clang 15
# optimises does not run on 16. No suite of Debian has clang 20.
RELEASES = {
    "clang-14": (13, 14, 15, 16, 17, 19, 21, 22),
    "clang-15": (15,),
    "clang-16": (16, 17),
    "clang-17": (17,),
    "clang-18": (18,),
    "clang-19": (18, 19, 21, 22),
    "clang-21": (21, 22),
    "clang-22": (22,),
    "clang-23": (23,),
}
# Not 13, whose CUDA plugin does not take code that says to be of this interface's version.
OF_GPUS = {"clang-14": (14, 15, 16, 17, 18, 19, 21, 22), "clang-19": (18, 19, 21, 22)}
BUILDS = [*machine.BUILDS, *machine.OTHER_BUILDS]
KINDS = ["live", "attach", "core"]


def cells(releases: dict[str, tuple[int, ...]]) -> list[Any]:
    whole = [
        (compiler, release, build)
        for compiler, some in releases.items()
        for release in some
        for build in BUILDS
    ]
    return [
        pytest.param(*one, KINDS[i % len(KINDS)], id="-".join(map(str, (*one, KINDS[i % 3]))))
        for i, one in enumerate(whole)
    ]


def compare(answer: Answer, truth: list[list[str]]) -> list[str]:
    """How each of kernel, line and device ended."""
    found = told(answer.document("ompd target -json"))
    assert len(truth) == len(found) == 4, answer.everything
    ends = []
    for tid, _, line, device in truth:
        one = found[int(tid)]
        kernel = one["kernel"]["line"] if one["kernel"] is not None else None
        ends += [
            score.judge("kernels", kernel, int(line)),
            score.judge("lines", one["loc"]["line"], int(line)),
            score.judge("devices", one["device"], int(device)),
        ]
    assert WRONG not in ends, (truth, found)
    return ends


@pytest.mark.parametrize("compiler,release,build,kind", cells(RELEASES))
def test_kernels_of_the_process(
    compiler: str, release: int, build: str, kind: str, folder: Path
) -> None:
    executable = gpu.compiled_for(release, "targets", build, compiler)
    library = machine.cached(f"libomptarget-{release}")
    args, settings = ["several", str(random.randrange(4))], {"TMPDIR": str(folder)}
    with target(kind, executable, args, library, folder, settings) as made:
        asked = ["ompd target -json"]
        answer = ask("gdb", asked, [gpu.ITSELF, *made.before], made.files, folder=folder)
        ends = compare(answer, recorded(made.record, "targets"))
    # Only in cores the kernel's code, which has no file any more, may be missing.
    assert kind == "core" or UNKNOWN not in ends[::3], ends


@pytest.mark.parametrize("release", [14, 16, 19])
def test_kernels_through_gdbserver(release: int, folder: Path) -> None:
    library, args = machine.cached(f"libomptarget-{release}"), ["several", "1"]
    executable = gpu.compiled_for(release, "targets", "optimised")
    settings = {"TMPDIR": str(folder)}
    with target("gdbserver", executable, args, library, folder, settings) as made:
        answer = ask("gdb", ["ompd target -json"], made.before, made.files, folder=folder)
        ends = compare(answer, recorded(made.record, "targets"))
    assert UNKNOWN not in ends[::3], ends


@pytest.mark.parametrize("compiler,release,build,kind", cells(OF_GPUS))
def test_kernels_of_a_gpu(compiler: str, release: int, build: str, kind: str, folder: Path) -> None:
    executable = gpu.marked(gpu.compiled_for(release, "targets", build, compiler), folder)
    path = Path(f"{gpu.driver(folder)}:{machine.cached(f'libomptarget-{release}')}")
    args, settings = ["several", str(random.randrange(4))], {"FAKE_DRIVER_RUN_MS": "-1"}
    with target(kind, executable, args, path, folder, settings) as made:
        asked = ["ompd target -json"]
        answer = ask("gdb", asked, [gpu.ITSELF, *made.before], made.files, folder=folder)
        ends = compare(answer, recorded(made.record, "targets"))
    assert build != "debug" or UNKNOWN not in ends[::3], ends
